// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConstrainedDecoding

/// Branches with many members that differ in few, as two versions of a configuration do.
@Suite struct NearlyEqualBranchTests {
  private static func settings(_ version: String, _ others: String = "") -> String {
    let shared = (0..<60).map { #""s\#($0)":{"type":"string"}"# }.joined(separator: ",")
    return #"{"properties":{\#(shared),"version":\#(version)}\#(others)}"#
  }

  /// So few steps that what branches have in common cannot be gone through member by member.
  private static let options = LimitTests.options(.validation) { $0.alternatives = 2 }

  private func takes(_ text: String, _ grammar: Grammar) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    validator.append(text)
    return validator.finish() == .complete
  }

  @Test func variantsAreToldApartByWhatDiffers() throws {
    let schema = #"""
      {"type":"object","oneOf":[\#(Self.settings(#"{"type":"integer"}"#)),
       \#(Self.settings(#"{"type":["string","null"]}"#))]}
      """#
    let grammar = try Grammar(jsonSchema: schema, options: Self.options)
    for text in [#"{"version":1}"#, #"{"s1":"x","version":null,"s59":"y"}"#] {
      #expect(takes(text, grammar), "\(text)")
    }
    // Of both branches, or of none.
    for text in ["{}", #"{"s1":"x"}"#, #"{"version":[]}"#, #"{"s1":1,"version":1}"#] {
      #expect(!takes(text, grammar), "\(text)")
    }
  }

  @Test func nothingHoldsWithoutTheCondition() throws {
    let then = #"{"properties":{"s1":{"enum":["a","b"]}},"additionalProperties":false}"#
    let schema = #"""
      {"type":"object","if":\#(Self.settings("true")),"then":\#(then),"else":false}
      """#
    let grammar = try Grammar(jsonSchema: schema, options: Self.options)
    for text in ["{}", #"{"s1":"b"}"#] { #expect(takes(text, grammar), "\(text)") }
    for text in [#"{"s1":"c"}"#, #"{"s2":"x"}"#, #"{"s1":1}"#] {
      #expect(!takes(text, grammar), "\(text)")
    }
    let contrary = #"""
      {"type":"object","if":\#(Self.settings("true")),"then":false,"else":{"required":["s2"]}}
      """#
    let other = try Grammar(jsonSchema: contrary, options: .validation)
    #expect(takes(#"{"s2":"x","s1":1}"#, other))
    #expect(takes(#"{"s2":1}"#, other))
    #expect(!takes(#"{"s1":1}"#, other))
    #expect(!takes(#"{"s2":"x"}"#, other))
  }
}
