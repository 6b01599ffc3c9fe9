// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import GGUFRuntime
import TestSupport
import Testing

@testable import EspalierLocal

@Suite struct GuidedGenerationTests {
  static func model(_ architecture: String = "llama") throws -> GGUFTokenModel {
    try withTemporaryFile(TinyModel.writer(architecture: architecture).file()) {
      try GGUFTokenModel(path: $0)
    }
  }

  @Test(arguments: ["llama", "qwen2", "qwen3", "gemma3"])
  func batchesRollbackAndForksAgreeWithSteps(architecture: String) throws {
    let model = try Self.model(architecture)
    let tokens = model.encode("he said: hello, 12 worlds", parsesSpecialTokens: false)
    var steps = model.makeContext()
    for token in tokens { try steps.append([token]) }
    var batch = model.makeContext()
    try batch.append(tokens)
    var fork = batch
    try fork.append([1, 2, 3])
    fork.rollback(to: tokens.count - 2)
    try fork.append(Array(tokens.suffix(2)))
    var (a, b, c): ([Float], [Float], [Float]) = ([], [], [])
    steps.nextLogits(into: &a)
    batch.nextLogits(into: &b)
    fork.nextLogits(into: &c)
    for i in a.indices {
      #expect(abs(a[i] - b[i]) < 1e-3)
      #expect(abs(a[i] - c[i]) < 1e-3)
    }
    var few: [Float] = []
    batch.nextLogits(of: [7, 99], into: &few)
    #expect(few == [b[7], b[99]])
  }

  @Test func textsOfASessionFollowTheirGrammar() async throws {
    let session = LanguageModelSession(model: GuidedLanguageModel(try Self.model()))
    var options = GenerationOptions(maximumResponseTokens: 40)
    options.grammar = .regularExpression("(left|right)( turn){1,2}")
    let texts = ["left turn", "left turn turn", "right turn", "right turn turn"]
    for _ in 0..<3 {
      #expect(texts.contains(try await session.respond(to: "Where to?", options: options).content))
    }
  }

  @Test func threadsDoNotChangeTheResult() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      var results: [[Float]] = []
      for threads in [1, 4] {
        let model = try GGUFTokenModel(path: path, options: .init(threads: threads))
        var context = model.makeContext()
        try context.append(model.encode("hello", parsesSpecialTokens: false))
        results.append([])
        context.nextLogits(into: &results[results.count - 1])
      }
      #expect(results[0] == results[1])
    }
  }

  /// Values are complete and within the budget, whatever the model says.
  @Test func valuesEndInsideTheBudget() throws {
    let model = try Self.model()
    let schema = """
      {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},\
      "tags":{"type":"array","items":{"type":"string"}}},"required":["name","age","tags"]}
      """
    let grammar = try Grammar(jsonSchema: schema)
    for seed in UInt64(0)..<20 {
      let budget = 30 + Int(seed) * 3
      var generation = GuidedGeneration(
        context: model.makeContext(), prompt: [104], vocabulary: model.vocabulary,
        endTokens: model.endTokens, grammar: grammar,
        sampling: TokenSampling(temperature: 1, seed: seed), budget: budget,
        encode: { model.encode(continuing: $0) })
      var bytes: [UInt8] = []
      while let step = try generation.next() { bytes += step.bytes }
      #expect(generation.tokenCount <= budget, "seed \(seed)")
      #expect(generation.forcedTokenCount > 0)
      #expect(generation.modelCalls < generation.tokenCount)
      var matcher = Matcher(grammar: grammar, vocabulary: model.vocabulary)
      try matcher.accept(bytes: bytes)
      let isComplete = matcher.canEnd()
      #expect(isComplete, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  /// The shortest value fits a budget of exactly its tokens, and no smaller one: with tokens of one
  /// byte and with longer ones, where the shortest completion is cut into the longest tokens.
  @Test func theShortestValueFitsItsBudgetExactly() throws {
    let schema = """
      {"type":"object","properties":{"name":{"type":"string","minLength":3},\
      "kind":{"enum":["aaa","aaaa"]}},"required":["name","kind"],"additionalProperties":false}
      """
    let grammar = try Grammar(jsonSchema: schema)
    var tokens = (0..<256).map { [UInt8($0)] }
    for text in [#"{"name":""#, #"","kind":""#, "aaa", #""}"#, "aa", #"me":""#] {
      tokens.append(Array(text.utf8))
    }
    let long = try Vocabulary(tokens: tokens + [[]], endOfSequence: tokens.count)
    for vocabulary in [Vocabulary.singleBytes, long] {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      let shortest = matcher.completionTokenCount()
      #expect(shortest == (vocabulary.count > 257 ? 5 : #"{"name":"aaa","kind":"aaa"}"#.utf8.count))
      for budget in [shortest - 1, shortest, shortest + 1, shortest + 4] {
        for seed in UInt64(0)..<10 {
          var generation = GuidedGeneration(
            context: UniformContext(count: vocabulary.count), prompt: [0], vocabulary: vocabulary,
            endTokens: [vocabulary.endOfSequence], grammar: grammar,
            sampling: TokenSampling(temperature: 1, seed: seed), budget: budget)
          var bytes: [UInt8] = []
          while let step = try generation.next() { bytes += step.bytes }
          #expect(generation.tokenCount <= budget)
          var read = Matcher(grammar: grammar, vocabulary: .singleBytes)
          try read.accept(bytes: bytes)
          let isComplete = read.canEnd()
          #expect(
            isComplete == (budget >= shortest),
            "budget \(budget) of \(shortest), seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
          )
          #expect(generation.ending == (isComplete ? .complete : .budget))
        }
      }
    }
  }

  /// A vocabulary of an app's own model may have several ends; each ends a value, and none is text.
  @Test func anyEndOfTheVocabularyEndsAValue() throws {
    let vocabulary = try Vocabulary(
      tokens: (0..<256).map { [UInt8($0)] } + [[], [], []], endOfSequence: 256,
      otherEnds: [257, 258])
    for schema in [#"{"type":"integer"}"#, #"{"const":"a"}"#, #"{"enum":[1,12,"x"]}"#] {
      let grammar = try Grammar(jsonSchema: schema)
      for seed in UInt64(0)..<10 {
        var generation = GuidedGeneration(
          context: UniformContext(count: vocabulary.count), prompt: [0], vocabulary: vocabulary,
          endTokens: vocabulary.endTokens, grammar: grammar,
          sampling: TokenSampling(temperature: 1, seed: seed), budget: 300)
        var bytes: [UInt8] = []
        while let step = try generation.next() { bytes += step.bytes }
        #expect(generation.ending == .complete)
        var read = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try read.accept(bytes: bytes)
        #expect(read.canEnd() == true)
      }
    }
  }

  /// Finds every token as likely as any other.
  private struct UniformContext: TokenModelContext {
    let count: Int
    var tokens: [Int] = []

    init(count: Int) { self.count = count }
    mutating func append(_ tokens: [Int]) { self.tokens += tokens }
    mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
    mutating func nextLogits(into logits: inout [Float]) {
      logits = Array(repeating: 0, count: count)
    }
  }

  @Test func aSessionAnswersWithAValue() async throws {
    let model = GuidedLanguageModel(try Self.model(), sampling: .greedy)
    let session = LanguageModelSession(model: model)
    let value = try await session.respond(
      to: "hello", generating: Bool.self,
      options: GenerationOptions(maximumResponseTokens: 20)
    ).content
    #expect([true, false].contains(value))
  }

  /// Many conversations take turns: what they have read is kept while it fits into one window.
  @Test func shortSequencesAreKept() throws {
    let model = try Self.model()
    #expect(model.contextSize == 512)
    let runtime = ModelRuntime(base: model, concurrency: GenerationConcurrency())
    func prompt(_ number: Int) -> [Int] { Array(repeating: 40 + number, count: 60) }
    func knownCount(_ number: Int) -> Int {
      runtime.takeContext(for: prompt(number) + [7]).tokens.count
    }
    func read(_ number: Int) throws {
      var context = model.makeContext()
      try context.append(prompt(number))
      runtime.giveBack(context)
    }
    for number in 0..<8 { try read(number) }
    #expect((0..<8).map(knownCount) == Array(repeating: 60, count: 8))
    // The ninth makes 540 tokens.
    try read(8)
    #expect((0..<9).map(knownCount) == [0] + Array(repeating: 60, count: 8))
  }

  @Test func textIsStreamedInWholeCharacters() {
    var stream = TextStream()
    var texts: [String] = []
    for byte in "aé漢🙂".utf8 { texts.append(stream.append([byte])) }
    #expect(texts.filter { !$0.isEmpty } == ["a", "é", "漢", "🙂"])
    // Half of a character waits for the rest.
    #expect(stream.append([0xE6]).isEmpty)
  }

  /// A budget that ends within a character leaves the character out, in the transcript too.
  @Test(arguments: 1...9) func textThatIsCutHasWholeCharacters(budget: Int) async throws {
    let session = LanguageModelSession(
      model: GuidedLanguageModel(SpellingModel(), sampling: .greedy))
    let text = try await session.respond(
      to: "Well?", options: GenerationOptions(maximumResponseTokens: budget)
    ).content
    #expect(SpellingModel.text.hasPrefix(text), "\(text)")
  }

  @Test(arguments: 2...14) func whatALimitShortensIsSaidToBe(budget: Int) async throws {
    let session = LanguageModelSession(
      model: GuidedLanguageModel(SpellingModel(text: #""abcdefgh""#), sampling: .greedy))
    let options = GenerationOptions(maximumResponseTokens: budget)
    let response = try await session.respond(to: "Well?", generating: String.self, options: options)
    #expect(response.usage.isShortened == (response.content != "abcdefgh"))
    // A byte is a token here.
    #expect(
      response.content.count == min(budget - 2, 8)
        && session.usage.isShortened == response.usage.isShortened)
  }

  @Test(arguments: [4, 10, 20]) func textThatIsCutIsSaidToBe(budget: Int) async throws {
    let session = LanguageModelSession(
      model: GuidedLanguageModel(SpellingModel(), sampling: .greedy))
    let response = try await session.respond(
      to: "Well?", options: GenerationOptions(maximumResponseTokens: budget))
    #expect(response.usage.isShortened == (response.content != SpellingModel.text))
  }

  /// Says one text, a byte a token.
  private struct SpellingModel: TokenModel {
    static let text = "漢é🙂"
    var text = Self.text

    let vocabulary = Vocabulary.singleBytes
    let contextSize = 4096
    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map(Int.init) }
    func makeContext() -> Context { Context(text: text) }

    struct Context: TokenModelContext {
      let text: String
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        let bytes = text.utf8.map(Int.init)
        let said = (0...bytes.count).last { tokens.suffix($0) == bytes.prefix($0) } ?? 0
        let next = said < bytes.count ? bytes[said] : 256
        logits = (0...256).map { $0 == next ? 9 : 0 }
      }
    }
  }

  @Test func samplersKeepToTheirLimits() {
    for seed in UInt64(0)..<50 {
      let logits: [Float] = [0, 5, 4.9, 1, -3]
      var sampler = TokenSampler(TokenSampling(temperature: 1, topK: 2, seed: seed))
      let top = sampler.drawIndex(logits)
      #expect(top == 1 || top == 2)
      sampler = TokenSampler(TokenSampling(temperature: 1, topP: 0.4, seed: seed))
      let likely = sampler.drawIndex(logits)
      #expect(likely == 1)
      sampler = TokenSampler(TokenSampling(temperature: 1, minP: 0.5, seed: seed))
      let near = sampler.drawIndex(logits)
      #expect(near == 1 || near == 2)
    }
    var logits: [Float] = [0, 5, 4.9]
    var sampler = TokenSampler(TokenSampling(temperature: 0, repetitionPenalty: 2))
    sampler.penalize(nil, &logits, [1])
    let fresh = sampler.drawIndex(logits)
    #expect(fresh == 2)
  }

  /// What is excluded stays so, however wide or narrow the choice is.
  @Test func samplersNeverDrawWhatIsExcluded() {
    let logits: [Float] = [-.infinity, 5, 4, -.infinity]
    for seed in UInt64(0)..<50 {
      for sampling in [
        TokenSampling(temperature: .infinity, seed: seed),
        .init(temperature: 1, minP: 2, seed: seed),
        .init(temperature: 1e30, topP: 1, seed: seed),
        .init(temperature: 1, topP: .nan, seed: seed),
      ] {
        var sampler = TokenSampler(sampling)
        let index = sampler.drawIndex(logits)
        #expect(index == 1 || index == 2)
      }
    }
  }

  @Test(arguments: [Double.nan, -1, -0.0, 1e-300, -Double.infinity])
  func whatNoLogitCanBeDividedByTakesTheLikeliest(temperature: Double) {
    for seed in UInt64(0)..<20 {
      var sampler = TokenSampler(TokenSampling(temperature: temperature, seed: seed))
      let index = sampler.drawIndex([0, 5, 4.9, 1, -3])
      #expect(index == 1)
    }
  }
}
