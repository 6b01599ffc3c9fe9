import Synchronization

/// Holds a profile, which need not be sendable, and asks it one at a time.
final class DynamicProfileBox: @unchecked Sendable {
  // Sound: the profile is handed over for good ("sending"), and touched only under the lock.
  private let profile: any LanguageModelSession.DynamicProfile
  private let lock = Mutex(())

  init(_ profile: any LanguageModelSession.DynamicProfile) { self.profile = profile }

  func resolve(_ properties: SessionPropertyValues) throws -> ResolvedProfile {
    LanguageModelSession.SessionPropertyContext.$values.withValue(properties) {
      lock.withLock { _ in
        var draft = ProfileDraft()
        draft.add(profile)
        return draft.resolved()
      }
    }
  }
}

/// What a profile says, gathered from the outside in: what is said further out counts.
struct ProfileDraft {
  var profile = ResolvedProfile(model: SystemLanguageModel.default)
  var hasModel = false
  var parts: [PromptPart] = []

  mutating func add<Profile: LanguageModelSession.DynamicProfile>(_ profile: Profile) {
    if let primitive = profile as? any PrimitiveProfile {
      primitive.contribute(to: &self)
    } else {
      self.profile.identity.append(String(reflecting: Profile.self))
      add(profile.body)
    }
  }

  mutating func add<Content: DynamicInstructions>(_ instructions: Content) {
    if let primitive = instructions as? any PrimitiveInstructions {
      primitive.contribute(to: &self)
    } else {
      add(instructions.body)
    }
  }

  mutating func add(_ tool: any Tool) {
    profile.tools.append(tool)
    profile.definitions.append(Transcript.ToolDefinition(tool: tool))
  }

  func resolved() -> ResolvedProfile {
    var profile = profile
    profile.instructions = Transcript.Instructions(
      segments: [Transcript.Segment](parts), toolDefinitions: profile.definitions)
    return profile
  }
}

/// Dynamic instructions that are known here.
protocol PrimitiveInstructions {
  func contribute(to draft: inout ProfileDraft)
}

/// A profile that is known here.
protocol PrimitiveProfile {
  func contribute(to draft: inout ProfileDraft)
}
