// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Each way in which masks are made without reading every token is taken where it is meant to be.
@Suite struct MaskStrategyTests {
  @Test func each() throws {
    try expect(.signatures, #"{"pattern":"^[a-z]+$","type":"string"}"#, after: "\"a")
    try expect(.openedPatterns, #"{"pattern":"^[a-z]+$","type":"string"}"#, after: "")
    try expect(.anyText, #"{"pattern":"ab","type":"string"}"#, after: "\"a")
    let keys = #"{"type":"object","patternProperties":{"^a+b":{}},"additionalProperties":false}"#
    try expect(.patternKeys, keys, after: "{\"a")
    try expect(.detachedStacks, #"{"items":{"properties":{"a":{}}}}"#, after: "[{\"a\":1,\"b\":")
    try expect(.listedQuotes, #"{"type":"string"}"#, after: "")
    try expect(.cores, #"{"type":"string"}"#, after: "")
    try expect(.digits, #"{"type":"integer","maximum":120}"#, after: "12")
  }

  private func expect(
    _ strategy: MaskStrategies, _ schema: String, after text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let vocabulary = MaskTests.wideVocabulary
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    let taken = grammar.maskStrategies(after: text.utf8, over: vocabulary)
    #expect(taken.contains(strategy), sourceLocation: sourceLocation)
    // Nor is it taken for everything.
    let whole = try Grammar(jsonSchema: "{}", options: .validation)
    let others = whole.maskStrategies(after: "tru".utf8, over: vocabulary)
    #expect(!others.contains(strategy), sourceLocation: sourceLocation)
  }
}
