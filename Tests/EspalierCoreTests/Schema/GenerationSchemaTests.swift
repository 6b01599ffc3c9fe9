import EspalierCore
import Testing

struct Person: Generable {
  var age: Int?
  var children: [Person]
  var name: String

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(
          name: "age", description: "The person's age", type: Int?.self, guides: [.range(18...100)]),
        .init(
          name: "children", description: "The person's children", type: [Person].self,
          guides: [.maximumCount(3)]),
        .init(name: "name", description: "The person's name", type: String.self),
      ])
  }

  init(_ content: GeneratedContent) throws {
    age = try content.value(forProperty: "age")
    children = try content.value(forProperty: "children")
    name = try content.value(forProperty: "name")
  }

  var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["age": age, "children": children, "name": name])
  }
}

@Suite struct GenerationSchemaTests {
  @Test func structure() throws {
    #expect(
      try Person.generationSchema.jsonSchema(dialect: .foundationModels)
        == ##"{"title":"Person","type":"object","properties":{"age":{"description":"The person's age","type":"integer","minimum":18,"maximum":100},"children":{"description":"The person's children","type":"array","items":{"$ref":"#"},"maxItems":3},"name":{"description":"The person's name","type":"string"}},"x-order":["age","children","name"],"required":["children","name"],"additionalProperties":false}"##
    )
  }
}
