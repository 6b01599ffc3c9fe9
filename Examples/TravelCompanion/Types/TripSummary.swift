// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// A journey, looked back on.
@Generable(description: "A journey, looked back on")
struct TripSummary {
  @Guide(.length(3...60)) var title: String
  @Guide(description: "A line under the title", .length(3...100)) var tagline: String
  @Guide(description: "The journey as a story", .length(20...900)) var narrative: String
  @Guide(description: "The three best moments", .count(3), .element(.length(4...120)))
  var highlights: [String]
  var stats: TravelStats
  @Guide(description: "Where to go next, and why", .length(4...160)) var nextTrip: String
}

/// How a summary is told again.
enum SummaryVariant: String, CaseIterable, ExpressibleByArgument {
  case standard, shorter, longer, emotional, factual

  func request(in language: Language) -> String {
    switch self {
    case .standard: language.choose("", "")
    case .shorter: language.choose("Keep the story short.", "Racconta in breve.")
    case .longer: language.choose("Tell the story at length.", "Racconta per esteso.")
    case .emotional: language.choose("Be more emotional.", "Con più emozione.")
    case .factual: language.choose("Be more factual.", "Attieniti ai fatti.")
    }
  }

  /// How many characters the story has.
  var narrativeLength: ClosedRange<Int> {
    switch self {
    case .shorter: 20...240
    case .longer: 400...900
    case .standard, .emotional, .factual: 20...600
    }
  }
}

extension TripSummary: LiveText {
  static func lines(_ summary: PartiallyGenerated, in language: Language) -> [String] {
    var lines: [String] = []
    if let title = summary.title { lines.append(title) }
    if let tagline = summary.tagline { lines.append("  \(tagline)") }
    if let narrative = summary.narrative { lines += ["", narrative, ""] }
    for highlight in summary.highlights ?? [] { lines.append(" ★ \(highlight)") }
    lines += TravelStats.lines(summary.stats, in: language)
    if let next = summary.nextTrip { lines.append("→ \(next)") }
    return lines
  }

  /// The schema of a variant: the length of the story is fixed by it.
  static func schema(of variant: SummaryVariant) throws -> GenerationSchema {
    try schema(fixing: [
      "narrative": DynamicGenerationSchema(
        type: String.self, guides: [.length(variant.narrativeLength)])
    ])
  }
}
