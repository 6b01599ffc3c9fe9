// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EspalierCore

/// The vectors of the model for tests.
@Suite struct EmbeddingModelTests {
  private func cosine(_ first: [Float], _ second: [Float]) -> Float {
    zip(first, second).reduce(0) { $0 + $1.0 * $1.1 }
  }

  @Test func vectorsHaveTheLengthOneAndTheOrderOfTheTexts() async throws {
    let model = CharacterGramEmbeddingModel(dimensions: 64)
    let texts = ["Golden temple", "", "a market by the river", "golden TEMPLE"]
    let vectors = try await model.vectors(for: texts, as: .document)
    #expect(vectors.map(\.count) == [64, 64, 64, 64])
    #expect(vectors[0] == vectors[3])
    #expect(abs(cosine(vectors[0], vectors[0]) - 1) < 1e-5)
    #expect(vectors[1].allSatisfy { $0 == 0 })
    #expect(try await model.vectors(for: [texts[2]], as: .query) == [vectors[2]])
  }

  @Test func wordsThatLookAlikeAreClose() {
    let model = CharacterGramEmbeddingModel()
    let temple = model.vector(of: "temple")
    let likes = ["temples", "tempel", "shrine"].map { cosine(temple, model.vector(of: $0)) }
    #expect(likes[0] > 0.5)
    #expect(likes[1] > 0.15)
    #expect(likes[2] < 0.15)
  }

  /// The vectors are in databases: they must not change with the platform or the version.
  @Test func vectorsAreTheSameEverywhere() {
    let vector = CharacterGramEmbeddingModel(dimensions: 8).vector(of: "Kyōto 2026")
    let least = vector.map(abs).filter { $0 > 0 }.min() ?? 1
    #expect(vector.map { Int(($0 / least).rounded()) } == [-3, 1, -3, 0, -1, 0, 2, 1])
  }
}
