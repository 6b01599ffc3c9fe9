// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// What to put into a suitcase.
@Generable(description: "A packing list for a journey")
struct PackingList {
  @Guide(
    description: "Papers and cards, such as a passport", .count(2...5), .uniqueElements(),
    .element(.length(2...60)))
  var documents: [String]
  @Guide(
    description: "Clothes for the season and the length", .count(5...10), .uniqueElements(),
    .element(.length(2...60)))
  var clothing: [String]
  @Guide(
    description: "Things for the bathroom", .count(3...8), .uniqueElements(),
    .element(.length(2...60)))
  var toiletries: [String]
  @Guide(
    description: "Devices, chargers, adapters", .count(2...5), .uniqueElements(),
    .element(.length(2...60)))
  var electronics: [String]
  @Guide(
    description: "What only this journey needs", .maximumCount(5), .uniqueElements(),
    .element(.length(2...60)))
  var specialItems: [String]
  @Guide(
    description: "Medicines and first aid", .count(1...5), .uniqueElements(),
    .element(.length(2...60)))
  var healthKit: [String]
}

extension PackingList: SemanticallyValidated {
  static var semanticRules: [SemanticRule<PackingList>] {
    [
      // Within a list no item can come twice; across lists it is worth knowing.
      SemanticRule("no item twice", severity: .warning) { list in
        let items = [
          list.documents, list.clothing, list.toiletries, list.electronics, list.specialItems,
          list.healthKit,
        ].joined().map { $0.lowercased() }
        let repeated = Dictionary(grouping: items) { $0 }.filter { $0.value.count > 1 }.keys
          .sorted()
        return repeated.isEmpty ? nil : "These items are on the list twice: \(repeated)."
      }
    ]
  }
}

extension PackingList: LiveText {
  static func lines(_ list: PartiallyGenerated, in language: Language) -> [String] {
    let sections: [(String, [String]?)] = [
      (language.choose("Documents", "Documenti"), list.documents),
      (language.choose("Clothing", "Abbigliamento"), list.clothing),
      (language.choose("Toiletries", "Igiene"), list.toiletries),
      (language.choose("Electronics", "Elettronica"), list.electronics),
      (language.choose("For this journey", "Per questo viaggio"), list.specialItems),
      (language.choose("Health", "Salute"), list.healthKit),
    ]
    return sections.flatMap { title, items -> [String] in
      guard let items, !items.isEmpty else { return [] }
      return [title] + items.map { "  ☐ \($0)" }
    }
  }
}
