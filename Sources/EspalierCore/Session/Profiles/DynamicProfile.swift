// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession {
  /// What a session is made of, looked at anew before every round: instructions, tools, the model,
  /// and how it answers.
  ///
  /// ```swift
  /// struct Assistant: LanguageModelSession.DynamicProfile {
  ///   @SessionProperty(\.isPlanning) var isPlanning
  ///
  ///   var body: some DynamicProfile {
  ///     if isPlanning {
  ///       Profile { "Plan the trip." }.temperature(0.2)
  ///     } else {
  ///       Profile { "Chat about travelling." }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The session writes the instructions and tools of the active profile into its transcript, as
  /// the first entry, before the prompt of each request and before each further round.
  public protocol DynamicProfile {
    /// What the profile is made of.
    associatedtype Body: DynamicProfile

    /// What the profile is made of.
    @DynamicProfileBuilder var body: Body { get }
  }

  /// A profile of instructions and tools.
  public struct Profile: DynamicProfile, PrimitiveProfile {
    public typealias Body = Never
    private let instructions: any DynamicInstructions

    /// Creates a profile of the instructions and tools that a closure gives, now.
    public init(@DynamicInstructionsBuilder _ content: () -> some DynamicInstructions) {
      instructions = content()
    }

    func contribute(to draft: inout ProfileDraft) { draft.add(instructions) }
  }

  /// A profile of any type.
  public struct AnyDynamicProfile: DynamicProfile, PrimitiveProfile {
    public typealias Body = Never
    private let profile: any DynamicProfile

    /// Creates a profile of any type.
    public init(_ profile: any DynamicProfile) { self.profile = profile }

    /// Creates a profile of any type.
    public init(erasing profile: some DynamicProfile) { self.profile = profile }

    func contribute(to draft: inout ProfileDraft) { draft.add(profile) }
  }

  /// One of two profiles.
  public struct ConditionalDynamicProfile<First: DynamicProfile, Second: DynamicProfile>:
    DynamicProfile, PrimitiveProfile
  {
    public typealias Body = Never

    /// The profiles.
    public enum Branch {
      /// The profile where the condition holds.
      case first(First)
      /// The other.
      case second(Second)
    }

    let branch: Branch

    func contribute(to draft: inout ProfileDraft) {
      switch branch {
      case .first(let profile):
        draft.profile.identity.append("first")
        draft.add(profile)
      case .second(let profile):
        draft.profile.identity.append("second")
        draft.add(profile)
      }
    }
  }

  /// Builds a profile: exactly one is active.
  @resultBuilder
  public struct DynamicProfileBuilder {
    /// The profile.
    public static func buildBlock<Component: DynamicProfile>(_ component: Component) -> Component {
      component
    }

    @available(
      *, unavailable,
      message: "The body of a 'DynamicProfile' must evaluate to a single active profile"
    )
    public static func buildBlock<each Component: DynamicProfile>(
      _ components: repeat each Component
    ) -> Never { preconditionFailure("unavailable") }

    /// The profile where a condition holds.
    public static func buildEither<First: DynamicProfile, Second: DynamicProfile>(
      first: First
    ) -> ConditionalDynamicProfile<First, Second> {
      ConditionalDynamicProfile(branch: .first(first))
    }

    /// The profile where it does not.
    public static func buildEither<First: DynamicProfile, Second: DynamicProfile>(
      second: Second
    ) -> ConditionalDynamicProfile<First, Second> {
      ConditionalDynamicProfile(branch: .second(second))
    }

    /// A profile under `if #available`.
    public static func buildLimitedAvailability(
      _ component: some DynamicProfile
    ) -> AnyDynamicProfile { AnyDynamicProfile(component) }
  }

  /// A change to profiles that has a name.
  public protocol DynamicProfileModifier {
    /// What the changed profile is made of.
    associatedtype Body: DynamicProfile

    /// The profile that is changed.
    typealias Content = DynamicProfileModifierContent<Self>

    /// The changed profile.
    @DynamicProfileBuilder func body(content: Content) -> Body
  }

  /// The profile that a modifier changes.
  public struct DynamicProfileModifierContent<Modifier>: DynamicProfile, PrimitiveProfile {
    public typealias Body = Never
    let profile: any DynamicProfile

    func contribute(to draft: inout ProfileDraft) { draft.add(profile) }
  }
}

extension LanguageModelSession.DynamicProfile {
  /// What a body is: a profile.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile

  /// A profile of instructions and tools.
  public typealias Profile = LanguageModelSession.Profile
}

extension LanguageModelSession.DynamicProfileModifier {
  /// What a body is: a profile.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
}

extension Never: LanguageModelSession.DynamicProfile {}

extension LanguageModelSession.DynamicProfile where Body == Never {
  /// Never asked for.
  public var body: Never { preconditionFailure("\(Self.self) has no body.") }
}

extension LanguageModelSession {
  /// Creates a session that asks a profile what it is, before every round.
  ///
  /// - Parameters:
  ///   - profile: What says which model, tools and instructions there are.
  ///   - history: What was said before.
  ///   - isolation: The actor on which the profile is asked; leave it out.
  public convenience init(
    profile: sending some DynamicProfile, history: some Collection<Transcript.Entry> = [],
    isolation: (any Actor)? = #isolation
  ) {
    self.init(
      source: .dynamic(DynamicProfileBox(profile, isolation: isolation)),
      transcript: Transcript(entries: history),
      properties: SessionPropertyValues())
  }

  /// Creates a session whose instructions and tools are looked at anew before every round.
  ///
  /// - Parameters:
  ///   - model: The model that answers.
  ///   - dynamicInstructions: What the model is to be and do, and its tools.
  ///   - history: What was said before.
  ///   - isolation: The actor on which the instructions are asked; leave it out.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = [], isolation: (any Actor)? = #isolation
  ) {
    let profile = ModelProfile(model: model, instructions: dynamicInstructions)
    self.init(
      source: .dynamic(DynamicProfileBox(profile, isolation: isolation)),
      transcript: Transcript(entries: history),
      properties: SessionPropertyValues())
  }

  private struct ModelProfile: DynamicProfile, PrimitiveProfile {
    typealias Body = Never
    let model: any LanguageModel
    let instructions: any DynamicInstructions

    func contribute(to draft: inout ProfileDraft) {
      draft.model = model
      draft.add(instructions)
    }
  }
}
