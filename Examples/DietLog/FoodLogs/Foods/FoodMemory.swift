// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a person has corrected: it goes before every table, and before every model.
package struct FoodMemory: Codable, Sendable, Equatable {
  /// The food of the table that a person means by other words.
  package private(set) var aliases: [String: String] = [:]
  /// What the person usually eats of a food, in grams.
  package private(set) var portions: [String: Double] = [:]
  /// What 100 g have, in kilocalories.
  package private(set) var calories: [String: Double] = [:]

  package init() {}

  /// Learns a correction.
  ///
  ///     my porridge = oatmeal, cooked     another name
  ///     my porridge = 300 g               a usual portion
  ///     protein bar = 380 kcal            what 100 g have
  ///
  /// - Throws: ``FoodMemoryProblem`` where the correction is none of these, or the table has no such
  ///   food.
  package mutating func learn(_ correction: String, table: FoodTable = .standard) throws {
    let parts = correction.split(separator: "=", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard parts.count == 2, !Self.key(parts[0]).isEmpty, !parts[1].isEmpty else {
      throw FoodMemoryProblem(
        "'\(correction)' is no correction: write NAME = FOOD, NAME = 300 g or NAME = 120 kcal.")
    }
    let key = Self.key(parts[0])
    if let amount = parts[1].wholeMatch(of: /(\d+(?:\.\d+)?)\s*(g|kcal)/) {
      guard let value = Double(amount.1), 0...5000 ~= value else {
        throw FoodMemoryProblem("'\(parts[1])' is not between 0 and 5000.")
      }
      if amount.2 == "g" { portions[key] = value } else { calories[key] = value }
    } else if let food = table.food(named: parts[1]) {
      aliases[key] = food.name
    } else {
      let near = table.search(parts[1], limit: 3).map { "'\($0.name)'" }.joined(separator: ", ")
      throw FoodMemoryProblem(
        "The table has no '\(parts[1])'." + (near.isEmpty ? "" : " It has \(near)."))
    }
  }

  /// A name as it is kept: its words, in their order.
  static func key(_ name: String) -> String {
    FoodTable.words(of: name).map { String($0) }.joined(separator: " ")
  }

  /// What is known of a food by a name that a person uses.
  package func alias(_ name: String) -> String? { aliases[Self.key(name)] }
  /// The usual portion of a food by any of its names.
  package func portion(_ names: [String]) -> Double? {
    names.lazy.compactMap { portions[Self.key($0)] }.first
  }
  /// The kilocalories of 100 g by any of its names.
  package func calories(_ names: [String]) -> Double? {
    names.lazy.compactMap { calories[Self.key($0)] }.first
  }

  // MARK: Files

  /// What a file has; nothing where there is none.
  ///
  /// - Throws: ``FoodMemoryProblem`` where the file cannot be read.
  package init(file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    do {
      self = try JSONDecoder().decode(FoodMemory.self, from: Data(contentsOf: file))
    } catch {
      throw FoodMemoryProblem("'\(file.path)' is no file of corrections, or cannot be read.")
    }
  }

  /// - Throws: ``FoodMemoryProblem`` where the file cannot be written.
  package func save(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(self).write(to: file, options: .atomic)
    } catch {
      throw FoodMemoryProblem("'\(file.path)' cannot be written.")
    }
  }
}

/// Why a correction is not learnt.
package struct FoodMemoryProblem: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
