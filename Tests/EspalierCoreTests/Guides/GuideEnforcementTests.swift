// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import TestSupport
import Testing

/// Every guide goes all the way: guide → schema → grammar → mask. For each there are texts that it
/// allows and texts that it does not; and what is drawn under it, it allows.
@Suite struct GuideEnforcementTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let schema: @Sendable () throws -> GenerationSchema
    let valid: [String]
    let invalid: [String]
    let decodes: @Sendable (GeneratedContent) throws -> Void

    init<Value: Generable>(
      _ name: String, _ guides: @autoclosure @escaping @Sendable () -> [GenerationGuide<Value>],
      valid: [String], invalid: [String]
    ) {
      testDescription = name
      schema = {
        try GenerationSchema(
          root: DynamicGenerationSchema(type: Value.self, guides: guides()), dependencies: [])
      }
      self.valid = valid
      self.invalid = invalid
      decodes = { _ = try Value($0) }
    }
  }

  static let cases: [Case] = [
    Case(
      "constant", [GenerationGuide<String>.constant("yes")], valid: [#""yes""#],
      invalid: [#""no""#, #""yess""#, "1"]),
    Case(
      "anyOf, one by one", [GenerationGuide<String>.anyOf("a", "b c")],
      valid: [#""a""#, #""b c""#], invalid: [#""b""#, #""""#]),
    Case(
      "length, one number", [GenerationGuide<String>.length(2)], valid: [#""ab""#],
      invalid: [#""a""#, #""abc""#]),
    Case(
      "anyOf", [GenerationGuide<String>.anyOf(["a", "b c"])], valid: [#""a""#, #""b c""#],
      invalid: [#""b""#, #""""#]),
    Case(
      "pattern, regex", [GenerationGuide<String>.pattern(/[A-Z]{2}\d+/)],
      valid: [#""AB1""#, #""ZZ999""#], invalid: [#""A1""#, #""AB""#]),
    Case(
      "pattern, text", [GenerationGuide<String>.pattern("^[a-f]+$")], valid: [#""fade""#],
      invalid: [#""xyz""#, #""""#]),
    Case(
      "minimumLength", [GenerationGuide<String>.minimumLength(2)], valid: [#""ab""#, #""🇮🇹""#],
      invalid: [#""a""#]),
    Case(
      "maximumLength", [GenerationGuide<String>.maximumLength(2)], valid: [#""""#, #""éa""#],
      invalid: [#""abc""#]),
    Case(
      "length", [GenerationGuide<String>.length(2...3)], valid: [#""ab""#, #""abc""#],
      invalid: [#""a""#, #""abcd""#]),
    Case(
      "format", [GenerationGuide<String>.format(.date)], valid: [#""2026-02-28""#],
      invalid: [#""2026-02-30""#, #""tomorrow""#]),
    Case(
      "minimum", [GenerationGuide<Int>.minimum(3)], valid: ["3", "1000"],
      invalid: ["2", "-4"]),
    Case("maximum", [GenerationGuide<Int>.maximum(3)], valid: ["3", "-1000"], invalid: ["4"]),
    Case(
      "range", [GenerationGuide<Int>.range(18...100)], valid: ["18", "99", "100"],
      invalid: ["17", "101"]),
    Case(
      "exclusive", [GenerationGuide<Int>.exclusiveMinimum(1), .exclusiveMaximum(4)],
      valid: ["2", "3"], invalid: ["1", "4"]),
    Case(
      "multiple", [GenerationGuide<Int>.multiple(of: 15), .range(-900...900)],
      valid: ["0", "-30", "45"], invalid: ["44", "5"]),
    Case("UInt8", [GenerationGuide<UInt8>](), valid: ["0", "255"], invalid: ["256", "-1"]),
    Case(
      "Int64", [GenerationGuide<Int64>](), valid: ["9223372036854775807"],
      invalid: ["9223372036854775808", "1.5"]),
    Case(
      "Double range", [GenerationGuide<Double>.range(0...5)], valid: ["0", "4.99", "5"],
      invalid: ["5.01", "-0.5"]),
    Case(
      "Double exclusive", [GenerationGuide<Double>.exclusiveMinimum(0), .exclusiveMaximum(1)],
      valid: ["0.5"], invalid: ["0", "1"]),
    Case(
      "Double multiple", [GenerationGuide<Double>.multiple(of: 0.25)], valid: ["1.75"],
      invalid: ["1.7"]),
    Case(
      "Float", [GenerationGuide<Float>.minimum(0.5), .maximum(1.5)], valid: ["0.5", "1.25"],
      invalid: ["0.25", "2"]),
    Case(
      "Decimal", [GenerationGuide<Decimal>.range(0...Decimal(string: "0.1")!)],
      valid: ["0.1", "0.05"], invalid: ["0.11"]),
    Case(
      "Decimal multiple", [GenerationGuide<Decimal>.multiple(of: Decimal(string: "0.01")!)],
      valid: ["9.99"], invalid: ["9.999"]),
    Case(
      "minimumCount", [GenerationGuide<[Int]>.minimumCount(2)], valid: ["[1,2]"],
      invalid: ["[]", "[1]"]),
    Case(
      "maximumCount", [GenerationGuide<[Int]>.maximumCount(1)], valid: ["[]", "[1]"],
      invalid: ["[1,2]"]),
    Case(
      "count", [GenerationGuide<[Bool]>.count(2)], valid: ["[true,false]"],
      invalid: ["[true]", "[true,true,true]"]),
    Case(
      "count range", [GenerationGuide<[Bool]>.count(1...2)], valid: ["[true]"],
      invalid: ["[]", "[true,true,true]"]),
    Case(
      "element", [GenerationGuide<[Int]>.element(.range(1...3))], valid: ["[]", "[1,3]"],
      invalid: ["[4]", "[1,0]"]),
    Case(
      "nested element",
      [GenerationGuide<[[String]]>.element(.element(.anyOf(["a", "b"])))], valid: [#"[["a"],[]]"#],
      invalid: [#"[["c"]]"#]),
    Case(
      "uniqueElements", [GenerationGuide<[Int]>.uniqueElements(), .maximumCount(4)],
      valid: ["[1,2]", "[1,11]"], invalid: ["[1,1]", "[1,2,1]"]),
    Case(
      "Set", [GenerationGuide<Set<String>>.count(2)], valid: [#"["a","b"]"#],
      invalid: [#"["a","a"]"#, #"["a"]"#]),
    Case(
      "Set element", [GenerationGuide<Set<Int>>.element(.minimum(5)), .maximumCount(3)],
      valid: ["[5,6]"], invalid: ["[4]", "[5,5]"]),
    Case(
      "Dictionary", [GenerationGuide<[String: Int]>.count(1...2), .element(.maximum(9))],
      valid: [#"{"a":1}"#, #"{"a":1,"b":9}"#], invalid: ["{}", #"{"a":10}"#]),
    Case(
      "Date", [GenerationGuide<Date>](), valid: [#""2026-11-21T10:00:00Z""#],
      invalid: [#""2026-11-21""#]),
    Case(
      "UUID", [GenerationGuide<UUID>](),
      valid: [#""123e4567-e89b-12d3-a456-426614174000""#], invalid: [#""123""#]),
    Case(
      "URL", [GenerationGuide<URL>](), valid: [#""https://example.org/a""#],
      invalid: [#""no url""#]),
    Case("Data", [GenerationGuide<Data>](), valid: [#""aGk=""#], invalid: [#""a""#, #""%%%%""#]),
  ]

  private func allows(_ grammar: Grammar, _ text: String) -> Bool {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    do { try matcher.accept(bytes: text.utf8) } catch { return false }
    return matcher.canEnd()
  }

  @Test(arguments: cases) func theEngineKeepsIt(_ example: Case) throws {
    let text = try example.schema().jsonSchema()
    for options in [CompilationOptions.generation, .validation] {
      let grammar = try Grammar(jsonSchema: text, options: options)
      for json in example.valid { #expect(allows(grammar, json), "\(json) under \(text)") }
      for json in example.invalid { #expect(!allows(grammar, json), "\(json) under \(text)") }
    }
    for json in example.valid { try example.decodes(GeneratedContent(json: json)) }
  }

  @Test(arguments: cases) func whatIsDrawnIsAllowed(_ example: Case) async throws {
    let schema = try example.schema()
    let grammar = try Grammar(jsonSchema: schema.jsonSchema(), options: .validation)
    for seed in 0..<10 as Range<UInt64> {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let value = try await session.respond(to: "Draw", schema: schema).content
      #expect(allows(grammar, value.jsonString), "seed \(seed): \(value.jsonString)")
      try example.decodes(value)
    }
  }
}
