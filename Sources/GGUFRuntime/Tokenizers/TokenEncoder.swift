/// Cuts texts into tokens, as a model file says.
package struct TokenEncoder: Sendable {
  private enum Algorithm: Sendable {
    case bytePairs(BytePairEncoder)
    case sentencePiecePairs(SentencePieceEncoder)
    case unigram(UnigramEncoder)
  }

  private let algorithm: Algorithm
  private let specialTokens: SpecialTokens

  /// - Throws: ``GGUFError`` with the metadata key that is missing or wrong.
  package init(_ tables: TokenizerTables) throws(GGUFError) {
    switch tables.model {
    case "gpt2": algorithm = .bytePairs(try BytePairEncoder(tables))
    case "llama": algorithm = .sentencePiecePairs(try SentencePieceEncoder(tables))
    case "t5": algorithm = .unigram(try UnigramEncoder(tables))
    case let other:
      throw GGUFError(
        field: "tokenizer.ggml.model",
        message: "expected 'gpt2', 'llama' or 't5', found '\(other)'.")
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
    var text = text
    return text.withUTF8 { encode(bytes: Array($0), parsesSpecialTokens: parsesSpecialTokens) }
  }

  private func encode(bytes: [UInt8], parsesSpecialTokens: Bool) -> [Int] {
    var tokens: [Int] = []
    var followsSpecial = true
    for part in specialTokens.split(bytes, includingControl: parsesSpecialTokens) {
      switch part {
      case .token(let token):
        tokens.append(token)
        followsSpecial = true
      case .text(let range):
        switch algorithm {
        case .bytePairs(let encoder): encoder.encode(bytes[range], into: &tokens)
        case .sentencePiecePairs(let encoder):
          encoder.encode(bytes[range], addsSpace: followsSpecial, into: &tokens)
        case .unigram(let encoder): encoder.encode(bytes[range], into: &tokens)
        }
        followsSpecial = false
      }
    }
    return tokens
  }
}
