// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Any model, with answers that were given before given again.
///
/// An answer is known by the transcript, the schema, the tools and the options, all as they were;
/// identities and dates do not count. Only whole answers are kept.
public struct CachingLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  private let cache: ResponseCache

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers what is not known.
  ///   - cache: Where answers are kept.
  public init(_ base: Base, cache: ResponseCache = ResponseCache()) {
    self.base = base
    self.cache = cache
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let key = try request.canonicalText()
    if let record = cache.record(for: key) {
      await record.replay(into: channel)
      return
    }
    let recorder = GenerationRecorder()
    try await next.respond(to: request, streamingInto: recorder.channel(into: channel))
    cache.keep(recorder.record, for: key)
  }
}

/// Answers by request, in memory and, where a folder is given, on disk.
public final class ResponseCache: Sendable {
  private struct Entry: Sendable {
    var record: GenerationRecord
    var date: Date
  }

  private struct State: Sendable {
    var entries: [String: Entry] = [:]
    /// The keys, the one used last at the end.
    var order: [String] = []
    /// When files that are too old were last removed.
    var swept: Date?
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let timeToLive: Duration?
  private let folder: URL?
  private let now: @Sendable () -> Date
  private let report: @Sendable (StoredFileError) -> Void

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - capacity: How many answers are kept in memory; the one not used for longest goes.
  ///   - timeToLive: How long an answer is kept, on disk too; for ever where nil.
  ///   - folder: Where answers are kept on disk; nowhere where nil. Without a `timeToLive` it only
  ///     grows, and the app clears it. It belongs to the cache alone.
  ///   - now: The time.
  ///   - report: Told of files that cannot be read; their answers are asked for again.
  public init(
    capacity: Int = 256, timeToLive: Duration? = nil, folder: URL? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    report: @escaping @Sendable (StoredFileError) -> Void = { _ in }
  ) {
    self.report = report
    self.capacity = max(1, capacity)
    self.timeToLive = timeToLive
    self.folder = folder
    self.now = now
  }

  func record(for key: String) -> GenerationRecord? {
    let date = now()
    let known = state.withLock { state -> Entry? in
      guard let entry = state.entries[key] else { return nil }
      state.order.removeAll { $0 == key }
      state.order.append(key)
      return entry
    }
    if let entry = known ?? load(key) {
      // An answer of the future is of a clock that was wrong, and would be kept until then.
      guard timeToLive.map({ abs(date.timeIntervalSince(entry.date)) <= $0.seconds }) ?? true else {
        remove(key)
        return nil
      }
      if known == nil { put(entry, for: key) }
      return entry.record
    }
    return nil
  }

  func keep(_ record: GenerationRecord, for key: String) {
    let entry = Entry(record: record, date: now())
    put(entry, for: key)
    guard let folder else { return }
    // A cache that cannot write is a cache that knows less, no error.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    removeOldFiles(folder, entry.date)
    let answer = CacheFile(key: key, date: entry.date, record: record)
    try? JSONEncoder().encode(answer).write(to: file(of: key, in: folder), options: .atomic)
  }

  /// Removes the files of answers that nobody asked for again, once in each time to live.
  private func removeOldFiles(_ folder: URL, _ date: Date) {
    guard let timeToLive = timeToLive?.seconds else { return }
    let isDue = state.withLock { state in
      if let swept = state.swept, date.timeIntervalSince(swept) <= timeToLive { return false }
      state.swept = date
      return true
    }
    guard isDue else { return }
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] where file.pathExtension == "json" {
      let written = try? file.resourceValues(forKeys: [.contentModificationDateKey])
        .contentModificationDate
      guard let written, date.timeIntervalSince(written) > timeToLive else { continue }
      try? FileManager.default.removeItem(at: file)
    }
  }

  private func put(_ entry: Entry, for key: String) {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      state.order.append(key)
      state.entries[key] = entry
      if state.order.count > capacity { state.entries[state.order.removeFirst()] = nil }
    }
  }

  private func remove(_ key: String) {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      state.entries[key] = nil
    }
    if let folder { try? FileManager.default.removeItem(at: file(of: key, in: folder)) }
  }

  private struct CacheFile: Codable {
    var key: String
    var date: Date
    var record: GenerationRecord
  }

  private func load(_ key: String) -> Entry? {
    guard let folder else { return nil }
    let url = file(of: key, in: folder)
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    do {
      let file = try StoredFile.value(CacheFile.self, in: url)
      return file.key == key ? Entry(record: file.record, date: file.date) : nil
    } catch let error as StoredFileError {
      report(error)
    } catch {}
    return nil
  }

  /// The file of a key: its name is a hash (FNV-1a), and the file says the whole key.
  func file(of key: String, in folder: URL) -> URL {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return folder.appendingPathComponent(String(hash, radix: 16) + ".json")
  }
}

extension LanguageModelExecutorGenerationRequest {
  /// What tells a request from others that ask for something else: the same in every process.
  ///
  /// - Throws: Where attached values cannot be encoded.
  func canonicalText() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var transcript = transcript
    for index in transcript.indices {
      transcript[index] = transcript[index].withoutIdentities()
    }
    var parts = [
      String(decoding: try encoder.encode(transcript), as: UTF8.self),
      try schema?.jsonSchema() ?? "text", "\(generationOptions)", "\(contextOptions)",
    ]
    for tool in enabledToolDefinitions {
      parts.append("\(tool.name)\n\(tool.description)\n\(try tool.parameters.jsonSchema())")
    }
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      parts.append("\(name)=\(value.jsonString)")
    }
    return parts.joined(separator: "\n")
  }
}

extension Transcript.Entry {
  /// The entry without what is another in every run.
  fileprivate func withoutIdentities() -> Transcript.Entry {
    func plain(_ segments: [Transcript.Segment]) -> [Transcript.Segment] {
      segments.map { segment in
        switch segment {
        case .text(let text): return .text(.init(id: "", content: text.content))
        case .structure(var structure):
          structure.id = ""
          return .structure(structure)
        case .attachment(var attachment):
          attachment.id = ""
          return .attachment(attachment)
        }
      }
    }
    switch self {
    case .instructions(var entry):
      entry.id = ""
      entry.segments = plain(entry.segments)
      return .instructions(entry)
    case .prompt(var entry):
      entry.id = ""
      entry.segments = plain(entry.segments)
      return .prompt(entry)
    case .toolCalls(let entry):
      return .toolCalls(
        .init(
          id: "",
          entry.map { .init(id: "", toolName: $0.toolName, arguments: $0.arguments) }))
    case .toolOutput(var entry):
      entry.id = ""
      entry.segments = plain(entry.segments)
      return .toolOutput(entry)
    case .response(var entry):
      entry.id = ""
      entry.segments = plain(entry.segments)
      return .response(entry)
    case .reasoning(var entry):
      entry.id = ""
      entry.segments = plain(entry.segments)
      return .reasoning(entry)
    }
  }
}
