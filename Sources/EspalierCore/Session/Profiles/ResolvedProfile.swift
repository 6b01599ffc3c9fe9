import Synchronization

/// What a session uses for one round: what it was made with, or what its profile says just now.
struct ResolvedProfile: Sendable {
  var model: any LanguageModel
  var tools: [any Tool] = []
  var definitions: [Transcript.ToolDefinition] = []
  /// What takes the place of the instructions of the transcript; they stay where nil.
  var instructions: Transcript.Instructions?
  var temperature: Double?
  var samplingMode: GenerationOptions.SamplingMode?
  var maximumResponseTokens: Int?
  var toolCallingMode: GenerationOptions.ToolCallingMode?
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var errorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var historyTransforms: [@Sendable ([Transcript.Entry]) -> [Transcript.Entry]] = []
  var hooks: [ProfileHooks] = []
  /// What tells one profile from another.
  var identity: [String] = []

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
  func transform(_ transcript: Transcript) -> Transcript {
    var transcript = transcript
    if let instructions {
      transcript.entries.replaceSubrange(
        0..<transcript.instructionsCount, with: [.instructions(instructions)])
    }
    guard !historyTransforms.isEmpty else { return transcript }
    var history = Array(transcript.history)
    for transform in historyTransforms { history = transform(history) }
    transcript.history = history[...]
    return transcript
  }

  func runHooks(for entry: Transcript.Entry) async throws {
    for hook in hooks {
      switch entry {
      case .response(let response): try await hook.onResponse?(response)
      case .reasoning(let reasoning): try await hook.onReasoning?(reasoning)
      case .toolCalls(let calls): for call in calls { try await hook.onToolCall?(call) }
      case .instructions, .prompt, .toolOutput: break
      }
    }
  }
}

/// What an app wants to be told of.
struct ProfileHooks: Sendable {
  var onPrompt: (@Sendable (Transcript.Prompt) async throws -> Void)?
  var onResponse: (@Sendable (Transcript.Response) async throws -> Void)?
  var onReasoning: (@Sendable (Transcript.Reasoning) async throws -> Void)?
  var onToolCall: (@Sendable (Transcript.ToolCall) async throws -> Void)?
  var onToolOutput: (@Sendable (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void)?
  var onActivate: (@Sendable () async -> Void)?
  var onDeactivate: (@Sendable () async -> Void)?
}

/// The profile that a session used last.
struct ProfileActivation: Sendable {
  var identity: [String]
  var errorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var onDeactivate: [@Sendable () async -> Void]
}

/// Where a session takes what it uses from.
enum ProfileSource: Sendable {
  case fixed(
    model: any LanguageModel, tools: [any Tool], definitions: [Transcript.ToolDefinition])
  case dynamic(DynamicProfileBox)

  func resolve(_ properties: SessionPropertyValues) throws -> ResolvedProfile {
    switch self {
    case .fixed(let model, let tools, let definitions):
      ResolvedProfile(model: model, tools: tools, definitions: definitions)
    case .dynamic(let box): try box.resolve(properties)
    }
  }
}

extension LanguageModelSession {
  /// The profile as it is now. Where it is another than before, both are told.
  func activate() async throws -> ResolvedProfile {
    let profile = try source.resolve(properties)
    guard case .dynamic = source else { return profile }
    let activation = ProfileActivation(
      identity: profile.identity, errorHandlingPolicy: profile.errorHandlingPolicy,
      onDeactivate: profile.hooks.compactMap(\.onDeactivate))
    let previous = state.withLock { state in
      defer { state.activation = activation }
      return state.activation
    }
    guard previous?.identity != activation.identity else { return profile }
    for hook in previous?.onDeactivate ?? [] { await hook() }
    for hook in profile.hooks { await hook.onActivate?() }
    return profile
  }
}
