// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Espalier

/// What kind of food something is; the bounds of its calories follow from it.
@Generable
package enum FoodCategory: String, CaseIterable {
  case fruit, vegetable, grain, protein, dairy, fat, sweet, snack, drink, dish
}

/// In what a quantity is counted.
@Generable
package enum QuantityUnit: String, CaseIterable {
  case gram, millilitre, piece, slice, cup, tablespoon
}

/// One food of a meal.
@Generable(description: "A food that was eaten or drunk")
package struct FoodItem {
  @Guide(.length(2...60)) package var name: String
  package var category: FoodCategory
  @Guide(.range(0.1...5000)) package var quantity: Double
  package var unit: QuantityUnit
  @Guide(description: "What it weighs, in grams", .range(1...5000)) package var weight: Double
  @Guide(
    description: "Such as fried, salted, without sugar", .maximumCount(4), .element(.length(2...30))
  )
  package var modifiers: [String]
  @Guide(.length(2...40)) package var brand: String?
  @Guide(description: "In kilocalories", .range(0...20_000)) package var calories: Double
  @Guide(description: "In grams", .range(0...1000)) package var protein: Double
  @Guide(description: "In grams", .range(0...1000)) package var carbohydrates: Double
  @Guide(description: "In grams", .range(0...1000)) package var fat: Double
}

/// A meal, taken apart.
@Generable(description: "A meal, taken apart into foods; what was not said is estimated")
package struct FoodLog {
  @Guide(.count(1...8)) package var foods: [FoodItem]
  @Guide(description: "What to ask where the text is not clear", .length(5...160))
  package var clarifyingQuestion: String?
}
