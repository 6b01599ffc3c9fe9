// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// Where the figures of a food are from.
package struct FigureOrigins: Sendable, Equatable {
  /// Where a figure is from.
  package enum Origin: Sendable, Equatable {
    /// The person said it.
    case said
    /// The person has corrected it before.
    case learned
    /// A table has it for a food.
    case table(food: String, FoodSource)
    /// The model estimated it.
    case estimated

    /// What is shown.
    package var text: String {
      switch self {
      case .said: "as you said"
      case .learned: "as you corrected it"
      case .table(let food, let source): "\(source.rawValue), \"\(food)\""
      case .estimated: "estimated by the model"
      }
    }
  }

  package var weight = Origin.estimated
  package var calories = Origin.estimated
  package var macros = Origin.estimated

  /// What is shown beneath a food: each origin once.
  package var text: String {
    let figures = [("weight", weight), ("kcal", calories), ("macros", macros)]
    var groups: [(names: [String], origin: Origin)] = []
    for (name, origin) in figures {
      if let index = groups.firstIndex(where: { $0.origin == origin }) {
        groups[index].names.append(name)
      } else {
        groups.append(([name], origin))
      }
    }
    return groups.map { "\($0.names.joined(separator: ", ")): \($0.origin.text)" }
      .joined(separator: "; ")
  }
}

extension FoodLog {
  /// The log with the figures that are known in the place of those that a model estimated.
  ///
  /// What the person said stays. Then come the person's corrections, then the table, then the model.
  ///
  /// - Parameters:
  ///   - facts: What the person said in figures; the foods of which are the first of the log.
  ///   - memory: What the person has corrected.
  ///   - table: What is known of foods.
  /// - Returns: The log, and where the figures of each food are from.
  package func withKnownFigures(
    facts: StatedFacts, memory: FoodMemory, table: FoodTable = .standard
  ) -> (log: FoodLog, origins: [FigureOrigins]) {
    var log = self
    var origins: [FigureOrigins] = []
    for index in log.foods.indices {
      let stated = facts.foods.indices.contains(index) ? facts.foods[index] : nil
      origins.append(log.foods[index].useKnownFigures(stated, memory, table))
    }
    return (log, origins)
  }
}

extension FoodItem {
  fileprivate mutating func useKnownFigures(
    _ stated: StatedFacts.Food?, _ memory: FoodMemory, _ table: FoodTable
  ) -> FigureOrigins {
    var origins = FigureOrigins()
    let described = (modifiers + [name]).joined(separator: " ")
    let known =
      memory.alias(name).flatMap { alias in table.foods.first { $0.name == alias } }
      ?? table.food(named: described) ?? table.food(named: name)
    let names = [name] + (known.map { [$0.name] } ?? [])
    if stated?.weight != nil, stated?.isWeightAssumed == false {
      origins.weight = .said
    } else if let portion = memory.portion(names), portion > 0, stated?.calories == nil {
      (quantity, unit, weight) = (portion, .gram, portion)
      origins.weight = .learned
    }
    guard stated?.calories == nil else {
      origins.calories = .said
      return origins
    }
    if let known {
      let origin = FigureOrigins.Origin.table(food: known.name, known.source)
      calories = Self.rounded(known.calories * weight / 100)
      protein = Self.rounded(known.protein * weight / 100)
      carbohydrates = Self.rounded(known.carbohydrates * weight / 100)
      fat = Self.rounded(known.fat * weight / 100)
      (origins.calories, origins.macros) = (origin, origin)
    }
    if let own = memory.calories(names) {
      calories = Self.rounded(own * weight / 100)
      origins.calories = .learned
    }
    return origins
  }

  /// To tenths: a table has no more.
  private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
