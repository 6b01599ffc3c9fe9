// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ChatTemplates

/// Cuts texts into tokens, as a model file says.
package struct TokenEncoder: Sendable {
  private enum Algorithm: Sendable {
    case bytePairs(BytePairEncoder)
    case characterPairs(CharacterPairEncoder)
    case sentencePiecePairs(SentencePieceEncoder)
    case unigram(UnigramEncoder)
    case wordPiece(WordPieceEncoder)
  }

  private let algorithm: Algorithm
  private let specialTokens: SpecialTokens

  /// - Throws: ``GGUFError`` with the metadata key that is missing or wrong.
  package init(_ tables: TokenizerTables) throws(GGUFError) {
    switch tables.model {
    case "gpt2": algorithm = .bytePairs(try BytePairEncoder(tables))
    case "gemma4": algorithm = .characterPairs(CharacterPairEncoder(tables))
    case "llama": algorithm = .sentencePiecePairs(try SentencePieceEncoder(tables))
    case "t5": algorithm = .unigram(try UnigramEncoder(tables))
    case "bert": algorithm = .wordPiece(try WordPieceEncoder(tables))
    case let other:
      throw GGUFError(
        .unsupported, field: "tokenizer.ggml.model",
        message: "expected 'gpt2', 'llama', 'gemma4', 't5' or 'bert', found '\(other)'.")
    }
    specialTokens = SpecialTokens(tables)
  }

  /// The tokens of a text, without one for the beginning of the sequence.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - parsesSpecialTokens: Whether names of special tokens in the text become these tokens.
  /// - Complexity: Close to linear in the length of the text.
  package func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
    let bytes = Array(text.utf8)
    return encode(
      bytes, specialTokens.split(bytes, parsesSpecialTokens ? .markup : .text), beginsText: true)
  }

  /// The tokens of the text of a response that goes on after other text: nothing is put before it,
  /// and names of special tokens are text.
  package func encode(continuing text: String) -> [Int] {
    let bytes = Array(text.utf8)
    return encode(bytes, specialTokens.split(bytes, .quotedText), beginsText: false)
  }

  /// The tokens of a prompt, cut as one text: where a text meets the markup around it, pairs are
  /// merged across. Names of special tokens count in markup alone.
  package func encode(_ pieces: [ChatTemplate.Piece]) -> [Int] {
    var bytes: [UInt8] = []
    var parts: [SpecialTokens.Part] = []
    for piece in pieces {
      let start = bytes.count
      let scope: SpecialTokens.Scope
      switch piece {
      case .markup(let text): (scope, bytes) = (.markup, bytes + text.utf8)
      case .text(let text): (scope, bytes) = (.quotedText, bytes + text.utf8)
      }
      for part in specialTokens.split(bytes, start..<bytes.count, scope) {
        if case .text(let range) = part, case .text(let before)? = parts.last,
          before.upperBound == range.lowerBound
        {
          parts[parts.count - 1] = .text(before.lowerBound..<range.upperBound)
        } else {
          parts.append(part)
        }
      }
    }
    return encode(bytes, parts, beginsText: true)
  }

  private func encode(
    _ bytes: [UInt8], _ parts: [SpecialTokens.Part], beginsText: Bool
  ) -> [Int] {
    var tokens: [Int] = []
    var followsSpecial = beginsText
    for part in parts {
      switch part {
      case .token(let token):
        tokens.append(token)
        followsSpecial = true
      case .text(let range):
        switch algorithm {
        case .bytePairs(let encoder): encoder.encode(bytes[range], into: &tokens)
        case .characterPairs(let encoder): encoder.encode(bytes[range], into: &tokens)
        case .sentencePiecePairs(let encoder):
          encoder.encode(bytes[range], addsSpace: followsSpecial, into: &tokens)
        case .unigram(let encoder): encoder.encode(bytes[range], into: &tokens)
        case .wordPiece(let encoder): encoder.encode(bytes[range], into: &tokens)
        }
        followsSpecial = false
      }
    }
    return tokens
  }
}
