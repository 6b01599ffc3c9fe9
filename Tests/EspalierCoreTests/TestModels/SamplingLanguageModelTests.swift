import EspalierCore
import Testing

@Suite struct SamplingLanguageModelTests {
  @Test(arguments: 0..<20) func valuesSatisfyTheSchema(seed: UInt64) async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
    let person = try await session.respond(to: "Who?", generating: Person.self).content
    #expect(person.children.count <= 3)
    #expect(person.age.map { (18...100).contains($0) } ?? true)
  }

  @Test func sameSeedSameBytes() async throws {
    func draw(_ seed: UInt64) async throws -> String {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      return try await session.respond(to: "Who?", schema: Person.generationSchema)
        .rawContent.jsonString
    }
    #expect(try await draw(5) == draw(5))
    #expect(try await draw(5) != draw(6))
  }

  @Test(arguments: [20, 40, 80]) func endsWithinTheBudget(limit: Int) async throws {
    for seed in UInt64(0)..<10 {
      let session = LanguageModelSession(
        model: SamplingLanguageModel(seed: seed, typicalStringLength: 400))
      let response = try await session.respond(
        to: "Who?", generating: Person.self,
        options: GenerationOptions(maximumResponseTokens: limit))
      #expect(response.usage.output.totalTokenCount <= limit, "seed \(seed)")
    }
  }

  @Test func streamsLookLikeAModels() async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 3))
    var count = 0
    for try await _ in session.streamResponse(to: "Who?", schema: Person.generationSchema) {
      count += 1
    }
    #expect(count > 5)
  }
}
