// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A JSON value of the small world that brute force can list.
indirect enum SmallValue: Equatable, Sendable {
  case null, yes, no
  /// A whole number, spelled with digits alone or with `.0` after them.
  case integer(Int, isDotted: Bool = false)
  case string(String)
  case array([SmallValue])
  case object([(key: String, value: SmallValue)])

  static func == (left: SmallValue, right: SmallValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.yes, .yes), (.no, .no): true
    case (.integer(let a, _), .integer(let b, _)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count
        && a.allSatisfy { one in b.contains { $0.key == one.key && $0.value == one.value } }
    default: false
    }
  }

  var text: String {
    switch self {
    case .null: "null"
    case .yes: "true"
    case .no: "false"
    case .integer(let number, let isDotted): isDotted ? "\(number).0" : "\(number)"
    case .string(let string): "\"\(string)\""
    case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }

  static let scalars: [SmallValue] =
    [.null, .yes, .no] + [1, 2, 10, 12].flatMap { [.integer($0), .integer($0, isDotted: true)] }
    + ["", "a", "b", "aa", "ab", "ba", "bb"].map { .string($0) }

  /// Every value that ``SmallSchema/world`` allows, objects in each order of their members.
  static let all: [SmallValue] = {
    var result = scalars + [.array([]), .object([])]
    for one in scalars {
      result.append(.array([one]))
      for key in ["a", "b"] { result.append(.object([(key, one)])) }
      for other in scalars {
        result.append(.array([one, other]))
        result.append(.object([("a", one), ("b", other)]))
        result.append(.object([("b", other), ("a", one)]))
      }
    }
    return result
  }()
}

/// A random schema with what it means, evaluated keyword by keyword.
struct SmallSchema {
  /// The schema, as text.
  var text: String
  /// Whether a value satisfies it.
  var admits: (SmallValue) -> Bool

  /// A schema of exactly the values in ``SmallValue/all``.
  static let world = """
    {"anyOf":[{"$ref":"#/$defs/scalar"},{"type":"array","items":{"$ref":"#/$defs/scalar"},"maxItems":2},
    {"type":"object","properties":{"a":{"$ref":"#/$defs/scalar"},"b":{"$ref":"#/$defs/scalar"}},
    "additionalProperties":false}]}
    """
  static let definitions = """
    {"scalar":{"anyOf":[{"type":"null"},{"type":"boolean"},
    {"type":"integer","enum":[1,2,10,12]},{"type":"string","pattern":"^[ab]{0,2}$"}]}}
    """

  /// The schema within the small world.
  var document: String {
    #"{"allOf":[\#(Self.world),\#(text)],"$defs":\#(Self.definitions)}"#
  }

  static func random(_ generator: inout SeededGenerator, depth: Int = 2) -> SmallSchema {
    var keywords: [SmallSchema] = []
    var seen: Set<String> = []
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let keyword = keyword(&generator, depth: depth)
      let name = String(keyword.text.prefix { $0 != ":" })
      if seen.insert(name).inserted { keywords.append(keyword) }
    }
    return SmallSchema(
      text: "{" + keywords.map(\.text).joined(separator: ",") + "}",
      admits: { value in keywords.allSatisfy { $0.admits(value) } })
  }

  private static func keyword(_ generator: inout SeededGenerator, depth: Int) -> SmallSchema {
    let bound = Int.random(in: 0...2, using: &generator)
    let key = Bool.random(using: &generator) ? "a" : "b"
    switch Int.random(in: 0...(depth > 0 ? 25 : 15), using: &generator) {
    case 0, 1, 2: return type(&generator)
    case 3:
      let value = SmallValue.all.randomElement(using: &generator) ?? .null
      return .init(text: "\"const\":\(value.text)") { $0 == value }
    case 4:
      let values = (0..<3).map { _ in SmallValue.scalars.randomElement(using: &generator) ?? .null }
      return .init(text: "\"enum\":[\(values.map(\.text).joined(separator: ","))]") {
        values.contains($0)
      }
    case 5: return .init(text: "\"minimum\":\(bound)") { $0.number.map { $0 >= bound } ?? true }
    case 6:
      return .init(text: "\"exclusiveMaximum\":\(bound)") { $0.number.map { $0 < bound } ?? true }
    case 7: return .init(text: "\"multipleOf\":2") { $0.number.map { $0 % 2 == 0 } ?? true }
    case 8:
      return .init(text: "\"minLength\":\(bound)") { $0.string.map { $0.count >= bound } ?? true }
    case 9:
      return .init(text: "\"maxLength\":\(bound)") { $0.string.map { $0.count <= bound } ?? true }
    case 10:
      return .init(text: "\"pattern\":\"a(?!b)\"") { value in
        value.string.map { $0.contains("aa") || $0.hasSuffix("a") } ?? true
      }
    case 11:
      return .init(text: "\"minItems\":\(bound)") { $0.items.map { $0.count >= bound } ?? true }
    case 12:
      return .init(text: "\"maxItems\":\(bound)") { $0.items.map { $0.count <= bound } ?? true }
    case 13:
      return .init(text: "\"uniqueItems\":true") { value in
        value.items.map { $0.count < 2 || $0[0] != $0[1] } ?? true
      }
    case 14:
      return .init(text: "\"required\":[\"\(key)\"]") { value in
        value.members.map { $0.contains { $0.key == key } } ?? true
      }
    case 15:
      return .init(text: "\"maxProperties\":\(bound)") {
        $0.members.map { $0.count <= bound } ?? true
      }
    default: return applicator(&generator, depth: depth, key: key)
    }
  }

  private static func type(_ generator: inout SeededGenerator) -> SmallSchema {
    let names = ["null", "boolean", "integer", "string", "array", "object"]
    let chosen = names.filter { _ in Int.random(in: 0...2, using: &generator) == 0 } + ["array"]
    let list = Set(chosen).sorted()
    return .init(text: "\"type\":[\(list.map { "\"\($0)\"" }.joined(separator: ","))]") { value in
      switch value {
      case .null: list.contains("null")
      case .yes, .no: list.contains("boolean")
      case .integer: list.contains("integer")
      case .string: list.contains("string")
      case .array: list.contains("array")
      case .object: list.contains("object")
      }
    }
  }

  private static func applicator(
    _ generator: inout SeededGenerator, depth: Int, key: String
  ) -> SmallSchema {
    let one = random(&generator, depth: depth - 1)
    let other = random(&generator, depth: depth - 1)
    let third = random(&generator, depth: depth - 1)
    switch Int.random(in: 0...9, using: &generator) {
    case 0:
      return .init(text: "\"items\":\(one.text)") {
        $0.items.map { $0.allSatisfy(one.admits) } ?? true
      }
    case 1:
      return .init(text: "\"allOf\":[{\"prefixItems\":[\(one.text)]}]") { value in
        value.items?.first.map(one.admits) ?? true
      }
    case 2:
      return .init(text: "\"contains\":\(one.text)") {
        $0.items.map { $0.contains(where: one.admits) } ?? true
      }
    case 3:
      return .init(text: "\"properties\":{\"\(key)\":\(one.text)}") { value in
        value.members?.first { $0.key == key }.map { one.admits($0.value) } ?? true
      }
    case 4:
      return .init(text: "\"allOf\":[{\"additionalProperties\":\(one.text)}]") { value in
        value.members.map { $0.allSatisfy { one.admits($0.value) } } ?? true
      }
    case 5:
      return .init(text: "\"anyOf\":[\(one.text),\(other.text)]") {
        one.admits($0) || other.admits($0)
      }
    case 6:
      return .init(text: "\"oneOf\":[\(one.text),\(other.text)]") {
        one.admits($0) != other.admits($0)
      }
    case 7:
      return .init(text: "\"not\":\(one.text)") { !one.admits($0) }
    case 8:
      return .init(
        text: "\"allOf\":[{\"if\":\(one.text),\"then\":\(other.text),\"else\":\(third.text)}]"
      ) { one.admits($0) ? other.admits($0) : third.admits($0) }
    default:
      return .init(text: "\"propertyNames\":\(one.text)") { value in
        value.members.map { $0.allSatisfy { one.admits(.string($0.key)) } } ?? true
      }
    }
  }
}

extension SmallValue {
  fileprivate var number: Int? { if case .integer(let number, _) = self { number } else { nil } }
  fileprivate var string: String? { if case .string(let string) = self { string } else { nil } }
  fileprivate var items: [SmallValue]? { if case .array(let items) = self { items } else { nil } }
  fileprivate var members: [(key: String, value: SmallValue)]? {
    if case .object(let members) = self { members } else { nil }
  }
}
