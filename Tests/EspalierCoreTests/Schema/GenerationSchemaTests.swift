// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import RegexBuilder
import Testing

@Suite struct GenerationSchemaTests {
  private struct Person: Generable {
    static var generationSchema: GenerationSchema {
      GenerationSchema(
        type: Self.self,
        properties: [
          .init(
            name: "age", description: "The person's age", type: Int?.self,
            guides: [.range(18...100)]),
          .init(
            name: "children", description: "The person's children", type: [Person].self,
            guides: [.maximumCount(3)]),
          .init(name: "name", description: "The person's name", type: String.self),
        ])
    }

    init(_ content: GeneratedContent) throws {}
    var generatedContent: GeneratedContent { GeneratedContent(properties: [:]) }
  }

  /// A type that contains itself, and whose schema has no title.
  private struct Nest: Generable {
    static var generationSchema: GenerationSchema { [Nest].generationSchema }
    init(_ content: GeneratedContent) throws {}
    var generatedContent: GeneratedContent { GeneratedContent(properties: [:]) }
  }

  @Test func theDialectOfFoundationModels() throws {
    #expect(
      try Person.generationSchema.jsonSchema(dialect: .foundationModels)
        == ##"{"title":"Person","type":"object","properties":{"##
        + ##""age":{"description":"The person's age","type":"integer","minimum":18,"maximum":100},"##
        + ##""children":{"description":"The person's children","type":"array","##
        + ##""items":{"$ref":"#"},"maxItems":3},"##
        + ##""name":{"description":"The person's name","type":"string"}},"##
        + ##""x-order":["age","children","name"],"required":["children","name"],"##
        + ##""additionalProperties":false}"##)
  }

  @Test func aTypeWithinAnArray() throws {
    let text = try [Person].generationSchema.jsonSchema()
    #expect(text.hasPrefix(##"{"type":"array","items":{"$ref":"#/$defs/Person"},"$defs":"##))
    #expect(text.contains(##""items":{"$ref":"#/$defs/Person"},"maxItems":3"##))
  }

  @Test func recursionWithoutATitle() throws {
    let schema = GenerationSchema(
      type: Person.self, properties: [.init(name: "nest", type: Nest.self)])
    #expect(try schema.jsonSchema().contains(##""$defs":{"Nest""##))
    #expect(try schema.jsonSchema().utf8.count < 400)
  }

  @Test func everyGuideReachesTheSchema() throws {
    func property<Value: Generable>(
      _ type: Value.Type, _ guides: [GenerationGuide<Value>]
    ) throws -> String {
      let schema = GenerationSchema(
        type: Person.self, properties: [.init(name: "x", type: type, guides: guides)])
      let content = try GeneratedContent(json: schema.jsonSchema())
      return try content.value(GeneratedContent.self, forProperty: "properties")
        .value(GeneratedContent.self, forProperty: "x").jsonString
    }
    #expect(try property(String.self, [.constant("a")]) == #"{"type":"string","const":"a"}"#)
    #expect(
      try property(String.self, [.anyOf(["a", "b"])]) == #"{"type":"string","enum":["a","b"]}"#)
    #expect(
      try property(String.self, [.anyOf(["a", "b"]), .anyOf(["b", "c"])])
        == #"{"type":"string","enum":["b"]}"#)
    #expect(
      try property(String.self, [.pattern(/a+|b/)])
        == #"{"type":"string","pattern":"^(?:a+|b)$"}"#)
    #expect(
      try property(String.self, [.pattern("[0-9]+")])
        == #"{"type":"string","pattern":"^(?:[0-9]+)$"}"#)
    #expect(
      try property(String.self, [.length(2...5), .format(.email)])
        == #"{"type":"string","minLength":2,"maxLength":5,"format":"email"}"#)
    #expect(
      try property(Int.self, [.minimum(3), .maximum(9), .range(1...7)])
        == #"{"type":"integer","minimum":3,"maximum":7}"#)
    #expect(
      try property(Double.self, [.exclusiveMinimum(0), .exclusiveMaximum(1.5), .multiple(of: 0.5)])
        == #"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5,"multipleOf":0.5}"#)
    #expect(
      try property(UInt8.self, [.maximum(9)]) == #"{"type":"integer","minimum":0,"maximum":9}"#)
    #expect(
      try property(Int64.self, [.minimum(.max - 1), .minimum(.max)])
        == #"{"type":"integer","minimum":9223372036854775807,"maximum":9223372036854775807}"#)
    #expect(
      try property([Int].self, [.count(2), .uniqueElements(), .element(.range(1...3))])
        == #"{"type":"array","items":{"type":"integer","minimum":1,"maximum":3},"minItems":2,"maxItems":2,"uniqueItems":true}"#
    )
    #expect(
      try property([[String]].self, [.minimumCount(1), .element(.element(.anyOf(["a"])))])
        == #"{"type":"array","items":{"type":"array","items":{"type":"string","enum":["a"]}},"minItems":1}"#
    )
    #expect(
      try property([String: Int].self, [.maximumCount(4), .element(.minimum(0))])
        == #"{"type":"object","additionalProperties":{"type":"integer","minimum":0},"maxProperties":4}"#
    )
  }

  @Test func guidesOfAReferencedElement() throws {
    let schema = GenerationSchema(
      type: Nest.self, properties: [.init(name: "people", type: [Person].self, guides: [.count(2)])]
    )
    #expect(try schema.jsonSchema().contains(#""minItems":2,"maxItems":2"#))
  }

  @Test func regularExpressionsOfABuilder() throws {
    let regex = Regex {
      OneOrMore(.digit)
      "-"
    }
    let schema = GenerationSchema(
      type: Person.self, properties: [.init(name: "x", type: String.self, guides: [regex])])
    // What cannot be written down is an error, not a guide without effect.
    do {
      #expect(try schema.jsonSchema().contains("pattern"))
    } catch {
      #expect(error.problem.contains("regular expression"))
    }
  }

  @Test func strictSubset() throws {
    let schema = GenerationSchema(
      type: Person.self,
      properties: [
        .init(name: "a", type: String?.self, guides: [.anyOf(["x"]), .maximumLength(4)]),
        .init(name: "b", type: Person?.self),
        .init(name: "c", type: Set<Int>.self),
      ])
    let error = #expect(throws: SchemaConversionError.self) {
      try schema.jsonSchema(dialect: .strict)
    }
    #expect(error?.location == "/properties/c/uniqueItems")
    #expect(
      try schema.unsupportedConstraints(in: .strict).map(\.location)
        == ["/properties/c/uniqueItems"])
    #expect(
      try schema.jsonSchema(dialect: .strict.leavingOutUnsupportedConstraints())
        .contains(#""a":{"type":["string","null"],"enum":["x",null],"pattern":"^[\\s\\S]{0,4}$"}"#))
    #expect(
      try Int.generationSchema.unsupportedConstraints(in: .strict).map(\.problem)
        == ["The root is not an object."])
  }

  /// What an optional member becomes, and what is lost on the way.
  @Test(arguments: [
    (#"{"type":["string","null"]}"#, #"{"type":["string","null"]}"#, false),
    (
      #"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
      #"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, false
    ),
    (#"{"enum":["x",null]}"#, #"{"type":["string","null"],"enum":["x",null]}"#, false),
    (##"{"$ref":"#/$defs/n"}"##, ##"{"$ref":"#/$defs/n"}"##, false),
    (
      ##"{"allOf":[{"$ref":"#/$defs/m"}]}"##,
      ##"{"anyOf":[{"$ref":"#/$defs/m"},{"type":"null"}]}"##, false
    ),
    (
      #"{"oneOf":[{"const":1},{"type":"string"}]}"#,
      #"{"anyOf":[{"type":"integer","const":1},{"type":"string"},{"type":"null"}]}"#, false
    ),
    (
      #"{"oneOf":[{"type":"integer"},{"type":"number","minimum":2}]}"#,
      #"{"anyOf":[{"type":"integer"},{"type":"number","minimum":2},{"type":"null"}]}"#, true
    ),
  ])
  func strictMembers(member: String, written: String, isLossy: Bool) throws {
    let schema = try GenerationSchema(
      jsonSchema: ##"{"type":"object","properties":{"a":\##(member)},"$defs":{"##
        + ##""n":{"type":["integer","null"]},"m":{"type":"integer"}}}"##)
    let text = try schema.jsonSchema(dialect: .strict.leavingOutUnsupportedConstraints())
    #expect(text.contains("\"a\":\(written)},\"required\":[\"a\"]"), "\(text)")
    #expect(try schema.unsupportedConstraints(in: .strict).isEmpty != isLossy)
  }

  @Test(arguments: [("x", "y", true), ("x", "x", false)])
  func branchesWithADiscriminatorExcludeEachOther(first: String, second: String, isExact: Bool)
    throws
  {
    func branch(_ kind: String) -> String {
      #"{"type":"object","properties":{"kind":{"const":"\#(kind)"}},"required":["kind"]}"#
    }
    let schema = try GenerationSchema(
      jsonSchema: #"{"type":"object","properties":{"a":{"oneOf":[\#(branch(first)),"#
        + #"\#(branch(second))]}},"required":["a"]}"#)
    let losses = try schema.unsupportedConstraints(in: .strict)
    #expect(losses.map(\.location) == (isExact ? [] : ["/properties/a/oneOf"]))
  }

  @Test func whatHasNoTypeIsNotStrict() throws {
    let schema = try GenerationSchema(
      jsonSchema: #"{"type":"object","properties":{"a":{"description":"anything"}}}"#)
    let error = #expect(throws: SchemaConversionError.self) {
      try schema.jsonSchema(dialect: .strict.leavingOutUnsupportedConstraints())
    }
    #expect(error?.location == "/properties/a")
  }

  @Test func aSchemaWithAnotherNameIsWrittenAnew() throws {
    let place = DynamicGenerationSchema(
      name: "Place",
      properties: [.init(name: "name", schema: DynamicGenerationSchema(type: String.self))])
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Day", properties: [.init(name: "place", schema: place)]), dependencies: [])
    let text = try schema.jsonSchema()
    #expect(text.contains(##""$ref":"#/$defs/Place""##))
    var renamed = schema
    renamed.name = "Place"
    // The root has the name now, so the definition needs another.
    #expect(try renamed.jsonSchema().contains(##""$ref":"#/$defs/Place_Place""##))
    #expect(try schema.jsonSchema() == text)
  }

  @Test func equality() {
    #expect(Person.generationSchema == Person.generationSchema)
    #expect(Person.generationSchema != Int.generationSchema)
  }
}
