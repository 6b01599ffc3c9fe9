/// A profile with something said about it.
struct ModifiedProfile: LanguageModelSession.DynamicProfile, PrimitiveProfile {
  typealias Body = Never
  let profile: any LanguageModelSession.DynamicProfile
  let change: (inout ProfileDraft) -> Void

  func contribute(to draft: inout ProfileDraft) {
    draft.add(profile)
    change(&draft)
  }
}

extension LanguageModelSession.DynamicProfile {
  fileprivate func changed(
    _ change: @escaping (inout ResolvedProfile) -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ModifiedProfile(profile: self) { change(&$0.profile) }
  }

  /// The profile as a modifier changes it.
  public func modifier<Modifier: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: Modifier
  ) -> some LanguageModelSession.DynamicProfile {
    modifier.body(content: LanguageModelSession.DynamicProfileModifierContent(profile: self))
  }

  /// The profile with a model of its own.
  public func model(_ model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    changed { $0.model = model }
  }

  /// The profile with a temperature, for requests that do not say one.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    changed { $0.temperature = temperature }
  }

  /// The profile with a way to draw tokens, for requests that do not say one.
  public func samplingMode(
    _ mode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.samplingMode = mode }
  }

  /// The profile with a limit to responses, for requests that do not say one.
  public func maximumResponseTokens(
    _ count: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.maximumResponseTokens = count }
  }

  /// The profile with a measure of reasoning, for requests that do not say one.
  public func reasoningLevel(
    _ level: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.reasoningLevel = level }
  }

  /// The profile with a rule for tool calls, for requests that do not say one.
  public func toolCallingMode(
    _ mode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.toolCallingMode = mode }
  }

  /// The profile with a transformation of what the model is shown of the history. The transcript
  /// itself stays as it is.
  public func historyTransform(
    _ transform: @escaping @Sendable ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.historyTransforms.append(transform) }
  }

  /// The profile with a policy for failed requests.
  public func transcriptErrorHandlingPolicy(
    _ policy: TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.errorHandlingPolicy = policy }
  }

  fileprivate func hooked(
    _ set: @escaping (inout ProfileHooks) -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { profile in
      var hooks = ProfileHooks()
      set(&hooks)
      profile.hooks.append(hooks)
    }
  }

  /// Calls a closure with each prompt; what it throws ends the request.
  public func onPrompt(
    _ action: @escaping @Sendable (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onPrompt = action } }

  /// Calls a closure at each prompt; what it throws ends the request.
  public func onPrompt(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked { $0.onPrompt = { _ in try await action() } }
  }

  /// Calls a closure with each response; what it throws ends the request.
  public func onResponse(
    _ action: @escaping @Sendable (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onResponse = action } }

  /// Calls a closure at each response; what it throws ends the request.
  public func onResponse(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked { $0.onResponse = { _ in try await action() } }
  }

  /// Calls a closure with each reasoning; what it throws ends the request.
  public func onReasoning(
    _ action: @escaping @Sendable (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onReasoning = action } }

  /// Calls a closure at each reasoning; what it throws ends the request.
  public func onReasoning(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked { $0.onReasoning = { _ in try await action() } }
  }

  /// Calls a closure with each tool call before it runs; what it throws ends the request.
  public func onToolCall(
    _ action: @escaping @Sendable (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onToolCall = action } }

  /// Calls a closure at each tool call before it runs; what it throws ends the request.
  public func onToolCall(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked { $0.onToolCall = { _ in try await action() } }
  }

  /// Calls a closure with each tool call and its output; what it throws ends the request.
  public func onToolOutput(
    _ action: @escaping @Sendable (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onToolOutput = action } }

  /// Calls a closure at each output of a tool; what it throws ends the request.
  public func onToolOutput(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked { $0.onToolOutput = { _, _ in try await action() } }
  }

  /// Calls a closure when the session begins to use the profile.
  public func onActivate(
    _ action: @escaping @Sendable () async -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onActivate = action } }

  /// Calls a closure when the session uses another profile from now on.
  public func onDeactivate(
    _ action: @escaping @Sendable () async -> Void
  ) -> some LanguageModelSession.DynamicProfile { hooked { $0.onDeactivate = action } }
}
