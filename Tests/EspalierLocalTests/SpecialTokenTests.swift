// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EspalierLocal

/// Names of special tokens in texts, and the white space after them.
@Suite struct SpecialTokenTests {
  private func tokens(_ text: String, name: String) throws -> [String] {
    let names = ["<unk>", "<s>", "</s>", "<|user|>", "<|endoftext|>", "a", "b", " ", "\n", "▁"]
    var writer = GGUFWriter()
    writer.set("general.architecture", "llama")
    writer.set("general.name", name)
    writer.set("tokenizer.ggml.model", "llama")
    writer.set("tokenizer.ggml.tokens", names)
    writer.set("tokenizer.ggml.token_type", [2, 3, 3, 3, 3, 1, 1, 1, 1, 1] as [Int32])
    writer.set("tokenizer.ggml.scores", names.map { _ in Float(0) })
    writer.set("tokenizer.ggml.add_space_prefix", false)
    let metadata = try withTemporaryFile(writer.file()) { try GGUFFile(path: $0).metadata }
    return try Tokenizer(metadata: metadata).encode(text, parsesSpecialTokens: true).map {
      names[$0]
    }
  }

  @Test func whiteSpaceBelongsToTheSpecialTokensOfPhi3() throws {
    let text = "a<|user|>\n b<|endoftext|> a</s> \n"
    #expect(
      try tokens(text, name: "Phi-3 mini")
        == ["a", "<|user|>", "b", "<|endoftext|>", "▁", "a", "</s>"])
    #expect(
      try tokens(text, name: "Llama")
        == ["a", "<|user|>", "\n", "▁", "b", "<|endoftext|>", "▁", "a", "</s>", "▁", "\n"])
  }
}
