import Espalier

/// What a note is about.
@Generable
enum NoteCategory: String, CaseIterable, Codable {
  case food, sight, transport, lodging, shopping, thought
}

/// A note that was written down as it came, in order.
@Generable(description: "A traveller's note, taken apart; what the note does not say is left out")
struct StructuredNote: Codable {
  var category: NoteCategory
  @Guide(description: "Where it was", .length(1...60)) var place: String?
  @Guide(description: "Stars, where the note judges", .range(1...5)) var rating: Int?
  @Guide(description: "What it cost, in local money", .range(0...100_000)) var cost: Double?
  @Guide(description: "The note in one sentence", .length(4...160)) var summary: String
  @Guide(.count(1...4), .element(.pattern("[a-zà-ù]{2,20}")), .uniqueElements())
  var tags: [String]
}

extension StructuredNote: LiveText {
  static func lines(_ note: PartiallyGenerated, in language: Language) -> [String] {
    let parts: [(String, String?)] = [
      ("category", note.category?.rawValue), ("place", note.place),
      ("rating", note.rating.map { String(repeating: "★", count: $0) }),
      ("cost", note.cost.map { "\($0)" }), ("summary", note.summary),
      ("tags", note.tags?.joined(separator: ", ")),
    ]
    return parts.compactMap { name, value in value.map { "\(name): \($0)" } }
  }
}
