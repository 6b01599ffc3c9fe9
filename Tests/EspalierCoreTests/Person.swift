// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A type that contains itself, as `@Generable` would write it.
struct Person: Generable {
  var age: Int?
  var children: [Person]
  var name: String

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(name: "age", type: Int?.self, guides: [.range(18...100)]),
        .init(name: "children", type: [Person].self, guides: [.maximumCount(3)]),
        .init(name: "name", type: String.self),
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
