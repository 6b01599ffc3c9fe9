// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ChatTemplates
public import ConstrainedDecoding
public import GGUFRuntime

/// Cuts texts into tokens and puts them together again, as a model file says.
public struct Tokenizer: Sendable {
  /// The bytes of each token.
  public let vocabulary: Vocabulary
  /// The token that a sequence begins with, where the model wants one.
  public let beginningOfSequence: Int?
  /// The tokens that end a turn.
  public let endTokens: Set<Int>

  private let encoder: TokenEncoder

  /// Creates the tokenizer of a model file.
  ///
  /// - Throws: `GGUFError` with the metadata key that is missing or wrong.
  public init(metadata: [String: GGUFValue]) throws(GGUFError) {
    let tables = try TokenizerTables(metadata: metadata)
    encoder = try TokenEncoder(tables)
    let texts = tables.texts()
    do {
      vocabulary = try Vocabulary(
        tokens: texts.bytes, specialTokens: texts.special, endOfSequence: tables.end)
    } catch {
      throw GGUFError(field: "tokenizer.ggml.tokens", message: error.message)
    }
    beginningOfSequence = tables.addsBeginning ? tables.beginning : nil
    endTokens = tables.endTokens
  }

  /// The tokens of a text, without one for the beginning of the sequence.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - parsesSpecialTokens: Whether names of special tokens in the text become these tokens.
  /// - Complexity: Close to linear in the length of the text.
  public func encode(_ text: String, parsesSpecialTokens: Bool = false) -> [Int] {
    encoder.encode(text, parsesSpecialTokens: parsesSpecialTokens)
  }

  /// The tokens of a text that goes on after other text: nothing is put before it, and names of
  /// special tokens are text.
  public func encode(continuing text: String) -> [Int] { encoder.encode(continuing: text) }

  /// The tokens of a conversation, without one for the beginning of the sequence.
  ///
  /// The pieces are cut as one text, as the model was trained on it; names of special tokens become
  /// these tokens in markup alone.
  public func encode(_ pieces: [ChatTemplate.Piece]) -> [Int] { encoder.encode(pieces) }
}
