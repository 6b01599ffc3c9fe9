public import ConstrainedDecoding

/// A language model that gives the logits of the next token.
public protocol TokenModel: Sendable {
  /// The tokens that the model reads and writes.
  var vocabulary: Vocabulary { get }
}
