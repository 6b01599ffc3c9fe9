// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

@testable import FoodLogs

/// The rules of the diet log, each with a food that keeps it and one that does not.
@Suite struct SanityRulesTests {
  /// An apple: every rule is kept.
  private func food(
    _ name: String = "apple", _ category: FoodCategory = .fruit, weight: Double = 150,
    modifiers: [String] = [], calories: Double = 80, protein: Double = 0.5,
    carbohydrates: Double = 19, fat: Double = 0.3
  ) -> FoodItem {
    FoodItem(
      name: name, category: category, quantity: 1, unit: .piece, weight: weight,
      modifiers: modifiers, brand: nil, calories: calories, protein: protein,
      carbohydrates: carbohydrates, fat: fat)
  }

  private func findings(_ foods: FoodItem...) -> [String: RuleSeverity] {
    let log = FoodLog(foods: foods, clarifyingQuestion: nil)
    let report = ValidationReport(of: log, rules: SanityRules.all)
    return Dictionary(report.findings.map { ($0.rule, $0.severity) }) { first, _ in first }
  }

  /// A meal of an ordinary size.
  private let lunch = FoodItem(
    name: "risotto", category: .dish, quantity: 1, unit: .piece, weight: 400, modifiers: [],
    brand: nil, calories: 620, protein: 16, carbohydrates: 88, fat: 23)

  @Test func whatIsTruePasses() {
    #expect(findings(food(), lunch).isEmpty)
    let log = FoodLog(foods: [food(), lunch], clarifyingQuestion: nil)
    #expect(ValidationReport(of: log, rules: SanityRules.all).severity == .passed)
  }

  @Test func eightThousandCaloriesOfPopcorn() {
    let popcorn = food(
      "popcorn", .snack, weight: 100, calories: 8000, protein: 9, carbohydrates: 60, fat: 30)
    let found = findings(popcorn)
    #expect(found["calories of the category"] == .failed)
    #expect(found["portion"] == .failed)
    #expect(found["macros make the calories"] == .needsReview)
    #expect(found["z-score of the meal"] == .warning)
    let log = FoodLog(foods: [popcorn], clarifyingQuestion: nil)
    #expect(ValidationReport(of: log, rules: SanityRules.all).severity == .failed)
  }

  @Test func boundsOfACategory() {
    // A fruit has at most 350 kcal in 100 g: above that it is unusual, above twice that impossible.
    let dates = food("dates", weight: 100, calories: 350, protein: 2, carbohydrates: 84, fat: 0.5)
    #expect(findings(dates, lunch).isEmpty)
    let dried = food("figs", weight: 100, calories: 400, protein: 3, carbohydrates: 92, fat: 1)
    #expect(findings(dried, lunch) == ["unusual calories": .needsReview])
    let wrong = food("figs", weight: 100, calories: 701, protein: 3, carbohydrates: 80, fat: 17)
    #expect(findings(wrong, lunch)["calories of the category"] == .failed)
  }

  @Test func macrosWithinFifteenPercent() {
    // 4 × 10 + 4 × 50 + 9 × 10 = 330.
    func bread(_ calories: Double) -> FoodItem {
      food(
        "bread", .grain, weight: 130, calories: calories, protein: 10, carbohydrates: 50, fat: 10)
    }
    #expect(findings(bread(330), lunch).isEmpty)
    #expect(findings(bread(288), lunch).isEmpty)
    #expect(findings(bread(386), lunch).isEmpty)
    #expect(findings(bread(286), lunch) == ["macros make the calories": .needsReview])
    #expect(findings(bread(390), lunch) == ["macros make the calories": .needsReview])
  }

  @Test func whatCannotBe() {
    let heavy = food(weight: 20, calories: 80, protein: 0.5, carbohydrates: 22, fat: 0)
    #expect(findings(heavy, lunch)["macros within the weight"] == .failed)
    let both = food(modifiers: ["Raw", "fried"])
    #expect(findings(both, lunch) == ["impossible combination": .failed])
    #expect(findings(food(modifiers: ["fried"]), lunch).isEmpty)
  }

  @Test func doubtsAreWarnings() {
    let log = FoodLog(foods: [food(), lunch], clarifyingQuestion: nil)
    let measures = [("/foods/0/category", 0.9), ("/foods/1/category", 0.2), ("/foods/1/unit", 0.1)]
    let sureness = Sureness.all(
      in: measures.map {
        ValueProbability(path: $0, value: GeneratedContent(""), probability: $1, entropy: 1)
      })
    #expect(sureness.map(\.food) == [0, 1])
    #expect(SanityRules.doubts(sureness).problem(log)?.hasPrefix(lunch.name) == true)
    #expect(SanityRules.doubts([sureness[0]]).problem(log) == nil)
  }

  @Test(arguments: [
    "8,000 calories of popcorn", "popcorn: 8000 kcal", "I had popcorn, 8000 calories",
    "8000 kcal of popcorn", "8.000 calories worth of popcorn", "100 g of popcorn with 8000 kcal",
    "8000-calorie popcorn", "I ate 8000 calories of popcorn",
  ])
  func figuresAreTakenAsSaid(text: String) throws {
    let popcorn = StatedFacts(text)
    let isAssumed = !text.contains("100 g")
    #expect(
      popcorn.foods == [
        .init(name: "popcorn", calories: 8000, weight: 100, isWeightAssumed: isAssumed)
      ])
    #expect(!popcorn.hasMore)
  }

  @Test func severalFoodsAndOthers() {
    let rice = StatedFacts("200 g of rice and 0.1 kg of chicken breast")
    #expect(
      rice.foods == [.init(name: "rice", weight: 200), .init(name: "chicken breast", weight: 100)])
    #expect(!rice.hasMore)
    let butter = StatedFacts("12,5 grams of butter on two slices of toast")
    #expect(butter.foods == [.init(name: "butter", weight: 12.5)])
    #expect(butter.hasMore)
    let both = StatedFacts("300 kcal of bread, 110 g of bread")
    #expect(both.foods == [.init(name: "bread", calories: 300, weight: 110)])
    let nameless = StatedFacts("8000 calories")
    #expect(
      nameless.foods == [.init(name: nil, calories: 8000, weight: 100, isWeightAssumed: true)])
    let none = StatedFacts("an apple a day")
    #expect(none.foods.isEmpty && !none.hasMore)
  }

  /// What was said is what is logged, whatever a model makes of the rest.
  @Test func whatWasSaidIsLogged() async throws {
    let facts = StatedFacts("200 g of rice, 100 kcal of chicken, and two eggs")
    for seed in UInt64(0)..<10 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "A meal", schema: facts.schema()).content
      let log = try FoodLog(content)
      #expect((2...8).contains(log.foods.count), "seed \(seed)")
      #expect(log.foods[0].name == "rice" && log.foods[0].weight == 200, "seed \(seed)")
      #expect(log.foods[1].name == "chicken" && log.foods[1].calories == 100, "seed \(seed)")
    }
  }
}
