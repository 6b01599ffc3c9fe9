// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Arrays whose items must differ, or of which two must be equal, never lead to a place with no way on: by going through the texts of
/// small worlds byte by byte.
@Suite(.computesForLong) struct ComparedItemsTests {
  static let schemas = [
    #"""
    {"type":"array","uniqueItems":true,"maxItems":3,"items":{"type":"object","properties":
    {"a":{"enum":["x","y"]}},"required":["a"],"additionalProperties":false}}
    """#,
    #"{"type":"array","uniqueItems":true,"items":{"enum":[{"a":1},{"a":2,"b":null},[3],[3,4]]}}"#,
    #"""
    {"type":"array","uniqueItems":true,"items":{"type":"array","items":{"type":"boolean"},
    "maxItems":2}}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"maxItems":4,"items":{"type":"object","properties":
    {"a":{"const":1},"b":{"type":"boolean"}},"additionalProperties":false}}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"maxItems":3,"items":{"type":"object","maxProperties":1,
    "patternProperties":{"^[ab]$":{"const":1}},"additionalProperties":false}}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"maxItems":2,"items":{"type":"array","uniqueItems":true,
    "items":{"enum":[1,2,[]]},"minItems":2}}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"maxItems":3,"items":{"type":"object","properties":
    {"a":{"type":"object","properties":{"b":{"type":"boolean"}},"required":["b"],
    "additionalProperties":false}},"required":["a"],"additionalProperties":false}}
    """#,
    #"""
    {"type":"array","maxItems":2,"not":{"uniqueItems":true},"items":{"type":"object","properties":
    {"a":{"enum":["x","y"]},"b":{"type":"boolean"}},"required":["a"],"additionalProperties":false}}
    """#,
    #"""
    {"type":"array","maxItems":3,"not":{"uniqueItems":true},"prefixItems":[{"enum":["x","y",[1]]},
    {"enum":[[],[1]]}],"items":{"enum":["x","xy",[]]},"contains":{"type":"array"},"maxContains":2}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"minItems":4,"prefixItems":[{"enum":[1,2,"x"]},
    {"enum":[1,"x"]},{"enum":["x",null,1]}],"items":{"type":["boolean","null"]}}
    """#,
    #"""
    {"type":"array","uniqueItems":true,"maxItems":2,"items":{"type":"array","uniqueItems":true,
    "minItems":2,"prefixItems":[{"enum":[1,2]},{"const":1}],"items":false}}
    """#,
    #"""
    {"type":"array","not":{"uniqueItems":true},"items":{"enum":[1,"x",[]]},"contains":{"const":1},
    "maxContains":1}
    """#,
    #"""
    {"type":"array","maxItems":2,"uniqueItems":true,"items":{"type":"array","maxItems":2,
    "not":{"uniqueItems":true},"items":{"enum":[1,[2]]}}}
    """#,
    #"{"type":"array","uniqueItems":true,"minItems":2,"items":{"enum":["é",""]}}"#,
    #"""
    {"type":"array","uniqueItems":true,"minItems":3,"maxItems":3,"items":{"type":"array",
    "minItems":1,"maxItems":2,"prefixItems":[{"enum":[2,3]},{"type":"object",
    "additionalProperties":false}]}}
    """#,
  ]

  @Test(arguments: schemas, [CompilationOptions.PropertyOrder.declared, .any])
  func everyPlaceHasAWayOn(schema: String, order: CompilationOptions.PropertyOrder) throws {
    var options = CompilationOptions.generation
    options.whitespace = .compact
    options.propertyOrder = order
    let grammar = try Grammar(jsonSchema: schema, options: options)
    var pending = [([UInt8](), Matcher(grammar: grammar, vocabulary: .singleBytes))]
    var places = 0
    var generator = SeededGenerator(seed: 1)
    while let place = pending.indices.randomElement(using: &generator), places < 500 {
      var (text, matcher) = pending.remove(at: place)
      places += 1
      let shown = String(decoding: text, as: UTF8.self)
      let allowed = matcher.allowedTokens()
      #expect(allowed.count > 0, "after \(shown)")
      var completed = matcher
      for byte in matcher.shortestCompletion() { try completed.accept(Int(byte)) }
      #expect(completed.allowedTokens().contains(256), "after \(shown)")
      for byte in 0..<256 {
        let isAllowed = matcher.allows(byte)
        #expect(allowed.contains(byte) == isAllowed, "\(byte) after \(shown)")
        guard isAllowed else { continue }
        var fork = matcher
        try fork.accept(byte)
        pending.append((text + [UInt8(byte)], fork))
      }
    }
    expectInvariants(of: grammar, schema)
  }

  @Test func manyPlacesForEqualItemsAreAnErrorWithoutATrap() {
    let schema = #"""
      {"type":"array","not":{"uniqueItems":true},"maxItems":1000000000,"contains":{"const":1},
      "minContains":3,"maxContains":100000}
      """#
    let error = #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
    #expect(error?.diagnostics.first?.keyword == "uniqueItems")
  }

  @Test(arguments: [
    (#"[{"name":"x"},{"name":"x"#, false), (#"[{"name":"x"},{"name":"xy"#, true),
  ])
  func aStringThatMustDifferDoesNotEndAsOneBefore(prefix: String, mayEnd: Bool) throws {
    let schema = #"""
      {"type":"array","uniqueItems":true,"items":{"type":"object","properties":
      {"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}
      """#
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    for byte in prefix.utf8 { try matcher.accept(Int(byte)) }
    #expect(matcher.allowedTokens().contains(0x22) == mayEnd)
  }
}
