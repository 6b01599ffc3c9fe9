// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keeps conversations across launches of an app.
///
/// ```swift
/// let store = try FileConversationStore(folder: folder)
/// let conversation = try await store.create(title: "Kyoto in April")
/// let session = LanguageModelSession(model: model, instructions: "You plan trips.")
///   .saving(to: store, as: conversation.id)
/// try await session.respond(to: "Three days, please")
/// ```
///
/// After the next launch ``LanguageModelSession/init(resuming:in:model:tools:latest:)`` goes on.
///
/// What an ``append(_:to:)`` was given is kept once it has returned: all of it, or none where it
/// throws. Stores may be used from several tasks at once.
public protocol ConversationStore: Sendable {
  /// Creates a conversation without entries.
  ///
  /// - Parameter title: The title; it can be changed.
  /// - Throws: ``ConversationStoreError``.
  func create(title: String) async throws -> Conversation

  /// Adds entries at the end of a conversation.
  ///
  /// - Throws: ``ConversationStoreError``; then none of the entries is kept.
  func append(_ entries: [Transcript.Entry], to id: Conversation.ID) async throws

  /// The conversations, the one that was changed last first.
  ///
  /// - Parameter limit: How many there are at most.
  /// - Throws: ``ConversationStoreError``.
  func conversations(limit: Int) async throws -> [Conversation]

  /// A conversation.
  ///
  /// - Throws: ``ConversationStoreError`` where there is none.
  func conversation(_ id: Conversation.ID) async throws -> Conversation

  /// The last entries of a conversation, in their order.
  ///
  /// - Parameters:
  ///   - id: The conversation.
  ///   - count: How many there are at most.
  /// - Throws: ``ConversationStoreError``.
  func entries(of id: Conversation.ID, latest count: Int) async throws -> [Transcript.Entry]

  /// Changes the title of a conversation.
  ///
  /// - Throws: ``ConversationStoreError``.
  func rename(_ id: Conversation.ID, to title: String) async throws

  /// Removes a conversation and its entries for good.
  ///
  /// - Throws: ``ConversationStoreError``.
  func delete(_ id: Conversation.ID) async throws

  /// The entries that hold every word of a text, whatever their case, the newest conversations first.
  ///
  /// A store without an index finds words within others, too; one with an index finds whole words.
  ///
  /// - Parameters:
  ///   - text: The words.
  ///   - limit: How many matches there are at most.
  /// - Throws: ``ConversationStoreError``.
  func search(_ text: String, limit: Int) async throws -> [ConversationMatch]
}

extension ConversationStore {
  /// All conversations, the one that was changed last first.
  ///
  /// - Throws: ``ConversationStoreError``.
  public func conversations() async throws -> [Conversation] {
    try await conversations(limit: .max)
  }

  /// All entries of a conversation.
  ///
  /// - Throws: ``ConversationStoreError``.
  public func entries(of id: Conversation.ID) async throws -> [Transcript.Entry] {
    try await entries(of: id, latest: .max)
  }
}

/// Finds words in entries.
package struct EntrySearch {
  package let words: [String]
  /// The words that stand in JSON as they are.
  private let plainWords: [[UInt8]]

  /// Whether anything can be found.
  package var isEmpty: Bool { words.isEmpty }

  package init(_ text: String) {
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    plainWords = words.map { Array($0.utf8) }.filter { word in
      word.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
  }

  /// Whether a text in JSON may hold the words: what has none of them is not read.
  func mayMatch(_ json: [UInt8]) -> Bool {
    plainWords.allSatisfy { word in
      guard let first = word.first, json.count >= word.count else { return false }
      return json.withUnsafeBufferPointer { json in
        word.withUnsafeBufferPointer { word in
          for start in 0...(json.count - word.count) where json[start].lowercased == first {
            var index = 1
            while index < word.count, json[start + index].lowercased == word[index] { index += 1 }
            if index == word.count { return true }
          }
          return false
        }
      }
    }
  }

  /// A part of an entry's text around the first word; nil where a word is missing.
  package func excerpt(of entry: Transcript.Entry) -> String? {
    switch entry {
    // What the model was told to be is nothing that somebody said.
    case .instructions: return nil
    default: break
    }
    let text = entry.content.split(whereSeparator: \.isNewline).joined(separator: " ")
    let folded = text.lowercased()
    guard let first = words.first, let range = folded.firstRange(of: first),
      words.dropFirst().allSatisfy({ folded.contains($0) })
    else { return nil }
    let start = folded.distance(from: folded.startIndex, to: range.lowerBound)
    let before = max(0, start - 30)
    let part = text.dropFirst(before).prefix(80)
    return (before > 0 ? "…" : "") + part + (text.count > before + 80 ? "…" : "")
  }
}

extension UInt8 {
  /// A letter of ASCII as a small one.
  fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
