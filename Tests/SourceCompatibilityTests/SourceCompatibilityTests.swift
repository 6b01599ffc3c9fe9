// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

/// The sources of this target compile as apps write them; here their types are generated, read,
/// written again, and their schemas sent through `Codable`.
@Suite struct SourceCompatibilityTests {
  static let types: [any Generable.Type] = [
    Sketch.self, GuidedSketch.self, Renamed.self, Described.self, Landmarks.self, Guided.self,
    RunTimeGuides.self, Rank.self, Plain.self, IntRaw.self, Payload.self, Tree.self,
    MarkedTree.self, Family.self, PersonA.self, WithID.self, WithUUIDID.self, Published.self,
    Generic<Int>.self, GenericPair<Int, Sketch>.self, GenericEnum<Family>.self, OuterA.self,
    UsesBoth.self, Namespace.InExtension.self, ConditionalMembers.self, Nothing.self,
    SpelledTypes.self, [Sketch].self, Bool.self, Int.self, String.self, Double.self, Decimal.self,
    Float.self, TripItinerary.self, CafeEncounter.self, PublishedEntry.self, DefaultValues.self,
    ManyGuides.self, ListsOfChoices.self, TagResult.self, NestedArgs.Arguments.self, Photo.self,
  ]

  @Test(arguments: types.indices)
  func generatedReadAndWritten(index: Int) async throws {
    try await check(Self.types[index])
  }

  private func check<Value: Generable>(_ type: Value.Type) async throws {
    for seed in UInt64(0)..<3 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let stream = session.streamResponse(to: "One", generating: Value.self)
      var snapshotCount = 0
      for try await _ in stream { snapshotCount += 1 }
      #expect(snapshotCount > 0, "seed \(seed)")
      let response = try await stream.collect()
      let json = response.rawContent.jsonString
      #expect(response.content.generatedContent.jsonString == json, "seed \(seed)")
      #expect(try Value(GeneratedContent(json: json)).generatedContent.jsonString == json)
      // The schema survives being saved, and what it lets through is a value of the type.
      let saved = try JSONEncoder().encode(Value.generationSchema)
      let schema = try JSONDecoder().decode(GenerationSchema.self, from: saved)
      let read = try JSONSerialization.jsonObject(with: saved) as? NSDictionary
      let again =
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(schema)) as? NSDictionary
      #expect(read == again)
      let content = try await LanguageModelSession(model: SamplingLanguageModel(seed: seed))
        .respond(to: "One", schema: schema).content
      #expect(throws: Never.self, "\(content.jsonString)") { try Value(content) }
    }
  }

  @Test func nilIsSaidWhereItIsAskedFor() throws {
    #expect(ExplicitNilAlone(b: nil).generatedContent.jsonString == #"{"b":null}"#)
    #expect(Sketch(a: 1, b: nil).generatedContent.jsonString == #"{"a":1}"#)
    #expect(try ExplicitNilAlone(GeneratedContent(json: #"{"b":null}"#)).b == nil)
  }

  @Test func membersThatAreNotGenerated() throws {
    let content = try GeneratedContent(json: JSONText.schema(of: Landmarks.self))
    let properties = try content.value([String].self, forProperty: "x-order")
    #expect(
      properties == [
        "n", "a", "b", "c", "d", "e", "f", "default", "class", "observed", "priv", "hidden", "fp",
      ])
  }

  @Test func guidesMayNameTheirTypes() throws {
    let content = try GeneratedContent(json: JSONText.schema(of: Guided.self))
    let properties = try content.value(GeneratedContent.self, forProperty: "properties")
    let first = try properties.value(GeneratedContent.self, forProperty: "typed")
    #expect(try first.value(Int.self, forProperty: "minItems") == 2)
    let second = try properties.value(GeneratedContent.self, forProperty: "typed2")
    #expect(try second.value(Int.self, forProperty: "maxItems") == 5)
    let items = try second.value(GeneratedContent.self, forProperty: "items")
    #expect(try items.value([String].self, forProperty: "enum") == ["x", "y"])
  }

  /// Apps parse it, or give it to a library that takes a JSON Schema.
  @Test func debugDescriptionOfASchemaIsItsJSON() throws {
    for type in Self.types {
      let described = Data(type.generationSchema.debugDescription.utf8)
      let saved = try JSONEncoder().encode(type.generationSchema)
      #expect(
        try JSONSerialization.jsonObject(with: described) as? NSDictionary
          == JSONSerialization.jsonObject(with: saved) as? NSDictionary)
    }
  }

  @Test func toolsAreNamedAfterTheirTypes() {
    #expect(Sync().name == "Sync")
    #expect(GetWeather().name == "getWeather")
    #expect(Transcript.ToolDefinition(tool: Sync()).parameters.name == "Arguments")
  }

  @Test func sessionPropertiesByMacro() async throws {
    let model = ScriptedLanguageModel([
      .toolCall("u", arguments: #"{"a":1}"#), .text("Done."),
    ])
    let session = LanguageModelSession(model: model, tools: [UnitTool()])
    #expect(session.properties.city == "Rome")
    #expect(session.properties.visits == 0)
    #expect(session.properties.note == nil)
    session.properties.units = "imperial"
    session.properties.note = "Rain"
    _ = try await session.respond(to: "Which units?")
    // The tool read one value of the session and set another.
    let outputs = session.transcript.compactMap { entry in
      if case .toolOutput(let output) = entry { output.description } else { nil }
    }
    #expect(outputs == ["imperial"])
    #expect(session.properties.city == "Milan")
    #expect(session.properties.note == "Rain")
  }

  @Test func adaptersAreNotThere() async throws {
    #expect(throws: SystemLanguageModel.Adapter.AssetError.self) {
      try SystemLanguageModel.Adapter(name: "stories")
    }
    #expect(throws: SystemLanguageModel.Adapter.AssetError.self) {
      try SystemLanguageModel.Adapter(fileURL: URL(filePath: "/stories.fmadapter"))
    }
    #expect(SystemLanguageModel.Adapter.compatibleAdapterIdentifiers(name: "stories").isEmpty)
  }

  @Test func theVersionOfTheModuleTellsTheGenerations() {
    #if canImport(Espalier, _version: 2) && !canImport(Espalier, _version: 3)
      let isSecond = true
    #else
      let isSecond = false
    #endif
    #expect(isSecond)
  }
}

private enum JSONText {
  static func schema(of type: any Generable.Type) throws -> String {
    String(decoding: try JSONEncoder().encode(type.generationSchema), as: UTF8.self)
  }
}
