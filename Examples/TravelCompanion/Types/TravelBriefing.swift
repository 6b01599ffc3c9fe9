// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// A phrase of the language that is spoken there.
@Generable(description: "A useful phrase")
struct UsefulPhrase {
  @Guide(description: "What it means", .length(1...60)) var meaning: String
  @Guide(description: "The phrase in the local language and script", .length(1...60))
  var localForm: String
  @Guide(description: "How to say it, for a reader of Latin letters", .length(1...60))
  var pronunciation: String
}

/// What a traveller wants to know at a glance.
@Generable(description: "Facts at a glance")
struct QuickFacts {
  @Guide(description: "The official language", .length(2...40)) var language: String
  @Guide(description: "The three letters of the currency (ISO 4217)", .pattern("[A-Z]{3}"))
  var currency: String
  @Guide(description: "The offset from UTC", .pattern("UTC[+-](0[0-9]|1[0-4]):[0-5][0-9]"))
  var timeZone: String
  @Guide(description: "The types of electric outlets", .pattern("[A-O](, [A-O])?"))
  var outlet: String
}

/// What is good to know before a journey: facts that do not age, so no prices and no visa rules.
@Generable(
  description: "A briefing before a journey, with facts that do not change from year to year")
struct TravelBriefing {
  var quickFacts: QuickFacts
  @Guide(description: "Manners and customs", .count(3...5), .element(.length(4...160)))
  var culturalTips: [String]
  @Guide(.count(5...8)) var usefulPhrases: [UsefulPhrase]
  @Guide(description: "The seasons", .length(4...200)) var climate: String
  @Guide(description: "What people eat", .length(4...200)) var food: String
  @Guide(description: "What to be careful of", .length(4...200)) var safety: String
}

extension TravelBriefing: SemanticallyValidated {
  static var semanticRules: [SemanticRule<TravelBriefing>] {
    [
      SemanticRule("phrases differ", severity: .warning) { briefing in
        Set(briefing.usefulPhrases.map(\.localForm)).count == briefing.usefulPhrases.count
          ? nil : "A phrase is there twice."
      }
    ]
  }
}

extension TravelBriefing: LiveText {
  static func lines(_ briefing: PartiallyGenerated, in language: Language) -> [String] {
    var lines: [String] = []
    if let facts = briefing.quickFacts {
      let parts = [facts.language, facts.currency, facts.timeZone, facts.outlet]
      lines.append(parts.compactMap(\.self).joined(separator: " · "))
    }
    for tip in briefing.culturalTips ?? [] { lines.append(" • \(tip)") }
    for phrase in briefing.usefulPhrases ?? [] {
      lines.append(
        "   \(phrase.meaning ?? "…"): \(phrase.localForm ?? "…") (\(phrase.pronunciation ?? "…"))")
    }
    let parts: [(String, String?)] = [
      (language.choose("Climate", "Clima"), briefing.climate),
      (language.choose("Food", "Cibo"), briefing.food),
      (language.choose("Safety", "Sicurezza"), briefing.safety),
    ]
    for case (let title, let text?) in parts { lines.append("\(title): \(text)") }
    return lines
  }
}
