// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// How the parts of an itinerary are worded: small models write better sentences when the type says
/// how one begins, and none of them forgets the full stop.
struct Phrases {
  /// What one does in the morning, in the afternoon, in the evening; how to get around; advice.
  let morning, afternoon, evening, transport, tip: DynamicGenerationSchema
  /// How a place to eat is told: what stands before the noun, and the nouns.
  private let areaBeginning: String
  private let areas: [String]
  /// A few words without a full stop.
  let theme: DynamicGenerationSchema
  /// Any sentence.
  let sentence: DynamicGenerationSchema

  init(_ language: Language) {
    switch language {
    case .english:
      let preposition = "(to|and|or|in|of|for|with|on|by|at|from|is|are)"
      morning = Self.sentence(
        "(Walk|Wander) (through|along|to)|(Visit|See|Explore|Climb|Discover|Taste)",
        butNot: preposition)
      afternoon = Self.sentence(
        "Spend an hour (in|at|on|with)|Learn about|(Explore|Follow|Cross|Discover|Admire|Browse)",
        butNot: preposition)
      evening = Self.sentence(
        "Listen to|Relax in|Look at|(Watch|Join|Hear|Enjoy) (a|the|some)", butNot: preposition)
      transport = Self.sentence(
        "(Take|Catch|Use|Ride) (a|the) (bus|train|tram|metro|taxi|ferry|bike)|Walk")
      tip = Self.sentence(
        "Learn about|(Bring|Carry|Book|Wear|Try|Avoid|Check|Keep|Reserve) (a|the|your|some)",
        butNot: preposition)
      areaBeginning =
        "(Near|Around|By|Along) the "
        + "((old|main|small|quiet|local|upper|central|famous|covered) )?"
      areas =
        ("market temple station river garden park harbour centre square museum castle bridge lake "
        + "shrine cathedral hills streets quarter").split(separator: " ").map(String.init)
      theme = Self.theme(joinedBy: "and")
    case .italiano:
      morning = Self.sentence("Cammina|Visita|Guarda|Esplora|Sali|Comincia|Scopri|Assaggia")
      afternoon = Self.sentence("Esplora|Segui|Attraversa|Passa|Scopri|Riposa|Passeggia|Ammira")
      evening = Self.sentence("Ascolta|Guarda|Riposa|Goditi|Balla|Passeggia|Assapora")
      transport = Self.sentence(
        "(Prendi|Usa) (un|il) (autobus|treno|tram|taxi|traghetto)|Cammina")
      tip = Self.sentence("Porta|Prenota|Indossa|Prova|Evita|Controlla|Impara|Tieni")
      areaBeginning = "(Vicino al|Intorno al|Lungo il|Dietro il|Nel) ((vecchio|piccolo|gran) )?"
      areas =
        ("mercato tempio fiume giardino parco porto centro museo castello ponte lago quartiere "
        + "borgo duomo").split(separator: " ").map(String.init)
      theme = Self.theme(joinedBy: "e")
    }
    sentence = Self.text(#"\#(Self.word)( \#(Self.word)){4,30}\."#, beginsWithCapital: true)
  }

  private static let word = "[A-Za-zÀ-ÖØ-öø-ÿ]{1,14}('[a-z]{1,2})?"

  /// Two things, such as `Old streets and the river`: what joins them says in which language.
  private static func theme(joinedBy joint: String) -> DynamicGenerationSchema {
    // Neither part ends with a word that another has to follow.
    let open = "of|the|in|a|at|to|for|with|di|da|la|il|le|un|del|della"
    let first = "\(word)( (?!\(joint) )(?!(\(open)) \(joint) )\(word)){0,4}"
    let second = "\(word)( (?!(\(joint)|\(open))$)\(word)){0,3}"
    return text("\(first) \(joint) \(second)", beginsWithCapital: true)
  }

  /// Where to eat, such as `In the old market`: each meal of a journey has nouns of its own, so that
  /// no place comes twice.
  ///
  /// - Parameters:
  ///   - meal: Which meal, from 0.
  ///   - count: How many meals the journey has.
  func area(ofMeal meal: Int, of count: Int) -> DynamicGenerationSchema {
    let nouns = areas.indices.filter { $0 % count == meal }.map { areas[$0] }
    return Self.text("\(areaBeginning)(\(nouns.joined(separator: "|")))")
  }

  private static func sentence(
    _ beginnings: String, butNot next: String? = nil
  ) -> DynamicGenerationSchema {
    let next = next.map { "(?! \($0) )" } ?? ""
    return text("(\(beginnings))\(next)( \(word)){3,16}\\.")
  }

  private static func text(
    _ pattern: String, beginsWithCapital: Bool = false
  ) -> DynamicGenerationSchema {
    let start = beginsWithCapital ? "^(?=[A-Z])" : "^"
    return DynamicGenerationSchema(type: String.self, guides: [.pattern("\(start)\(pattern)$")])
  }
}
