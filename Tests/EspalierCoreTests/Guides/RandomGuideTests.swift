// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import TestSupport
import Testing

/// Guides with random parameters, and plain Swift that says whether a value keeps them: the values
/// that are drawn under them do.
@Suite struct RandomGuideTests {
  /// A guided property, and what its values must be.
  private struct Guided {
    var property: GenerationSchema.Property
    var isKept: (GeneratedContent) throws -> Bool
  }

  private struct Anything: Generable {
    let content: GeneratedContent
    static let generationSchema = GeneratedContent.generationSchema
    init(_ content: GeneratedContent) { self.content = content }
    var generatedContent: GeneratedContent { content }
  }

  @Test(arguments: 0..<120) func whatIsDrawnKeepsItsGuides(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let properties = (0..<Int.random(in: 1...4, using: &random)).map {
      Self.randomProperty(named: "p\($0)", using: &random)
    }
    let schema = GenerationSchema(type: Anything.self, properties: properties.map(\.property))
    for draw in 0..<4 as Range<UInt64> {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: draw))
      let content = try await session.respond(to: "Draw", schema: schema).content
      for (index, guided) in properties.enumerated() {
        let value = try content.value(GeneratedContent.self, forProperty: "p\(index)")
        #expect(
          try guided.isKept(value), "seed \(seed), draw \(draw): \(value.jsonString) in \(schema)")
      }
    }
  }

  private static func randomProperty(
    named name: String, using random: inout SeededGenerator
  ) -> Guided {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let range = randomRange(-1000...1000, using: &random)
      return Guided(
        property: .init(name: name, type: Int.self, guides: [.range(range)]),
        isKept: { try range.contains($0.value()) })
    case 1:
      let divisor = Int.random(in: 2...17, using: &random)
      let range = randomRange(-500...500, using: &random)
      let wide = range.lowerBound...(range.upperBound + divisor)
      return Guided(
        property: .init(
          name: name, type: Int.self,
          guides: [.multiple(of: divisor), .minimum(wide.lowerBound), .maximum(wide.upperBound)]),
        isKept: {
          let value = try $0.value(Int.self)
          return value % divisor == 0 && wide.contains(value)
        })
    case 2:
      let lower = Double(Int.random(in: -400...400, using: &random)) / 8
      let upper = lower + Double(Int.random(in: 1...400, using: &random)) / 8
      return Guided(
        property: .init(
          name: name, type: Double.self,
          guides: [.exclusiveMinimum(lower), .exclusiveMaximum(upper)]),
        isKept: {
          let value = try $0.value(Double.self)
          return value > lower && value < upper
        })
    case 3:
      let lengths = randomRange(0...12, using: &random)
      return Guided(
        property: .init(name: name, type: String.self, guides: [.length(lengths)]),
        isKept: { try lengths.contains($0.value(String.self).unicodeScalars.count) })
    case 4:
      let choices = (0..<Int.random(in: 1...5, using: &random)).map { "choice \($0) \"é\"" }
      return Guided(
        property: .init(name: name, type: String.self, guides: [.anyOf(choices)]),
        isKept: { try choices.contains($0.value(String.self)) })
    case 5:
      let patterns = ["[a-c]{2,4}x?", "(?:ab|cd)+-[0-9]{3}", "[^,;\"]{1,6}", "\\d{4}-\\d{2}"]
      let pattern = patterns.randomElement(using: &random) ?? patterns[0]
      return Guided(
        property: .init(name: name, type: String.self, guides: [.pattern(pattern)]),
        isKept: { content in
          let text = try content.value(String.self)
          return try Regex(pattern).matchingSemantics(.unicodeScalar).wholeMatch(in: text) != nil
        })
    case 6:
      let counts = randomRange(0...5, using: &random)
      let elements = randomRange(0...9, using: &random)
      return Guided(
        property: .init(
          name: name, type: [Int].self, guides: [.count(counts), .element(.range(elements))]),
        isKept: {
          let values = try $0.value([Int].self)
          return counts.contains(values.count) && values.allSatisfy(elements.contains)
        })
    default:
      let count = Int.random(in: 1...4, using: &random)
      return Guided(
        property: .init(
          name: name, type: [UInt8].self, guides: [.uniqueElements(), .minimumCount(count)]),
        isKept: {
          let values = try $0.value([UInt8].self)
          return values.count >= count && Set(values).count == values.count
        })
    }
  }

  private static func randomRange(
    _ bounds: ClosedRange<Int>, using random: inout SeededGenerator
  ) -> ClosedRange<Int> {
    let first = Int.random(in: bounds, using: &random)
    let second = Int.random(in: bounds, using: &random)
    return min(first, second)...max(first, second)
  }
}
