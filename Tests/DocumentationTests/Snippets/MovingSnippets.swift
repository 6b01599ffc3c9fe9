// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The sources of "Moving from FoundationModels": compiled against FoundationModels where there is
// one and the flag asks for it, and against this package everywhere.
#if BEFORE_MOVING
  import FoundationModels

#else
  import Espalier
  import EspalierServer
  import Foundation

#endif

@Generable(description: "A recipe for two")
struct Recipe {
  @Guide(description: "What it is called")
  var name: String
  @Guide(description: "In minutes", .range(5...180))
  var time: Int
  @Guide(.count(3...12))
  var steps: [String]
}

struct FindIngredients: Tool {
  let name = "findIngredients"
  let description = "Says what is in the fridge"

  @Generable
  struct Arguments {
    @Guide(.anyOf(["vegetables", "dairy", "meat"])) var shelf: String
  }

  func call(arguments: Arguments) async throws -> String {
    "There are leeks and potatoes among the \(arguments.shelf)."
  }
}

struct Kitchen {
  let session = LanguageModelSession(
    tools: [FindIngredients()], instructions: "You cook with what there is.")

  func recipe(for wish: String) async throws -> Recipe {
    try await session.respond(to: wish, generating: Recipe.self).content
  }

  func watch(_ wish: String, show: (Recipe.PartiallyGenerated) -> Void) async throws {
    for try await snapshot in session.streamResponse(to: wish, generating: Recipe.self) {
      show(snapshot.content)
    }
  }
}

#if !BEFORE_MOVING
  func chooseTheModel() {
    SystemLanguageModel.setDefaultModel(SamplingLanguageModel(seed: 1))
  }

  func chooseTheServer(_ address: URL) throws {
    SystemLanguageModel.setDefaultModel(try ServerLanguageModel(url: address))
  }

  func catchTheErrorsOf26() {
    ErrorGeneration.standard = .first
  }

  func whereItIsBetter() {
    let session = LanguageModelSession()
    session.contextPolicy = .summarizeOlderTurns()
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 4, onFailure: .answerModel)
    session.errorGeneration = .first
  }
#endif
