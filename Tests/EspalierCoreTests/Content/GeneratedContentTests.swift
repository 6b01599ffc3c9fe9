// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import TestSupport
import Testing

@Suite struct GeneratedContentTests {
  @Test(arguments: [
    (
      #" { "b" : [ 1.50 , -0 , true , null , { } ] , "" : "x\n\u00e9\"" } "#,
      #"{"b":[1.5,0,true,null,{}],"":"x\né\""}"#
    ),
    // What is cut off is closed where it ends.
    (#"{"a":[1,{"b":"x\"#, #"{"a":[1,{"b":"x"}]}"#),
    (#"{"a":[tr"#, #"{"a":[]}"#), (#"{"a":1,"b"#, #"{"a":1}"#), ("12", "12"),
    // Two names to JSON, one to Swift: what was read is written.
    ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
  ])
  func parsedContentIsWrittenAsItWasRead(_ text: String, _ written: String) throws {
    let json = try GeneratedContent(json: text).jsonString
    #expect(Array(json.utf8) == Array(written.utf8), "\(json)")
  }

  @Test(arguments: 0..<400)
  func anyJSONSurvives(seed: UInt64) throws {
    var random = RandomJSON(seed: seed)
    let content = try GeneratedContent(json: random.text())
    let again = try GeneratedContent(json: content.jsonString)
    #expect(content == again, "seed \(seed)")
    #expect(again.jsonString == content.jsonString, "seed \(seed)")
    #expect(GeneratedContent(kind: content.kind).isComplete, "seed \(seed)")
  }

  /// Whether `part` is what `whole` may have been at an earlier moment.
  private static func agrees(_ part: GeneratedContent, with whole: GeneratedContent) -> Bool {
    if part.isComplete { return part == whole }
    switch (part.kind, whole.kind) {
    case (.null, _): return true
    case (.string(let part), .string(let whole)):
      return whole.unicodeScalars.starts(with: part.unicodeScalars)
    case (.array(let part), .array(let whole)):
      return part.count <= whole.count && zip(part, whole).allSatisfy(agrees)
        && part.dropLast().allSatisfy(\.isComplete)
    case (.structure(let part, let keys), .structure(let whole, let allKeys)):
      return allKeys.starts(with: keys)
        && keys.allSatisfy { key in
          guard let part = part[key], let whole = whole[key] else { return false }
          return agrees(part, with: whole)
        } && keys.dropLast().allSatisfy { part[$0]?.isComplete == true }
    default: return false
    }
  }

  @Test(arguments: 0..<200)
  func aTextCutAnywhereAgreesWithTheWhole(seed: UInt64) throws {
    var random = RandomJSON(seed: seed)
    let bytes = Array(random.text().utf8)
    let whole = try GeneratedContent(json: String(decoding: bytes, as: UTF8.self))
    for cut in bytes.indices {
      var parser = GeneratedContentParser()
      try parser.append(bytes[..<cut])
      #expect(Self.agrees(parser.content, with: whole), "seed \(seed), cut \(cut)")
    }
  }

  @Test(arguments: 0..<200)
  func propertiesAreFoundByTheirNames(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Names that begin with one another, and characters that have other spellings.
    let characters = ["a", "b", "\"", "\\", "é", "\u{1}"]
    let names = Set(
      (0..<12).map { _ in
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          characters.randomElement(using: &random) ?? ""
        }.joined()
      }
    ).sorted()
    let members = names.dropLast().enumerated().map { index, name in
      let spelled = name.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "\"", "\\": Bool.random(using: &random) ? "\\\(scalar)" : Self.escaped(scalar)
        case "\u{1}": Self.escaped(scalar)
        default: Int.random(in: 0..<4, using: &random) == 0 ? Self.escaped(scalar) : "\(scalar)"
        }
      }.joined()
      return "\"\(spelled)\":\(index)"
    }
    let content = try GeneratedContent(json: "{\(members.joined(separator: ","))}")
    for (index, name) in names.dropLast().enumerated() {
      #expect(try content.value(Int.self, forProperty: name) == index, "seed \(seed)")
    }
    let absent = names.last ?? ""
    #expect(try content.value(Int?.self, forProperty: absent) == nil, "seed \(seed)")
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }

  @Test(arguments: [
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "9007199254740993",
    "123456789012345678901234567890.5", "1e400", "0.1", "-0.0", "1E+2", "1e-400",
  ])
  func numbersAreExact(text: String) throws {
    let content = try GeneratedContent(json: "[\(text)]")
    let again = try GeneratedContent(json: content.jsonString)
    #expect(content == again)
    if !text.contains(where: "eE".contains), text != "-0.0" {
      #expect(content.jsonString == "[\(text)]")
    }
  }

  @Test func sixtyFourBitIntegers() throws {
    #expect(try UInt64(GeneratedContent(json: "18446744073709551615")) == .max)
    #expect(try Int64(GeneratedContent(json: "-9223372036854775808")) == .min)
    #expect(try Int(GeneratedContent(json: "1e3")) == 1000)
    #expect(try Int(GeneratedContent(json: "5.0")) == 5)
    #expect(
      try UInt128(GeneratedContent(json: "340282366920938463463374607431768211455")) == .max)
    #expect(UInt64.max.generatedContent.jsonString == "18446744073709551615")
  }

  @Test(arguments: ["1.5", "128", "-129", "1e40", "\"1\"", "null", "12345678901234567890123"])
  func integersOutOfRange(json: String) throws {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try Int8(GeneratedContent(json: json))
    }
    #expect(error?.debugDescription.hasPrefix("Expected an integer") == true)
  }

  @Test func doublesOutOfRange() throws {
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Double(GeneratedContent(json: "1e999"))
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Float(GeneratedContent(json: "1e39"))
    }
  }

  @Test func numbersAreEqualByValue() throws {
    #expect(try GeneratedContent(json: "1.0") == GeneratedContent(1))
    #expect(try GeneratedContent(json: "1e2") == GeneratedContent(json: "100"))
    #expect(try GeneratedContent(json: "100000000000000000000") != GeneratedContent(json: "1e21"))
  }

  @Test func propertiesInOrder() throws {
    let content = GeneratedContent(properties: ["b": 1, "a": "x", "c": [true, false]])
    #expect(content.jsonString == #"{"b":1,"a":"x","c":[true,false]}"#)
    let merged = GeneratedContent(
      properties: [("a", 1), ("b", 2), ("a", 3)] as [(String, any ConvertibleToGeneratedContent)],
      uniquingKeysWith: { first, second in [first, second] })
    #expect(merged.jsonString == #"{"a":[1,3],"b":2}"#)
  }

  @Test func kinds() throws {
    let content = try GeneratedContent(json: #"{"a":[null,true,1.5,"s"]}"#)
    guard case .structure(let properties, ["a"]) = content.kind,
      case .array(let elements)? = properties["a"]?.kind
    else {
      Issue.record("\(content)")
      return
    }
    #expect(elements.map(\.kind) == [.null, .bool(true), .number(1.5), .string("s")])
    #expect(GeneratedContent(kind: content.kind) == content)
    let unordered = GeneratedContent(
      kind: .structure(
        properties: ["b": "1".generatedContent, "a": "2".generatedContent], orderedKeys: []))
    #expect(unordered.jsonString == #"{"a":"2","b":"1"}"#)
  }

  @Test func valuesOfProperties() throws {
    let content = try GeneratedContent(json: #"{"name":"Ada","age":36,"note":null}"#)
    #expect(try content.value(forProperty: "name") == "Ada")
    #expect(try content.value(Int.self, forProperty: "age") == 36)
    #expect(try content.value(String?.self, forProperty: "note") == nil)
    #expect(try content.value(String?.self, forProperty: "other") == nil)
    let missing = #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(String.self, forProperty: "summary")
    }
    #expect(
      missing?.debugDescription == "GeneratedContent does not contain a property 'summary'.")
    #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(1).value(String.self, forProperty: "a")
    }
  }

  @Test func identities() throws {
    var content = try GeneratedContent(json: #"{"a":{}"#)
    let own = GenerationID()
    content.id = own
    #expect(content.id == own)
    #expect(!content.isComplete)
    #expect(GeneratedContent("x", id: own).id == own)
  }

  @Test(arguments: [
    "{\"a\":1,}", "[1 2]", "{\"a\":1,\"a\":2}", "nul!", "01", "[\"\u{1}\"]", "\"\\q\"",
  ])
  func badInput(json: String) {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: json)
    }
    #expect(error?.rawContent.isEmpty == false)
    #expect(error?.debugDescription.contains("byte") == true)
    #expect(error?.debugDescription.hasSuffix("^") == true)
  }

  @Test func deepAndLongInput() {
    let deep = #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: String(repeating: "[", count: 10_000))
    }
    #expect(deep?.debugDescription.contains("More than 512 levels of nesting") == true)
    var small = GeneratedContentParser(limits: .init(byteCount: 100))
    let long = #expect(throws: GeneratedContent.ParsingError.self) {
      try small.append("\"" + String(repeating: "a", count: 200))
    }
    #expect(long?.debugDescription.contains("More than 100 bytes of JSON.") == true)
  }

  @Test func theGreatestDepthIsUsable() throws {
    var parser = GeneratedContentParser(limits: .init(depth: 10_000))
    let text = String(repeating: "[", count: 1024) + String(repeating: "]", count: 1024)
    try parser.append(text)
    let content = try parser.finish()
    #expect(content.jsonString == text)
    #expect(GeneratedContent(kind: content.kind) == content)
    var deeper = GeneratedContentParser(limits: .init(depth: 10_000))
    #expect(throws: GeneratedContent.ParsingError.self) { try deeper.append("[" + text + "]") }
  }
}
