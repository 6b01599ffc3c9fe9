// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// What can be counted of a day or a journey.
@Generable(description: "Figures")
struct TravelStats {
  @Guide(.range(0...500)) var places: Int
  @Guide(description: "In kilometres", .range(0...20_000)) var distance: Int
  @Guide(.range(0...5000)) var photos: Int
}

/// A day of a journey, told from its notes.
@Generable(description: "A day of a journey in a diary")
struct JournalEntry {
  @Guide(.length(3...60)) var title: String
  @Guide(description: "The day", .format(.date)) var date: String
  @Guide(description: "The day as a story, from its notes alone", .length(20...600))
  var narrative: String
  @Guide(description: "The best moment", .length(4...120)) var highlight: String
  var stats: TravelStats
}

extension JournalEntry: LiveText {
  static func lines(_ entry: PartiallyGenerated, in language: Language) -> [String] {
    var lines: [String] = []
    if let title = entry.title { lines.append("\(title)\(entry.date.map { " · \($0)" } ?? "")") }
    if let narrative = entry.narrative { lines += ["", narrative] }
    if let highlight = entry.highlight { lines += ["", "★ \(highlight)"] }
    return lines + TravelStats.lines(entry.stats, in: language)
  }

  /// The schema of an entry of a day that is known.
  static func schema(of date: String) throws -> GenerationSchema {
    try schema(fixing: [
      "date": DynamicGenerationSchema(type: String.self, guides: [.constant(date)])
    ])
  }
}

extension TravelStats {
  static func lines(_ stats: PartiallyGenerated?, in language: Language) -> [String] {
    guard let stats else { return [] }
    let parts = [
      stats.places.map { "\($0) \(language.choose("places", "luoghi"))" },
      stats.distance.map { "\($0) km" },
      stats.photos.map { "\($0) \(language.choose("photos", "foto"))" },
    ]
    return [parts.compactMap(\.self).joined(separator: " · ")]
  }
}
