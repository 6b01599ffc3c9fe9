// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

// The life of a request:
//
//     claim      the session has no other request, or an abandoned one, which is let go of
//     profile    what the session is made of is asked; its instructions become the first entry
//     prompt     the prompt becomes an entry of the transcript
//     check      the schema is compiled, so that one that cannot be honoured costs no tokens
//     round      the transcript is made to fit; the executor answers into the request; its entries
//                are added to the transcript
//     tools      the calls of the round run, their outputs are added, the profile is asked again,
//                and another round begins
//     end        the request is let go of; on failure the transcript is as the policy says
//
// A request that was let go of early (a stream abandoned, a task cancelled) may still have a model
// running that has not noticed. Everything it does to the session checks first that the session is
// still its own, so that it changes nothing any more.

/// What is asked in one request.
struct SessionRequest: Sendable {
  var prompt: Prompt
  var schema: GenerationSchema?
  var options: GenerationOptions
  var contextOptions: ContextOptions
  var metadata: Transcript.MetadataValues
  var examples: [GenerationExample]
  /// Throws where content is not a value of the type asked for.
  var validate: @Sendable (GeneratedContent) throws -> Void
}

/// Runs one request of a session.
struct RequestRunner: Sendable {
  let session: LanguageModelSession
  let request: SessionRequest
  let active: ActiveRequest

  func run() async throws -> RequestOutcome {
    try await LanguageModelSession.SessionPropertyContext.$values.withValue(session.properties) {
      try await withTaskCancellationHandler {
        do {
          let outcome = try await rounds()
          try Task.checkCancellation()
          try await session.save(for: active)
          try session.complete(active, usage: outcome.usage)
          return outcome
        } catch {
          session.release(active)
          throw session.errorGeneration.translate(
            Task.isCancelled ? CancellationError() : error)
        }
      } onCancel: {
        session.release(active)
      }
    }
  }

  private func rounds() async throws -> RequestOutcome {
    var profile = try await session.activate(for: active)
    let policy = session.toolCallPolicy
    let options = profile.options(for: request.options)
    let names = profile.definitions.map(\.name)
    if let missing = options.toolNames?.subtracting(names).min() {
      throw ToolCallProblem.missingTool(name: missing, available: names)
    }
    profile.keepTools(named: options.toolNames)
    let prompt = Transcript.Prompt(
      metadata: request.metadata, segments: Array(request.prompt.parts), options: options,
      responseFormat: request.schema.map(Transcript.ResponseFormat.init(schema:)),
      contextOptions: profile.contextOptions(for: request.contextOptions))
    try session.append([.prompt(prompt)], for: active)
    try await profile.runHooks(for: .prompt(prompt), of: active)
    let mayCall = !profile.tools.isEmpty && options.toolCallingMode != .disallowed
    let check = try await check(
      for: request.schema, grammar: options.grammar, mayCall: mayCall, model: profile.model)
    var usage = LanguageModelSession.Usage()
    var entries: [Transcript.Entry] = []
    var roundCount = 0
    var hasMadeRequiredCall = false
    while true {
      active.beginRound()
      let modelRequest = try await modelRequest(
        profile, hasMadeRequiredCall: hasMadeRequiredCall,
        mustAnswer: policy.answersAfterLastRound && roundCount >= policy.maximumRounds)
      let isCallRequired = modelRequest.generationOptions.toolCallingMode == .required
      let brokenCall = try await ask(modelRequest, profile)
      var (round, roundUsage) = try active.endRound(schema: request.schema)
      if let brokenCall { round.problems[0] = brokenCall }
      round.renameCalls(knownFrom: try session.currentTranscript(of: active))
      usage.add(roundUsage)
      try Task.checkCancellation()
      if round.calls.isEmpty {
        if isCallRequired { throw ToolCallProblem.requiredCallMissing }
        let content = try round.content ?? emptyContent()
        try await check?.verify(content)
        try request.validate(content)
        try await add(round.entries, profile)
        return RequestOutcome(
          content: content, entries: (entries + round.entries)[...], usage: usage)
      }
      try await add(round.entries, profile)
      roundCount += 1
      hasMadeRequiredCall = hasMadeRequiredCall || isCallRequired
      guard roundCount <= policy.maximumRounds else {
        throw ToolCallProblem.tooManyRounds(limit: policy.maximumRounds)
      }
      let runner = ToolRunner(
        tools: profile.tools, definitions: profile.definitions, checks: session.checks,
        policy: policy)
      let outputs = try await runner.run(round.calls, problems: round.problems)
      for (call, output) in zip(round.calls, outputs) {
        // A callback may change the history; the output is added to what it leaves.
        try await profile.runHooks(for: output, of: call, in: active)
        try session.append([.toolOutput(output)], for: active)
      }
      entries += round.entries + outputs.map { .toolOutput($0) }
      active.stream?.put(.entries(entries, usage: usage))
      profile = try await session.activate(for: active)
      profile.keepTools(named: options.toolNames)
    }
  }

  /// Adds the entries of a round to the transcript, and tells the profile of them.
  private func add(_ entries: [Transcript.Entry], _ profile: ResolvedProfile) async throws {
    try session.append(entries, for: active)
    for entry in entries { try await profile.runHooks(for: entry, of: active) }
  }

  /// The response of a model that said nothing.
  private func emptyContent() throws -> GeneratedContent {
    guard let schema = request.schema else { return GeneratedContent(.string("")) }
    throw GeneratedContent.ParsingError(
      rawContent: "",
      debugDescription: "Expected a value of '\(schema.name)', found an empty response.")
  }

  private func check(
    for schema: GenerationSchema?, grammar: ResponseGrammar?, mayCall: Bool,
    model: any LanguageModel
  ) async throws -> (any ResponseCheck)? {
    switch (schema, grammar) {
    case (nil, nil): return nil
    case (let schema?, nil): return try await session.checks.check(for: schema, model: model)
    case (nil, .some) where mayCall:
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(
          schemaName: nil,
          debugDescription:
            "The response is held to a grammar, which leaves no room for the call of "
            + "a tool. Set 'toolCallingMode' of the options to .disallowed, or take a session "
            + "without tools."))
    case (nil, let grammar?): return try await TextCheck(grammar, model: model)
    case (let schema?, .some):
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(
          schemaName: schema.name,
          debugDescription:
            "The response has a type and a grammar, and can be held to one of them. "
            + "Ask for text, or leave 'grammar' of the options out."))
    }
  }

  /// What the model is asked in a round, with the options that the profile has for it.
  ///
  /// A required call is required once: otherwise the model would call until it is stopped.
  private func modelRequest(
    _ profile: ResolvedProfile, hasMadeRequiredCall: Bool, mustAnswer: Bool
  ) async throws -> LanguageModelExecutorGenerationRequest {
    var options = profile.options(for: request.options)
    if options.toolCallingMode == .required, hasMadeRequiredCall {
      options.toolCallingMode = .allowed
    }
    if mustAnswer, options.toolCallingMode != .required { options.toolCallingMode = .disallowed }
    if options.toolCallingMode == .required, profile.tools.isEmpty {
      throw ToolCallProblem.noToolToRequire
    }
    var shown = try await profile.transform(session.currentTranscript(of: active))
    let tools = options.toolCallingMode == .disallowed ? [] : profile.definitions
    shown.tellOfTools(tools)
    shown.answerOpenCalls()
    shown.insertExamples(GenerationExample.entries(of: request.examples))
    let transcript = try await session.contextPolicy.fit(
      shown, model: profile.model, options: options, session: session)
    var modelRequest = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: transcript,
      enabledTools: tools,
      schema: request.schema, generationOptions: options,
      contextOptions: profile.contextOptions(for: request.contextOptions),
      metadata: request.metadata)
    modelRequest.isStreamed = active.stream != nil
    return modelRequest
  }

  /// Asks the model, with less of the transcript where it finds that too long.
  ///
  /// - Returns: What is wrong with the one call of the round, where the model is to be told of it.
  private func ask(
    _ request: LanguageModelExecutorGenerationRequest, _ profile: ResolvedProfile
  ) async throws -> (any Error)? {
    var request = request
    var attempt = 0
    while true {
      do {
        try await respond(to: request, model: profile.model)
        return nil
      } catch let error as any BrokenCallError {
        guard let name = error.brokenCallToolName, !session.toolCallPolicy.onFailure.isFailure
        else { throw error }
        // What came beside the call is taken back with it, as it is where a model tries again.
        active.beginRound()
        active.stream?.put(.restart)
        active.receive(
          .toolCalls(
            action: .toolCall(
              id: Transcript.newID(), name: name, action: .appendArguments("", tokenCount: 0))))
        return error
      } catch {
        // The model found too long what nobody could count beforehand.
        guard attempt < 3, case LanguageModelError.contextSizeExceeded(let exceeded) = error,
          let shorter = try await session.contextPolicy.fit(
            request.transcript, after: exceeded, attempt: attempt, model: profile.model,
            options: request.generationOptions, session: session)
        else { throw error }
        attempt += 1
        active.beginRound()
        active.stream?.put(.restart)
        request.transcript = shorter
      }
    }
  }

  private func respond(
    to request: LanguageModelExecutorGenerationRequest, model: some LanguageModel
  ) async throws {
    let executor = try session.executors.executor(for: model)
    try await executor.respond(
      to: request, model: model,
      streamingInto: LanguageModelExecutorGenerationChannel(sink: active))
  }
}
