// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// What the comments of the sources show about probabilities.

@Generable enum Tone: String, CaseIterable { case glad, neutral, angry }

@Generable struct Supper { var dish: String }

struct ProbabilitySnippets {
  typealias Meal = Supper
  let session = LanguageModelSession(model: SamplingLanguageModel())
  func askAPerson() {}

  func checks(text: String) async throws {
    var options = GenerationOptions()
    options.measuresProbabilities = true
    let response = try await session.respond(to: text, generating: Meal.self, options: options)
    for sureness in response.probabilities where sureness.probability < 0.5 {
      print("Please check \(sureness.path): \(sureness.value.jsonString)")
    }
  }

  func chooses() async throws {
    let choice = try await session.choose("The parcel never came.", from: ["praise", "complaint"])
    if choice.probability ?? 1 < 0.7 { askAPerson() }
  }

  func classifies() async throws {
    let tone = try await session.classify("The parcel never came.", as: Tone.self)
    _ = tone
  }
}
