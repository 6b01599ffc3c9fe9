// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Observation
import Synchronization

/// A conversation with a language model.
///
/// ```swift
/// let session = LanguageModelSession(instructions: "You plan short trips.")
/// let plan = try await session.respond(to: "Three days in Kyoto", generating: Itinerary.self)
/// ```
///
/// A session answers one request after the other; a second one at the same time is refused. When a
/// request fails, is cancelled, or its stream is abandoned, the session is as usable as before, and
/// the transcript is as ``transcriptErrorHandlingPolicy`` says: taken back to before the request
/// unless the app chooses otherwise.
public final class LanguageModelSession: Observable, Sendable {
  let state: Mutex<SessionState>
  let source: ProfileSource
  let executors = ExecutorStore()
  let checks = SchemaChecks()
  private let registrar = ObservationRegistrar()

  /// What dynamic instructions, profiles and tools of the session share.
  public let properties: SessionPropertyValues

  init(source: ProfileSource, transcript: Transcript, properties: SessionPropertyValues) {
    self.source = source
    self.properties = properties
    state = Mutex(SessionState(transcript: transcript))
    properties.attach(to: self)
  }

  /// Everything said so far. Changing it while a request is being answered makes the request fail
  /// with ``Error/transcriptMutationWhileResponding``; the change stays.
  public var transcript: Transcript {
    get {
      registrar.access(self, keyPath: \.transcript)
      return state.withLock { $0.transcript }
    }
    set { setTranscript(newValue) }
  }

  /// Whether a request is being answered.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return state.withLock { $0.activeRequest != nil }
  }

  /// What the requests that were answered have taken together. One that failed or was cancelled does not
  /// count, though it took tokens, too: ``GenerationMetrics`` has those.
  public var usage: Usage {
    registrar.access(self, keyPath: \.usage)
    return state.withLock { $0.usage }
  }

  /// What happens to the transcript when a request fails; it is taken back where nil.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { state.withLock { $0.errorHandlingPolicy } }
    set { state.withLock { $0.errorHandlingPolicy = newValue } }
  }

  /// Which generation of error types the session throws.
  public var errorGeneration: ErrorGeneration {
    get { state.withLock { $0.errorGeneration } }
    set { state.withLock { $0.errorGeneration = newValue } }
  }

  /// What happens when the transcript outgrows what the model can read.
  public var contextPolicy: ContextPolicy {
    get { state.withLock { $0.contextPolicy } }
    set { state.withLock { $0.contextPolicy = newValue } }
  }

  /// Worked examples that the model is shown with each request for a value that brings none of its
  /// own.
  public var examples: [GenerationExample] {
    get { state.withLock { $0.examples } }
    set { state.withLock { $0.examples = newValue } }
  }

  /// How the session deals with the tools that the model calls.
  public var toolCallPolicy: ToolCallPolicy {
    get { state.withLock { $0.toolCallPolicy } }
    set { state.withLock { $0.toolCallPolicy = newValue } }
  }
}

extension LanguageModelSession {
  private func setTranscript(_ transcript: Transcript) {
    registrar.withMutation(of: self, keyPath: \.transcript) {
      state.withLock { state in
        state.transcript = transcript
        state.transcriptRevision += 1
      }
    }
  }

  /// Changes the state, and tells observers of what may have changed with it.
  func mutate<Result: Sendable>(
    _ properties: [ObservedProperty], _ body: (inout SessionState) throws -> Result
  ) rethrows -> Result {
    for property in properties { willSet(property) }
    defer { for property in properties { didSet(property) } }
    return try state.withLock { try body(&$0) }
  }

  enum ObservedProperty { case transcript, isResponding, usage }

  private func willSet(_ property: ObservedProperty) {
    switch property {
    case .transcript: registrar.willSet(self, keyPath: \.transcript)
    case .isResponding: registrar.willSet(self, keyPath: \.isResponding)
    case .usage: registrar.willSet(self, keyPath: \.usage)
    }
  }

  private func didSet(_ property: ObservedProperty) {
    switch property {
    case .transcript: registrar.didSet(self, keyPath: \.transcript)
    case .isResponding: registrar.didSet(self, keyPath: \.isResponding)
    case .usage: registrar.didSet(self, keyPath: \.usage)
    }
  }
}

/// What of a session changes.
struct SessionState: Sendable {
  var transcript: Transcript
  /// Counts the changes that the app made.
  var transcriptRevision = 0
  var activeRequest: ActiveRequest?
  var usage = LanguageModelSession.Usage()
  var errorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var errorGeneration = ErrorGeneration.standard
  var contextPolicy = ContextPolicy.fail
  var toolCallPolicy = ToolCallPolicy()
  var examples: [GenerationExample] = []
  var activation: ProfileActivation?
  /// Where the conversation is saved; nil where it is not.
  var recorder: ConversationRecorder?
  var summary: ContextSummary?
  /// The prompt with which what the model is shown begins, once older turns were dropped.
  var firstShownPromptID: String?

  init(transcript: Transcript) { self.transcript = transcript }
}

/// What happens to a transcript when a request fails.
public struct TranscriptErrorHandlingPolicy: Sendable, Hashable {
  private let preserves: Bool

  /// The transcript is taken back to before the request.
  public static let revertTranscript = TranscriptErrorHandlingPolicy(preserves: false)

  /// The prompt stays, and everything that came after it, the part of a response included.
  public static let preserveTranscript = TranscriptErrorHandlingPolicy(preserves: true)

  var preservesTranscript: Bool { preserves }
}
