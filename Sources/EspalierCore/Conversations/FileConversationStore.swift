// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

// A folder:
//
//     index.log          what conversations there are: created, renamed, deleted
//     entries/ID.log     the entries of one, a record for each append
//     lock               held by the process that writes, while it writes
//
// All files only grow (see `RecordLog`), but for those of deleted conversations, which are removed.
// A process holds the lock for one operation, and reads first what others have added to the index.
// Readers take no lock: what is not whole yet they do not see.

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)

  /// Keeps conversations as plain files in a folder, for apps without a database.
  ///
  /// ```swift
  /// let store = try FileConversationStore(folder: folder)
  /// for conversation in try await store.conversations(limit: 20) { print(conversation.title) }
  /// ```
  ///
  /// An append is on the disk when it returns. Where a process is killed, or the machine loses its
  /// power, the files open again with everything that was acknowledged. Several processes may use a
  /// folder: one writes at a time, and readers wait for nobody. A damaged file, one of a newer version
  /// or a full disk is a ``ConversationStoreError``, and what is on the disk stays as it was.
  ///
  /// To add entries or read the latest takes as long in a long conversation as in a short one. To list
  /// takes a look at each file; ``search(_:limit:)`` reads conversations, newest first, until it has
  /// found enough. The order of the list is that of the times at which the files were written.
  public final class FileConversationStore: ConversationStore {
    /// The folder.
    public let folder: URL
    /// Whether the store only reads.
    public let isReadOnly: Bool

    private struct State {
      var known: [String: Conversation] = [:]
      /// How many bytes of the index are read.
      var indexSize = 0
    }

    private let state = Mutex(State())

    /// Opens the store of a folder, and makes it where it is not there.
    ///
    /// - Parameters:
    ///   - folder: The folder, which belongs to the store alone.
    ///   - isReadOnly: Whether the store only reads; then the folder has to be there.
    /// - Throws: ``ConversationStoreError`` where the index cannot be read or is damaged.
    /// - Complexity: Linear in the number of conversations.
    public init(folder: URL, isReadOnly: Bool = false) throws {
      self.folder = folder
      self.isReadOnly = isReadOnly
      if !isReadOnly {
        do {
          try FileManager.default.createDirectory(
            at: folder.appending(path: "entries"), withIntermediateDirectories: true)
        } catch {
          throw ConversationStoreError(
            .cannotWrite, place: folder.path, problem: error.localizedDescription,
            suggestion: "Choose a folder that can be written.")
        }
      }
      try state.withLock { try refresh(&$0) }
    }

    // MARK: Writing

    public func create(title: String) async throws -> Conversation {
      try await write { state in
        let now = Date()
        let conversation = Conversation(
          id: UUID().uuidString, title: title, created: now, changed: now)
        try self.record(.created, conversation.id, title, now, &state)
        return conversation
      }
    }

    public func append(_ entries: [Transcript.Entry], to id: Conversation.ID) async throws {
      guard !entries.isEmpty else { return }
      try await write { state in
        _ = try self.known(id, state)
        let payload = try TranscriptEncoding.document(for: Transcript(entries: entries))
        try self.append(Array(payload.jsonString.utf8), toFile: self.path(of: id))
      }
    }

    public func rename(_ id: Conversation.ID, to title: String) async throws {
      try await write { state in
        _ = try self.known(id, state)
        try self.record(.renamed, id, title, Date(), &state)
      }
    }

    public func delete(_ id: Conversation.ID) async throws {
      try await write { state in
        _ = try self.known(id, state)
        try self.record(.deleted, id, "", Date(), &state)
        try LogFile.remove(self.path(of: id))
      }
    }

    // MARK: Reading

    public func conversations(limit: Int) async throws -> [Conversation] {
      try await read { state in Array(self.byChange(state).prefix(max(0, limit))) }
    }

    public func conversation(_ id: Conversation.ID) async throws -> Conversation {
      try await read { state in self.current(try self.known(id, state)) }
    }

    public func entries(
      of id: Conversation.ID, latest count: Int
    ) async throws -> [Transcript.Entry] {
      try await read { state in
        _ = try self.known(id, state)
        guard count > 0, let file = try LogFile.open(self.path(of: id), writes: false) else {
          return []
        }
        var entries: [Transcript.Entry] = []
        for payload in try file.tail(count).payloads.reversed() {
          entries.insert(contentsOf: try self.entries(in: payload, of: id), at: 0)
          if entries.count >= count { break }
        }
        return entries.suffix(count)
      }
    }

    public func search(_ text: String, limit: Int) async throws -> [ConversationMatch] {
      let search = EntrySearch(text)
      guard !search.isEmpty, limit > 0 else { return [] }
      let conversations = try await conversations(limit: .max)
      return try await ComputeThreads.shared.run {
        var matches: [ConversationMatch] = []
        for conversation in conversations {
          try Task.checkCancellation()
          await ComputeThreads.shared.turn()
          guard let file = try LogFile.open(self.path(of: conversation.id), writes: false) else {
            continue
          }
          for payload in try file.tail(.max).payloads where search.mayMatch(payload) {
            for entry in try self.entries(in: payload, of: conversation.id) {
              guard let excerpt = search.excerpt(of: entry) else { continue }
              matches.append(.init(conversation: conversation, entry: entry, excerpt: excerpt))
              if matches.count == limit { return matches }
            }
          }
        }
        return matches
      }
    }

    // MARK: The files

    private func path(of id: String) -> String {
      folder.appending(path: "entries").appending(path: id + ".log").path
    }

    private var indexPath: String { folder.appending(path: "index.log").path }

    private func read<Result: Sendable>(
      _ body: @escaping @Sendable (inout sending State) throws -> sending Result
    ) async throws -> Result {
      try await ComputeThreads.shared.run {
        try self.state.withLock { state in
          try self.refresh(&state)
          return try body(&state)
        }
      }
    }

    private func write<Result: Sendable>(
      _ body: @escaping @Sendable (inout sending State) throws -> sending Result
    ) async throws -> Result {
      guard !isReadOnly else {
        throw ConversationStoreError(
          .cannotWrite, place: folder.path, problem: "The store was opened for reading.",
          suggestion: "Open it for writing.")
      }
      return try await ComputeThreads.shared.run {
        try self.state.withLock { state in
          try LogFile.exclusively(lock: self.folder.appending(path: "lock").path) {
            try self.refresh(&state)
            return try body(&state)
          }
        }
      }
    }

    private func append(_ payload: [UInt8], toFile path: String) throws {
      guard payload.count <= RecordLog.payloadLimit else {
        throw ConversationStoreError(
          .cannotWrite, place: path,
          problem: "A record may have \(RecordLog.payloadLimit) bytes, found \(payload.count).",
          suggestion: "Add fewer entries at once.")
      }
      guard let file = try LogFile.open(path, writes: true) else { return }
      let isNew = file.size == 0
      try file.append(payload)
      if isNew {
        LogFile.synchronizeFolder(URL(filePath: path).deletingLastPathComponent().path)
      }
    }

    private func entries(
      in payload: [UInt8], of id: String
    ) throws -> [Transcript.Entry] {
      do {
        let document = try GeneratedContent(json: String(decoding: payload, as: UTF8.self))
        return Array(try TranscriptDecoding().transcript(from: document))
      } catch {
        throw ConversationStoreError(
          .damaged, place: path(of: id), problem: "A record is no transcript: \(error)",
          suggestion: "Put a copy in its place that was saved whole, or move it away.")
      }
    }

    // MARK: The index

    private enum Change: String { case created, renamed, deleted }

    private func known(_ id: String, _ state: State) throws -> Conversation {
      guard let conversation = state.known[id] else {
        throw ConversationStoreError(
          .noSuchConversation, place: id, problem: "There is no such conversation.",
          suggestion: "List the conversations, and name one of them.")
      }
      return conversation
    }

    /// A conversation with the time of its last entries.
    private func current(_ conversation: Conversation) -> Conversation {
      var conversation = conversation
      if let time = LogFile.modificationTime(path(of: conversation.id)) {
        conversation.changed = max(conversation.changed, Date(timeIntervalSince1970: time))
      }
      return conversation
    }

    private func byChange(_ state: State) -> [Conversation] {
      state.known.values.map(current).sorted {
        ($0.changed, $0.id) > ($1.changed, $1.id)
      }
    }

    private func record(
      _ change: Change, _ id: String, _ title: String, _ time: Date, _ state: inout State
    ) throws {
      let content = GeneratedContent(properties: [
        "change": change.rawValue, "id": id, "title": title,
        "time": time.timeIntervalSince1970,
      ])
      try append(Array(content.jsonString.utf8), toFile: indexPath)
      try refresh(&state)
    }

    /// Reads what was added to the index since.
    private func refresh(_ state: inout State) throws {
      guard let file = try LogFile.open(indexPath, writes: false) else {
        guard !isReadOnly || FileManager.default.fileExists(atPath: folder.path) else {
          throw ConversationStoreError(
            .cannotRead, place: folder.path, problem: "There is no such folder.",
            suggestion: "Check the path.")
        }
        return
      }
      if file.size == state.indexSize { return }
      // A file that only grows is not shorter than before: another one is in its place.
      if file.size < state.indexSize { state = State() }
      let tail: LogFile.Tail
      if state.indexSize == 0 {
        tail = try file.tail(.max)
      } else {
        tail = try file.records(from: state.indexSize)
      }
      for payload in tail.payloads { try apply(payload, &state) }
      state.indexSize = tail.end
    }

    private func apply(_ payload: [UInt8], _ state: inout State) throws {
      guard
        let content = try? GeneratedContent(json: String(decoding: payload, as: UTF8.self)),
        let change = content["change"]?.stringValue.flatMap(Change.init(rawValue:)),
        let id = content["id"]?.stringValue, UUID(uuidString: id) != nil,
        let seconds = content["time"]?.numberValue?.doubleValue
      else {
        throw ConversationStoreError(
          .damaged, place: indexPath, problem: "A record of the index cannot be read.",
          suggestion: "Put a copy in its place that was saved whole, or move it away.")
      }
      let title = content["title"]?.stringValue ?? ""
      let time = Date(timeIntervalSince1970: seconds)
      switch change {
      case .created:
        state.known[id] = Conversation(id: id, title: title, created: time, changed: time)
      case .renamed:
        state.known[id]?.title = title
        state.known[id]?.changed = time
      case .deleted:
        state.known[id] = nil
        // A process that was killed may have left it.
        if !isReadOnly { try LogFile.remove(path(of: id)) }
      }
    }
  }

#endif
