// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

/// Guides with numbers that JSON Schema has no place for.
@Suite struct UnusableGuideTests {
  private func dynamic<Value: Generable>(
    _ guides: GenerationGuide<Value>...
  ) throws -> GenerationSchema {
    let property = DynamicGenerationSchema.Property(
      name: "a/b", schema: DynamicGenerationSchema(type: Value.self, guides: guides))
    return try GenerationSchema(
      root: DynamicGenerationSchema(name: "Root", properties: [property]), dependencies: [])
  }

  private func error<Value: Generable>(
    of guide: GenerationGuide<Value>
  ) throws -> SchemaConversionError {
    let error = #expect(throws: SchemaConversionError.self) { try dynamic(guide) }
    return try #require(error)
  }

  @Test func infiniteBoundsThatHoldForEveryNumberAreLeftOut() throws {
    #expect(
      try dynamic(GenerationGuide<Double>.range(1.5...(.infinity))).jsonSchema()
        == dynamic(GenerationGuide<Double>.minimum(1.5)).jsonSchema())
    #expect(
      try dynamic(GenerationGuide<Float>.range(-.infinity...2)).jsonSchema()
        == dynamic(GenerationGuide<Float>.maximum(2)).jsonSchema())
    #expect(
      try dynamic(GenerationGuide<Double>.exclusiveMaximum(.infinity)).jsonSchema()
        == dynamic(GenerationGuide<Double>.exclusiveMinimum(-.infinity)).jsonSchema())
  }

  @Test func numbersThatNoBoundCanBeAreRefused() throws {
    for guide in [
      GenerationGuide<Double>.minimum(.nan), .minimum(.infinity), .exclusiveMinimum(.nan),
      .maximum(-.infinity), .exclusiveMaximum(.nan), .multiple(of: 0), .multiple(of: -2),
      .multiple(of: .nan), .multiple(of: .infinity),
    ] {
      #expect(try error(of: guide).location == "/properties/a~1b")
    }
    #expect(try error(of: GenerationGuide<Float>.minimum(.nan)).problem.hasSuffix("to nan."))
    #expect(try error(of: GenerationGuide<Decimal>.maximum(.nan)).problem.hasSuffix("to nan."))
    #expect(
      try error(of: GenerationGuide<Int>.multiple(of: 0)).problem
        == "A guide sets `multipleOf` to 0.")
  }

  @Test func countsBelowZeroAreRefused() throws {
    for guide in [GenerationGuide<[Int]>.count(-1), .minimumCount(-1), .count(-1...2)] {
      let error = try error(of: guide)
      #expect(error.problem == "A guide sets `minItems` to -1.")
      #expect(error.location == "/properties/a~1b")
    }
    #expect(
      try error(of: GenerationGuide<[Int]>.maximumCount(-3)).problem
        == "A guide sets `maxItems` to -3.")
    #expect(
      try error(of: GenerationGuide<String>.minimumLength(-1)).problem
        == "A guide sets `minLength` to -1.")
    let element = try error(of: GenerationGuide<[Double]>.element(.minimum(.nan)))
    #expect(element.problem == "A guide sets `minimum` to nan.")
    #expect(throws: SchemaConversionError.self) {
      try GenerationSchema(
        root: DynamicGenerationSchema(
          arrayOf: DynamicGenerationSchema(type: Int.self), minimumElements: -1),
        dependencies: [])
    }
  }

  /// The place is that in the document, in a type within the type.
  @Test func placeWithinADefinition() throws {
    let error = #expect(throws: SchemaConversionError.self) {
      try GenerationSchema(
        type: Outer.self, properties: [.init(name: "inner", type: Inner.self)]
      ).jsonSchema()
    }
    #expect(error?.location == "/$defs/Inner/properties/count")
    #expect(error?.description.contains("/$defs/Inner/properties/count") == true)
  }
}

private struct Inner: Generable {
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Inner.self,
      properties: [.init(name: "count", type: Double.self, guides: [.minimum(.nan)])])
  }
  init(_ content: GeneratedContent) throws {}
  var generatedContent: GeneratedContent { GeneratedContent(properties: [:]) }
}

private struct Outer: Generable {
  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Outer.self, properties: [.init(name: "inner", type: Inner.self)])
  }
  init(_ content: GeneratedContent) throws {}
  var generatedContent: GeneratedContent { GeneratedContent(properties: [:]) }
}
