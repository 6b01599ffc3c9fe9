// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import GrammarInspection
import TestSupport
import Testing

/// What `espalier explain` shows agrees with what the engine does.
@Suite struct InspectionTests {
  private static let schemas = [
    #"{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":"integer","minimum":3,"maximum":40}},"required":["b"],"additionalProperties":false}"#,
    #"{"type":"array","items":{"type":["number","null"]},"uniqueItems":true,"maxItems":3}"#,
    #"{"type":"object","patternProperties":{"^k":{"type":"string","pattern":"^[ab]+$"}},"minProperties":1}"#,
    #"{"anyOf":[{"type":"object","properties":{"a":{"const":1}},"required":["a"]},{"type":"object","properties":{"a":{"const":"ab"}}}]}"#,
    #"{"type":"object","properties":{"t":{}},"not":{"properties":{"t":{"const":"ab"}},"required":["t"]}}"#,
    ##"{"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}"##,
  ]

  @Test(arguments: schemas, [CompilationOptions.generation, .validation])
  func stagesAgreeWithTheMatcher(schema: String, options: CompilationOptions) throws {
    let grammar = try Grammar(jsonSchema: schema, options: options)
    let vocabulary = Vocabulary.singleBytes
    for seed in UInt64(0)..<4 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var text: [UInt8] = []
      for _ in 0..<12 {
        let inspection = try grammar.inspection(after: text, vocabulary: vocabulary)
        let mask = matcher.allowedTokens()
        let end = matcher.canEnd() ? 1 : 0
        #expect(inspection.mayEnd == (end == 1))
        #expect(
          inspection.steps.reduce(0) { $0 + $1.count } == mask.count - end,
          "after \(String(decoding: text, as: UTF8.self)), seed \(seed)")
        #expect(!inspection.stacks.isEmpty && inspection.stacks.allSatisfy { !$0.frames.isEmpty })
        #expect(inspection.stacks.allSatisfy { $0.frames.last?.kind == "end" })
        let shown = try grammar.maskInspection(
          after: text, vocabulary: vocabulary, exampleLimit: 300)
        #expect(shown.allowed == mask.tokens && shown.count == mask.count)
        #expect(shown.baseCount + shown.addedCount - shown.removedCount == mask.count)
        for token in [0x22, 0x30, 0x61, 0x7D, vocabulary.endOfSequence] {
          let way = try grammar.inspection(ofToken: token, after: text, vocabulary: vocabulary)
          #expect(way.isAllowed == mask.contains(token) && way.isInMask == way.isAllowed)
        }
        guard let token = mask.tokens.filter({ $0 < 256 }).randomElement(using: &generator) else {
          break
        }
        try matcher.accept(token)
        text += vocabulary.bytes(of: token)
      }
    }
    expectInvariants(of: grammar, schema)
  }

  @Test func aMultipleIsNamedOnce() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"integer","multipleOf":5}"#)
    let inspection = try grammar.inspection(after: [], vocabulary: .singleBytes)
    #expect(
      inspection.goals.first?.nodes.map(\.summary)
        == ["an integer that is a multiple of 5 (constraint 0)"])
  }

  @Test func whatDepartsIsAnError() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"integer"}"#)
    let error = #expect(throws: MatcherError.self) {
      _ = try grammar.inspection(after: Array("12x".utf8), vocabulary: .singleBytes)
    }
    #expect(error?.offset == 2 && error?.message.contains("found `x`") == true)
  }

  @Test func goalsHaveALimit() throws {
    let members = (0..<40).map { #""m\#($0)":{"type":"integer","minimum":\#($0)}"# }
    let grammar = try Grammar(jsonSchema: #"{"properties":{\#(members.joined(separator: ","))}}"#)
    let inspection = try grammar.inspection(after: [], vocabulary: .singleBytes, goalLimit: 5)
    #expect(inspection.goals.count == 5 && inspection.furtherGoals >= 35)
    #expect(
      inspection.goals[0].nodes.contains { $0.parts.contains { $0.hasPrefix("`m39`: goal") } })
  }
}
