// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Any model, with its answers recorded: for tests that replay what a real model once said.
///
/// ```swift
/// let recording = Recording()
/// let session = LanguageModelSession(model: RecordingLanguageModel(model, into: recording))
/// try await session.respond(to: "Three days in Kyoto")
/// try recording.write(to: file)
/// // later, and elsewhere:
/// let replay = ReplayingLanguageModel(try Recording(contentsOf: file))
/// ```
public struct RecordingLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  private let recording: Recording

  /// Creates a model.
  public init(_ base: Base, into recording: Recording) {
    self.base = base
    self.recording = recording
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let recorder = GenerationRecorder()
    try await next.respond(to: request, streamingInto: recorder.channel(into: channel))
    recording.append(recorder.record, prompt: request.transcript.last?.content ?? "")
  }
}

/// The answers of a model, in order.
public final class Recording: Sendable {
  private struct Take: Codable, Sendable {
    var prompt: String
    var record: GenerationRecord
  }

  private let takes: Mutex<[Take]>

  /// Creates an empty recording.
  public init() { takes = Mutex([]) }

  /// Reads a recording.
  ///
  /// - Throws: ``StoredFileError`` with the path, the byte and what was expected there.
  public init(contentsOf file: URL) throws {
    takes = Mutex(try StoredFile.value([Take].self, in: file))
  }

  /// Writes the recording: JSON, the same bytes for the same answers.
  ///
  /// - Throws: Where the file cannot be written.
  public func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(takes.withLock { $0 }).write(to: file, options: .atomic)
  }

  /// How many answers there are.
  public var count: Int { takes.withLock { $0.count } }

  func append(_ record: GenerationRecord, prompt: String) {
    takes.withLock { $0.append(Take(prompt: prompt, record: record)) }
  }

  func take(at index: Int) -> (prompt: String, record: GenerationRecord)? {
    takes.withLock { $0.indices.contains(index) ? ($0[index].prompt, $0[index].record) : nil }
  }
}

/// A model that answers what another answered before.
public struct ReplayingLanguageModel: LanguageModel {
  private let recording: Recording
  private let position = Position()

  /// Creates a model.
  public init(_ recording: Recording) { self.recording = recording }

  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .guidedGeneration, .reasoning, .toolCalling])
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  private final class Position: Sendable {
    private let index = Mutex(0)

    func next() -> Int {
      index.withLock { index in
        index += 1
        return index - 1
      }
    }
  }

  /// The request is not the one whose answer is next.
  public struct Mismatch: ExplainedError, Sendable {
    /// What was asked when the recording was made; nil where it has ended.
    public var recorded: String?
    /// What is asked now.
    public var asked: String

    public var userMessage: ErrorMessage { ErrorMessage(.recordingDiffers) }

    public var problemDescription: String {
      recorded.map { "The recording answers '\($0)', and '\(asked)' was asked." }
        ?? "The recording has ended, and '\(asked)' was asked."
    }

    public var recoverySuggestion: String? { "Ask in the same order, or record again." }
  }

  /// Plays a recording.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {}

    public init(configuration: Configuration) {}

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ReplayingLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let asked = request.transcript.last?.content ?? ""
      let take = model.recording.take(at: model.position.next())
      guard let take, take.prompt == asked else {
        throw Mismatch(recorded: take?.prompt, asked: asked)
      }
      await take.record.replay(into: channel)
    }
  }
}
