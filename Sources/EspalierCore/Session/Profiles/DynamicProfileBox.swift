// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds a profile, which need not be sendable, and asks it one at a time.
///
/// A profile of an app that is on the main actor is on it too: its body may only be asked there, also
/// where a stream asks, whose task is on no actor. So the box keeps the actor on which the session was
/// made. A profile that is isolated cannot have come from elsewhere.
final class DynamicProfileBox: @unchecked Sendable {
  // Sound: the profile is handed over for good ("sending"), and touched only under the lock.
  private let profile: any LanguageModelSession.DynamicProfile
  private let lock = Mutex(())

  /// The actor on which the session was made; nil for none.
  let isolation: (any Actor)?

  init(_ profile: any LanguageModelSession.DynamicProfile, isolation: (any Actor)?) {
    self.profile = profile
    self.isolation = isolation
  }

  /// What the profile says now, asked on the session's actor.
  func resolve(_ properties: SessionPropertyValues) async -> ResolvedProfile {
    func resolve(isolation: isolated (any Actor)?) async -> ResolvedProfile {
      resolveHere(properties)
    }
    return await resolve(isolation: isolation)
  }

  private func resolveHere(_ properties: SessionPropertyValues) -> ResolvedProfile {
    LanguageModelSession.SessionPropertyContext.$values.withValue(properties) {
      lock.withLock { _ in
        var draft = ProfileDraft()
        draft.add(profile)
        var resolved = draft.resolved()
        resolved.isolation = isolation
        return resolved
      }
    }
  }
}

/// What a profile says, gathered from the inside out: what is said further inside counts.
struct ProfileDraft {
  var profile = ResolvedProfile(model: SystemLanguageModel.default)
  var model: (any LanguageModel)?
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
    if let model { profile.model = model }
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
