// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens of a `tokenizer.json`.
///
/// The file lists the tokens of its model, and beside them tokens that were added. What a token adds to
/// a text is said by the file's decoder, a list of steps: in `{"type": "ByteLevel"}` the token `Ġtea`
/// is the bytes of ` tea`, and with a `Replace` of `▁` and a `ByteFallback` so is `▁tea`, and `<0x0A>`
/// is a line feed.
package struct TokenizerFile {
  /// More ids than any model has: a number above is a broken file, not a vocabulary.
  private static let countLimit = 1 << 22

  /// The bytes of each token, by id; empty for ids that the file does not name.
  private var tokens: [[UInt8]] = []
  /// The ids that stand for no text.
  private var special: Set<Int> = []

  private let document: JSONDocument
  private var added: [(text: [UInt8], id: Int)] = []

  package init(_ bytes: [UInt8]) throws(VocabularyError) {
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw VocabularyError(
        .unreadableFile,
        message: "no tokenizer.json: \(error). A tokenizer.model (SentencePiece) is another form; "
          + "publishers have a tokenizer.json beside it")
    }
    guard document.kind(document.root) == .object, let model = document.member("model", of: 0),
      let vocabulary = document.member("vocab", of: model)
    else {
      throw VocabularyError(
        .unreadableFile,
        message:
          "no tokenizer.json: expected an object with the member 'vocab' in the member 'model'")
    }
    let steps = try TokenSpelling.steps(of: document)
    switch document.kind(vocabulary) {
    case .object:
      for (key, value) in document.members(vocabulary) {
        set(steps.bytes(of: document.text(key), isAdded: false), id: try id(value))
      }
    case .array:
      for (id, pair) in document.elements(vocabulary).enumerated() {
        guard let piece = document.elements(pair).first, document.kind(piece) == .string else {
          throw Self.error("a piece and its score", at: pair, document)
        }
        set(steps.bytes(of: document.text(piece), isAdded: false), id: id)
      }
    default: throw Self.error("an object or an array of tokens", at: vocabulary, document)
    }
    try readAddedTokens(steps)
    readUnknownToken(of: model, vocabulary)
  }

  /// The vocabulary, with more ids than tokens where `count` says so.
  package func vocabulary(
    endOfSequence: String, otherEnds: [String] = [], count: Int? = nil
  ) throws(VocabularyError) -> Vocabulary {
    let end = try end(endOfSequence)
    var others: Set<Int> = []
    for text in otherEnds { others.insert(try self.end(text)) }
    var tokens = tokens
    if let count {
      guard (tokens.count...Self.countLimit).contains(count) else {
        throw VocabularyError(
          .countOutOfRange(count),
          message: "expected a count between \(tokens.count), the tokens of the file, and "
            + "\(Self.countLimit); found \(count)")
      }
      tokens += Array(repeating: [], count: count - tokens.count)
    }
    return try Vocabulary(
      tokens: tokens, specialTokens: special, endOfSequence: end, otherEnds: others)
  }

  /// The id of a token that ends a sequence.
  private func end(_ text: String) throws(VocabularyError) -> Int {
    if let id = id(of: text) { return id }
    throw VocabularyError(
      .unknownEndOfSequence(text),
      message: "'\(text)' is no token; pass the text that 'eos_token' has in "
        + "tokenizer_config.json. The file's special tokens: \(listOfSpecialTokens)")
  }

  /// The id of a token by its text in the file.
  private func id(of text: String) -> Int? {
    let bytes = Array(text.utf8)
    if let found = added.first(where: { $0.text == bytes }) { return found.id }
    guard let model = document.member("model", of: document.root),
      let vocabulary = document.member("vocab", of: model)
    else { return nil }
    if document.kind(vocabulary) == .object {
      return document.member(text, of: vocabulary).flatMap { Int(document.string($0)) }
    }
    return document.elements(vocabulary).firstIndex { pair in
      document.elements(pair).first.map { document.text($0).elementsEqual(bytes) } ?? false
    }
  }

  /// The texts of added tokens that stand for no text, the first few.
  private var listOfSpecialTokens: String {
    let texts = added.filter { special.contains($0.id) }.map {
      String(decoding: $0.text, as: UTF8.self)
    }
    guard !texts.isEmpty else { return "none" }
    return texts.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
      + (texts.count > 12 ? ", …" : "")
  }

  private mutating func readAddedTokens(_ steps: [TokenSpelling]) throws(VocabularyError) {
    guard let list = document.member("added_tokens", of: document.root) else { return }
    for token in document.elements(list) {
      guard let content = document.member("content", of: token),
        document.kind(content) == .string, let number = document.member("id", of: token)
      else { throw Self.error("'id' and 'content' of an added token", at: token, document) }
      let id = try id(number)
      let text = document.text(content)
      added.append((Array(text), id))
      set(steps.bytes(of: text, isAdded: true), id: id)
      if document.member("special", of: token).flatMap(document.boolean) ?? false {
        special.insert(id)
      } else {
        special.remove(id)
      }
    }
  }

  /// The token that stands for what no other token spells.
  private mutating func readUnknownToken(
    of model: JSONDocument.Node, _ vocabulary: JSONDocument.Node
  ) {
    if let unknown = document.member("unk_id", of: model), let id = Int(document.string(unknown)) {
      special.insert(id)
    } else if let unknown = document.member("unk_token", of: model),
      document.kind(unknown) == .string, let id = id(of: document.string(unknown))
    {
      special.insert(id)
    }
  }

  private func id(_ node: JSONDocument.Node) throws(VocabularyError) -> Int {
    guard document.kind(node) == .number, let id = Int(document.string(node)),
      (0..<Self.countLimit).contains(id)
    else { throw Self.error("an id from 0 to \(Self.countLimit - 1)", at: node, document) }
    return id
  }

  private mutating func set(_ bytes: [UInt8], id: Int) {
    if id >= tokens.count {
      tokens.reserveCapacity(max(id + 1, tokens.capacity))
      while tokens.count <= id { tokens.append([]) }
    }
    tokens[id] = bytes
  }

  private static func error(
    _ expected: String, at node: JSONDocument.Node, _ document: JSONDocument
  ) -> VocabularyError {
    VocabularyError(
      .unreadableFile,
      message: "tokenizer.json: at \(document.pointer(to: node)): expected \(expected)")
  }
}
