// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// How someone likes to travel.
@Generable
enum TravelStyle: String, CaseIterable {
  case culturale, relax, avventura, gastronomico

  /// The style as people read it.
  func words(in language: Language) -> String {
    switch self {
    case .culturale: language.choose("culture", "culturale")
    case .relax: language.choose("at ease", "relax")
    case .avventura: language.choose("adventure", "avventura")
    case .gastronomico: language.choose("food", "gastronomico")
    }
  }
}

/// What one day of a journey holds.
@Generable(description: "The plan of one day")
struct DailyPlan {
  @Guide(description: "Which day of the journey, from 1", .range(1...30))
  var dayNumber: Int
  @Guide(description: "What the day is about, in a few words", .maximumLength(60))
  var theme: String
  @Guide(description: "The morning, in a sentence or two", .maximumLength(280))
  var morning: String
  @Guide(description: "Where to have lunch: an area, not a restaurant", .maximumLength(60))
  var lunchArea: String
  @Guide(description: "The afternoon, in a sentence or two", .maximumLength(280))
  var afternoon: String
  @Guide(description: "Where to have dinner: an area, not a restaurant", .maximumLength(60))
  var dinnerArea: String
  @Guide(description: "The evening, if there is something to do", .maximumLength(200))
  var evening: String?
  @Guide(description: "How to get around on this day", .maximumLength(160))
  var transportNotes: String
}

/// A part of a long journey.
@Generable(description: "What to do in one area during a long journey")
struct AreaOverview {
  @Guide(description: "The area", .maximumLength(60))
  var area: String
  @Guide(description: "How many days to stay there", .range(1...30))
  var days: Int
  @Guide(description: "What it is worth the stay for", .maximumLength(280))
  var summary: String
}

/// A journey, day by day, or area by area where it is long.
@Generable(description: "A travel itinerary")
struct Itinerary {
  var destination: String
  @Guide(.range(1...30))
  var totalDays: Int
  var travelStyle: TravelStyle
  @Guide(description: "One plan for each day, for journeys of up to seven days", .maximumCount(7))
  var dailyPlans: [DailyPlan]?
  @Guide(description: "The areas of a journey of more than seven days", .count(2...6))
  var overview: [AreaOverview]?
  @Guide(description: "Advice for the whole journey", .count(1...5), .element(.maximumLength(160)))
  var generalTips: [String]
}

extension Itinerary {
  /// The schema of an itinerary for a given journey: what the traveller has said already is fixed,
  /// there is exactly one plan for each day, and texts are sentences of the language.
  static func schema(
    destination: String, days: Int, style: TravelStyle?, language: Language
  ) throws -> GenerationSchema {
    typealias Schema = DynamicGenerationSchema
    let phrases = Phrases(language)
    let plans =
      days <= 7
      ? Schema.Property(
        name: "dailyPlans",
        schema: Schema(
          arrayOf: Schema(type: DailyPlan.self), minimumElements: days, maximumElements: days))
      : Schema.Property(
        name: "overview",
        schema: Schema(
          arrayOf: Schema(type: AreaOverview.self), minimumElements: 2, maximumElements: 6))
    let styleSchema =
      style.map { Schema(type: String.self, guides: [.constant($0.rawValue)]) }
      ?? Schema(type: TravelStyle.self)
    let root = Schema(
      name: "Itinerary", description: "A travel itinerary",
      properties: [
        Schema.Property(
          name: "destination", schema: Schema(type: String.self, guides: [.constant(destination)])),
        Schema.Property(
          name: "totalDays", schema: Schema(type: Int.self, guides: [.range(days...days)])),
        Schema.Property(name: "travelStyle", schema: styleSchema),
        plans,
        Schema.Property(
          name: "generalTips", description: "Advice for the whole journey",
          schema: Schema(arrayOf: phrases.tip, minimumElements: 2, maximumElements: 3)),
      ])
    let schema = try GenerationSchema(root: root, dependencies: [])
    guard days > 7 else { return try numberingPlans(of: schema, days: days, phrases) }
    return try schema.replacing(["overview": try overview(phrases)])
  }

  private static func overview(_ phrases: Phrases) throws -> GeneratedContent {
    let area = try AreaOverview.schema(fixing: ["area": phrases.theme, "summary": phrases.sentence])
    return try GeneratedContent(
      json: """
        {"type": "array", "items": \(area.jsonSchema(dialect: .draft2020)), \
        "minItems": 2, "maxItems": 6}
        """)
  }

  /// The schema with the days counted: the first plan is of day 1, and so on. Only JSON Schema says
  /// of each place of a list what stands there.
  private static func numberingPlans(
    of schema: GenerationSchema, days: Int, _ phrases: Phrases
  ) throws -> GenerationSchema {
    let plans = try (1...days).map { day in
      let number = DynamicGenerationSchema(type: Int.self, guides: [.range(day...day)])
      return try DailyPlan.schema(fixing: [
        "dayNumber": number, "theme": phrases.theme, "morning": phrases.morning,
        "lunchArea": phrases.area(ofMeal: 2 * day - 2, of: 2 * days),
        "afternoon": phrases.afternoon,
        "dinnerArea": phrases.area(ofMeal: 2 * day - 1, of: 2 * days), "evening": phrases.evening,
        "transportNotes": phrases.transport,
      ]).jsonSchema(dialect: .draft2020)
    }
    let list = try GeneratedContent(
      json: """
        {"type": "array", "prefixItems": [\(plans.joined(separator: ","))], "items": false, \
        "minItems": \(days), "maxItems": \(days)}
        """)
    return try schema.replacing(["dailyPlans": list])
  }
}

extension Itinerary: SemanticallyValidated {
  static var semanticRules: [SemanticRule<Itinerary>] {
    [
      SemanticRule("a destination") {
        $0.destination.trimmingPrefix(while: \.isWhitespace).isEmpty
          ? "There is no destination." : nil
      },
      SemanticRule("no more plans than days") {
        $0.dailyPlans?.count ?? 0 > $0.totalDays ? "There are more plans than days." : nil
      },
      SemanticRule("days in order") { itinerary in
        let numbers = itinerary.dailyPlans?.map(\.dayNumber) ?? []
        return numbers == numbers.indices.map { $0 + 1 }
          ? nil : "The plans are of the days \(numbers); they begin with 1 and leave none out."
      },
      SemanticRule("plans or areas") {
        $0.dailyPlans == nil && $0.overview == nil
          ? "There is neither a plan for the days nor an overview." : nil
      },
    ]
  }
}

extension Itinerary: LiveText {
  static func lines(_ itinerary: PartiallyGenerated, in language: Language) -> [String] {
    var lines: [String] = []
    if let destination = itinerary.destination {
      let days = itinerary.totalDays.map { " · \(language.days($0))" } ?? ""
      let style = itinerary.travelStyle.map { " · \($0.words(in: language))" } ?? ""
      lines.append("\(destination)\(days)\(style)")
    }
    for plan in itinerary.dailyPlans ?? [] {
      lines.append("")
      lines.append("\(plan.dayNumber.map { "\($0). " } ?? "")\(plan.theme ?? "…")")
      let parts: [(String, String?)] = [
        (language.choose("morning", "mattina"), plan.morning),
        (language.choose("lunch", "pranzo"), plan.lunchArea),
        (language.choose("afternoon", "pomeriggio"), plan.afternoon),
        (language.choose("dinner", "cena"), plan.dinnerArea),
        (language.choose("evening", "sera"), plan.evening),
        (language.choose("on the way", "trasporti"), plan.transportNotes),
      ]
      for case (let part, let text?) in parts {
        let space = String(repeating: " ", count: max(0, 10 - part.count))
        lines.append("   \(part)\(space)  \(text)")
      }
    }
    for area in itinerary.overview ?? [] {
      lines.append("")
      lines.append("\(area.area ?? "…")\(area.days.map { " · \(language.days($0))" } ?? "")")
      if let summary = area.summary { lines.append("   \(summary)") }
    }
    if let tips = itinerary.generalTips, !tips.isEmpty {
      lines.append("")
      for tip in tips { lines.append(" • \(tip)") }
    }
    return lines
  }
}
