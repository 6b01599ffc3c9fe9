// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Callbacks run in the task of the request, in the isolation where they were written. The outermost
// runs first. They may set the history of the session: see ``SessionPropertyValues/history``.

extension LanguageModelSession.DynamicProfile {
  fileprivate func hooked(_ hooks: ProfileHooks) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.insert(hooks, at: 0) }
  }

  /// Calls a closure with each prompt, after it has become an entry and before the model is asked;
  /// what it throws ends the request.
  public func onPrompt(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onPrompt: action))
  }

  /// Calls a closure at each prompt, after it has become an entry and before the model is asked;
  /// what it throws ends the request.
  public func onPrompt(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onPrompt: { _ in try await action() }))
  }

  /// Calls a closure with each response, once it is complete and an entry; what it throws ends the
  /// request.
  public func onResponse(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onResponse: action))
  }

  /// Calls a closure at each response, once it is complete and an entry; what it throws ends the
  /// request.
  public func onResponse(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onResponse: { _ in try await action() }))
  }

  /// Calls a closure with each reasoning; what it throws ends the request.
  public func onReasoning(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onReasoning: action))
  }

  /// Calls a closure at each reasoning; what it throws ends the request.
  public func onReasoning(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onReasoning: { _ in try await action() }))
  }

  /// Calls a closure with each tool call before it runs; what it throws ends the request, as
  /// `ToolCallError` with the tool.
  public func onToolCall(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onToolCall: action))
  }

  /// Calls a closure at each tool call before it runs; what it throws ends the request, as
  /// `ToolCallError` with the tool.
  public func onToolCall(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onToolCall: { _ in try await action() }))
  }

  /// Calls a closure with each tool call and its output, which is added to the history afterwards;
  /// what it throws ends the request.
  public func onToolOutput(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (Transcript.ToolCall, Transcript.ToolOutput)
      async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onToolOutput: action))
  }

  /// Calls a closure at each output of a tool, which is added to the history afterwards; what it
  /// throws ends the request.
  public func onToolOutput(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onToolOutput: { _, _ in try await action() }))
  }

  /// Calls a closure when the session begins to use the profile.
  public func onActivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onActivate: action))
  }

  /// Calls a closure when the session uses another profile from now on.
  public func onDeactivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    hooked(ProfileHooks(onDeactivate: action))
  }
}
