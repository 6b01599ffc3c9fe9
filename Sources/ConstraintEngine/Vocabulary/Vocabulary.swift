// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens of a language model, each as the bytes it adds to the text.
///
/// A token is bytes, not characters: tokenizers split UTF-8 sequences anywhere. Ids without bytes
/// (gaps, special tokens) are never matched against text; several ids may have the same bytes.
/// Every byte should be a token. Where one is not, some text has no spelling, and a mask may lead to
/// where no token goes on; ``Matcher/allowedTokens(within:)`` leaves such tokens out.
/// Preparing a vocabulary takes time that is linear in its bytes (about a tenth of a second for
/// 128,256 tokens); make one and share it, copies cost nothing.
public struct Vocabulary: Sendable {
  package let storage: Storage

  /// Prepares a vocabulary.
  ///
  /// - Parameters:
  ///   - tokens: the bytes of each token, by id; empty for an id without text.
  ///   - specialTokens: ids that stand for no text whatever their bytes are, such as the begin and
  ///     end of a sequence.
  ///   - endOfSequence: the id that ends a sequence.
  ///   - otherEnds: further ids that end one. Models of chats have two or three: `eos_token_id` in the file
  ///     `generation_config.json` is a list. A mask allows all ends or none.
  /// - Throws: ``VocabularyError`` where an id is out of range.
  public init(
    tokens: [[UInt8]], specialTokens: Set<Int> = [], endOfSequence: Int, otherEnds: Set<Int> = []
  ) throws(VocabularyError) {
    for id in [endOfSequence] + otherEnds.sorted() where !tokens.indices.contains(id) {
      throw VocabularyError(
        .endOfSequenceOutOfRange(id),
        message: "the end-of-sequence id \(id) is not below the number of tokens, "
          + "\(tokens.count); pass the id that the model's tokenizer names")
    }
    for id in specialTokens where !tokens.indices.contains(id) {
      throw VocabularyError(
        .specialTokenOutOfRange(id),
        message: "the special token \(id) is not below the number of tokens, \(tokens.count)")
    }
    storage = Storage(
      tokens: tokens, special: specialTokens, endOfSequence: endOfSequence, otherEnds: otherEnds)
  }

  /// The number of token ids, gaps and special tokens included.
  public var count: Int { storage.count }

  /// The token that ends a sequence; of several the one that was named first.
  public var endOfSequence: Int { storage.endOfSequence }

  /// All tokens that end a sequence.
  public var endTokens: Set<Int> { Set(storage.ends.map(Int.init)) }

  /// Whether a token ends a sequence.
  public func isEnd(_ token: Int) -> Bool { storage.isEnd(token) }

  /// The bytes of a token; empty for ids without text and for ids out of range.
  public func bytes(of token: Int) -> [UInt8] { Array(storage.bytes(of: token)) }

  /// Whether a token stands for no text.
  public func isSpecial(_ token: Int) -> Bool { storage.special.contains(token) }

  /// A vocabulary of the 256 single bytes, with 256 as the end of sequence: enough to check and to
  /// sample any grammar without a model.
  public static let singleBytes: Vocabulary = {
    let tokens = (0..<256).map { [UInt8($0)] } + [[]]
    return Vocabulary(
      storage: Storage(tokens: tokens, special: [256], endOfSequence: 256))
  }()

  private init(storage: Storage) { self.storage = storage }
}

/// Why a vocabulary could not be made.
public struct VocabularyError: Error, Sendable, CustomStringConvertible {
  /// What an app can do something about.
  public enum Kind: Sendable, Hashable {
    /// The id that ends a sequence is that of no token.
    case endOfSequenceOutOfRange(Int)
    /// An id of a special token is that of no token.
    case specialTokenOutOfRange(Int)
    /// No token has the text that was to end a sequence.
    case unknownEndOfSequence(String)
    /// There are more tokens than were asked for, or too many.
    case countOutOfRange(Int)
    /// The text is no file of a tokenizer, or is malformed.
    case unreadableFile
    /// What a token adds to a text depends on its neighbours.
    case unsupportedTokenizer
  }

  /// What is wrong with the vocabulary.
  public var kind: Kind
  /// What was expected, what was found, and what to do.
  public var message: String

  package init(_ kind: Kind, message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}

extension Vocabulary {
  /// What a vocabulary shares between its copies: immutable once made.
  package final class Storage: Sendable {
    package let count: Int
    package let endOfSequence: Int
    /// All ends of a sequence, the first one named first.
    let ends: [UInt32]
    let special: Set<Int>
    package let text: [UInt8]
    package let starts: [Int]
    package let trie: TokenTrie
    let signatures: TokenSignatures
    private let canonicalIndex: TokenIndex
    private let fullIndex: TokenIndex

    init(
      tokens: [[UInt8]], special: Set<Int>, endOfSequence: Int, otherEnds: Set<Int> = []
    ) {
      count = tokens.count
      self.endOfSequence = endOfSequence
      ends = ([endOfSequence] + otherEnds.subtracting([endOfSequence]).sorted()).map(UInt32.init)
      self.special = special.union(otherEnds).union([endOfSequence])
      var text: [UInt8] = []
      var starts = [0]
      starts.reserveCapacity(tokens.count + 1)
      for token in tokens {
        text.append(contentsOf: token)
        starts.append(text.count)
      }
      self.text = text
      self.starts = starts
      trie = TokenTrie(text: text, starts: starts, special: self.special)
      signatures = TokenSignatures(trie: trie, tokenCount: tokens.count)
      canonicalIndex = TokenIndex(
        vocabulary: text, starts: starts, trie: trie, anyEscapes: false)
      fullIndex = TokenIndex(
        vocabulary: text, starts: starts, trie: trie, anyEscapes: true)
    }

    package func index(anyEscapes: Bool) -> TokenIndex { anyEscapes ? fullIndex : canonicalIndex }

    /// Whether a token ends a sequence; asked at each step, and most vocabularies have one end.
    package func isEnd(_ token: Int) -> Bool {
      if token == endOfSequence { return true }
      return ends.count > 1 && ends.contains { Int($0) == token }
    }

    package func bytes(of token: Int) -> ArraySlice<UInt8> {
      guard token >= 0, token < count, !special.contains(token) else { return [] }
      return text[starts[token]..<starts[token + 1]]
    }
  }
}
