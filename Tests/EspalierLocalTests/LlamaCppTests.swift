// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EspalierLocal
@testable import GGUFRuntime

/// Comparisons with llama.cpp, where it is there (``Reference``).
@Suite(.enabled(if: Reference.isThere, "ESPALIER_REFERENCE_PYTHON is not set"), .serialized)
struct LlamaCppTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var writer: GGUFWriter
    var testDescription: String { name }
  }

  static var cases: [Case] {
    var cases: [Case] = []
    for architecture in Architecture.allCases.map(\.rawValue) {
      let shape = TinyModel.Shape.showing(architecture)
      cases.append(
        Case(
          name: architecture, writer: TinyModel.writer(architecture: architecture, shape: shape)))
    }
    var experts = TinyModel.Shape()
    experts.experts = 4
    cases.append(Case(name: "llama with experts", writer: TinyModel.writer(shape: experts)))
    var gemma = TinyModel.Shape.showing("gemma4")
    gemma.experts = 5
    cases.append(
      Case(
        name: "gemma4 with experts", writer: TinyModel.writer(architecture: "gemma4", shape: gemma))
    )
    cases.append(
      Case(
        name: "gpt-oss as published",
        writer: TinyModel.writer(
          architecture: "gpt-oss", shape: .showing("gpt-oss", .wide), type: .mxfp4
        ) { writer in
          writer.set("gpt-oss.rope.scaling.type", "yarn")
          writer.set("gpt-oss.rope.scaling.factor", Float(32))
          writer.set("gpt-oss.rope.scaling.original_context_length", UInt32(16))
        }))
    cases.append(
      Case(
        name: "lfm2 with windows",
        writer: TinyModel.writer(architecture: "lfm2", shape: .showing("lfm2")) {
          $0.set("lfm2.attention.sliding_window", UInt32(4))
        }))
    for type in GGUFTensorType.allCases {
      cases.append(Case(name: "\(type)", writer: TinyModel.writer(shape: .wide, type: type)))
    }
    cases.append(
      Case(
        name: "linear scaling",
        writer: TinyModel.writer { writer in
          writer.set("llama.rope.scaling.type", "linear")
          writer.set("llama.rope.scaling.factor", Float(4))
        }))
    cases.append(
      Case(
        name: "yarn scaling",
        writer: TinyModel.writer(architecture: "qwen2", shape: .wide) { writer in
          writer.set("qwen2.rope.scaling.type", "yarn")
          writer.set("qwen2.rope.scaling.factor", Float(4))
          writer.set("qwen2.rope.scaling.original_context_length", UInt32(128))
        }))
    cases.append(
      Case(
        name: "llama3 scaling", writer: TinyModel.writer(ropeFactors: [1, 1.5, 4, 8])))
    return cases + scalings + layersOfKinds
  }

  /// Families that have other layers where a file says so, or where it has so many.
  private static var layersOfKinds: [Case] {
    var (olmo, exaone) = (TinyModel.Shape(), TinyModel.Shape())
    (olmo.layers, exaone.layers) = (5, 64)
    var granite = TinyModel.Shape.showing("granitehybrid")
    granite.experts = 5
    var lite = TinyModel.Shape.showing("deepseek2")
    lite.layers = 26
    var biased = TinyModel.writer()
    for layer in 0..<2 {
      for (name, count) in [("gate", 64), ("up", 64), ("down", 32)] {
        biased.add(
          "blk.\(layer).ffn_\(name).bias", [count], (0..<count).map { Float($0 % 7 - 3) / 10 })
      }
    }
    return [
      Case(
        name: "deepseek2 of 26 layers with yarn",
        writer: TinyModel.writer(architecture: "deepseek2", shape: lite) {
          $0.set("deepseek2.rope.scaling.type", "yarn")
          $0.set("deepseek2.rope.scaling.factor", Float(40))
          $0.set("deepseek2.rope.scaling.original_context_length", UInt32(64))
          $0.set("deepseek2.rope.scaling.yarn_log_multiplier", Float(0.0707))
        }),
      Case(name: "llama with biases of its feed-forward parts", writer: biased),
      Case(
        name: "olmo2 with windows and yarn",
        writer: TinyModel.writer(architecture: "olmo2", shape: olmo) {
          $0.set("olmo2.attention.sliding_window", UInt32(4))
          $0.set("olmo2.rope.scaling.type", "yarn")
          $0.set("olmo2.rope.scaling.factor", Float(8))
          $0.set("olmo2.rope.scaling.original_context_length", UInt32(64))
        }),
      Case(
        name: "exaone4 of 64 layers",
        writer: TinyModel.writer(architecture: "exaone4", shape: exaone) {
          $0.set("exaone4.attention.sliding_window", UInt32(4))
        }),
      Case(
        name: "granitehybrid with experts and turns",
        writer: TinyModel.writer(architecture: "granitehybrid", shape: granite)),
      Case(
        name: "mistral3 with growing queries",
        writer: TinyModel.writer(architecture: "mistral3") {
          $0.set("mistral3.attention.temperature_scale", Float(0.5))
          $0.set("mistral3.rope.scaling.type", "yarn")
          $0.set("mistral3.rope.scaling.factor", Float(16))
          $0.set("mistral3.rope.scaling.yarn_log_multiplier", Float(1))
          $0.set("mistral3.rope.scaling.original_context_length", UInt32(4))
        }),
    ]
  }

  /// Forms of scaling that files say in few words.
  private static var scalings: [Case] {
    func model(
      _ name: String, _ architecture: String = "llama", factors: Bool = false,
      _ settings: @escaping (inout GGUFWriter) -> Void
    ) -> Case {
      var writer = TinyModel.writer(architecture: architecture, settings: settings)
      if factors {
        writer.add("rope_factors_long.weight", [4], [1, 1.5, 4, 8])
        writer.add("rope_factors_short.weight", [4], [1, 1.1, 1.2, 1.3])
      }
      return Case(name: name, writer: writer)
    }
    return [
      model("a factor without a kind") { $0.set("llama.rope.scaling.factor", Float(4)) },
      model("an old file's factor") { $0.set("llama.rope.scale_linear", Float(4)) },
      model("a factor of zero") {
        $0.set("llama.rope.scaling.type", "linear")
        $0.set("llama.rope.scaling.factor", Float(0))
      },
      model("yarn with a length") {
        $0.set("llama.rope.scaling.type", "yarn")
        $0.set("llama.rope.scaling.factor", Float(4))
        $0.set("llama.rope.scaling.attn_factor", Float(0.8))
        $0.set("llama.rope.scaling.original_context_length", UInt32(128))
      },
      model("longrope", "phi3", factors: true) {
        $0.set("phi3.rope.scaling.type", "longrope")
        $0.set("phi3.rope.scaling.attn_factor", Float(1.19))
        $0.set("phi3.rope.scaling.original_context_length", UInt32(128))
      },
    ]
  }

  /// The logits of tiny models against llama.cpp on the same weights in 32 bits.
  @Test(arguments: cases) func logitsAreEqual(_ item: Case) throws {
    let tokens = [104, 257, 7, 99, 32, 200, 258, 65, 66, 67, 68, 104, 101, 3]
    try withTemporaryFile(item.writer.file()) { path in
      let expected = try Reference.run(
        ["logits", path, tokens.map(String.init).joined(separator: ","), "--expand"],
        as: [Float].self)
      let model = try GGUFTokenModel(path: path)
      var context = model.makeContext()
      try context.append(tokens)
      var logits: [Float] = []
      context.nextLogits(into: &logits)
      let spread = (expected.max() ?? 0) - (expected.min() ?? 0)
      let distance = zip(logits, expected).map { abs($0 - $1) }.max() ?? .infinity
      print("\(item.name): logits over \(spread), greatest difference \(distance)")
      #expect(logits.count == expected.count)
      // Sixteen bits of activation: 1/65,534 a number, through two to seven layers.
      #expect(distance <= spread * 2e-3)
    }
  }

  /// SmolLM2: the same 64 tokens after each of 20 prompts as llama.cpp has for the same weights.
  @Test(.enabled(if: Reference.model != nil, "ESPALIER_MODEL is not set"))
  func greedyTokensAreEqual() throws {
    let path = try #require(Reference.model)
    let prompts = Prompts.questions.map {
      "<|im_start|>user\n\($0)<|im_end|>\n<|im_start|>assistant\n"
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try JSONEncoder().encode(prompts).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    struct Answer: Decodable {
      var tokens: [Int]
      var logits: [Float]
    }
    let expected = try Reference.run(
      ["greedy", path, file.path, "64", "--expand"], as: [Answer].self)
    let model = try GGUFTokenModel(path: path)
    var distance: Float = 0
    for (prompt, answer) in zip(prompts, expected) {
      var context = model.makeContext()
      try context.append(model.encode(prompt, parsesSpecialTokens: true))
      var logits: [Float] = []
      var tokens: [Int] = []
      for place in 0..<64 {
        context.nextLogits(into: &logits)
        if place == 0 {
          distance = max(distance, zip(logits, answer.logits).map { abs($0 - $1) }.max() ?? 0)
        }
        var best = 0
        for token in logits.indices where logits[token] > logits[best] { best = token }
        tokens.append(best)
        try context.append([best])
      }
      #expect(tokens == answer.tokens, "\(prompt)")
    }
    print("greatest difference of a logit: \(distance)")
    #expect(distance < 0.05)
  }

  /// 10,000 texts, with the names of special tokens and without.
  @Test(.enabled(if: !Reference.vocabularies.isEmpty, "ESPALIER_VOCABULARIES is not set"))
  func tokensAreEqual() throws {
    let texts = try Reference.run(["texts", "10000"], as: [String].self)
    var compared = 0
    for path in Reference.vocabularies + [Reference.model].compactMap({ $0 }) {
      let name = URL(filePath: path).lastPathComponent
      guard (try? Tokenizer(metadata: GGUFFile(path: path).metadata)) != nil else {
        print("\(name): of no family that is read")
        continue
      }
      try expectEqualTokens(texts, path, name)
      compared += 1
    }
    #expect(compared > 0)
  }

  /// Families of which there is no file: the tokens and scores of llama-spm, as files of these families
  /// would have them.
  @Test(
    .enabled(if: !Reference.vocabularies.isEmpty, "ESPALIER_VOCABULARIES is not set"),
    arguments: [
      ("gemma", "llama", false, nil), ("unigram as T5 has it", "t5", true, true),
      ("gemma4", "gemma4", nil, nil), ("unigram with a prefix", "t5", true, false),
      ("unigram with merged spaces", "t5", false, true),
      ("unigram by default", "t5", nil, nil),
    ] as [(String, String, Bool?, Bool?)])
  func tokensOfOtherFamiliesAreEqual(
    name: String, model: String, addsSpacePrefix: Bool?, removesExtraSpaces: Bool?
  ) throws {
    let path = try #require(
      Reference.vocabularies.first { $0.hasSuffix("ggml-vocab-llama-spm.gguf") })
    let metadata = try GGUFFile(path: path).metadata
    guard case .strings(let tokens)? = metadata["tokenizer.ggml.tokens"],
      case .numbers(let scores)? = metadata["tokenizer.ggml.scores"],
      case .integers(let kinds)? = metadata["tokenizer.ggml.token_type"]
    else {
      Issue.record("llama-spm has no tokens with scores")
      return
    }
    var writer = GGUFWriter()
    writer.set("general.architecture", "llama")
    writer.set("general.name", name)
    writer.set("tokenizer.ggml.model", model)
    writer.set("tokenizer.ggml.tokens", tokens.map { String(decoding: $0, as: UTF8.self) })
    writer.set("tokenizer.ggml.scores", scores.map { Float($0) })
    writer.set("tokenizer.ggml.token_type", kinds.map { Int32($0) })
    writer.set("tokenizer.ggml.unknown_token_id", UInt32(0))
    writer.set("tokenizer.ggml.bos_token_id", UInt32(1))
    writer.set("tokenizer.ggml.eos_token_id", UInt32(2))
    if model == "gemma4" {
      writer.set("tokenizer.ggml.merges", Self.merges(of: tokens, scores: scores))
    }
    if let addsSpacePrefix { writer.set("tokenizer.ggml.add_space_prefix", addsSpacePrefix) }
    if let removesExtraSpaces {
      writer.set("tokenizer.ggml.remove_extra_whitespaces", removesExtraSpaces)
    }
    let texts = try Reference.run(["texts", "10000"], as: [String].self)
    try withTemporaryFile(writer.file()) { try expectEqualTokens(texts, $0, name) }
  }

  /// The pairs that make up each token, the likeliest token's first.
  private static func merges(of tokens: ByteStrings, scores: [Double]) -> [String] {
    let texts = tokens.map { String(decoding: $0, as: UTF8.self) }
    let known = Set(texts)
    let order = texts.indices.sorted {
      scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1
    }
    return order.flatMap { index in
      let token = texts[index]
      return token.indices.dropFirst().compactMap { cut in
        let (first, second) = (String(token[..<cut]), String(token[cut...]))
        return known.contains(first) && known.contains(second) && !token.contains(" ")
          ? "\(first) \(second)" : nil
      }
    }
  }

  private func expectEqualTokens(_ texts: [String], _ path: String, _ name: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try JSONEncoder().encode(texts).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let tokenizer = try Tokenizer(metadata: GGUFFile(path: path).metadata)
    let expected = try Reference.run(["tokens", path, file.path], as: [[[Int]]].self)
    for (list, parses) in zip(expected, [true, false]) {
      let different = zip(texts, list).filter {
        tokenizer.encode($0, parsesSpecialTokens: parses) != $1
      }
      #expect(different.isEmpty, "\(name): \(different.count), \(different.first?.0 ?? "")")
    }
  }
}

/// What is asked of models in tests.
enum Prompts {
  static let questions = [
    "Write a haiku about the sea.", "What is the capital of France?",
    "Explain photosynthesis to a child.", "List three uses of salt.", "Who wrote Hamlet?",
    "Translate 'good morning' to German.", "What is 12 times 8?", "Describe a cat.",
    "Name four planets.", "How do magnets work?", "Give me a recipe for pancakes.",
    "What is Swift?", "Tell me a joke.", "Why is the sky blue?",
    "Write a short poem about autumn.", "What should I pack for a hike?",
    "Summarize the story of Icarus.", "What is gravity?", "How many days are in a leap year?",
    "Suggest a name for a dog.",
  ]
}
