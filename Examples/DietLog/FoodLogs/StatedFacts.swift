package import Espalier
import Foundation

/// What a person said in figures: it is taken as said, and not left to a model.
///
///     8000 calories of popcorn       →  calories 8000, name popcorn
///     200 g of rice                  →  weight 200, name rice
package struct StatedFacts {
  package var name: String?
  package var calories: Double?
  package var weight: Double?

  package init(_ text: String) {
    let amount =
      /(?i)(\d+(?:[.,]\d+)?)\s*(k?cal(?:ories)?|g|grams?)\b(?:\s+of)?\s+([\p{L}][\p{L} ]*)/
    for match in text.matches(of: amount) {
      // Digits before a comma of thousands belong together: `8,000` is 8000.
      let digits = match.1.replacing(/[.,](?=\d{3}\b)/, with: "").replacing(",", with: ".")
      let value = Double(String(digits))
      if match.2.lowercased().contains("cal") { calories = value } else { weight = value }
      name = match.3.trimmingCharacters(in: .whitespaces)
    }
    // Without a weight, what 100 g usually have says nothing: a bowl is taken.
    if calories != nil, weight == nil { weight = 100 }
  }

  /// The schema of a log: with the facts fixed in its only food where there are any.
  package func schema() throws -> GenerationSchema {
    guard name != nil || calories != nil || weight != nil else { return FoodLog.generationSchema }
    typealias Schema = DynamicGenerationSchema
    let number = { (value: Double?, limits: ClosedRange<Double>) in
      Schema(type: Double.self, guides: [.range(value.map { $0...$0 } ?? limits)])
    }
    let food = Schema(
      name: "FoodItem",
      properties: [
        .init(
          name: "name",
          schema: Schema(
            type: String.self, guides: name.map { [.constant($0)] } ?? [.length(2...60)])),
        .init(name: "category", schema: Schema(type: FoodCategory.self)),
        .init(name: "quantity", schema: number(weight, 0.1...5000)),
        .init(
          name: "unit", schema: Schema(type: String.self, guides: [.constant("gram")])),
        .init(name: "weight", schema: number(weight, 1...5000)),
        .init(
          name: "modifiers",
          schema: Schema(
            type: [String].self, guides: [.maximumCount(4), .element(.length(2...30))])),
        .init(name: "calories", schema: number(calories, 0...20_000)),
        .init(name: "protein", schema: number(nil, 0...1000)),
        .init(name: "carbohydrates", schema: number(nil, 0...1000)),
        .init(name: "fat", schema: number(nil, 0...1000)),
        .init(name: "confidence", schema: number(nil, 0...1)),
      ])
    let root = Schema(
      name: "FoodLog",
      properties: [
        .init(
          name: "foods",
          schema: Schema(arrayOf: food, minimumElements: 1, maximumElements: 1)),
        .init(
          name: "clarifyingQuestion",
          schema: Schema(type: String.self, guides: [.length(5...160)]), isOptional: true),
      ])
    return try GenerationSchema(root: root, dependencies: [])
  }
}
