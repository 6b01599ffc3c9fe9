// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Observation
import Synchronization

/// The key of a value that dynamic instructions, profiles and tools of a session share.
public protocol SessionPropertyKey: SendableMetatype {
  /// The type of the value.
  associatedtype Value

  /// The value before anyone sets it.
  static var defaultValue: Value { get }
}

/// The values that dynamic instructions, profiles and tools of a session share.
///
/// ```swift
/// enum MoodKey: SessionPropertyKey { static let defaultValue = Mood.calm }
/// extension SessionPropertyValues {
///   var mood: Mood {
///     get { self[MoodKey.self] }
///     set { self[MoodKey.self] = newValue }
///   }
/// }
/// ```
public final class SessionPropertyValues: Sendable, Observable {
  /// A value of any type. Sound for values that are `Sendable`. A class that is not is as safe as
  /// the app's own use of it: profiles, tools and the app share the one object.
  private struct Stored: @unchecked Sendable {
    let value: Any
  }

  private struct State: Sendable {
    var values: [ObjectIdentifier: Stored] = [:]
    weak var session: LanguageModelSession?
  }

  private let state = Mutex(State())
  private let registrar = ObservationRegistrar()

  /// Creates values that nobody has set.
  public init() {}

  func attach(to session: LanguageModelSession) {
    state.withLock { $0.session = session }
  }

  /// The value of a key.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      registrar.access(self, keyPath: \.revision)
      let stored = state.withLock { $0.values[ObjectIdentifier(key)] }
      return stored?.value as? Key.Value ?? Key.defaultValue
    }
    set {
      let stored = Stored(value: newValue)
      registrar.withMutation(of: self, keyPath: \.revision) {
        state.withLock { $0.values[ObjectIdentifier(key)] = stored }
      }
    }
  }

  /// What was said in the session, without the instructions.
  ///
  /// The callbacks of a profile may set it while a request is being answered; the model then reads
  /// the new history from the next round on. Anywhere else a change during a request makes the
  /// request fail with ``LanguageModelSession/Error/transcriptMutationWhileResponding``.
  public var history: Transcript.HistoryView {
    get { state.withLock { $0.session }?.transcript.history ?? [] }
    set {
      guard let session = state.withLock({ $0.session }) else { return }
      if let request = LanguageModelSession.SessionPropertyContext.callbackRequest,
        session.replaceHistory(with: newValue, for: request)
      {
        return
      }
      session.transcript.history = newValue
    }
  }

  /// Stands for every value when these are observed: keys are types, not key paths.
  private var revision: Int { 0 }
}

extension LanguageModelSession {
  /// The values of the session whose profile is being asked, or whose tool is running.
  enum SessionPropertyContext {
    @TaskLocal static var values: SessionPropertyValues?

    /// The request whose callback is running.
    @TaskLocal static var callbackRequest: ActiveRequest?
  }

  /// A value of the session, as dynamic instructions, profiles and tools see it.
  @propertyWrapper
  public struct SessionProperty<Value>: Sendable {
    // Sound: a key path never changes, and what it reads and writes is behind the lock of the values.
    // It is not asked to be `Sendable`, because in language mode 5 no literal is.
    private nonisolated(unsafe) let keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>
    /// What is read outside of any session.
    private let detached = SessionPropertyValues()

    /// Creates a property of the value behind a key path.
    public init(_ keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>) {
      self.keyPath = keyPath
    }

    /// The value. Outside of a session's profile and tools, one of its own.
    public var wrappedValue: Value {
      get { (SessionPropertyContext.values ?? detached)[keyPath: keyPath] }
      nonmutating set { (SessionPropertyContext.values ?? detached)[keyPath: keyPath] = newValue }
    }
  }
}

// Inside the types that apps write, the names are members, so that they need no prefix.

extension Tool {
  /// A value of the session that calls the tool.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension DynamicInstructions {
  /// A value of the session that asks for the instructions.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfile {
  /// A value of the session that asks for the profile.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfileModifier {
  /// A value of the session that asks for the profile.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}
