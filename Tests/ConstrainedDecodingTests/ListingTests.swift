// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// `enum` of so many arrays and objects that a text is read beside all of them.
@Suite(.computesForLong) struct ListingTests {
  indirect enum Value: Hashable {
    case null
    case bool(Bool)
    case int(Int)
    case string(String)
    case array([Value])
    /// With the order in which the keys are written.
    case object([Member])

    struct Member: Hashable {
      var key: String
      var value: Value
    }

    /// The same value with its keys in order: equal for equal values.
    var sorted: Value {
      switch self {
      case .array(let items): .array(items.map(\.sorted))
      case .object(let members):
        .object(
          members.map { Member(key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key })
      default: self
      }
    }

    var text: String {
      switch self {
      case .null: "null"
      case .bool(let value): "\(value)"
      case .int(let value): "\(value)"
      case .string(let value): "\"\(value)\""
      case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
      case .object(let members):
        "{" + members.map { "\"\($0.key)\":" + $0.value.text }.joined(separator: ",") + "}"
      }
    }

    func shuffled(_ random: inout SeededGenerator) -> Value {
      switch self {
      case .array(let items): return .array(items.map { $0.shuffled(&random) })
      case .object(let members):
        let parts = members.map { Member(key: $0.key, value: $0.value.shuffled(&random)) }
        return .object(parts.shuffled(using: &random))
      default: return self
      }
    }

    static func random(_ depth: Int, _ random: inout SeededGenerator) -> Value {
      switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &random) {
      case 0: return .null
      case 1: return .bool(.random(using: &random))
      case 2, 3: return .int(Int.random(in: 0...30, using: &random))
      case 4, 5: return .string(["", "a", "ab", "b", "é"].randomElement(using: &random) ?? "")
      case 6, 7: return .array(items(depth, &random))
      default: return object(depth, &random)
      }
    }

    static func items(_ depth: Int, _ random: inout SeededGenerator) -> [Value] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in self.random(depth - 1, &random) }
    }

    /// Mostly of the same keys in the same order.
    static func object(_ depth: Int, _ random: inout SeededGenerator) -> Value {
      var keys = ["a", "ab", "b", "é"].filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      if Int.random(in: 0..<4, using: &random) == 0 { keys.shuffle(using: &random) }
      return .object(keys.map { Member(key: $0, value: self.random(depth - 1, &random)) })
    }
  }

  /// A list of distinct values, most of them containers.
  static func list(_ count: Int, _ random: inout SeededGenerator) -> [Value] {
    var seen = Set<Value>()
    var result: [Value] = []
    while result.count < count {
      let value: Value =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .random(0, &random)
        case 1, 2: .array(Value.items(2, &random))
        default: .object(2, &random)
        }
      if seen.insert(value.sorted).inserted { result.append(value) }
    }
    return result
  }

  static func schema(_ list: [Value]) -> String {
    #"{"enum":["# + list.map(\.text).joined(separator: ",") + "]}"
  }

  /// One of each kind, for the tests of everything else.
  static let schemas: [String] = {
    var random = SeededGenerator(seed: 7)
    let plain = schema(list(90, &random))
    let members = (0..<80).map { #"{"a":\#($0 % 9),"ab":"\#($0)","b":[\#($0 % 2),{}]}"# }
    let flat = #"{"enum":["# + members.joined(separator: ",") + "]}"
    return [
      plain, flat,
      #"{"type":"object","properties":{"a":\#(flat),"b":{"type":"string"}},"required":["a"]}"#,
      #"{"type":"array","items":\#(flat),"uniqueItems":true,"maxItems":3}"#,
      #"{"type":"array","maxItems":2,"not":{"uniqueItems":true},"items":\#(flat)}"#,
      #"{"type":"array","maxItems":2,"not":{"uniqueItems":true},"items":{"type":"object"}}"#,
      #"{"anyOf":[\#(flat),{"type":"object","properties":{"a":{"type":"integer"}}}]}"#,
    ]
  }()

  static func accepts(_ text: String, _ grammar: Grammar) -> Bool {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    guard (try? matcher.accept(bytes: Array(text.utf8))) != nil else { return false }
    return matcher.canEnd()
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func listedValuesAreTakenInAnyOrderAndNoOthers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let list = Self.list(100, &random)
    let known = Set(list.map(\.sorted))
    let grammar = try Grammar(jsonSchema: Self.schema(list), options: .validation)
    for value in list {
      let text = value.shuffled(&random).text
      #expect(Self.accepts(text, grammar), "\(text), seed \(seed)")
    }
    for other in Self.list(200, &random) {
      #expect(
        Self.accepts(other.text, grammar) == known.contains(other.sorted),
        "\(other.text), seed \(seed)")
    }
  }

  /// In an order of all keys, each value can be written in one way.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func everyListedValueCanBeGenerated(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let objects = (0..<80).map { index in
      Value.object([
        .init(key: "id", value: .int(index)), .init(key: "a", value: .random(2, &random)),
      ])
    }
    let grammar = try Grammar(jsonSchema: Self.schema(objects), options: .generation)
    for value in objects {
      // Whatever it is inside: the keys of nested objects have an order of their own.
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      guard case .object(let members) = value else { continue }
      let start = #"{"id":\#(members[0].value.text),"#
      try matcher.accept(bytes: Array(start.utf8))
      let rest = matcher.shortestCompletion()
      let text = start + String(decoding: rest, as: UTF8.self)
      let read = try Grammar(jsonSchema: #"{"const":\#(value.text)}"#, options: .validation)
      #expect(Self.accepts(text, read), "\(text) for \(value.text), seed \(seed)")
      #expect(!Self.accepts(value.text.replacing("\"id\"", with: "\"ib\""), grammar))
    }
  }

  @Test func whatIsSaidBesideAListHoldsOfItsValues() throws {
    let objects = (0..<70).map { #"{"a":\#($0)\#($0 % 2 == 0 ? #","b":true"# : "")}"# }
    let list = "[" + objects.joined(separator: ",") + "]"
    for (schema, isTaken) in [
      (#"{"enum":\#(list),"required":["b"]}"#, { $0 % 2 == 0 }),
      (#"{"enum":\#(list),"properties":{"a":{"minimum":40}}}"#, { $0 >= 40 }),
      (#"{"type":"object","not":{"enum":\#(list)}}"#, { _ in false }),
      (#"{"allOf":[{"enum":\#(list)},{"enum":[{"a":3},{"a":4}]}]}"#, { $0 == 3 }),
      (#"{"oneOf":[{"enum":\#(list)},{"required":["b"]}]}"#, { $0 % 2 == 1 }),
    ] as [(String, (Int) -> Bool)] {
      let grammar = try Grammar(jsonSchema: schema, options: .validation)
      for (index, object) in objects.enumerated() {
        #expect(
          Self.accepts(object, grammar) == isTaken(index), "\(object) under \(schema.suffix(60))")
      }
    }
  }

  @Test func longListsAreReadAndWhatCannotBeSaidOfThemIsAnError() throws {
    let objects = (0..<6_000).map { #"{"id":\#($0),"group":"g\#($0 % 7)"}"# }
    let list = "[" + objects.joined(separator: ",") + "]"
    let grammar = try Grammar(jsonSchema: #"{"enum":\#(list)}"#, options: .validation)
    #expect(Self.accepts(#"{"group": "g6", "id": 5998}"#, grammar))
    #expect(!Self.accepts(#"{"group": "g5", "id": 5998}"#, grammar))
    for schema in [
      #"{"enum":\#(list),"required":["id"]}"#, #"{"type":"object","not":{"enum":\#(list)}}"#,
    ] {
      let error = #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
      #expect(error?.diagnostics.first?.keyword == "enum")
      #expect(error?.description.contains("`alternatives`") == true)
    }
  }

  /// An object that must repeat an open one can only have its keys.
  @Test func keysOfAnObjectThatMustBeRepeatedAreItsOwn() throws {
    let schema = #"""
      {"type":"array","maxItems":2,"not":{"uniqueItems":true},"items":{"type":"object"}}
      """#
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: Array(#"[{"ab":1,"ac":2},{"a"#.utf8))
    #expect(
      matcher.allowedTokens().tokens.sorted() == [Int(UInt8(ascii: "b")), Int(UInt8(ascii: "c"))])
    #expect(Self.accepts(#"[{"ab":1,"ac":2},{"ac":2,"ab":1}]"#, grammar))
  }
}
