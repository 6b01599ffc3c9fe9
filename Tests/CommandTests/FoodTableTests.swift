// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FoodLogs

/// The table of foods, how it is searched, and what goes before it.
@Suite struct FoodTableTests {
  private let table = FoodTable.standard

  @Test func figuresCanBeTrue() {
    #expect(table.foods.count >= 500)
    #expect(Set(table.foods.map(\.name)).count == table.foods.count)
    let lines = FoodFigures.lists.flatMap { $0.text.split(separator: "\n") }
    #expect(lines.count == table.foods.count)
    // What macros do not say: acids and fibre, and alcohol.
    let others = ["lemon", "lime", "sun-dried", "paste", "cocoa powder", "vinegar"]
    let alcohol = ["beer", "champagne", "cider", "vodka", "whisky", "rum", "gin", "wine"]
    for food in table.foods {
      #expect(0...902 ~= food.calories, "\(food.name)")
      #expect(food.protein + food.carbohydrates + food.fat <= 101, "\(food.name)")
      let made = 4 * food.protein + 4 * food.carbohydrates + 9 * food.fat
      if (others + alcohol).contains(where: { food.name.contains($0) }) { continue }
      #expect(abs(made - food.calories) <= max(12, 0.18 * food.calories), "\(food.name)")
    }
  }

  @Test(arguments: [
    ("oatmeal", "oatmeal, cooked"), ("bananas", "banana"), ("Greek yoghurt", "yogurt, Greek"),
    ("brocoli", "broccoli"), ("avacado", "avocado"), ("spagetti carbonara", "spaghetti carbonara"),
    ("chedar cheese", "cheese, cheddar"), ("strawberies", "strawberry"), ("crème fraîche", "creme"),
    ("jalfrezi", nil), ("xyzzy", nil), ("tomatoes", "tomato"), ("smoked salmon", "salmon, smoked"),
    ("whole milk", "milk, whole"), ("chikcen breast", "chicken breast"), ("potatos", "potato"),
  ])
  func typingErrorsAreForgiven(said: String, found: String?) {
    let first = table.search(said).first?.name
    if let found { #expect(first?.hasPrefix(found) == true, "\(first ?? "nothing")") }
    #expect((table.food(named: said) != nil) == (found != nil), "\(said)")
  }

  @Test func anotherFoodIsNotTakenForIt() {
    for said in ["apple cake", "cat", "horse", "salted fish soup with beer", ""] {
      #expect(table.food(named: said) == nil, "\(said): \(table.food(named: said)?.name ?? "")")
    }
    #expect(table.food(named: "apple")?.name == "apple")
    #expect(table.food(named: "grilled cod")?.name == "cod")
  }

  @Test func distancesAreThoseOfTypingErrors() {
    for (first, second, distance) in [
      ("abcd", "abcd", 0), ("abcd", "abdc", 1), ("abcd", "abc", 1), ("abcd", "abxcd", 1),
      ("abcd", "axcd", 1), ("abcd", "dcba", 3), ("", "ab", 2),
    ] {
      #expect(FoodTable.distance(Array(first), Array(second), limit: 9) == distance, "\(second)")
    }
    #expect(FoodTable.fit(Array("ham"), Array("jam")) == nil)
    #expect(FoodTable.fit(Array("bread"), Array("breda")) != nil)
  }

  private func item(_ name: String, weight: Double, modifiers: [String] = []) -> FoodItem {
    FoodItem(
      name: name, category: .dish, quantity: 1, unit: .piece, weight: weight, modifiers: modifiers,
      brand: nil, calories: 1, protein: 1, carbohydrates: 1, fat: 1)
  }

  private func known(
    _ food: FoodItem, said: String = "", _ corrections: String...
  ) throws -> (food: FoodItem, origins: FigureOrigins) {
    var memory = FoodMemory()
    for correction in corrections { try memory.learn(correction) }
    let log = FoodLog(foods: [food], clarifyingQuestion: nil)
    let (known, origins) = log.withKnownFigures(facts: StatedFacts(said), memory: memory)
    return (known.foods[0], origins[0])
  }

  @Test func theTableGoesBeforeTheModel() throws {
    let (food, origins) = try known(item("bannana", weight: 200))
    #expect(food.calories == 178)
    #expect(food.carbohydrates == 45.6)
    let table = FigureOrigins.Origin.table(food: "banana", .foodDataCentral)
    #expect(origins == FigureOrigins(weight: .estimated, calories: table, macros: table))
    #expect(
      origins.text
        == "weight: estimated by the model; kcal, macros: USDA FoodData Central, \"banana\"")
    let (unknown, none) = try known(item("zorblax", weight: 200))
    #expect(unknown.calories == 1)
    #expect(none == FigureOrigins())
  }

  @Test func howItWasMadeChoosesTheFood() throws {
    let (food, _) = try known(item("salmon", weight: 100, modifiers: ["smoked"]))
    #expect(food.calories == 117)
  }

  @Test func correctionsGoBeforeTheTable() throws {
    let (food, origins) = try known(
      item("My Porridge", weight: 50), "my porridge = oatmeal, cooked", "my porridge = 300 g",
      "oatmeal, cooked = 80 kcal")
    #expect(food.weight == 300)
    #expect(food.calories == 240)
    #expect(food.protein == 7.5)
    #expect(origins.weight == .learned)
    #expect(origins.calories == .learned)
    #expect(origins.macros == .table(food: "oatmeal, cooked", .foodDataCentral))
  }

  @Test func whatWasSaidStays() throws {
    let (weighed, weight) = try known(
      item("banana", weight: 120), said: "120 g of banana", "banana = 300 g")
    #expect(weighed.weight == 120)
    #expect(weighed.calories == 106.8)
    #expect(weight.weight == .said)
    let (food, origins) = try known(
      item("banana", weight: 100), said: "95 kcal of banana", "banana = 70 kcal")
    #expect(food.calories == 1)
    #expect(origins == FigureOrigins(weight: .estimated, calories: .said, macros: .estimated))
  }

  @Test func correctionsAreKept() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    var memory = try FoodMemory(file: file)
    #expect(memory == FoodMemory())
    for correction in ["latte = coffee, latte", "latte = 240 g", "bar = 380.5 kcal"] {
      try memory.learn(correction)
    }
    try memory.save(to: file)
    #expect(try FoodMemory(file: file) == memory)
    for wrong in ["latte", "= 3 g", "latte =", "latte = 9000 g", "latte = blorb quux"] {
      #expect(throws: FoodMemoryProblem.self, "\(wrong)") { try memory.learn(wrong) }
    }
    try Data("[".utf8).write(to: file)
    #expect(throws: FoodMemoryProblem.self) { _ = try FoodMemory(file: file) }
  }
}
