// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Each limit made small, one after another: a verdict is the right one, or an error that names the
/// limit.
@Suite(.computesForLong, .timeLimit(.minutes(30))) struct SmallLimitTests {
  enum Limit: String, CaseIterable {
    case depth, alternatives, states, memory, compileTime

    /// Values from the least there is on.
    var values: [Int] {
      switch self {
      case .depth: [0, 1, 3]
      case .alternatives: [1, 3, 16]
      case .states: [1, 32]
      case .memory: [0, 1 << 14]
      case .compileTime: [0, 20]
      }
    }

    /// The options of validation with this limit at a value.
    func options(_ value: Int) -> CompilationOptions {
      LimitTests.options(.validation) { limits in
        switch self {
        case .depth: limits.depth = value
        case .alternatives: limits.alternatives = value
        case .states: limits.states = value
        case .memory: limits.memory = value
        case .compileTime: limits.compileTime = .microseconds(value)
        }
      }
    }
  }

  /// Some of every kind.
  static let schemas =
    (BudgetTests.schemas + MaskTests.schemas).enumerated().filter { $0.offset % 4 == 0 }
    .map(\.element)

  /// A text of a grammar, short since under the least limits each byte is worked out anew, and the same with
  /// one byte changed.
  static func texts(_ grammar: Grammar, seed: UInt64) throws -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var result: [[UInt8]] = []
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var text: [UInt8] = []
    for _ in 0..<8 {
      // White space is everywhere, and says nothing.
      let tokens = matcher.allowedTokens().tokens.filter { $0 > 0x20 && $0 < 256 }
      guard let token = tokens.randomElement(using: &generator) else { break }
      try matcher.accept(token)
      text.append(UInt8(token))
    }
    text += matcher.shortestCompletion()
    result.append(text)
    if let place = text.indices.randomElement(using: &generator) {
      text[place] = Array("\"a1{}[],:b".utf8).randomElement(using: &generator) ?? 0x61
      result.append(text)
    }
    return result
  }

  @Test(arguments: schemas, Limit.allCases)
  func aSmallLimitIsNoVerdict(schema: String, limit: Limit) throws {
    let large = try Grammar(jsonSchema: schema, options: .validation)
    let seed = UInt64(schema.utf8.count)
    let texts = try Self.texts(large, seed: seed)
    for value in limit.values {
      let place = "`\(limit)` of \(value), seed \(seed), under \(schema)"
      let small: Grammar
      do {
        small = try Grammar(jsonSchema: schema, options: limit.options(value))
      } catch {
        #expect(error.description.contains("`\(limit)`"), "\(error), \(place)")
        continue
      }
      for text in texts {
        let shown = "\(String(decoding: text, as: UTF8.self)), \(place)"
        var expected = StreamValidator(grammar: large)
        var found = StreamValidator(grammar: small)
        expected.append(text)
        found.append(text)
        let isValid = expected.finish() == .complete
        let verdict = found.finish()
        if case .undecided(let reached) = verdict {
          #expect(reached.description.contains("`\(limit)`"), "\(reached), \(shown)")
        } else {
          #expect((verdict == .complete) == isValid, "\(shown)")
        }
        var matcher = Matcher(grammar: small, vocabulary: .singleBytes)
        do {
          try matcher.accept(bytes: text)
          let canEnd = matcher.canEnd()
          try matcher.checkLimit()
          #expect(canEnd == isValid, "\(shown)")
        } catch {
          let isNamed = error.limit?.description.contains("`\(limit)`") ?? !isValid
          #expect(isNamed, "\(error), \(shown)")
        }
      }
    }
  }
}
