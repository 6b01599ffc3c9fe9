// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Espalier
import Foundation

// What no schema can say: whether figures can be true together.

extension FoodCategory {
  /// What 100 g have, in kilocalories.
  var caloriesPer100Grams: ClosedRange<Double> {
    switch self {
    case .fruit: 15...350
    case .vegetable: 5...200
    case .grain: 50...450
    case .protein: 50...500
    case .dairy: 25...450
    case .fat: 300...900
    case .sweet: 100...600
    case .snack: 100...650
    case .drink: 0...350
    case .dish: 30...500
    }
  }
}

extension FoodItem {
  var caloriesPer100Grams: Double { calories / weight * 100 }

  /// What the macronutrients make, at 4, 4 and 9 kilocalories a gram.
  var caloriesOfMacros: Double { 4 * protein + 4 * carbohydrates + 9 * fat }
}

package enum SanityRules {
  /// How many kilocalories meals have, and by how much they differ: what a z-score is against.
  static let meanMeal = (mean: 650.0, deviation: 300.0)

  package static let all: [SemanticRule<FoodLog>] = [
    SemanticRule("calories of the category", severity: .failed) { log in
      first(in: log) { food in
        let bounds = food.category.caloriesPer100Grams
        // Twice outside of what is usual is impossible.
        guard
          food.caloriesPer100Grams > bounds.upperBound * 2
            || food.caloriesPer100Grams < bounds.lowerBound / 2
        else { return nil }
        return "\(food.name): \(rounded(food.caloriesPer100Grams)) kcal in 100 g cannot be; "
          + "\(food.category.rawValue) has \(rounded(bounds.lowerBound)) to "
          + "\(rounded(bounds.upperBound))."
      }
    },
    SemanticRule("unusual calories", severity: .needsReview) { log in
      first(in: log) { food in
        food.category.caloriesPer100Grams.contains(food.caloriesPer100Grams)
          ? nil
          : "\(food.name): \(rounded(food.caloriesPer100Grams)) kcal in 100 g are unusual for "
            + "\(food.category.rawValue)."
      }
    },
    SemanticRule("macros make the calories", severity: .needsReview) { log in
      first(in: log) { food in
        guard abs(food.caloriesOfMacros - food.calories) > max(20, 0.15 * food.calories)
        else { return nil }
        return "\(food.name): protein, carbohydrates and fat make "
          + "\(rounded(food.caloriesOfMacros)) kcal, not \(rounded(food.calories))."
      }
    },
    SemanticRule("macros within the weight", severity: .failed) { log in
      first(in: log) { food in
        let macros = food.protein + food.carbohydrates + food.fat
        return macros > food.weight * 1.02
          ? "\(food.name): \(rounded(macros)) g of nutrients in \(rounded(food.weight)) g." : nil
      }
    },
    SemanticRule("portion", severity: .failed) { log in
      first(in: log) { food in
        food.calories > 5000 ? "\(food.name): \(rounded(food.calories)) kcal at once." : nil
      }
    },
    SemanticRule("impossible combination", severity: .failed) { log in
      first(in: log) { food in
        let modifiers = Set(food.modifiers.map { $0.lowercased() })
        for (one, other) in [("raw", "fried"), ("frozen", "hot"), ("fat-free", "fried")]
        where modifiers.isSuperset(of: [one, other]) {
          return "\(food.name) cannot be both \(one) and \(other)."
        }
        return nil
      }
    },
    SemanticRule("z-score of the meal", severity: .warning) { log in
      let calories = log.foods.reduce(0) { $0 + $1.calories }
      let score = (calories - meanMeal.mean) / meanMeal.deviation
      return abs(score) > 3
        ? "\(rounded(calories)) kcal are \(rounded(abs(score))) deviations from a usual meal." : nil
    },
  ]

  private static func first(
    in log: FoodLog, _ problem: (FoodItem) -> String?
  ) -> String? {
    log.foods.lazy.compactMap(problem).first
  }

  private static func rounded(_ value: Double) -> String {
    value.formatted(
      .number.precision(.fractionLength(0)).grouping(.never).locale(.init(identifier: "en")))
  }
}
