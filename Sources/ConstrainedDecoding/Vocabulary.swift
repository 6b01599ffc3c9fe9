/// The tokens of a language model, each as the bytes it adds to the text.
public struct Vocabulary: Sendable {
  /// The number of token ids, gaps and special tokens included.
  public let count: Int

  /// The token that ends a sequence.
  public let endOfSequence: Int
}
