// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  public import EspalierCore
  public import Foundation
  import GRDB

  /// Keeps conversations in an SQLite database, with an index of their words, and tells of changes.
  ///
  /// ```swift
  /// let store = try SQLiteConversationStore(file: file)
  /// for match in try await store.search("golden temple", limit: 20) { print(match.excerpt) }
  /// ```
  ///
  /// An append is on the disk when it returns. Several processes may use a file: one writes at a time,
  /// the others wait up to ten seconds, and readers wait for nobody. A damaged file, one of a newer
  /// version or of another app, or a full disk is a ``/EspalierCore/ConversationStoreError``, and what
  /// is in the file stays as it was.
  ///
  /// ``search(_:limit:)`` finds whole words, whatever their case and accents.
  public final class SQLiteConversationStore: ConversationStore {
    /// The file of the database.
    public let file: URL
    /// Whether the store only reads.
    public let isReadOnly: Bool
    let pool: DatabasePool

    /// Opens a database, makes it where it is not there, and brings an older one to this version.
    ///
    /// - Parameters:
    ///   - file: The file, which belongs to the store alone. SQLite keeps two more beside it while it
    ///     is open.
    ///   - isReadOnly: Whether the store only reads; then the file has to be there.
    /// - Throws: ``/EspalierCore/ConversationStoreError`` where the file cannot be opened, is none of a
    ///   store, or is of a newer version.
    public init(file: URL, isReadOnly: Bool = false) throws {
      self.file = file
      self.isReadOnly = isReadOnly
      pool = try DatabaseFormat.conversations.open(file, isReadOnly: isReadOnly)
    }

    // MARK: Writing

    public func create(title: String) async throws -> Conversation {
      let now = Date()
      let title = title.withoutZeros
      let conversation = Conversation(
        id: UUID().uuidString, title: title, created: now, changed: now)
      try await write { database in
        try database.execute(
          sql: "INSERT INTO conversation (id, title, created, changed) VALUES (?, ?, ?, ?)",
          arguments: [
            conversation.id, title, now.timeIntervalSince1970, now.timeIntervalSince1970,
          ])
      }
      return conversation
    }

    public func append(_ entries: [Transcript.Entry], to id: Conversation.ID) async throws {
      guard !entries.isEmpty else { return }
      let rows = try entries.map { entry in
        (
          json: try TranscriptEncoding.document(for: Transcript(entries: [entry])).jsonString,
          text: entry.searchedText.withoutZeros
        )
      }
      try await write { database in
        let number = try Self.number(of: id, database)
        try Self.touch(number, database)
        let statement = try database.cachedStatement(
          sql: "INSERT INTO entry (conversation, json, text) VALUES (?, ?, ?)")
        for row in rows { try statement.execute(arguments: [number, row.json, row.text]) }
      }
    }

    public func rename(_ id: Conversation.ID, to title: String) async throws {
      try await write { database in
        let number = try Self.number(of: id, database)
        try Self.touch(number, database)
        try database.execute(
          sql: "UPDATE conversation SET title = ? WHERE number = ?",
          arguments: [title.withoutZeros, number])
      }
    }

    public func delete(_ id: Conversation.ID) async throws {
      try await write { database in
        let number = try Self.number(of: id, database)
        try database.execute(sql: "DELETE FROM entry WHERE conversation = ?", arguments: [number])
        try database.execute(sql: "DELETE FROM conversation WHERE number = ?", arguments: [number])
      }
    }

    // MARK: Reading

    public func conversations(limit: Int) async throws -> [Conversation] {
      try await read { try Self.conversations(limit: limit, $0) }
    }

    public func conversation(_ id: Conversation.ID) async throws -> Conversation {
      try await read { database in
        let row = try Row.fetchOne(
          database, sql: "SELECT * FROM conversation WHERE id = ?", arguments: [id])
        guard let row else { throw Self.noConversation(id) }
        return Conversation(row: row)
      }
    }

    public func entries(
      of id: Conversation.ID, latest count: Int
    ) async throws -> [Transcript.Entry] {
      let rows = try await read { try Self.entryTexts(of: id, latest: count, $0) }
      return try rows.map { try entry($0, of: id) }
    }

    public func search(_ text: String, limit: Int) async throws -> [ConversationMatch] {
      let search = EntrySearch(text)
      guard !search.isEmpty, limit > 0 else { return [] }
      // In quotes, so that nothing in a word is an operator.
      let query = search.words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        .joined(separator: " ")
      let rows = try await read { database in
        // The newest entries are found without reading the others; grouping comes after.
        try Row.fetchAll(
          database,
          sql: """
            SELECT entry.json, found.part, conversation.* FROM (
                SELECT rowid, snippet(entryText, 0, '', '', '…', 12) AS part FROM entryText WHERE entryText MATCH ? ORDER BY rowid DESC LIMIT ?
              ) AS found
              JOIN entry ON entry.number = found.rowid
              JOIN conversation ON conversation.number = entry.conversation
              ORDER BY conversation.changed DESC, conversation.number DESC, entry.number
            """, arguments: [query, limit]
        ).map { row in
          (
            conversation: Conversation(row: row), json: row["json"] as String,
            part: row["part"] as String
          )
        }
      }
      return try rows.map { row in
        let entry = try entry(row.json, of: row.conversation.id)
        // Words that differ in their accents are found by the index alone.
        return ConversationMatch(
          conversation: row.conversation, entry: entry,
          excerpt: search.excerpt(of: entry)
            ?? row.part.split(whereSeparator: \.isNewline).joined(separator: " "))
      }
    }

    // MARK: The database

    static func conversations(limit: Int, _ database: Database) throws -> [Conversation] {
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM conversation ORDER BY changed DESC, number DESC LIMIT ?",
        arguments: [max(0, limit)]
      ).map(Conversation.init(row:))
    }

    /// The JSON of the last entries of a conversation, in their order.
    static func entryTexts(
      of id: Conversation.ID, latest count: Int, _ database: Database
    ) throws -> [String] {
      let number = try number(of: id, database)
      return try String.fetchAll(
        database,
        sql: "SELECT json FROM entry WHERE conversation = ? ORDER BY number DESC LIMIT ?",
        arguments: [number, max(0, count)]
      ).reversed()
    }

    func entry(_ json: String, of id: Conversation.ID) throws -> Transcript.Entry {
      do {
        let document = try GeneratedContent(json: json)
        let transcript = try TranscriptDecoding().transcript(from: document)
        guard transcript.count == 1, let entry = transcript.first else {
          throw document.mismatch(expected: "one entry")
        }
        return entry
      } catch {
        throw ConversationStoreError(
          .damaged, place: file.path, problem: "An entry of \(id) cannot be read: \(error)",
          suggestion: "Put a copy in its place that was saved whole, or move it away.")
      }
    }

    private static func number(of id: Conversation.ID, _ database: Database) throws -> Int64 {
      let statement = try database.cachedStatement(
        sql: "SELECT number FROM conversation WHERE id = ?")
      guard let number = try Int64.fetchOne(statement, arguments: [id]) else {
        throw noConversation(id)
      }
      return number
    }

    private static func touch(_ number: Int64, _ database: Database) throws {
      try database.cachedStatement(sql: "UPDATE conversation SET changed = ? WHERE number = ?")
        .execute(arguments: [Date().timeIntervalSince1970, number])
    }

    private static func noConversation(_ id: Conversation.ID) -> ConversationStoreError {
      ConversationStoreError(
        .noSuchConversation, place: id, problem: "There is no such conversation.",
        suggestion: "List the conversations, and name one of them.")
    }

    private func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      do {
        return try await pool.read(body)
      } catch {
        throw DatabaseFormat.conversations.storeError(error, file)
      }
    }

    private func write(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
      guard !isReadOnly else {
        throw ConversationStoreError(
          .cannotWrite, place: file.path, problem: "The store was opened for reading.",
          suggestion: "Open it for writing.")
      }
      do {
        try await pool.write(body)
      } catch {
        throw DatabaseFormat.conversations.storeError(error, file)
      }
    }
  }

  extension Conversation {
    fileprivate init(row: Row) {
      self.init(
        id: row["id"], title: row["title"], created: Date(timeIntervalSince1970: row["created"]),
        changed: Date(timeIntervalSince1970: row["changed"]))
    }
  }

  extension Transcript.Entry {
    /// The text in which words are found: what the model was told to be is nothing that somebody said.
    fileprivate var searchedText: String {
      if case .instructions = self { "" } else { content }
    }
  }
#endif
