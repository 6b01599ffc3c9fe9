public import ConstrainedDecoding

/// Cuts texts into tokens and puts them together again, as a model file says.
public struct Tokenizer: Sendable {
  /// The bytes of each token.
  public let vocabulary: Vocabulary
  /// The token that a sequence begins with, where the model wants one.
  public let beginningOfSequence: Int?
  /// The tokens that end a turn.
  public let endTokens: Set<Int>

  private enum Algorithm: Sendable {
    case bytePairs(BytePairEncoder)
    case sentencePiecePairs(SentencePieceEncoder)
    case unigram(UnigramEncoder)
  }

  private let algorithm: Algorithm
  private let specialTokens: SpecialTokens

  /// Creates the tokenizer of a model file.
  ///
  /// - Throws: ``GGUFError`` with the metadata key that is missing or wrong.
  public init(metadata: [String: GGUFValue]) throws(GGUFError) {
    let tables = try TokenizerTables(metadata: metadata)
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
    vocabulary = try tables.vocabulary()
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
    var text = text
    return text.withUTF8 { encode(bytes: Array($0), parsesSpecialTokens: parsesSpecialTokens) }
  }

  func encode(bytes: [UInt8], parsesSpecialTokens: Bool) -> [Int] {
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
