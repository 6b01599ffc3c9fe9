// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a person said in figures: it is taken as said, and not left to a model.
///
///     8,000 calories of popcorn              →  popcorn, 8000 kcal
///     popcorn: 8000 kcal                     →  the same
///     200 g of rice and 0.1 kg of chicken    →  rice, 200 g; chicken, 100 g
///
/// Foods of which no figure was said are the model's to find.
package struct StatedFacts {
  /// One food, and what was said of it.
  package struct Food: Equatable {
    package var name: String?
    package var calories: Double?
    package var weight: Double?
    /// Whether the weight is a guess, for only the calories were said.
    package var isWeightAssumed = false
  }

  /// The foods of which figures were said, in order.
  package var foods: [Food] = []

  /// Whether the text has other words than these.
  package var hasMore = false

  package init(_ text: String) {
    let amount =
      /(?i)(\d+(?:[.,]\d+)*)[\s-]*(kilocalories?|calories?|k?cals?|kilograms?|kg|grams?|g)\b/
    let amounts = text.matches(of: amount)
    var rest = ""
    var end = text.startIndex
    for (index, match) in amounts.enumerated() {
      let next = index + 1 < amounts.count ? amounts[index + 1].range.lowerBound : text.endIndex
      var food = Food()
      let head = text[end..<match.range.lowerBound]
      let tail = text[match.range.upperBound..<next]
      end = match.range.upperBound
      let named = tail.prefixMatch(of: /\s*(?i:worth\s+)?(?i:of\s+)?([\p{L}][\p{L}' -]*)/)
      let words = named?.1.split(separator: " ").prefix { !Self.isBetween($0) } ?? []
      if let last = words.last, let name = Self.name(words) {
        food.name = name
        rest += head
        end = last.endIndex
      } else {
        // The name stands before: its last words.
        let words = head.split { !$0.isLetter && $0 != "'" }
        let last = words.reversed().prefix { !Self.isBetween($0) }.reversed()
        food.name = Self.name(last)
        rest += words.dropLast(last.count).joined(separator: " ")
      }
      let value = Self.number(match.1)
      switch match.2.lowercased() {
      case let unit where unit.contains("cal"): food.calories = value
      case let unit where unit.hasPrefix("k"): food.weight = value * 1000
      default: food.weight = value
      }
      add(food)
      rest += " "
    }
    guard !foods.isEmpty else { return }
    rest += text[end...]
    hasMore = rest.split { !$0.isLetter }.contains { !Self.isBetween($0) }
    // Without a weight, what 100 g usually have says nothing: a bowl is taken.
    for index in foods.indices where foods[index].calories != nil && foods[index].weight == nil {
      foods[index].weight = 100
      foods[index].isWeightAssumed = true
    }
  }

  /// Of one food there may be two figures.
  private mutating func add(_ food: Food) {
    guard let index = foods.firstIndex(where: { $0.name == food.name || food.name == nil }) else {
      return foods.append(food)
    }
    foods[index].calories = food.calories ?? foods[index].calories
    foods[index].weight = food.weight ?? foods[index].weight
  }

  /// Words that stand between foods, or before one, and name none.
  private static func isBetween(_ word: Substring) -> Bool {
    [
      "a", "about", "an", "and", "at", "ate", "for", "had", "has", "have", "i", "in", "is", "just",
      "my", "of", "on", "plus", "some", "that", "the", "then", "there", "was", "were", "with",
    ].contains(word.lowercased())
  }

  private static func name(_ words: some Sequence<Substring>) -> String? {
    let name = words.joined(separator: " ").trimmingCharacters(in: .whitespaces)
    return (2...60).contains(name.count) ? name : nil
  }

  /// Digits before a comma of thousands belong together: `8,000` is 8000, and `12,5` is 12.5.
  private static func number(_ digits: Substring) -> Double {
    let whole =
      digits.hasPrefix("0") ? String(digits) : String(digits.replacing(/[.,](?=\d{3}\b)/, with: ""))
    return Double(whole.replacing(",", with: ".")) ?? 0
  }
}
