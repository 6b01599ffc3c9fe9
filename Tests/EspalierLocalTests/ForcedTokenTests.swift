// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@testable import EspalierLocal
@testable import GGUFRuntime

/// Text that is written without the model has the tokens that the tokenizer gives the whole text.
@Suite struct ForcedTokenTests {
  static let schemas = [
    """
    {"type":"object","properties":{"guest":{"type":"string"},"nights":{"type":"integer"},
    "room":{"enum":["single","double","suite","double bed"]}},
    "required":["guest","nights","room"],"additionalProperties":false}
    """,
    """
    {"type":"object","properties":{"address":{"type":"object","properties":{
    "street":{"type":"string","maxLength":20},"city":{"type":"string","minLength":1}},
    "required":["street","city"],"additionalProperties":false},
    "tags":{"type":"array","items":{"enum":["urgent","weekly"]},"maxItems":3}},
    "required":["address","tags"],"additionalProperties":false}
    """,
    """
    {"type":"array","maxItems":4,"items":{"type":"object","properties":{
    "on":{"type":"string","format":"date"},"näme":{"const":"é 漢字 \\"q\\""},
    "ok":{"type":"boolean"}},"required":["on","näme","ok"],"additionalProperties":false}}
    """,
  ]

  /// A byte-pair tokenizer that was taught on some JSON.
  static func tokenizer(preTokenizer: String, seed: UInt64) throws -> Tokenizer {
    var generator = SeededGenerator(seed: seed)
    let lesson = #"""
      {"guest":"Ann","nights":2,"room":"single"},{"guest":"","nights":-10,"room":"double bed"},
      {"address":{"street":"a \"b\" c","city":"Rome"},"tags":["urgent","weekly"]},"":"":"",[],[[
      {"on":"2026-02-28","näme":"é 漢字 \"q\"","ok":true},{"on":"(x)","ok":false},":"(":".":"-
      """#
    let spellings = ByteAlphabet.spellings.map { String(decoding: $0, as: UTF8.self) }
    var words: [[String]] = []
    try PreTokenizer(name: preTokenizer).words(of: Array(lesson.utf8)[...]) { word in
      words.append(word.map { spellings[Int($0)] })
    }
    var tokens = spellings
    var merges: [String] = []
    for _ in 0..<120 {
      // Pairs at random, so that the order of merges has surprises.
      let pairs = words.flatMap { zip($0, $0.dropFirst()).map { [$0, $1] } }
      guard let pair = pairs.randomElement(using: &generator) else { break }
      merges.append(pair.joined(separator: " "))
      if !tokens.contains(pair.joined()) { tokens.append(pair.joined()) }
      words = words.map { word in
        var merged: [String] = []
        for part in word {
          if merged.last == pair[0], part == pair[1] {
            merged[merged.count - 1] += part
          } else {
            merged.append(part)
          }
        }
        return merged
      }
    }
    var writer = GGUFWriter()
    writer.set("general.architecture", "llama")
    writer.set("tokenizer.ggml.model", "gpt2")
    writer.set("tokenizer.ggml.pre", preTokenizer)
    writer.set("tokenizer.ggml.tokens", tokens + ["<|im_end|>"])
    writer.set(
      "tokenizer.ggml.token_type", [Int32](repeating: 1, count: tokens.count) + [3])
    writer.set("tokenizer.ggml.merges", merges)
    writer.set("tokenizer.ggml.eos_token_id", UInt32(tokens.count))
    return try withTemporaryFile(writer.file()) {
      try Tokenizer(metadata: GGUFFile(path: $0).metadata)
    }
  }

  /// A value that is drawn byte by byte.
  static func text(_ grammar: Grammar, _ generator: inout SeededGenerator) throws -> [UInt8] {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var text: [UInt8] = []
    let favourites = Array(#"aeinRo ":,(.-2é"#.utf8).map(Int.init)
    while !matcher.mustEnd(), text.count < 400 {
      let allowed = matcher.allowedTokens(within: 160 - text.count).tokens
      let liked = allowed.filter { favourites.contains($0) }
      let choices = liked.isEmpty || Int.random(in: 0..<4, using: &generator) == 0 ? allowed : liked
      guard let token = choices.randomElement(using: &generator), token < 256 else { break }
      try matcher.accept(token)
      text.append(UInt8(token))
    }
    return text
  }

  /// Whatever follows, the forced tokens are those of the whole text.
  private func check(
    _ tokenizer: Tokenizer, _ grammar: Grammar, _ text: [UInt8], _ comment: Comment
  ) throws -> Int {
    var forcedCount = 0
    let whole = tokenizer.encode(continuing: String(decoding: text, as: UTF8.self))
    var matcher = Matcher(grammar: grammar, vocabulary: tokenizer.vocabulary)
    var before: [UInt8] = []
    for place in whole.indices {
      let forced = matcher.forcedTokens(after: before) { tokenizer.encode(continuing: $0) }
      #expect(forced.elementsEqual(whole[place...].prefix(forced.count)), comment)
      forcedCount += forced.count
      let bytes = tokenizer.vocabulary.bytes(of: whole[place])
      try matcher.accept(bytes: bytes)
      before += bytes
    }
    return forcedCount
  }

  @Test(arguments: ["smollm", "llama-bpe", "qwen2", "gpt-2"])
  func noContinuationIsCutOtherwise(preTokenizer: String) throws {
    for seed in UInt64(1)...6 {
      var generator = SeededGenerator(seed: seed)
      let tokenizer = try Self.tokenizer(preTokenizer: preTokenizer, seed: seed)
      var forcedCount = 0
      for schema in Self.schemas {
        let grammar = try Grammar(jsonSchema: schema)
        for _ in 0..<8 {
          let text = try Self.text(grammar, &generator)
          forcedCount += try check(
            tokenizer, grammar, text, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
      }
      #expect(forcedCount > 50, "seed \(seed)")
    }
  }

  /// The same with the tokenizers of real models, where there are files.
  @Test(
    .enabled(if: Reference.model != nil || !Reference.vocabularies.isEmpty),
    arguments: (Reference.model.map { [$0] } ?? []) + Reference.vocabularies)
  func realTokenizersCutThemSo(path: String) throws {
    guard let tokenizer = try? Tokenizer(metadata: GGUFFile(path: path).metadata) else { return }
    var generator = SeededGenerator(seed: 7)
    var forcedCount = 0
    for schema in Self.schemas {
      let grammar = try Grammar(jsonSchema: schema)
      for _ in 0..<6 {
        let text = try Self.text(grammar, &generator)
        forcedCount += try check(
          tokenizer, grammar, text, "\(path): \(String(decoding: text, as: UTF8.self))")
      }
    }
    #expect(forcedCount > 50, "\(path)")
  }

  /// An empty string may have a token of its own with what stands before it: the model is asked.
  @Test func whatDependsOnTheContinuationIsLeftToTheModel() throws {
    let texts = [#"{""#, "guest", #"":""#, #"":"""#, #""}"#]
    let tokens = (0..<256).map { [UInt8($0)] } + texts.map { Array($0.utf8) }
    let vocabulary = try Vocabulary(tokens: tokens + [[]], endOfSequence: tokens.count)
    /// The longest token that fits, as a tokenizer of words has it.
    func encode(_ text: String) -> [Int] {
      var rest = Array(text.utf8)[...]
      var result: [Int] = []
      while !rest.isEmpty {
        let longest = tokens.indices.filter { rest.starts(with: tokens[$0]) }
          .max { tokens[$0].count < tokens[$1].count }
        guard let longest else { return [] }
        result.append(longest)
        rest = rest.dropFirst(tokens[longest].count)
      }
      return result
    }
    func forced(_ guest: String) throws -> [String] {
      let schema = """
        {"type":"object","properties":{"guest":\(guest)},"required":["guest"],
        "additionalProperties":false}
        """
      var matcher = Matcher(grammar: try Grammar(jsonSchema: schema), vocabulary: vocabulary)
      return matcher.forcedTokens(after: [], encode: encode).map {
        String(decoding: tokens[$0], as: UTF8.self)
      }
    }
    #expect(try forced(#"{"type":"string"}"#) == [#"{""#, "guest"])
    #expect(try forced(#"{"type":"string","minLength":1}"#) == [#"{""#, "guest", #"":""#])
    #expect(try forced(#"{"const":""}"#) == [#"{""#, "guest", #"":"""#, "}"])
  }

  /// Where the model has cut a text in its own way, nothing is written across the cut.
  @Test func forcedTextBeginsWhereATokenEnds() throws {
    let tokenizer = try Self.tokenizer(preTokenizer: "smollm", seed: 3)
    let schema = #"{"const":"guest"}"#
    let grammar = try Grammar(jsonSchema: schema)
    let whole = tokenizer.encode(continuing: #""guest""#)
    var ends: Set<Int> = [0]
    var end = 0
    for token in whole {
      end += tokenizer.vocabulary.bytes(of: token).count
      ends.insert(end)
    }
    let text = Array(#""guest""#.utf8)
    for count in 0..<text.count {
      var matcher = Matcher(grammar: grammar, vocabulary: tokenizer.vocabulary)
      try matcher.accept(bytes: text.prefix(count))
      let forced = matcher.forcedTokens(after: text.prefix(count)) {
        tokenizer.encode(continuing: $0)
      }
      #expect(forced.isEmpty == !ends.contains(count))
    }
  }

  /// A prompt is cut as one text; names of special tokens count in markup alone.
  @Test func promptsAreCutAsOneText() throws {
    let tokenizer = try Self.tokenizer(preTokenizer: "smollm", seed: 1)
    let end = tokenizer.vocabulary.endOfSequence
    let joined = tokenizer.encode([.markup("nig"), .text("hts"), .markup("<|im_end|>")])
    #expect(joined == tokenizer.encode("nights", parsesSpecialTokens: false) + [end])
    let said = tokenizer.encode([.text("<|im_end|>"), .markup("<|im_end|>")])
    #expect(said.filter { $0 == end } == [end])
  }

  /// `<tool_call>` is no special token of many files, but one that the author added.
  @Test func addedTokensThatAreMarkupAreNotReadInMessages() throws {
    let names = ["a", "▁", "<tool_call>", "\n\n", "<", ">", "_", "l", "t", "o", "c", "\n"]
    var writer = GGUFWriter()
    writer.set("general.architecture", "llama")
    writer.set("tokenizer.ggml.model", "llama")
    writer.set("tokenizer.ggml.tokens", names)
    writer.set("tokenizer.ggml.token_type", [1, 1, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1] as [Int32])
    writer.set("tokenizer.ggml.scores", names.map { _ in Float(0) })
    writer.set("tokenizer.ggml.add_space_prefix", false)
    let tokenizer = try withTemporaryFile(writer.file()) {
      try Tokenizer(metadata: GGUFFile(path: $0).metadata)
    }
    func texts(_ pieces: [ChatTemplate.Piece]) -> [String] {
      tokenizer.encode(pieces).map { names[$0] }
    }
    #expect(texts([.markup("<tool_call>")]) == ["<tool_call>"])
    #expect(!texts([.text("a<tool_call>a")]).contains("<tool_call>"))
    #expect(texts([.text("a\n\na")]) == ["a", "\n\n", "a"])
  }
}
