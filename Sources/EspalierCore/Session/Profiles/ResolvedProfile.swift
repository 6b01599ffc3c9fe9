// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a session uses for one round: what it was made with, or what its profile says just now.
struct ResolvedProfile: Sendable {
  var model: any LanguageModel
  var tools: [any Tool] = []
  var definitions: [Transcript.ToolDefinition] = []
  /// What takes the place of the instructions of the transcript; those stay where this is nil.
  var instructions: Transcript.Instructions?
  var temperature: Double?
  var samplingMode: GenerationOptions.SamplingMode?
  var maximumResponseTokens: Int?
  var toolCallingMode: GenerationOptions.ToolCallingMode?
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var errorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var historyTransforms: [HistoryTransform] = []
  var hooks: [ProfileHooks] = []
  /// What tells one profile from another.
  var identity: [String] = []
  /// Where the profile is asked, and transforms what the model is shown.
  var isolation: (any Actor)?

  /// The name of two tools, if there is one.
  var duplicateToolName: String? {
    var names: Set<String> = []
    return definitions.first { !names.insert($0.name).inserted }?.name
  }

  /// Keeps the tools that a request offers: all of them where it names none.
  mutating func keepTools(named names: Set<String>?) {
    guard let names else { return }
    tools.removeAll { !names.contains($0.name) }
    definitions.removeAll { !names.contains($0.name) }
  }

  /// The options of a request, with the profile's own where the request says nothing.
  func options(for options: GenerationOptions) -> GenerationOptions {
    var options = options
    options.temperature = options.temperature ?? temperature
    options.samplingMode = options.samplingMode ?? samplingMode
    options.maximumResponseTokens = options.maximumResponseTokens ?? maximumResponseTokens
    options.toolCallingMode = options.toolCallingMode ?? toolCallingMode
    return options
  }

  /// The options of a request, with the profile's own where the request says nothing.
  func contextOptions(for options: ContextOptions) -> ContextOptions {
    var options = options
    options.reasoningLevel = options.reasoningLevel ?? reasoningLevel
    return options
  }

  /// The transcript as the model is shown it.
  func transform(_ transcript: Transcript) async -> Transcript {
    func transformed(isolation: isolated (any Actor)?) async -> Transcript {
      Transcript(entries: historyTransforms.reduce(transcript.entries) { $1.apply($0) })
    }
    return historyTransforms.isEmpty ? transcript : await transformed(isolation: isolation)
  }

  /// Calls the callbacks of an entry.
  func runHooks(for entry: Transcript.Entry, of request: ActiveRequest) async throws {
    guard !hooks.isEmpty else { return }
    try await LanguageModelSession.SessionPropertyContext.$callbackRequest.withValue(request) {
      for hook in hooks {
        switch entry {
        case .prompt(let prompt): try await hook.onPrompt?(prompt)
        case .response(let response): try await hook.onResponse?(response)
        case .reasoning(let reasoning): try await hook.onReasoning?(reasoning)
        case .toolCalls(let calls): for call in calls { try await run(hook, for: call) }
        case .instructions, .toolOutput: break
        }
      }
    }
  }

  /// Calls the callback of a call. What it throws ends the request as if the tool had thrown it.
  private func run(_ hook: ProfileHooks, for call: Transcript.ToolCall) async throws {
    do {
      try await hook.onToolCall?(call)
    } catch let error where !(error is CancellationError) {
      guard let tool = tools.first(where: { $0.name == call.toolName }) else { throw error }
      throw LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
    }
  }

  /// Calls the callbacks of the output of a call.
  func runHooks(
    for output: Transcript.ToolOutput, of call: Transcript.ToolCall, in request: ActiveRequest
  ) async throws {
    guard !hooks.isEmpty else { return }
    try await LanguageModelSession.SessionPropertyContext.$callbackRequest.withValue(request) {
      for hook in hooks { try await hook.onToolOutput?(call, output) }
    }
  }
}

/// A transformation of the entries that a model is shown.
///
/// Sound: the closure was handed over with its profile, and a session answers one request at a time.
struct HistoryTransform: @unchecked Sendable {
  let apply: ([Transcript.Entry]) -> [Transcript.Entry]
}

/// What an app wants to be told of.
///
/// Sound: the closures were handed over ("sending"), and a session answers one request at a time.
struct ProfileHooks: @unchecked Sendable {
  var onPrompt: (nonisolated(nonsending) (Transcript.Prompt) async throws -> Void)?
  var onResponse: (nonisolated(nonsending) (Transcript.Response) async throws -> Void)?
  var onReasoning: (nonisolated(nonsending) (Transcript.Reasoning) async throws -> Void)?
  var onToolCall: (nonisolated(nonsending) (Transcript.ToolCall) async throws -> Void)?
  var onToolOutput:
    (
      nonisolated(nonsending) (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void
    )?
  var onActivate: (@isolated(any) () async -> Void)?
  var onDeactivate: (@isolated(any) () async -> Void)?
}

/// The profile that a session used last.
struct ProfileActivation: Sendable {
  var identity: [String]
  var errorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var hooks: [ProfileHooks]
}

/// Where a session takes what it uses from.
enum ProfileSource: Sendable {
  case fixed(
    model: any LanguageModel, tools: [any Tool], definitions: [Transcript.ToolDefinition])
  case dynamic(DynamicProfileBox)

  func resolve(_ properties: SessionPropertyValues) async -> ResolvedProfile {
    switch self {
    case .fixed(let model, let tools, let definitions):
      ResolvedProfile(model: model, tools: tools, definitions: definitions)
    case .dynamic(let box): await box.resolve(properties)
    }
  }
}

extension LanguageModelSession {
  /// The profile as it is now, its instructions in the transcript. Where it is another than before,
  /// both are told.
  func activate(for request: ActiveRequest) async throws -> ResolvedProfile {
    let profile = await source.resolve(properties)
    if let name = profile.duplicateToolName { throw ToolCallProblem.duplicateTool(name: name) }
    guard case .dynamic = source else { return profile }
    if let instructions = profile.instructions { try record(instructions, for: request) }
    let activation = ProfileActivation(
      identity: profile.identity, errorHandlingPolicy: profile.errorHandlingPolicy,
      hooks: profile.hooks)
    let previous = state.withLock { state in
      defer { state.activation = activation }
      return state.activation
    }
    guard previous?.identity != activation.identity else { return profile }
    await SessionPropertyContext.$callbackRequest.withValue(request) {
      for hook in previous?.hooks ?? [] { await hook.onDeactivate?() }
      for hook in profile.hooks { await hook.onActivate?() }
    }
    return profile
  }
}
