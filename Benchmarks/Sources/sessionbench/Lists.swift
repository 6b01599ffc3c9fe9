// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A type of one property, a list of texts, as the macro would write it.
struct Texts: Generable {
  var items: [String]

  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Self.self, properties: [.init(name: "items", type: [String].self)])
  }

  init(_ content: GeneratedContent) throws { items = try content.value(forProperty: "items") }

  var generatedContent: GeneratedContent { GeneratedContent(properties: ["items": items]) }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    var items: [String]?

    init(_ content: GeneratedContent) throws { items = try content.value(forProperty: "items") }
  }

  /// JSON of the type, each text in four pieces.
  static func pieces(count: Int) -> [String] {
    var pieces = ["{\"items\":["]
    for index in 0..<count { pieces += ["\(index == 0 ? "" : ",")\"", " word", " word", "\""] }
    return pieces + ["]}"]
  }
}

/// A type with a list of values that have lists.
struct Journey: Generable {
  var days: [Day]

  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Self.self, properties: [.init(name: "days", type: [Day].self)])
  }

  init(_ content: GeneratedContent) throws { days = try content.value(forProperty: "days") }

  var generatedContent: GeneratedContent { GeneratedContent(properties: ["days": days]) }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    var days: [Day.PartiallyGenerated]?

    init(_ content: GeneratedContent) throws { days = try content.value(forProperty: "days") }
  }

  /// JSON of the type, each day with four activities, cut before every word.
  static func pieces(dayCount: Int) -> [String] {
    let text = [" word", " word", " word"]
    var pieces = ["{\"days\":["]
    for day in 0..<dayCount {
      pieces += ["\(day == 0 ? "" : ",")", "{\"number\":\(day)", ",\"theme\":\""] + text
      pieces += ["\",", "\"activities\":["]
      for activity in 0..<4 {
        pieces += ["\(activity == 0 ? "" : ",")", "{\"title\":\""] + text
        pieces += ["\",\"note\":\""] + text + ["\"}"]
      }
      pieces += ["]", "}"]
    }
    return pieces + ["]}"]
  }
}

/// A value in a list, as the macro would write it.
struct Day: Generable {
  var number: Int
  var theme: String
  var activities: [Activity]

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(name: "number", type: Int.self), .init(name: "theme", type: String.self),
        .init(name: "activities", type: [Activity].self),
      ])
  }

  init(_ content: GeneratedContent) throws {
    number = try content.value(forProperty: "number")
    theme = try content.value(forProperty: "theme")
    activities = try content.value(forProperty: "activities")
  }

  var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["number": number, "theme": theme, "activities": activities])
  }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent, Identifiable {
    var id: GenerationID
    var number: Int?
    var theme: String?
    var activities: [Activity.PartiallyGenerated]?

    init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      number = try content.value(forProperty: "number")
      theme = try content.value(forProperty: "theme")
      activities = try content.value(forProperty: "activities")
    }
  }
}

/// A value in a list of a value in a list.
struct Activity: Generable {
  var title: String
  var note: String

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(name: "title", type: String.self), .init(name: "note", type: String.self),
      ])
  }

  init(_ content: GeneratedContent) throws {
    title = try content.value(forProperty: "title")
    note = try content.value(forProperty: "note")
  }

  var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["title": title, "note": note])
  }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent, Identifiable {
    var id: GenerationID
    var title: String?
    var note: String?

    init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      title = try content.value(forProperty: "title")
      note = try content.value(forProperty: "note")
    }
  }
}
