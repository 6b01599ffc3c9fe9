// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

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

extension StructuredNote {
  /// Changes a field by its name; an empty text empties it. The value is held to the guides of the
  /// type, as a model's is.
  ///
  /// - Throws: ``TripProblem``, which says what the field takes.
  mutating func set(_ field: String, to text: String) throws {
    var changed = self
    switch field {
    case "category":
      guard let category = NoteCategory(rawValue: text.lowercased()) else {
        let names = NoteCategory.allCases.map(\.rawValue).joined(separator: ", ")
        throw TripProblem("The category is one of \(names).")
      }
      changed.category = category
    case "place": changed.place = text.isEmpty ? nil : text
    case "rating":
      guard text.isEmpty || Int(text) != nil else {
        throw TripProblem("The rating is a number from 1 to 5.")
      }
      changed.rating = Int(text)
    case "cost":
      guard text.isEmpty || Double(text) != nil else {
        throw TripProblem("The cost is a number, as 12.5.")
      }
      changed.cost = Double(text)
    case "summary": changed.summary = text
    case "tags":
      changed.tags = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    default:
      throw TripProblem("The fields are category, place, rating, cost, summary and tags.")
    }
    try changed.check()
    self = changed
  }

  private func check() throws {
    let length = summary.count
    guard (4...160).contains(length) else {
      throw TripProblem("The summary has 4 to 160 characters; this one has \(length).")
    }
    guard (1...60).contains(place?.count ?? 1) else {
      throw TripProblem("The place has at most 60 characters.")
    }
    guard (1...5).contains(rating ?? 1) else {
      throw TripProblem("The rating is a number from 1 to 5.")
    }
    guard (0...100_000).contains(cost ?? 0) else {
      throw TripProblem("The cost is a number from 0 to 100000.")
    }
    let areWords = tags.allSatisfy { (2...20).contains($0.count) && !$0.contains(" ") }
    guard (1...4).contains(tags.count), Set(tags).count == tags.count, areWords else {
      throw TripProblem("There are 1 to 4 tags, each another word of 2 to 20 letters.")
    }
  }
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
