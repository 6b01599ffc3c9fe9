// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Espalier

/// How sure a model is of the kind of a food.
package struct Sureness: Sendable, Equatable {
  /// The index of the food in its log.
  package let food: Int
  /// The probability that the model gives the kind among all kinds.
  package let probability: Double

  package init(food: Int, probability: Double) {
    self.food = food
    self.probability = probability
  }

  /// Of each food of which the model said it.
  package static func all(in probabilities: [ValueProbability]) -> [Sureness] {
    probabilities.compactMap { measure in
      let path = measure.path.split(separator: "/")
      guard path.count == 3, path[0] == "foods", path[2] == "category", let food = Int(path[1])
      else { return nil }
      return Sureness(food: food, probability: measure.probability)
    }
  }

  /// What is shown beside a food.
  package func text(_ food: FoodItem) -> String {
    ", \(food.category.rawValue) by \(Int(probability * 100)) %"
  }
}

extension SanityRules {
  /// Foods of whose kind the model is hardly surer than if it had guessed.
  package static func doubts(_ sureness: [Sureness]) -> SemanticRule<FoodLog> {
    SemanticRule("doubt", severity: .warning) { log in
      let doubtful = sureness.first { $0.probability < 0.3 && log.foods.indices ~= $0.food }
      return doubtful.map { doubt in
        let food = log.foods[doubt.food]
        return "\(food.name): the model is not sure that it is of the kind "
          + "'\(food.category.rawValue)' (\(Int(doubt.probability * 100)) %)."
      }
    }
  }
}
