// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Espalier

extension FoodLog {
  /// Meals that models are shown, taken apart: what they learn from is the form.
  package static let examples = [
    GenerationExample(
      "oatmeal with honey and a glass of milk",
      FoodLog(
        foods: [
          FoodItem(
            name: "oatmeal", category: .grain, quantity: 1, unit: .cup, weight: 234,
            modifiers: ["cooked"], brand: nil, calories: 158, protein: 6, carbohydrates: 27,
            fat: 3.2),
          FoodItem(
            name: "honey", category: .sweet, quantity: 1, unit: .tablespoon, weight: 21,
            modifiers: [], brand: nil, calories: 64, protein: 0.1, carbohydrates: 17, fat: 0),
          FoodItem(
            name: "milk", category: .drink, quantity: 250, unit: .millilitre, weight: 258,
            modifiers: ["whole"], brand: nil, calories: 157, protein: 8.5, carbohydrates: 12,
            fat: 8.4),
        ], clarifyingQuestion: nil)),
    GenerationExample(
      "150 g of grilled salmon",
      FoodLog(
        foods: [
          FoodItem(
            name: "salmon", category: .protein, quantity: 150, unit: .gram, weight: 150,
            modifiers: ["grilled"], brand: nil, calories: 309, protein: 33, carbohydrates: 0,
            fat: 18.5)
        ], clarifyingQuestion: nil)),
    GenerationExample(
      "an apple and two slices of cheese",
      FoodLog(
        foods: [
          FoodItem(
            name: "apple", category: .fruit, quantity: 1, unit: .piece, weight: 182,
            modifiers: [], brand: nil, calories: 95, protein: 0.5, carbohydrates: 25, fat: 0.3),
          FoodItem(
            name: "cheese", category: .dairy, quantity: 2, unit: .slice, weight: 56,
            modifiers: [], brand: nil, calories: 226, protein: 14, carbohydrates: 1, fat: 18.5),
        ], clarifyingQuestion: nil)),
  ]
}
