// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

@Suite struct DynamicGenerationSchemaTests {
  private let text = DynamicGenerationSchema(type: String.self)

  @Test func partsBecomeDefinitions() throws {
    let dish = DynamicGenerationSchema(
      name: "Dish", description: "A dish",
      properties: [
        .init(name: "name", description: "Its name", schema: text),
        .init(
          name: "course",
          schema: DynamicGenerationSchema(name: "Course", anyOf: ["starter", "main"]),
          isOptional: true),
        .init(name: "sides", schema: DynamicGenerationSchema(referenceTo: "Side")),
      ])
    let side = DynamicGenerationSchema(
      name: "Side", anyOf: [text, DynamicGenerationSchema(referenceTo: "Menu"), .null])
    let menu = DynamicGenerationSchema(
      name: "Menu",
      properties: [
        .init(
          name: "dishes",
          schema: DynamicGenerationSchema(arrayOf: dish, minimumElements: 1, maximumElements: 9)),
        .init(name: "best", description: "The best", schema: dish),
        .init(
          name: "stars", schema: DynamicGenerationSchema(type: Int.self, guides: [.range(1...5)])),
      ])
    let schema = try GenerationSchema(root: menu, dependencies: [side])
    #expect(schema.name == "Menu")
    #expect(
      try schema.jsonSchema()
        == ##"{"title":"Menu","type":"object","properties":{"dishes":{"type":"array","##
        + ##""items":{"$ref":"#/$defs/Dish"},"minItems":1,"maxItems":9},"##
        + ##""best":{"description":"The best","$ref":"#/$defs/Dish"},"##
        + ##""stars":{"type":"integer","minimum":1,"maximum":5}},"##
        + ##""required":["dishes","best","stars"],"additionalProperties":false,"$defs":{"##
        + ##""Dish":{"title":"Dish","description":"A dish","type":"object","properties":{"##
        + ##""name":{"description":"Its name","type":"string"},"##
        + ##""course":{"type":"string","enum":["starter","main"]},"##
        + ##""sides":{"$ref":"#/$defs/Side"}},"required":["name","sides"],"##
        + ##""additionalProperties":false},"##
        + ##""Side":{"title":"Side","anyOf":[{"type":"string"},{"$ref":"#"},{"type":"null"}]}}}"##)
  }

  @Test func aWholeSchemaAsAPart() throws {
    let inner = try GenerationSchema(
      jsonSchema: ##"{"title":"Node","type":"object","properties":{"next":{"$ref":"#"}}}"##)
    let envelope = DynamicGenerationSchema(
      name: "Envelope",
      properties: [.init(name: "arguments", schema: DynamicGenerationSchema(inner))])
    #expect(
      try GenerationSchema(root: envelope, dependencies: []).jsonSchema()
        == ##"{"title":"Envelope","type":"object","properties":{"##
        + ##""arguments":{"$ref":"#/$defs/Node"}},"required":["arguments"],"##
        + ##""additionalProperties":false,"$defs":{"Node":{"title":"Node","type":"object","##
        + ##""properties":{"next":{"$ref":"#/$defs/Node"}}}}}"##)
  }

  @Test func duplicateTypes() {
    let first = DynamicGenerationSchema(name: "A", properties: [.init(name: "x", schema: text)])
    let second = DynamicGenerationSchema(name: "A", properties: [.init(name: "y", schema: text)])
    let root = DynamicGenerationSchema(
      name: "Root",
      properties: [.init(name: "a", schema: first), .init(name: "b", schema: second)])
    #expect(throws: GenerationSchema.SchemaError.self) {
      try GenerationSchema(root: root, dependencies: [])
    }
    do {
      _ = try GenerationSchema(root: first, dependencies: [second])
      Issue.record("no error")
    } catch GenerationSchema.SchemaError.duplicateType(let schema, let type, let context) {
      #expect(schema == "A" && type == "A")
      #expect(context.debugDescription == "There are two schemas named 'A'.")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func duplicateProperties() {
    let root = DynamicGenerationSchema(
      name: "A", properties: [.init(name: "x", schema: text), .init(name: "x", schema: text)])
    do {
      _ = try GenerationSchema(root: root, dependencies: [])
      Issue.record("no error")
    } catch GenerationSchema.SchemaError.duplicateProperty(let schema, let property, _) {
      #expect(schema == "A" && property == "x")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func emptyChoices() {
    for root in [
      DynamicGenerationSchema(name: "A", anyOf: [String]()),
      DynamicGenerationSchema(name: "A", anyOf: [DynamicGenerationSchema]()),
    ] {
      do {
        _ = try GenerationSchema(root: root, dependencies: [])
        Issue.record("no error")
      } catch GenerationSchema.SchemaError.emptyTypeChoices(let schema, _) {
        #expect(schema == "A")
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test func undefinedReferences() {
    let root = DynamicGenerationSchema(
      name: "A",
      properties: [
        .init(name: "x", schema: DynamicGenerationSchema(referenceTo: "B")),
        .init(name: "y", schema: DynamicGenerationSchema(referenceTo: "C")),
      ])
    do {
      _ = try GenerationSchema(root: root, dependencies: [])
      Issue.record("no error")
    } catch let error as GenerationSchema.SchemaError {
      guard case .undefinedReferences(let schema, let references, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(schema == "A" && references == ["B", "C"])
      #expect(error.recoverySuggestion == "Add schemas named 'B', 'C' to the dependencies.")
    } catch {
      Issue.record("\(error)")
    }
  }
}

/// A schema put into another keeps what it refers to.
@Suite struct EnvelopeTests {
  @Test func aTypeThatContainsItselfInsideAnEnvelope() async throws {
    let envelope = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Envelope",
        properties: [
          .init(name: "tool", schema: .init(type: String.self, guides: [.constant("add")])),
          .init(name: "arguments", schema: .init(type: Person.self)),
        ]),
      dependencies: [])
    let whole =
      #"{"tool":"add","arguments":{"children":[{"children":[],"name":"B","age":18}],"name":"A"}}"#
    let model = ScriptedLanguageModel([
      .text(whole), .text(whole.replacing("18", with: "17")),
    ])
    let session = LanguageModelSession(model: model)
    #expect(try await session.respond(to: "Add", schema: envelope).content.jsonString == whole)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Add", schema: envelope)
    }
    #expect(error?.location == "/arguments/children/0/age")
  }
}
