// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ConstraintEngine

/// Sequences of one grammar on several threads.
struct SharedGrammarTests {
  private static let schema = """
    {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"},
     "name": {"type": "string", "pattern": "^[a-z]{1,8}$"}, "tags": {"type": "array",
     "items": {"enum": ["red", "green", "blue"]}}}, "required": ["id", "name"]}}
    """

  private static func text(_ count: Int) -> [UInt8] {
    let items = (0..<count).map {
      #"{"id":\#($0),"name":"\#(["ada", "ben", "cleo"][$0 % 3])","tags":["red"]}"#
    }
    return Array("[\(items.joined(separator: ","))]".utf8)
  }

  /// The number of tokens allowed at each step.
  private static func counts(_ text: [UInt8], _ matcher: inout Matcher) -> [Int] {
    text.map { byte in
      let count = matcher.allowedTokens().count
      return (try? matcher.accept(Int(byte))) == nil ? -1 : count
    }
  }

  /// Lets a thread work on some tables for as long as a closure takes.
  private func whileTaken(_ tables: Grammar.Tables, _ body: () -> Void) {
    let (taken, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      tables.withState { _ in
        taken.signal()
        _ = released.wait(timeout: .now() + 60)
      }
    }
    taken.wait()
    body()
    released.signal()
  }

  /// Lets steps find some tables taken, more often than is tolerated.
  private func crowd(_ tables: Grammar.Tables) {
    for _ in 0..<10 {
      let taken = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        tables.withState { _ in
          taken.signal()
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
      taken.wait()
      tables.withState { _ in }
    }
  }

  private func tablesCount(_ grammar: Grammar) -> Int {
    grammar.storage.forEachState { _ in true }.count
  }

  @Test func threadsReadAsOneDoes() async throws {
    let grammar = try Grammar(jsonSchema: Self.schema)
    let text = Self.text(40)
    var alone = Matcher(
      grammar: try Grammar(jsonSchema: Self.schema), vocabulary: .singleBytes)
    let expected = Self.counts(text, &alone)
    #expect(!expected.contains(-1))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<20).allSatisfy { _ in
            var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
            return Self.counts(text, &matcher) == expected && matcher.canEnd()
          }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
    #expect(grammar._checkInvariants() == [])
  }

  @Test func sequenceBeginsAtCopyWhereStepsWaited() throws {
    let grammar = try Grammar(jsonSchema: Self.schema)
    let text = Self.text(5)
    var first = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let expected = Self.counts(text, &first)
    #expect(tablesCount(grammar) == 1)
    crowd(grammar.storage.original)
    var second = Matcher(grammar: grammar, vocabulary: .singleBytes)
    #expect(tablesCount(grammar) == 2)
    // The second needs no lock of the first one's.
    whileTaken(grammar.storage.original) {
      let counts = Self.counts(text, &second)
      #expect(counts == expected)
    }
    let canEnd = first.canEnd()
    #expect(canEnd)
    // A third begins where one has ended.
    first = second
    let third = Matcher(grammar: grammar, vocabulary: .singleBytes)
    #expect(tablesCount(grammar) == 2)
    withExtendedLifetime(third) {}
  }

  @Test func sequenceThatKeepsWaitingGoesOnAtCopy() throws {
    let grammar = try Grammar(jsonSchema: Self.schema)
    let text = Self.text(20)
    var alone = Matcher(
      grammar: try Grammar(jsonSchema: Self.schema), vocabulary: .singleBytes)
    let expected = Self.counts(text, &alone)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var counts: [Int] = []
    for byte in text {
      let taken = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        grammar.storage.original.withState { _ in
          taken.signal()
          Thread.sleep(forTimeInterval: 0.002)
        }
      }
      taken.wait()
      counts.append(matcher.allowedTokens().count)
      try matcher.accept(Int(byte))
      if tablesCount(grammar) == 2 { break }
    }
    try #require(tablesCount(grammar) == 2)
    let read = counts.count
    whileTaken(grammar.storage.original) {
      counts += Self.counts(Array(text[read...]), &matcher)
      // What was read before the copy is taken back there.
      matcher.rollback(text.count)
      let again = Self.counts(text, &matcher)
      #expect(again == expected)
    }
    #expect(counts == expected)
  }

  @Test func sequenceMovesToTablesThatAreFree() throws {
    let grammar = try Grammar(jsonSchema: Self.schema)
    let text = Self.text(5)
    var first: Matcher? = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let expected = Self.counts(text, &first!)
    crowd(grammar.storage.original)
    var second = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let start = Self.counts(Array(text[..<30]), &second)
    #expect(start == Array(expected[..<30]))
    first = nil
    // The copy has an epoch and configurations of its own by now; the text is read again.
    var moved = second
    moved.move()
    whileTaken(second.seat.tables) {
      let rest = Self.counts(Array(text[30...]), &moved)
      #expect(rest == Array(expected[30...]))
    }
    #expect(tablesCount(grammar) == 2)
  }

  @Test func thereIsNoCopyWithoutRoom() throws {
    var options = CompilationOptions.generation
    options.limits.memory = 1
    let grammar = try Grammar(jsonSchema: Self.schema, options: options)
    let matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    crowd(grammar.storage.original)
    let other = Matcher(grammar: grammar, vocabulary: .singleBytes)
    #expect(tablesCount(grammar) == 1)
    withExtendedLifetime((matcher, other)) {}
  }
}
