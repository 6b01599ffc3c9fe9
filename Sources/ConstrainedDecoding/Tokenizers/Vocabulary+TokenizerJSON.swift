// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Vocabulary {
  /// Reads the tokens of a `tokenizer.json`, the file that the library `tokenizers` writes and that
  /// lies beside the weights of most published models, those for MLX and Core ML among them.
  ///
  /// The bytes of each token come from the file's decoder: byte-level alphabets, marks for spaces and
  /// tokens for single bytes are understood. A token that is half of a character is that half.
  ///
  /// ```swift
  /// let file = try Data(contentsOf: folder.appending(path: "tokenizer.json"))
  /// let vocabulary = try Vocabulary(tokenizerJSON: file, endOfSequence: "<|im_end|>")
  /// ```
  ///
  /// - Parameters:
  ///   - tokenizerJSON: the UTF-8 bytes of the file.
  ///   - endOfSequence: the text of the token that ends an answer: `eos_token` in the file
  ///     `tokenizer_config.json`.
  ///   - otherEnds: the texts of further tokens that end one. `eos_token_id` in the file
  ///     `generation_config.json` has the ids of all.
  ///   - count: how many logits the model gives, `vocab_size` in the file `config.json`. Models often
  ///     give more than they have tokens; nil takes the number of the tokens.
  /// - Throws: `VocabularyError` where the text is no such file, where what a token adds to a text
  ///   depends on its neighbours (WordPiece), or where the end is no token.
  /// - Complexity: linear in the file.
  public init(
    tokenizerJSON: some Sequence<UInt8>, endOfSequence: String, otherEnds: [String] = [],
    count: Int? = nil
  ) throws(VocabularyError) {
    self = try TokenizerFile(Array(tokenizerJSON))
      .vocabulary(endOfSequence: endOfSequence, otherEnds: otherEnds, count: count)
  }
}
