// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is known of a food, in 100 g.
package struct KnownFood: Sendable, Equatable {
  package var name: String
  package var calories: Double
  package var protein: Double
  package var carbohydrates: Double
  package var fat: Double
  /// Where the figures are from.
  package var source: FoodSource
}

/// Where figures of a table are from.
package enum FoodSource: String, Sendable, Codable {
  /// USDA FoodData Central, SR Legacy: the Standard Reference of the Department of Agriculture of the
  /// United States, which is in the public domain. A selection, with names of our own, rounded to
  /// 0.1 g and 1 kcal, checked against SR Legacy.
  case foodDataCentral = "USDA FoodData Central"
  /// What a food typically has, from no table: for foods that SR Legacy does not have.
  case typicalFigure = "typical figure"
  /// What a dish typically has, by its usual ingredients; kitchens differ.
  case typicalRecipe = "typical recipe"
}

/// The figures as they are written: a food a line.
enum FoodFigures {
  static let lists: [(text: String, source: FoodSource)] = [
    (plants, .foodDataCentral), (animals, .foodDataCentral), (larder, .foodDataCentral),
    (others, .typicalFigure), (dishes, .typicalRecipe),
  ]
}

/// Foods with calories and macros, found by their names.
///
///     oatmeal                 →  oatmeal, cooked
///     grilled chiken breast   →  chicken breast, roasted
///     greek yoghurt           →  yogurt, Greek, whole milk
package struct FoodTable: Sendable {
  /// The foods, in the order of the lists.
  package let foods: [KnownFood]
  /// The words of each food's name.
  private let words: [[Word]]
  /// Which foods have a word.
  private let places: [Word: [Int]]

  typealias Word = [Character]

  /// The foods that the example brings.
  package static let standard = FoodTable(
    FoodFigures.lists.flatMap { list in
      list.text.split(separator: "\n").compactMap { Self.food($0, list.source) }
    })

  package init(_ foods: [KnownFood]) {
    self.foods = foods
    words = foods.map { Self.words(of: $0.name) }
    var places: [Word: [Int]] = [:]
    for (index, words) in words.enumerated() {
      for word in Set(words) { places[word, default: []].append(index) }
    }
    self.places = places
  }

  /// A line: name; kcal; protein; carbohydrates; fat. Nil where it is none.
  static func food(_ line: Substring, _ source: FoodSource) -> KnownFood? {
    let fields = line.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = fields.dropFirst().compactMap { Double($0) }
    guard fields.count == 5, numbers.count == 4 else { return nil }
    return KnownFood(
      name: String(fields[0]), calories: numbers[0], protein: numbers[1], carbohydrates: numbers[2],
      fat: numbers[3], source: source)
  }

  /// The foods whose names fit a text best, the best first.
  ///
  /// A word counts where the name has it, or one that a typing error makes of it: one letter that is
  /// other, missing, too many, or changed with its neighbour in words of four to seven letters, two in
  /// longer ones. Rare words count more than frequent ones ("cooked"), exact ones more than corrected
  /// ones, and names without further words more than those with. Of equals the first of the table is
  /// taken, which has the usual kind before the others.
  ///
  /// - Parameters:
  ///   - text: What a person calls the food.
  ///   - limit: How many foods there are at most.
  /// - Complexity: Linear in the number of different words of the table.
  package func search(_ text: String, limit: Int = 5) -> [KnownFood] {
    var scores: [Int: Double] = [:]
    for word in Set(Self.words(of: text)) {
      var best: [Int: Double] = [:]
      // A word that the table has is no typing error.
      let fits =
        places[word] != nil
        ? [(word, 1.0)]
        : places.keys.compactMap { known in Self.fit(word, known).map { (known, $0) } }
      for (known, fit) in fits {
        let foods = places[known] ?? []
        let weight = fit / Double(1 + foods.count).squareRoot()
        for food in foods { best[food] = max(best[food] ?? 0, weight) }
      }
      for (food, weight) in best { scores[food, default: 0] += weight }
    }
    let ranked = scores.map { food, score in
      (food: food, score: score / Double(2 + words[food].count { !Self.manners.contains($0) }))
    }
    return ranked.sorted { $0.score != $1.score ? $0.score > $1.score : $0.food < $1.food }
      .prefix(limit).map { foods[$0.food] }
  }

  /// The food that a text certainly means: one whose every important word is in the text, or the other
  /// way round; nil where there is none.
  package func food(named text: String) -> KnownFood? {
    let asked = Set(Self.words(of: text)).subtracting(Self.manners)
    guard !asked.isEmpty else { return nil }
    return search(text, limit: 8).first { food in
      let head = Self.words(of: String(food.name.prefix { $0 != "," }))
      let all = Self.words(of: food.name)
      func has(_ words: [Word], _ word: Word) -> Bool {
        words.contains { Self.fit(word, $0) != nil }
      }
      // What the name begins with was said, and what was said is in the name.
      return head.allSatisfy { has(Array(asked), $0) } && asked.allSatisfy { has(all, $0) }
    }
  }

  /// Words that say how a food is made, not what it is.
  private static let manners = Set(
    [
      "cooked", "boiled", "baked", "grilled", "fried", "roasted", "raw", "fresh", "plain", "large",
      "small", "medium", "hot", "cold", "homemade", "steamed",
    ].flatMap { words(of: $0) })

  /// The words of a text: small, without accents and plural.
  static func words(of text: String) -> [Word] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.compactMap { part in
      var word = Array(part.map { Self.plain[$0] ?? $0 })
      if word == ["y", "o", "g", "h", "u", "r", "t"] { word = ["y", "o", "g", "u", "r", "t"] }
      if ["of", "a", "an", "the", "with", "and", "or", "in"].contains(String(word)) { return nil }
      guard word.count > 3, word.last == "s", word[word.count - 2] != "s" else { return word }
      if word.suffix(3) == ["i", "e", "s"], word.count > 4 { return word.dropLast(3) + ["y"] }
      if word.suffix(3) == ["o", "e", "s"] { return word.dropLast(2) }
      return word.dropLast()
    }
  }

  private static let plain: [Character: Character] = [
    "á": "a", "à": "a", "â": "a", "ä": "a", "ã": "a", "å": "a", "é": "e", "è": "e", "ê": "e",
    "ë": "e",
    "í": "i", "ì": "i", "î": "i", "ï": "i", "ó": "o", "ò": "o", "ô": "o", "ö": "o", "õ": "o",
    "ú": "u",
    "ù": "u", "û": "u", "ü": "u", "ç": "c", "ñ": "n", "ø": "o",
  ]

  /// How well a word fits one of the table, from 0 to 1; nil where it is another word.
  static func fit(_ word: Word, _ known: Word) -> Double? {
    if word == known { return 1 }
    let allowed = word.count < 4 ? 0 : word.count < 8 ? 1 : 2
    guard allowed > 0, abs(word.count - known.count) <= allowed, known.count > 3 else { return nil }
    let distance = distance(word, known, limit: allowed)
    return distance <= allowed ? 1 - 0.3 * Double(distance) : nil
  }

  /// How many letters have to be changed, added, left out, or exchanged with their neighbour (Damerau
  /// 1964, where no letter is changed twice).
  static func distance(_ first: Word, _ second: Word, limit: Int) -> Int {
    var before = [Int](repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    for i in first.indices {
      var row = [i + 1] + [Int](repeating: 0, count: second.count)
      for j in second.indices {
        let change = last[j] + (first[i] == second[j] ? 0 : 1)
        row[j + 1] = min(change, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          row[j + 1] = min(row[j + 1], before[j - 1] + 1)
        }
      }
      if (row.min() ?? 0) > limit { return limit + 1 }
      (before, last) = (last, row)
    }
    return last[second.count]
  }
}
