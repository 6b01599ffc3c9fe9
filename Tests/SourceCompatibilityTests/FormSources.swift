// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// A form whose fields the user defines.
struct FormField {
  enum Kind {
    case text, number
    case choice([String])
    case list
    case group([FormField])
  }
  var name: String
  var help: String?
  var kind: Kind
  var isRequired = true
}
func formSchema(_ name: String, _ fields: [FormField]) throws -> GenerationSchema {
  var dependencies: [DynamicGenerationSchema] = []
  func schema(_ field: FormField) -> DynamicGenerationSchema {
    switch field.kind {
    case .text: return DynamicGenerationSchema(type: String.self)
    case .number: return DynamicGenerationSchema(type: Int.self, guides: [.range(0...100)])
    case .choice(let choices): return DynamicGenerationSchema(name: field.name, anyOf: choices)
    case .list:
      return DynamicGenerationSchema(
        arrayOf: DynamicGenerationSchema(type: String.self), minimumElements: 1, maximumElements: 3)
    case .group(let fields):
      dependencies.append(
        DynamicGenerationSchema(name: field.name, properties: fields.map(property)))
      return DynamicGenerationSchema(referenceTo: field.name)
    }
  }
  func property(_ field: FormField) -> DynamicGenerationSchema.Property {
    .init(
      name: field.name, description: field.help, schema: schema(field),
      isOptional: !field.isRequired)
  }
  let root = DynamicGenerationSchema(
    name: name, description: "A form", properties: fields.map(property))
  do {
    return try GenerationSchema(root: root, dependencies: dependencies)
  } catch let error as GenerationSchema.SchemaError {
    switch error {
    case .duplicateType(_, let type, _): print(type)
    case .duplicateProperty(_, let property, _): print(property)
    case .emptyTypeChoices(_, let context): print(context.debugDescription)
    case .undefinedReferences(_, let references, _): print(references)
    }
    throw error
  }
}
func filled(_ content: GeneratedContent) throws -> [String: String] {
  guard case .structure(let properties, let keys) = content.kind else { return [:] }
  return Dictionary(
    uniqueKeysWithValues: keys.map { key in
      let text =
        switch properties[key]?.kind {
        case .string(let string): string
        case .number(let number): "\(number)"
        case .bool(let bool): "\(bool)"
        case .array(let elements): elements.map(\.jsonString).joined(separator: ",")
        case .structure: properties[key]?.jsonString ?? ""
        case .null, nil: ""
        }
      return (key, text)
    })
}

// A conformance written by hand.
struct Temperature: Generable, Equatable {
  var celsius: Double
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Temperature.self, description: "A temperature",
      properties: [
        GenerationSchema.Property(
          name: "celsius", description: "In degrees", type: Double.self,
          guides: [.range(-90...60)])
      ])
  }
  init(celsius: Double) { self.celsius = celsius }
  init(_ content: GeneratedContent) throws {
    celsius = try content.value(Double.self, forProperty: "celsius")
  }
  var generatedContent: GeneratedContent { GeneratedContent(properties: ["celsius": celsius]) }
}
