// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Whether items can differ, held against all arrays of a small world of values.
@Suite(.computesForLong) struct DistinctItemsTests {
  static let values = ["1", "2", "\"x\"", "null", "[1]", "[1,2]", #"{"a":1}"#]

  /// A random schema whose items differ, with `contains` beside.
  struct World {
    var prefixItems: [[String]]
    var items: [String]
    var minimum: Int
    var maximum: Int
    var containments: [(values: [String], minimum: Int, maximum: Int?)]

    init(using generator: inout SeededGenerator) {
      func some(_ generator: inout SeededGenerator) -> [String] {
        let count = Int.random(in: 1...4, using: &generator)
        return Array(DistinctItemsTests.values.shuffled(using: &generator).prefix(count))
      }
      prefixItems = (0..<Int.random(in: 0...2, using: &generator)).map { _ in some(&generator) }
      items = some(&generator)
      minimum = Int.random(in: 0...4, using: &generator)
      maximum = Int.random(in: minimum...5, using: &generator)
      containments = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        let least = Int.random(in: 0...3, using: &generator)
        let most =
          Bool.random(using: &generator) ? Int.random(in: least...4, using: &generator) : nil
        return (some(&generator), least, most)
      }
    }

    var schema: String {
      func list(_ values: [String]) -> String { "{\"enum\":[\(values.joined(separator: ","))]}" }
      var keywords = [
        "\"type\":\"array\"", "\"uniqueItems\":true", "\"items\":\(list(items))",
        "\"minItems\":\(minimum)", "\"maxItems\":\(maximum)",
      ]
      if !prefixItems.isEmpty {
        keywords.append("\"prefixItems\":[\(prefixItems.map(list).joined(separator: ","))]")
      }
      let containments = containments.map { entry in
        let most = entry.maximum.map { ",\"maxContains\":\($0)" } ?? ""
        return "{\"contains\":\(list(entry.values)),\"minContains\":\(entry.minimum)\(most)}"
      }
      if !containments.isEmpty {
        keywords.append("\"allOf\":[\(containments.joined(separator: ","))]")
      }
      return "{\(keywords.joined(separator: ","))}"
    }

    /// Every array that satisfies the schema.
    func arrays(from start: [String] = []) -> [[String]] {
      var result: [[String]] = isValid(start) ? [start] : []
      guard start.count < maximum else { return result }
      let allowed = start.count < prefixItems.count ? prefixItems[start.count] : items
      for value in allowed where !start.contains(value) { result += arrays(from: start + [value]) }
      return result
    }

    private func isValid(_ items: [String]) -> Bool {
      items.count >= minimum
        && containments.allSatisfy { entry in
          let count = items.count { entry.values.contains($0) }
          return count >= entry.minimum && count <= entry.maximum ?? .max
        }
    }
  }

  @Test(arguments: 0..<300) func everyItemLeavesAWayOn(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let world = World(using: &generator)
    let arrays = world.arrays()
    guard !arrays.isEmpty else {
      #expect(throws: GrammarError.self, "seed \(seed): \(world.schema)") {
        try Grammar(jsonSchema: world.schema, options: .generation)
      }
      return
    }
    var options = CompilationOptions.generation
    options.whitespace = .compact
    let grammar = try Grammar(jsonSchema: world.schema, options: options)
    let ends = Set(arrays)
    let starts = Set(arrays.flatMap { array in (0...array.count).map { Array(array[..<$0]) } })
    for start in starts {
      for value in Self.values {
        let array = start + [value]
        let text = "[" + array.joined(separator: ",")
        let allowed = Self.allowed(after: text, grammar)
        let mayEnd = ends.contains(array)
        let mayGoOn = starts.contains { $0.count > array.count && $0.starts(with: array) }
        #expect(
          allowed.contains(UInt8(ascii: "]")) == mayEnd, "seed \(seed): \(world.schema) \(text)")
        #expect(
          allowed.contains(UInt8(ascii: ",")) == mayGoOn, "seed \(seed): \(world.schema) \(text)")
      }
    }
  }

  /// The bytes that may follow a text; none where the text is refused.
  private static func allowed(after text: String, _ grammar: Grammar) -> Set<UInt8> {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    for byte in text.utf8 where (try? matcher.accept(Int(byte))) == nil { return [] }
    let allowed = matcher.allowedTokens()
    return Set((0..<256).filter { allowed.contains($0) }.map { UInt8($0) })
  }

  @Test(arguments: [
    #"{"type":"array","uniqueItems":true,"minItems":4,"items":{"type":"integer","minimum":1,"maximum":3}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":4,"items":{"multipleOf":0.5,"type":"number","minimum":0.2,"exclusiveMaximum":2}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"string","pattern":"^[ab]$"}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":4,"items":{"type":"array","maxItems":1,"items":{"type":"boolean"}}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":6,"items":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{"a":{"type":"boolean"},"b":{"const":1}}}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"object","not":{"required":["b"]},"additionalProperties":false,"properties":{"a":{"const":1},"b":{"const":1}}}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":"array","uniqueItems":true,"minItems":2,"items":{"enum":[1]}}}"#,
  ])
  func moreItemsThanThereAreValuesAreNoValue(schema: String) {
    #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
  }

  @Test(arguments: [
    #"{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"integer","minimum":1,"maximum":3}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":5,"items":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{"a":{"type":"boolean"},"b":{"const":1}}}}"#,
    #"{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":"object","not":{"required":["b"]},"additionalProperties":false,"properties":{"a":{"const":1},"b":{"const":1}}}}"#,
    ##"{"type":"array","uniqueItems":true,"items":{"$ref":"#"}}"##,
    ##"{"type":["array","null"],"uniqueItems":true,"minItems":1,"items":{"$ref":"#"}}"##,
  ])
  func asManyItemsAsThereAreValuesAreOne(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    for byte in matcher.shortestCompletion() { try matcher.accept(Int(byte)) }
    #expect(matcher.allowedTokens().contains(256))
  }

  @Test func manyItemsOfWhichSomeHaveFewValuesAreAnErrorWithAReason() throws {
    func schema(_ first: String) -> String {
      #"{"type":"array","uniqueItems":true,"minItems":300,"prefixItems":["#
        + first + #"],"items":{"type":"string"}}"#
    }
    _ = try Grammar(jsonSchema: schema(#"{"type":"string"}"#))
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: schema(#"{"enum":[1,2]}"#))
    }
    #expect(error?.diagnostics.first?.keyword == "uniqueItems")
  }

  /// There are as many different items as numbers between two bounds.
  @Test(arguments: 0..<60) func numbersBetweenBoundsAreCounted(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    // In tenths.
    let lower = Int.random(in: -40...40, using: &generator)
    let upper = lower + Int.random(in: 0...60, using: &generator)
    let step = [1, 2, 5, 10, 15].randomElement(using: &generator) ?? 1
    let (excludesLower, excludesUpper) = (
      Bool.random(using: &generator), Bool.random(using: &generator)
    )
    let excluded = Int.random(in: lower...upper, using: &generator)
    let count = (lower...upper).count {
      $0 % step == 0 && $0 != excluded && !(excludesLower && $0 == lower)
        && !(excludesUpper && $0 == upper)
    }
    func schema(_ count: Int) -> String {
      """
      {"type":"array","uniqueItems":true,"minItems":\(count),"items":{"type":"number",
      "\(excludesLower ? "exclusiveMinimum" : "minimum")":\(lower)e-1,
      "\(excludesUpper ? "exclusiveMaximum" : "maximum")":\(upper)e-1,
      "multipleOf":\(step)e-1,"not":{"const":\(excluded)e-1}}}
      """
    }
    _ = try Grammar(jsonSchema: schema(count))
    #expect(throws: GrammarError.self, "seed \(seed): \(schema(count + 1))") {
      try Grammar(jsonSchema: schema(count + 1))
    }
  }

  /// Of many numbers that came, one that no further digit makes another is refused as it begins.
  @Test(arguments: [
    (#""type":"integer""#, -80...80, "0"), (#""type":"integer","minimum":0"#, 0...80, "0"),
    (#""type":"integer","maximum":90"#, -10...90, "7"),
    (#""type":"integer","minimum":-90"#, -90...10, "-7"),
    (#""type":"integer","minimum":-5"#, -5...80, "-5"),
  ])
  func numbersThatEndAreNotRepeated(items: String, seen: ClosedRange<Int>, next: String) throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"array","items":{\#(items)},"uniqueItems":true,"minItems":300}"#,
      options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "[\(seen.map(String.init).joined(separator: ",")),".utf8)
    #expect(throws: MatcherError.self) { try matcher.accept(bytes: next.utf8) }
  }
}
