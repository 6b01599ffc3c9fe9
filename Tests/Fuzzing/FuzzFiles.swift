// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz targets of files that a session saved. An input is the file. What is refused is refused with
// `StoredFileError`; what is read is used as an app would.

import Foundation

@testable import EspalierCore

private let folder = FileManager.default.temporaryDirectory
  .appending(path: "espalier-fuzz-\(ProcessInfo.processInfo.processIdentifier)")

private func write(_ bytes: some Sequence<UInt8>, to file: URL) {
  do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  } catch {
    fatalError("no temporary file: \(error)")
  }
}

/// A value of a file, or nil where it was refused in words.
private func read<Value>(_ file: URL, _ body: () throws -> Value) -> Value? {
  do {
    return try body()
  } catch let error as StoredFileError {
    precondition(error.path == file.path)
    let size = (try? Data(contentsOf: file).count) ?? 0
    precondition((0...size).contains(error.byteOffset ?? -1), "no place: \(error)")
    return nil
  } catch {
    preconditionFailure("another error: \(error)")
  }
}

/// Waits for some work of a task: libFuzzer calls and waits.
func waitForResult(_ work: @escaping () async throws -> Void) -> Result<Void, any Error> {
  let isOver = DispatchSemaphore(value: 0)
  let pending = Pending(work: work)
  Task.detached {
    do {
      try await pending.work()
    } catch {
      pending.result = .failure(error)
    }
    isOver.signal()
  }
  isOver.wait()
  return pending.result
}

/// Work that one task does while the other waits.
private final class Pending: @unchecked Sendable {
  let work: () async throws -> Void
  var result: Result<Void, any Error> = .success(())

  init(work: @escaping () async throws -> Void) { self.work = work }
}

/// Plays a record back through what a session and its wrappers make of it.
private func play(_ record: GenerationRecord) {
  _ = waitForResult {
    let model = Replayed(record: record)
    let metered = MeteredLanguageModel(
      RateLimitedLanguageModel(model, tokensPerMinute: 1, sleep: { _ in throw CancellationError() })
    )
    let session = LanguageModelSession(model: metered)
    _ = try? await session.respond(to: "Hi")
    do {
      for try await snapshot in session.streamResponse(to: "Hi") { _ = snapshot.content.count }
    } catch {}
    _ = session.usage.totalTokenCount
    _ = try? JSONEncoder().encode(session.transcript)
  }
}

private struct Replayed: LanguageModel {
  let record: GenerationRecord
  var capabilities: LanguageModelCapabilities { .init([.toolCalling]) }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}
    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: Replayed,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws { await model.record.replay(into: channel) }
  }
}

func fuzzRecording(_ bytes: UnsafeBufferPointer<UInt8>) {
  let file = folder.appending(path: "recording.json")
  write(bytes, to: file)
  guard let recording = read(file, { try Recording(contentsOf: file) }) else { return }
  for index in 0..<min(recording.count, 4) {
    if let take = recording.take(at: index) { play(take.record) }
  }
}

/// An input is the record of a cached answer; the key and the date are right.
func fuzzCache(_ bytes: UnsafeBufferPointer<UInt8>) {
  let cache = ResponseCache(
    folder: folder, report: { precondition($0.byteOffset != nil, "no place: \($0)") })
  let start = #"{"key":"k","date":1,"record":"#
  write(Array(start.utf8) + bytes + Array("}".utf8), to: cache.file(of: "k", in: folder))
  if let record = cache.record(for: "k") { play(record) }
}

func fuzzTranscript(_ bytes: UnsafeBufferPointer<UInt8>) {
  let file = folder.appending(path: "transcript.json")
  write(bytes, to: file)
  guard let transcript = read(file, { try Transcript(contentsOf: file) }) else { return }
  _ = transcript.map(\.description)
  // What was read can be written, and is then the same.
  do {
    try transcript.write(to: file)
  } catch {
    preconditionFailure("it cannot be written: \(error)")
  }
  guard let again = read(file, { try Transcript(contentsOf: file) }) else {
    preconditionFailure("what was written is refused")
  }
  precondition(again == transcript, "what was written is another")
}
