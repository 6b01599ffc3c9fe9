// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

/// The schemas of the types in `AppSources`, in every dialect, as files in `Golden` that a person
/// can read. To write them anew, run with `ESPALIER_RECORD=1` and read the difference.
@Suite struct GoldenSchemaTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let schema: GenerationSchema
    let dialect: SchemaDialect
    let file: String
    var testDescription: String { file }
  }

  private static let types: [any Generable.Type] = [
    Itinerary.self, PlaceSearch.self, RenamedNote.self, Weather.self, TreeNode.self, Rating.self,
    Origami.self, Encounter.self, Expression.self, Collision.self, Booking.self, Empty.self,
    Page<Rating>.self,
  ]

  private static let lenientlyStrict = SchemaDialect.strict.leavingOutUnsupportedConstraints()

  private static let dialects: [(SchemaDialect, String)] = [
    (.foundationModels, "foundationModels"), (.draft2020, "draft2020"), (.draft7, "draft7"),
    (lenientlyStrict, "strict"),
  ]

  static let examples = types.flatMap { type -> [Example] in
    // The strict subset has no dictionaries, and no roots that are not objects.
    let isStrict = (try? type.generationSchema.jsonSchema(dialect: lenientlyStrict)) != nil
    return dialects.filter { isStrict || $0.0 != lenientlyStrict }.map { dialect, name in
      let schema = type.generationSchema
      return Example(schema: schema, dialect: dialect, file: "\(schema.name).\(name).json")
    }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  @Test func everyTypeHasExamples() {
    #expect(Self.examples.count > 3 * Self.types.count)
    #expect(Self.examples.filter { $0.dialect == Self.lenientlyStrict }.count >= 6)
  }

  @Test(arguments: examples)
  func schema(example: Example) throws {
    let text = try example.schema.jsonSchema(dialect: example.dialect)
    let golden = Self.folder.appending(path: example.file)
    if ProcessInfo.processInfo.environment["ESPALIER_RECORD"] != nil {
      try Self.indented(GeneratedContent(json: text)).write(
        to: golden, atomically: true, encoding: .utf8)
    }
    let expected = try GeneratedContent(json: String(contentsOf: golden, encoding: .utf8))
    #expect(text == expected.jsonString)
  }

  @Test(arguments: examples.filter { $0.dialect == .foundationModels })
  func codable(example: Example) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(example.schema)
    let decoded = try JSONDecoder().decode(GenerationSchema.self, from: data)
    #expect(try encoder.encode(decoded) == data)
    #expect(decoded.name == example.schema.name || example.schema.root["title"] == nil)
    if example.schema.root["title"] != nil { #expect(decoded == example.schema) }
  }

  @Test(arguments: examples.filter { $0.dialect == .draft2020 })
  func importGivesTheSameSchema(example: Example) throws {
    let text = try example.schema.jsonSchema()
    #expect(try GenerationSchema(jsonSchema: text).jsonSchema() == text)
    let draft7 = try example.schema.jsonSchema(dialect: .draft7)
    #expect(try GenerationSchema(jsonSchema: draft7).jsonSchema(dialect: .draft7) == draft7)
  }

  private static func indented(_ content: GeneratedContent, by indent: String = "") -> String {
    let inner = indent + "  "
    let end = indent.isEmpty ? "\n" : ""
    switch content.kind {
    case .structure(let properties, let keys) where !keys.isEmpty:
      let members = keys.map { key in
        "\(inner)\(key.generatedContent.jsonString): "
          + (properties[key].map { indented($0, by: inner) } ?? "")
      }
      return "{\n\(members.joined(separator: ",\n"))\n\(indent)}" + end
    case .array(let elements) where elements.contains { !$0.isScalar }:
      return "[\n" + elements.map { inner + indented($0, by: inner) }.joined(separator: ",\n")
        + "\n\(indent)]" + end
    case .array(let elements):
      return "[" + elements.map(\.jsonString).joined(separator: ", ") + "]" + end
    default: return content.jsonString + end
    }
  }
}

extension GeneratedContent {
  fileprivate var isScalar: Bool {
    switch kind {
    case .array, .structure: false
    default: true
    }
  }
}
