// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

/// A profile that a modifier of the app's changes.
struct ProfileOfModifier<Modifier: LanguageModelSession.DynamicProfileModifier>:
  LanguageModelSession.DynamicProfile, PrimitiveProfile
{
  typealias Body = Never
  let profile: any LanguageModelSession.DynamicProfile
  let modifier: Modifier

  // Asked anew each time, as a body is: it may read values of the session.
  func contribute(to draft: inout ProfileDraft) {
    draft.add(
      modifier.body(content: LanguageModelSession.DynamicProfileModifierContent(profile: profile)))
  }
}

// Where a modifier is said more than once, the one nearest to the profile counts.

extension LanguageModelSession.DynamicProfile {
  func changed(
    _ change: @escaping (inout ResolvedProfile) -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ModifiedProfile(profile: self) { change(&$0.profile) }
  }

  /// The profile as a modifier changes it.
  public func modifier<Modifier: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: Modifier
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileOfModifier(profile: self, modifier: modifier)
  }

  /// The profile with a model of its own.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    ModifiedProfile(profile: self) { $0.model = $0.model ?? model }
  }

  /// The profile with a temperature, for requests that do not say one.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    changed { $0.temperature = $0.temperature ?? temperature }
  }

  /// The profile with a way to draw tokens, for requests that do not say one.
  public func samplingMode(
    _ mode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.samplingMode = $0.samplingMode ?? mode }
  }

  /// The profile with a limit to responses, for requests that do not say one.
  public func maximumResponseTokens(
    _ count: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.maximumResponseTokens = $0.maximumResponseTokens ?? count }
  }

  /// The profile with a measure of reasoning, for requests that do not say one.
  public func reasoningLevel(
    _ level: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.reasoningLevel = $0.reasoningLevel ?? level }
  }

  /// The profile with a rule for tool calls, for requests that do not say one.
  public func toolCallingMode(
    _ mode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.toolCallingMode = $0.toolCallingMode ?? mode }
  }

  /// The profile with a transformation of what the model is shown. The transcript itself stays as
  /// it is.
  ///
  /// The closure is given all entries, and what it leaves out the model is not shown: the
  /// instructions too, which are the first entry where there are any, with the definitions of the
  /// tools. Of several transformations the outermost is made first.
  public func historyTransform(
    _ transform: @escaping ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.historyTransforms.insert(HistoryTransform(apply: transform), at: 0) }
  }

  /// The profile with a policy for failed requests.
  public func transcriptErrorHandlingPolicy(
    _ policy: TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.errorHandlingPolicy = $0.errorHandlingPolicy ?? policy }
  }
}
