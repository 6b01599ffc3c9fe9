import Espalier

/// How the parts of an itinerary are worded: small models write better sentences when the type says
/// how one begins, and none of them forgets the full stop.
struct Phrases {
  /// What one does in the morning, in the afternoon, in the evening; how to get around; advice.
  let morning, afternoon, evening, transport, tip: DynamicGenerationSchema
  /// A part of a town, such as `In the old town`.
  let area: DynamicGenerationSchema
  /// A few words without a full stop.
  let theme: DynamicGenerationSchema
  /// Any sentence.
  let sentence: DynamicGenerationSchema

  init(_ language: Language) {
    switch language {
    case .english:
      morning = Self.sentence("Walk|Visit|See|Explore|Climb|Start|Wander|Discover|Taste")
      afternoon = Self.sentence(
        "Explore|Follow|Cross|Ride|Spend an hour|Discover|Rest|Stroll|Admire|Learn about|Browse")
      evening = Self.sentence("Listen to|Watch|Join|Hear|Relax|Enjoy|Dance|Look at")
      transport = Self.sentence(
        "(Take|Catch|Use|Ride) (a|the) (bus|train|tram|metro|taxi|ferry|bike)|Walk")
      tip = Self.sentence("Bring|Carry|Book|Wear|Try|Avoid|Check|Learn|Keep|Reserve")
      // A preposition would need more words after it than a name has.
      area = Self.text(
        "(Near|In|Around|By|Along|Behind) the"
          + "( (?!of|an|wi|th|yo|at|to|in|fo|on|fr|wh|bu|is|ne|eve|mor|aft|way)\(Self.word)){1,2}")
    case .italiano:
      morning = Self.sentence("Cammina|Visita|Guarda|Esplora|Sali|Comincia|Scopri|Assaggia")
      afternoon = Self.sentence("Esplora|Segui|Attraversa|Passa|Scopri|Riposa|Passeggia|Ammira")
      evening = Self.sentence("Ascolta|Guarda|Riposa|Goditi|Balla|Passeggia|Assapora")
      transport = Self.sentence(
        "(Prendi|Usa) (un|il) (autobus|treno|tram|taxi|traghetto)|Cammina")
      tip = Self.sentence("Porta|Prenota|Indossa|Prova|Evita|Controlla|Impara|Tieni")
      area = Self.text(
        "(Vicino|In|Intorno|Lungo|Dietro)( (?!che|per|con|un )\(Self.word)){1,3}")
    }
    theme = Self.text(#"\#(Self.word)( \#(Self.word)){1,8}"#, beginsWithCapital: true)
    sentence = Self.text(#"\#(Self.word)( \#(Self.word)){4,30}\."#, beginsWithCapital: true)
  }

  private static let word = "[A-Za-zÀ-ÖØ-öø-ÿ]{1,14}('[a-z]{1,2})?"

  private static func sentence(_ beginnings: String) -> DynamicGenerationSchema {
    text(#"(\#(beginnings))( \#(word)){3,24}\."#)
  }

  private static func text(
    _ pattern: String, beginsWithCapital: Bool = false
  ) -> DynamicGenerationSchema {
    let start = beginsWithCapital ? "^(?=[A-Z])" : "^"
    return DynamicGenerationSchema(type: String.self, guides: [.pattern("\(start)\(pattern)$")])
  }
}
