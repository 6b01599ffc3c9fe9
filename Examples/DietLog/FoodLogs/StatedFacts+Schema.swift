// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Espalier

extension StatedFacts {
  private typealias Schema = DynamicGenerationSchema

  /// The schema of a log in which what was said is fixed.
  package func schema() throws -> GenerationSchema {
    guard !foods.isEmpty else { return FoodLog.generationSchema }
    guard hasMore || foods.count > 1 else {
      let list = Schema(
        arrayOf: try Self.schema(of: foods[0]), minimumElements: 1, maximumElements: 1)
      return try GenerationSchema(root: Self.log(of: list), dependencies: [])
    }
    // The foods of which figures were said come first, and each has its own schema; only JSON
    // Schema says that of a list.
    let stated = try foods.map { food in
      try GenerationSchema(root: Self.schema(of: food), dependencies: [])
        .jsonSchema(dialect: .draft2020)
    }
    let other = try GenerationSchema(root: Self.schema(of: Food()), dependencies: [])
      .jsonSchema(dialect: .draft2020)
    return try GenerationSchema(
      jsonSchema: """
        {"title": "FoodLog", "type": "object", "properties": {
          "foods": {
            "type": "array", "prefixItems": [\(stated.joined(separator: ","))], "items": \(other),
            "minItems": \(foods.count), "maxItems": \(hasMore ? max(8, foods.count) : foods.count)},
          "clarifyingQuestion": {"type": "string", "minLength": 5, "maxLength": 160}},
          "required": ["foods"], "additionalProperties": false}
        """)
  }

  private static func log(of foods: Schema) -> Schema {
    Schema(
      name: "FoodLog",
      properties: [
        .init(name: "foods", schema: foods),
        .init(
          name: "clarifyingQuestion",
          schema: Schema(type: String.self, guides: [.length(5...160)]), isOptional: true),
      ])
  }

  private static func schema(of food: Food) throws -> Schema {
    let number = { (value: Double?, limits: ClosedRange<Double>) in
      Schema(type: Double.self, guides: [.range(value.map { $0...$0 } ?? limits)])
    }
    return Schema(
      name: "FoodItem",
      properties: [
        .init(
          name: "name",
          schema: Schema(
            type: String.self, guides: food.name.map { [.constant($0)] } ?? [.length(2...60)])),
        .init(name: "category", schema: Schema(type: FoodCategory.self)),
        .init(name: "quantity", schema: number(food.weight, 0.1...5000)),
        .init(
          name: "unit", schema: Schema(type: String.self, guides: [.constant("gram")])),
        .init(name: "weight", schema: number(food.weight, 1...5000)),
        .init(
          name: "modifiers",
          schema: Schema(
            type: [String].self, guides: [.maximumCount(4), .element(.length(2...30))])),
        .init(name: "calories", schema: number(food.calories, 0...20_000)),
        .init(name: "protein", schema: number(nil, 0...1000)),
        .init(name: "carbohydrates", schema: number(nil, 0...1000)),
        .init(name: "fat", schema: number(nil, 0...1000)),
      ])
  }
}
