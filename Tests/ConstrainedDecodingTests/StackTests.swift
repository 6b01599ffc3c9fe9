// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

import class Foundation.Thread

@testable import ConstraintEngine

/// Schemas that nest more than a small stack has room for: tasks have 512 KB on Apple's platforms.
@Suite(.computesForLong, .timeLimit(.minutes(30))) struct StackTests {
  enum Nesting: String, CaseIterable {
    case items, required, allOf, not, references, array, object

    /// A schema in which something nests so many levels.
    func schema(_ levels: Int) -> String {
      switch self {
      case .items: nested(#"{"items":"#, "true", "}", levels)
      case .required:
        nested(#"{"type":"object","required":["a"],"properties":{"a":"#, "true", "}}", levels)
      case .allOf: nested(#"{"allOf":["#, "true", "]}", levels)
      case .not: nested(#"{"not":"#, #"{"type":"string"}"#, "}", levels)
      case .references:
        ##"{"$ref":"#/$defs/0","$defs":{"##
          + (0..<levels).map { ##""\##($0)":{"$ref":"#/$defs/\##($0 + 1)"},"## }.joined()
          + #""\#(levels)":true}}"#
      case .array: nested("[", "", "]", levels, in: #"{"const":"#)
      case .object: nested(#"{"a":"#, "1", "}", levels, in: #"{"const":"#)
      }
    }

    private func nested(
      _ opening: String, _ inner: String, _ closing: String, _ levels: Int, in outer: String = ""
    ) -> String {
      outer + String(repeating: opening, count: levels) + inner
        + String(repeating: closing, count: levels) + (outer.isEmpty ? "" : "}")
    }
  }

  /// What a schema leads to: its error, or what is emitted for it, the shortest value, and the masks
  /// on the way to that.
  static func outcome(_ schema: String) -> [String] {
    do {
      let grammar = try Grammar(jsonSchema: schema)
      var matcher = Matcher(grammar: grammar, vocabulary: MaskTests.vocabulary)
      var result = ["\(try grammar.emitted(as: .gbnf).text.count)"]
      for token in matcher.shortestCompletionTokens().prefix(1000) {
        result.append("\(matcher.allowedTokens().count)")
        try matcher.accept(token)
      }
      var validator = StreamValidator(grammar: grammar)
      result.append("\(validator.append(String(repeating: "[", count: 2000)))")
      return result
    } catch {
      return ["\(error)"]
    }
  }

  @Test(arguments: Nesting.allCases, [10, 40, 200, 500])
  func smallStacksAreEnough(nesting: Nesting, levels: Int) async {
    let schema = nesting.schema(levels)
    let found = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: Self.outcome(schema)) }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(found == Self.outcome(schema))
  }

  /// Where no thread can be had, what nests deeper than any stack has room for is a limit, and what
  /// does not is what it is elsewhere.
  @Test(arguments: Nesting.allCases)
  func withoutThreads(nesting: Nesting) {
    let flat = nesting.schema(6)
    let outcome = Self.outcome(flat)
    #expect(LargeStack.$isAvailable.withValue(false) { Self.outcome(flat) } == outcome)
    let deep = nesting.schema(200)
    let found = LargeStack.$isAvailable.withValue(false) { Self.outcome(deep) }
    // Optional items need no recursion: each level is looked at when it is reached.
    if nesting == .items {
      #expect(found == Self.outcome(deep))
    } else {
      #expect(found.count == 1 && found[0].contains(LargeStack.absence), "\(found)")
    }
  }
}
