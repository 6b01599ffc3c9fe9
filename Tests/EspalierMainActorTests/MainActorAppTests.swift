// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation
import Testing

// An app whose every declaration is on the main actor, as new projects have it.

@Generable(description: "A dish")
struct Dish: Equatable {
  @Guide(description: "What it is called") var name: String
  @Guide(.count(1...3)) var courses: [Course]
  var spice: Spice?

  @Generable
  enum Course: String, CaseIterable { case starter, main, dessert }

  @Generable
  enum Spice: Equatable {
    case mild
    case hot(level: Int)
  }
}

@Observable
final class Pantry {
  var looked: [String] = []
}

struct LookIntoPantry: Tool {
  let name = "lookIntoPantry"
  let description = "Says what there is"
  let pantry: Pantry

  @Generable
  struct Arguments {
    @Guide(.anyOf(["top", "bottom"])) var shelf: String
  }

  func call(arguments: Arguments) async throws -> String {
    let shelf = arguments.shelf
    await pantry.note(shelf)
    return "Leeks on the \(shelf) shelf."
  }
}

extension Pantry {
  func note(_ shelf: String) { looked.append(shelf) }
}

@Observable
final class Kitchen {
  private(set) var dish: Dish.PartiallyGenerated?
  private(set) var failure: String?
  let pantry = Pantry()
  let session: LanguageModelSession

  init(model: some LanguageModel) {
    session = LanguageModelSession(model: model, tools: [LookIntoPantry(pantry: pantry)]) {
      "You cook with what there is."
    }
  }

  func cook(_ wish: String) async {
    do {
      for try await snapshot in session.streamResponse(to: wish, generating: Dish.self) {
        dish = snapshot.content
      }
    } catch let error as LanguageModelSession.GenerationError {
      failure = error.localizedDescription
    } catch {
      failure = "\(error)"
    }
  }
}

@Suite struct MainActorAppTests {
  @Test func theKitchenCooks() async {
    let kitchen = Kitchen(
      model: ScriptedLanguageModel([
        .toolCall("lookIntoPantry", arguments: #"{"shelf":"top"}"#),
        .text(#"{"name":"Soup","courses":["starter"],"spice":{"type":"hot","level":2}}"#),
      ]))
    await kitchen.cook("Something warm")
    #expect(kitchen.failure == nil)
    #expect(kitchen.pantry.looked == ["top"])
    #expect(kitchen.dish?.name == "Soup")
    #expect(kitchen.dish?.courses == [.starter])
  }
}
