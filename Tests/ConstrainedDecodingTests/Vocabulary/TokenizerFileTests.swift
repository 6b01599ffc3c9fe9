// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Vocabularies from `tokenizer.json`.
@Suite struct TokenizerFileTests {
  /// A file with a model's tokens, a decoder and what stands beside them.
  private func vocabulary(
    _ tokens: String, decoder: String, beside: String = "", unknown: String = "",
    added: String = #"{"id": 9, "content": "<end>", "special": true}"#, end: String = "<end>",
    count: Int? = nil
  ) throws -> Vocabulary {
    let json = """
      {"added_tokens": [\(added)], "decoder": \(decoder)\(beside),
       "model": {"vocab": \(tokens), "merges": []\(unknown)}}
      """
    return try Vocabulary(tokenizerJSON: json.utf8, endOfSequence: end, count: count)
  }

  private func texts(_ vocabulary: Vocabulary) -> [String] {
    (0..<vocabulary.count).map { String(decoding: vocabulary.bytes(of: $0), as: UTF8.self) }
  }

  @Test func byteLevelTokensAreTheirBytes() throws {
    let vocabulary = try vocabulary(
      #"{"Ġtea": 0, "Ċ": 1, "é": 2, "ł": 3, "Ń": 4, "日": 5}"#, decoder: #"{"type": "ByteLevel"}"#)
    #expect(vocabulary.bytes(of: 0) == Array(" tea".utf8))
    #expect(vocabulary.bytes(of: 1) == [0x0A])
    #expect(vocabulary.bytes(of: 2) == [0xE9])
    #expect(vocabulary.bytes(of: 3) == [0xA0])
    #expect(vocabulary.bytes(of: 4) == [0xAD])
    #expect(vocabulary.bytes(of: 5) == Array("日".utf8))
    #expect(vocabulary.bytes(of: 7) == [])
    #expect(vocabulary.count == 10)
    #expect(vocabulary.endOfSequence == 9)
  }

  @Test func marksForSpacesAndSingleBytesAreRead() throws {
    let decoder = """
      {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
      """
    let vocabulary = try vocabulary(
      #"{"▁tea▁and": 0, "<0x0A>": 1, "<0xe9>": 2, "<0xG0>": 3}"#, decoder: decoder)
    #expect(texts(vocabulary)[0] == " tea and")
    #expect(vocabulary.bytes(of: 1) == [0x0A])
    #expect(vocabulary.bytes(of: 2) == [0xE9])
    #expect(texts(vocabulary)[3] == "<0xG0>")
  }

  @Test func piecesWithScoresAreCountedFromZero() throws {
    let vocabulary = try vocabulary(
      #"[["<unk>", 0], ["▁tea", -1.5], ["s", -2]]"#,
      decoder: #"{"type": "Metaspace", "replacement": "▁"}"#, unknown: #", "unk_id": 0"#)
    #expect(texts(vocabulary)[1] == " tea")
    #expect(texts(vocabulary)[2] == "s")
    #expect(vocabulary.isSpecial(0))
    #expect(!vocabulary.isSpecial(1))
  }

  @Test func addedTokensAreTextUnlessTheyAreSpecial() throws {
    let vocabulary = try vocabulary(
      #"{"a": 0, "<end>": 1, "?": 5}"#, decoder: #"{"type": "ByteLevel"}"#,
      unknown: #", "unk_token": "?""#,
      added: """
        {"id": 1, "content": "<end>", "special": true}, {"id": 2, "content": "<tool_call>", "special": false},
        {"id": 3, "content": "  é", "special": false}
        """)
    #expect(vocabulary.isSpecial(1))
    #expect(vocabulary.endOfSequence == 1)
    #expect(texts(vocabulary)[2] == "<tool_call>")
    #expect(texts(vocabulary)[3] == "  é")
    #expect(vocabulary.isSpecial(5))
  }

  @Test func olderFilesSayTheirAlphabetByThePreTokenizer() throws {
    let vocabulary = try vocabulary(
      #"{"Ġa": 0}"#, decoder: "null",
      beside: """
        , "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
          {"type": "Digits"}, {"type": "ByteLevel", "add_prefix_space": false}]}
        """)
    #expect(texts(vocabulary)[0] == " a")
  }

  @Test func logitsBeyondTheTokensAreNeverAllowed() throws {
    let vocabulary = try vocabulary(
      #"{"1": 0, "2": 1}"#, decoder: #"{"type": "ByteLevel"}"#, count: 64)
    #expect(vocabulary.count == 64)
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: #"{"type": "integer"}"#), vocabulary: vocabulary)
    #expect(matcher.allowedTokens().tokens == [0, 1])
  }

  @Test(arguments: [
    ("{", "no tokenizer.json"),
    (#"{"model": {}}"#, "the member 'vocab'"),
    (#"{"model": {"vocab": 3}, "decoder": {"type": "ByteLevel"}}"#, "at /model/vocab: expected"),
    (#"{"model": {"vocab": {"a": -1}}, "decoder": {"type": "ByteLevel"}}"#, "at /model/vocab/a"),
    (
      #"{"model": {"vocab": {"a": 99999999999}}, "decoder": {"type": "ByteLevel"}}"#, "an id from 0"
    ),
    (#"{"model": {"vocab": [["a"], []]}, "decoder": {"type": "Metaspace"}}"#, "at /model/vocab/1"),
    (
      #"{"model": {"vocab": {"a": 0}}, "decoder": {"type": "WordPiece"}}"#,
      "the decoder 'WordPiece'"
    ),
    (#"{"model": {"vocab": {"a": 0}}, "decoder": null}"#, "no decoder"),
    (#"{"model": {"vocab": {"a": 0}}, "decoder": {"type": "Strip"}}"#, "the decoder 'Strip'"),
    (
      #"{"model": {"vocab": {"a": 0}}, "decoder": {"type": "Replace", "pattern": {"Regex": "a"}}}"#,
      "a regular expression"
    ),
    (
      #"{"added_tokens": [{"id": 0}], "model": {"vocab": {}}, "decoder": {"type": "ByteLevel"}}"#,
      "at /added_tokens/0"
    ),
    (
      #"{"added_tokens": [{"id": 0, "content": "<s>", "special": true}], "model": {"vocab": {"a": 1}}, "decoder": {"type": "ByteLevel"}}"#,
      "'<end>' is no token; pass the text that 'eos_token' has in tokenizer_config.json. "
        + "The file's special tokens: '<s>'"
    ),
  ])
  func whatCannotBeReadIsAnError(_ json: String, _ message: String) {
    let error = #expect(throws: VocabularyError.self) {
      try Vocabulary(tokenizerJSON: json.utf8, endOfSequence: "<end>")
    }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }

  @Test func aCountBelowTheTokensIsAnError() {
    #expect(throws: VocabularyError.self) {
      try vocabulary(#"{"a": 0}"#, decoder: #"{"type": "ByteLevel"}"#, count: 9)
    }
  }
}
