// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ChatTemplates
public import ConstrainedDecoding

/// A language model that gives the logits of the next token.
///
/// This is all that the guided executor needs to know of a model: conform a type to it and
/// ``GuidedLanguageModel`` makes a `LanguageModel` of it, with schemas held by construction, tools,
/// streaming and prefix reuse.
public protocol TokenModel: Sendable {
  /// The state of one sequence.
  associatedtype Context: TokenModelContext

  /// The bytes of each token that the model reads and writes.
  var vocabulary: Vocabulary { get }

  /// The greatest number of tokens in a sequence.
  var contextSize: Int { get }

  /// The token that every sequence begins with, where there is one.
  var beginningOfSequence: Int? { get }

  /// The tokens that end a turn, the vocabulary's end of sequence among them.
  var endTokens: Set<Int> { get }

  /// How conversations are written for the model.
  var chatTemplate: ChatTemplate { get }
  /// How the model is best told of the schema of its response; by default in the notation of types, in
  /// the system's message.
  var schemaPrompt: SchemaPrompt { get }

  /// The tokens of a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - parsesSpecialTokens: Whether the names of special tokens in the text become these tokens;
  ///     false for what users write.
  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int]

  /// The tokens of a text that goes on after other text of the response: nothing is put before it,
  /// and names of special tokens are text. By default the tokens of the text alone.
  ///
  /// Text that a grammar forces is written in these tokens, without a call of the model. Where they
  /// are not those of the text (a tokenizer that puts a space before it, say), the model is asked
  /// for each token.
  func encode(continuing text: String) -> [Int]

  /// The tokens of a conversation, without one for the beginning of the sequence. By default those
  /// of each piece.
  ///
  /// - Parameter pieces: Markup, in which names of special tokens become these tokens, and text, in
  ///   which they do not.
  func encode(_ pieces: [ChatTemplate.Piece]) -> [Int]

  /// The bytes of tokens, those of special tokens left out.
  func decode(_ tokens: [Int]) -> [UInt8]

  /// Begins an empty sequence.
  func makeContext() -> Context
}

extension TokenModel {
  public var beginningOfSequence: Int? { nil }
  public var endTokens: Set<Int> { vocabulary.endTokens }
  public var chatTemplate: ChatTemplate { .chatML }
  public var schemaPrompt: SchemaPrompt { SchemaPrompt() }

  public func encode(continuing text: String) -> [Int] {
    encode(text, parsesSpecialTokens: false)
  }

  public func encode(_ pieces: [ChatTemplate.Piece]) -> [Int] {
    pieces.flatMap { piece in
      switch piece {
      case .markup(let text): encode(text, parsesSpecialTokens: true)
      case .text(let text): encode(text, parsesSpecialTokens: false)
      }
    }
  }

  public func decode(_ tokens: [Int]) -> [UInt8] {
    tokens.flatMap { vocabulary.isSpecial($0) ? [] : vocabulary.bytes(of: $0) }
  }
}

/// The state of one sequence of a model: its tokens and what the model remembers of them.
///
/// A context is a value: a copy is a fork, and the two go on apart.
public protocol TokenModelContext: Sendable {
  /// The tokens read so far.
  var tokens: [Int] { get }

  /// Reads tokens, as many at once as the model can.
  ///
  /// - Throws: `TokenModelError` where the sequence becomes too long or a token does not exist.
  mutating func append(_ tokens: [Int]) throws

  /// Whether tokens that are read ahead cost less than a pass of each. False by default.
  static var readsAhead: Bool { get }

  /// Reads tokens as ``append(_:)``, and in the same pass those that are expected to be appended next.
  ///
  /// What is expected does not belong to ``tokens``: ``nextLogits(into:)`` has the logits of the
  /// place before it. Where it is appended later it need not be read again. By default it is left out.
  ///
  /// - Returns: Whether a pass was needed: false where all the tokens were read ahead.
  /// - Throws: As ``append(_:)``, never for what is expected.
  mutating func append(_ tokens: [Int], expecting expected: [Int]) throws -> Bool

  /// Forgets all but the first tokens.
  ///
  /// The logits are defined again after the next ``append(_:)``.
  mutating func rollback(to count: Int)

  /// Whether several sequences are read together in less time than one by one, and copies share what
  /// they have in common. False by default.
  static var readsTogether: Bool { get }

  /// Reads tokens of several sequences. By default one sequence after the other.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of each sequence.
  ///   - contexts: The sequences, all of one model; each comes out as if it had been read alone.
  ///   - preparesLogits: For each sequence whether the logits of all tokens will be asked for next,
  ///     which a model may compute together, too.
  /// - Returns: For each sequence nil, or why its tokens cannot be read.
  static func append(
    _ tokens: [[Int]], to contexts: inout [Self], preparingLogits preparesLogits: [Bool]
  ) -> [(any Error)?]

  /// Writes the logit of every token as the next one.
  ///
  /// - Parameter logits: Made as long as the vocabulary.
  mutating func nextLogits(into logits: inout [Float])

  /// Writes the logits of some tokens as the next one: cheaper where they are few.
  ///
  /// - Parameters:
  ///   - tokens: The tokens.
  ///   - logits: Made as long as `tokens`.
  mutating func nextLogits(of tokens: [Int], into logits: inout [Float])

  /// The logits of some tokens as the next one after each of some branches, read in one pass where the
  /// model can. The sequence stays as it is.
  ///
  /// By default the branches with as many tokens are read together, each in a copy.
  ///
  /// - Parameters:
  ///   - tokens: For each branch the tokens; none where it only leads to others.
  ///   - branches: Tokens that may follow, as a tree.
  /// - Returns: For each branch the logits of its tokens.
  /// - Throws: As ``append(_:)``.
  func logits(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]]
}

/// A token that may follow a sequence, or another such token.
public struct TokenBranch: Sendable, Hashable {
  /// The token.
  public var token: Int
  /// The place of the branch that it goes on from, before its own; nil where it follows the sequence.
  public var parent: Int?

  /// Creates a branch.
  public init(token: Int, parent: Int?) {
    self.token = token
    self.parent = parent
  }
}

extension TokenModelContext {
  public static var readsTogether: Bool { false }
  public static var readsAhead: Bool { false }

  public mutating func append(_ tokens: [Int], expecting expected: [Int]) throws -> Bool {
    try append(tokens)
    return true
  }

  public static func append(
    _ tokens: [[Int]], to contexts: inout [Self], preparingLogits preparesLogits: [Bool]
  ) -> [(any Error)?] {
    contexts.indices.map { index in
      do {
        try contexts[index].append(tokens[index])
        return nil
      } catch {
        return error
      }
    }
  }

  public mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
    var all: [Float] = []
    nextLogits(into: &all)
    // Where the model gives too few, whoever asked says so.
    logits = tokens.compactMap { all.indices.contains($0) ? all[$0] : nil }
  }

  public func logits(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]] {
    try logitsByLevels(of: tokens, after: branches)
  }

  /// Reads the branches that follow the sequence, then those that follow them, and so on.
  func logitsByLevels(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]] {
    var logits = branches.map { _ in [Float]() }
    var copies: [Int: Self] = [:]
    var level = branches.indices.filter { branches[$0].parent == nil }
    while !level.isEmpty {
      try Task.checkCancellation()
      var contexts = level.map { branches[$0].parent.flatMap { copies[$0] } ?? self }
      let errors = Self.append(
        level.map { [branches[$0].token] }, to: &contexts,
        preparingLogits: level.map { _ in false })
      for case let error? in errors { throw error }
      for (place, index) in level.enumerated() where !tokens[index].isEmpty {
        contexts[place].nextLogits(of: tokens[index], into: &logits[index])
      }
      copies = Dictionary(uniqueKeysWithValues: zip(level, contexts))
      level = branches.indices.filter { index in
        branches[index].parent.map { copies[$0] != nil } ?? false
      }
    }
    return logits
  }
}

/// Why a model cannot read a token, or none can be drawn of what it gives.
public enum TokenModelError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The sequence would have this many tokens, more than the model can read.
  case contextOverflow(needed: Int, contextSize: Int)
  /// A token that the vocabulary does not have.
  case unknownToken(Int)
  /// Logits were asked for before any token was read.
  case nothingRead
  /// The model gave fewer logits than it was asked for.
  case missingLogits(expected: Int, found: Int)
  /// None of the logits of the tokens that were allowed is a number above -∞.
  case noUsableLogits(allowed: Int)
  /// What is written so far is no value of the schema, and no token leads to one.
  case deadEnd

  public var description: String {
    switch self {
    case .contextOverflow(let needed, let size):
      "The sequence needs \(needed) tokens; the model reads \(size). Shorten the transcript."
    case .unknownToken(let token): "There is no token \(token) in the vocabulary."
    case .nothingRead: "No token was read yet: call 'append' first."
    case .missingLogits(let expected, let found):
      "The model gave too few logits: expected \(expected), found \(found)."
    case .noUsableLogits(let count):
      "The model gave no logit that is a number for \(count) allowed tokens."
    case .deadEnd:
      "The value is not complete, and no token of the vocabulary leads on."
    }
  }
}

extension TokenModel {
  /// The token that a text is, special or not; nil where it is several.
  package func token(ofText text: String) -> Int? {
    let tokens = encode(text, parsesSpecialTokens: true)
    return tokens.count == 1 ? tokens[0] : nil
  }
}
