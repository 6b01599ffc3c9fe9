// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Schemas, contents and prompts as apps make them at run time.

func dinnerSchema(soups: [String], isVegetarian: Bool) throws -> GenerationSchema {
  let menuSchema = DynamicGenerationSchema(
    name: "Menu",
    description: "The menu of the day",
    properties: [
      DynamicGenerationSchema.Property(
        name: "dailySoup",
        schema: DynamicGenerationSchema(name: "dailySoup", anyOf: soups)),
      .init(
        name: "price", description: "In euros",
        schema: .init(type: Double.self, guides: [.minimum(3), .maximum(20)])),
      .init(
        name: "sides",
        schema: DynamicGenerationSchema(
          arrayOf: DynamicGenerationSchema(type: String.self), minimumElements: 0,
          maximumElements: 3),
        isOptional: true),
      .init(name: "guest", schema: .init(referenceTo: "Guest")),
    ])
  let guest = DynamicGenerationSchema(
    name: "Guest", anyOf: [.init(type: String.self), .init(type: Activity.Kind.self)])
  return try GenerationSchema(root: menuSchema, dependencies: [guest])
}

func describe(_ content: GeneratedContent) throws -> String {
  let soup = try content.value(String.self, forProperty: "dailySoup")
  let price: Double = try content.value(forProperty: "price")
  let sides: [String]? = try content.value(forProperty: "sides")
  switch content.kind {
  case .structure(let properties, let orderedKeys):
    return "\(soup) \(price) \(sides?.count ?? 0) \(properties.count) \(orderedKeys.count)"
  case .array(let elements): return "\(elements.count)"
  case .null, .bool, .number, .string: return content.jsonString
  }
}

/// A conformance written by hand.
struct Temperature: Generable {
  var degrees: Double

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Temperature.self, description: "A temperature",
      properties: [
        GenerationSchema.Property(
          name: "degrees", description: "In Celsius", type: Double.self, guides: [.range(-90...60)]
        ),
        GenerationSchema.Property(name: "station", type: String?.self, guides: [/[A-Z]{4}/]),
      ])
  }

  init(_ content: GeneratedContent) throws {
    degrees = try content.value(forProperty: "degrees")
  }

  var generatedContent: GeneratedContent { GeneratedContent(properties: ["degrees": degrees]) }
}

func prompts(for itinerary: Itinerary, notes: [String], isBrief: Bool) -> (Prompt, Instructions) {
  let prompt = Prompt {
    "Generate a 3-day itinerary to \(itinerary.destinationName)."
    if isBrief {
      "Be brief."
    }
    for note in notes {
      note
    }
    "Here is an example, but don't copy it:"
    itinerary
  }
  let instructions = Instructions {
    "Your job is to create an itinerary for the person."
    """
    Each day needs an activity.
    """
    itinerary.days
  }
  return (prompt, instructions)
}

/// A type that is only read from content.
struct Distance: ConvertibleFromGeneratedContent {
  var kilometres: Int
  init(_ content: GeneratedContent) throws {
    kilometres = try content.value(Int.self)
  }
}
