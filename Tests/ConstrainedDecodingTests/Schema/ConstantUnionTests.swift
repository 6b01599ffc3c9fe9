// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConstrainedDecoding

/// Unions of constants, as generators write enumerations.
@Suite struct ConstantUnionTests {
  private func takes(_ text: String, _ grammar: Grammar) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    validator.append(text)
    return validator.finish() == .complete
  }

  private static let cases: [(schema: String, taken: [String], refused: [String])] = [
    (
      #"{"oneOf":[{"const":"a","title":"A"},{"const":1},{"enum":[null,true,"b"]}]}"#,
      ["\"a\"", "1", "1.0", "null", "true", "\"b\""], ["\"c\"", "2", "false", "{}", "[]"]
    ),
    // A value of two branches is none of exactly one.
    (
      #"{"oneOf":[{"enum":["a","b"]},{"enum":["b","c"]},{"const":"d"}]}"#,
      ["\"a\"", "\"c\"", "\"d\""], ["\"b\""]
    ),
    (#"{"oneOf":[{"const":1},{"const":1.0},{"const":2}]}"#, ["2"], ["1", "1.0"]),
    (#"{"anyOf":[{"enum":["a","b"]},{"enum":["b","c"]}]}"#, ["\"a\"", "\"b\"", "\"c\""], ["1"]),
    // A type leaves out what it does not have.
    (
      #"{"oneOf":[{"type":"string","enum":["a",1]},{"type":"integer","enum":[1,2]}]}"#,
      ["\"a\"", "1", "2"], ["3", "\"1\""]
    ),
    (#"{"anyOf":[{"type":"integer","enum":[1,1.5]},{"const":2}]}"#, ["1", "2"], ["1.5"]),
    // What is no constant stays a branch.
    (
      #"{"oneOf":[{"const":"a"},{"const":"b"},{"type":"string","pattern":"^[bx]"},{"type":"null"}]}"#,
      ["\"a\"", "\"x\"", "null"], ["\"b\"", "\"c\""]
    ),
    (
      #"{"anyOf":[{"const":"a"},{"const":"b"},{"type":"object","required":["k"]},{"const":[1]}]}"#,
      ["\"a\"", "{\"k\":1}", "[1]"], ["{}", "[2]", "\"c\""]
    ),
    // Lists beside a union, unions in unions, references, and what else stands beside.
    (
      #"{"enum":["a","b","c"],"anyOf":[{"const":"b"},{"const":"c"},{"const":"d"}]}"#,
      ["\"b\"", "\"c\""], ["\"a\"", "\"d\""]
    ),
    (
      #"{"anyOf":[{"oneOf":[{"const":1},{"const":2}]},{"anyOf":[{"const":3}]}],"minimum":2}"#,
      ["2", "3"], ["1", "4"]
    ),
    (
      ##"{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":{"const":"x"},"b":{"$ref":"#/$defs/c"},"c":{"const":"y"}}}"##,
      ["\"x\"", "\"y\""], ["\"z\""]
    ),
    (
      #"{"not":{"oneOf":[{"const":1},{"const":2}]},"type":"integer"}"#, ["3", "0"],
      ["1", "2", "2.0"]
    ),
    (
      #"{"oneOf":[{"const":1,"maximum":0},{"const":2},{"const":3}]}"#, ["2", "3"], ["1"]
    ),
    (
      #"{"$schema":"http://json-schema.org/draft-04/schema#","anyOf":[{"type":"integer","enum":[1]},{"enum":[2]}]}"#,
      ["1", "2"], ["1.0", "3"]
    ),
  ]

  @Test(arguments: cases.indices) func unionsOfConstantsAreLists(_ place: Int) throws {
    let (schema, taken, refused) = Self.cases[place]
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    for text in taken { #expect(takes(text, grammar), "\(schema) refuses \(text)") }
    for text in refused { #expect(!takes(text, grammar), "\(schema) takes \(text)") }
  }

  /// As many as a list may have, whatever the limit of alternatives.
  @Test(arguments: ["anyOf", "oneOf"]) func unionsMayBeLong(_ keyword: String) throws {
    var options = CompilationOptions.validation
    options.limits.alternatives = 8
    let branches = (0..<2000).map { #"{"const":"code \#($0)","description":"\#($0)"}"# }
    let others = [#"{"type":"string","pattern":"^x"}"#, #"{"type":"object"}"#]
    for branches in [branches, branches + others] {
      let schema = #"{"\#(keyword)":[\#(branches.joined(separator: ","))]}"#
      let grammar = try Grammar(jsonSchema: schema, options: options)
      #expect(takes("\"code 1999\"", grammar) && !takes("\"code 2000\"", grammar))
    }
  }

  /// Arrays that begin with a constant are told apart by it.
  @Test func taggedTuplesAreToldApart() throws {
    let branches = (0..<80).map {
      #"{"type":"array","prefixItems":[{"const":"t\#($0)"},{"type":"integer","minimum":\#($0)}],"minItems":2}"#
    }
    let schema = #"{"oneOf":[\#(branches.joined(separator: ","))]}"#
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    #expect(takes(#"["t70",70]"#, grammar) && !takes(#"["t70",69]"#, grammar))
    #expect(!takes(#"["t80",90]"#, grammar) && !takes(#"["t1"]"#, grammar))
    // Without an item that both have, an array may be of two branches.
    let open = try Grammar(
      jsonSchema:
        #"{"oneOf":[{"type":"array","prefixItems":[{"const":1}]},{"type":"array","prefixItems":[{"const":2}]}]}"#,
      options: .validation)
    #expect(takes("[1]", open) && takes("[2,3]", open))
    #expect(!takes("[]", open) && !takes("[3]", open))
  }

  @Test func aViolationNamesTheUnion() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"properties":{"a":{"oneOf":[{"const":"x"},{"const":"y"}]}}}"#,
      options: .validation)
    var validator = StreamValidator(grammar: grammar)
    guard case .violated(let violation) = validator.append(#"{"a":"z"}"#) else {
      Issue.record("taken")
      return
    }
    #expect(violation.keyword == "oneOf")
    #expect(violation.schemaLocation == "#/properties/a/oneOf")
    #expect(violation.expected.contains("x") && violation.expected.contains("y"))
  }
}
