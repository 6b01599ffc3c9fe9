// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Branches that exclude each other, though not by a list of scalars, and though they hold of values of
/// other types all together.
extension ManyBranchesTests {
  static let exclusions =
    [false, true].flatMap { isTyped in
      [3, 100].map { conditionsWithin($0, isTyped: isTyped) }
        + [3, 30].map { conditionsByPattern($0, isTyped: isTyped) }
        + [3, 24].map { containsMembers($0, isTyped: isTyped) }
    } + [3, 12].map { containsBounds($0) }

  private static func type(_ name: String, _ isTyped: Bool) -> String {
    isTyped ? #""type": "\#(name)", "# : ""
  }

  /// Conditions on a member of another member, each of which wants a member of its own.
  static func conditionsWithin(_ count: Int, isTyped: Bool) -> Idiom {
    let branches = (0..<count).map { number in
      """
      {"if": {"properties": {"meta": {\(type("object", isTyped))"properties": {"kind":
         {"const": "k\(number)"}}, "required": ["kind"]}}, "required": ["meta"]},
       "then": {"required": ["v\(number)"]}}
      """
    }
    let all = (0..<count).map { #""v\#($0)":0"# }.joined(separator: ",")
    return Idiom(
      name: "\(count) conditions within a member\(isTyped ? " that is an object" : "")",
      schema: #"{"type": "object", "allOf": [\#(branches.joined(separator: ","))]}"#,
      valid: [
        #"{"meta":{"kind":"k2"},"v2":1}"#, #"{"v2":1,"meta":{"kind":"k2"}}"#, "{}",
        #"{"meta":{"kind":"other"}}"#, #"{"meta":{}}"#, #"{"meta":{"a":1,"kind":"k0"},"v0":[]}"#,
        #"{"meta":5,\#(all)}"#,
      ] + (isTyped ? [#"{"meta":5}"#] : []),
      invalid: [
        #"{"meta":{"kind":"k2"},"v1":1}"#, #"{"v0":1,"meta":{"kind":"k1"}}"#,
        #"{"meta":{"kind":"k2"}}"#,
      ] + (isTyped ? [] : [#"{"meta":5,"v0":1}"#, #"{"meta":null}"#]))
  }

  /// Conditions on a member that matches one of several patterns.
  static func conditionsByPattern(_ count: Int, isTyped: Bool) -> Idiom {
    let branches = (0..<count).map { number in
      """
      {"if": {"properties": {"type": {\(type("string", isTyped))"pattern": "^t\(number)_"}},
        "required": ["type"]}, "then": {"required": ["k\(number)"]}}
      """
    }
    let all = (0..<count).map { #""k\#($0)":0"# }.joined(separator: ",")
    return Idiom(
      name: "\(count) conditions on the pattern of a \(isTyped ? "string" : "member")",
      schema: #"{"type": "object", "allOf": [\#(branches.joined(separator: ","))]}"#,
      valid: [
        #"{"type":"t2_a","k2":1}"#, #"{"k0":1,"type":"t0_"}"#, #"{"type":"t2"}"#, "{}",
        #"{"type":[],\#(all)}"#,
      ] + (isTyped ? [#"{"type":5}"#] : []),
      invalid: [#"{"type":"t2_a","k1":1}"#, #"{"k2":1,"type":"t0_"}"#, #"{"type":"t1_x"}"#]
        + (isTyped ? [] : [#"{"type":5}"#, #"{"k1":1,"type":true}"#]))
  }

  /// Items that must be there, told apart by a member.
  static func containsMembers(_ count: Int, isTyped: Bool) -> Idiom {
    let parts = (0..<count).map { number in
      """
      {"contains": {\(type("object", isTyped))"properties": {"name": {"const": "n\(number)"}},
        "required": ["name"]}}
      """
    }
    let items = (0..<count).map { #"{"name":"n\#($0)"}"# }
    let all = items.joined(separator: ",")
    let others = items.dropFirst().joined(separator: ",")
    return Idiom(
      name: "contains \(count) \(isTyped ? "objects" : "items") with a member",
      schema: #"{"type": "array", "allOf": [\#(parts.joined(separator: ","))]}"#,
      valid: ["[\(all)]", "[{},\(others),{\"a\":1,\"name\":\"n0\"}]"]
        + (isTyped ? ["[5,\(all)]"] : ["[5]", "[{},null]", "[\(others),7]"]),
      invalid: ["[]", "[\(others)]", "[{},\(others)]"] + (isTyped ? ["[\(others),7]"] : []))
  }

  /// Items that must be there, of which one counts for all with lower bounds.
  static func containsBounds(_ count: Int) -> Idiom {
    let parts = (0..<count).map { #"{"contains": {"type": "number", "minimum": \#($0)}}"# }
    return Idiom(
      name: "contains \(count) bounds",
      schema: #"{"type": "array", "allOf": [\#(parts.joined(separator: ","))]}"#,
      valid: ["[\(count)]", "[0,1,\(count - 1)]", #"["x",\#(count),0]"#],
      invalid: ["[]", "[0,1]", #"["x",\#(count - 2)]"#])
  }
}
