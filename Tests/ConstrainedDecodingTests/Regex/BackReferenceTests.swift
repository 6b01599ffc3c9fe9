// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@Suite(.computesForLong) struct BackReferenceTests {
  private func grammar(_ pattern: String) throws -> Grammar {
    let escaped = pattern.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return try Grammar(
      jsonSchema: #"{"type":"string","pattern":"\#(escaped)"}"#,
      options: .validation)
  }

  private func matches(_ grammar: Grammar, _ text: String) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    validator.append("\"\(text.replacing("\"", with: "\\\""))\"")
    return validator.finish() == .complete
  }

  @Test(arguments: [
    ("^(['\"])\\w*\\1$", "'ab'", true), ("^(['\"])\\w*\\1$", "\"ab\"", true),
    ("^(['\"])\\w*\\1$", "'ab\"", false),
    // A date with hyphens or without, a time with colons or without.
    ("^\\d{4}(-?)\\d\\d\\1\\d\\d$", "2026-11-29", true),
    ("^\\d{4}(-?)\\d\\d\\1\\d\\d$", "20261129", true),
    ("^\\d{4}(-?)\\d\\d\\1\\d\\d$", "2026-1129", false),
    ("^(-?)(\\d+)(?:T(\\d\\d(:?)\\d\\d(?:\\4\\d\\d)?))?\\1$", "-1T10:20:30-", true),
    ("^(-?)(\\d+)(?:T(\\d\\d(:?)\\d\\d(?:\\4\\d\\d)?))?\\1$", "1T102030", true),
    ("^(-?)(\\d+)(?:T(\\d\\d(:?)\\d\\d(?:\\4\\d\\d)?))?\\1$", "1T10:2030", false),
    // A group that is left out matches the empty text.
    ("^(a)?b\\1$", "aba", true), ("^(a)?b\\1$", "b", true), ("^(a)?b\\1$", "ab", false),
    ("^(a)?b\\1$", "ba", false), ("^(?:(a)|(b))\\1\\2$", "aa", true),
    ("^(?:(a)|(b))\\1\\2$", "bb", true), ("^(?:(a)|(b))\\1\\2$", "aab", false),
    ("^(?:(a)|b\\1)$", "b", true), ("^\\1(a)$", "a", true), ("^(a\\1)$", "a", true),
    // By name, whatever the case, and with more than nine groups.
    ("^(?<q>[ab])\\k<q>$", "bb", true), ("^(?<q>[ab])\\k<q>$", "ab", false),
    ("^(?i)(a)\\1$", "aA", true), ("^(?i:(a))\\1$", "AA", true), ("^(?i:(a))\\1$", "Aa", false),
    ("^()()()()()()()()()(a|b)\\10$", "bb", true), ("(a|b)\\1", "xabbx", true),
  ])
  func whatAGroupMatchedComesAgain(pattern: String, text: String, expected: Bool) throws {
    #expect(matches(try grammar(pattern), text) == expected)
  }

  @Test(arguments: [
    ("(.*)\\1", "a group with many texts"), ("(a|b)*\\1", "a group that is repeated"),
    ("(a)\\2", "refers to a group that the pattern does not have"), ("\\1", "does not have"),
    ("(?=(a))\\1", "a group in a look-around"), ("((a))\\1\\2", "groups within each other"),
    ("(a|b)(\\1)\\2", "a group that has back-references"), ("(?<a>b)\\k", "a name in `<>`"),
    ("(?<a>b)\\k<c>", "named `c`"), ("([a-h])([a-h])\\1\\2", "at most 64 combinations"),
  ])
  func whatIsNotWrittenOutIsAnError(pattern: String, message: String) {
    let error = #expect(throws: GrammarError.self) { try grammar(pattern) }
    #expect(error?.description.contains(message) == true)
  }

  /// A pattern over `a` and `b`, and a matcher that tries one thing after the other.
  private indirect enum Pattern: CustomStringConvertible {
    case text(Character)
    case sequence([Pattern])
    case choice([Pattern])
    case optional(Pattern)
    case group(Int, Pattern)
    case reference(Int)

    var description: String {
      switch self {
      case .text(let text): String(text)
      case .sequence(let parts): parts.map(\.description).joined()
      case .choice(let branches): "(?:\(branches.map(\.description).joined(separator: "|")))"
      case .optional(let body): "(?:\(body))?"
      case .group(_, let body): "(\(body))"
      case .reference(let group): "(?:\\\(group))"
      }
    }

    static func random(
      _ depth: Int, _ groups: inout Int, _ random: inout some RandomNumberGenerator
    ) -> Pattern {
      switch Int.random(in: depth > 0 ? 0..<8 : 0..<3, using: &random) {
      case 0, 1: return .text(Bool.random(using: &random) ? "a" : "b")
      case 2: return groups == 0 ? .text("a") : .reference(.random(in: 1...groups, using: &random))
      case 3: return .optional(.random(depth - 1, &groups, &random))
      case 4:
        let first = Pattern.random(depth - 1, &groups, &random)
        return .choice([first, .random(depth - 1, &groups, &random)])
      case 5:
        groups += 1
        let group = groups
        return .group(group, .random(depth - 1, &groups, &random))
      default:
        let first = Pattern.random(depth - 1, &groups, &random)
        return .sequence([first, .random(depth - 1, &groups, &random)])
      }
    }

    func match(
      _ text: [Character], _ at: Int, _ captured: [Int: Range<Int>],
      _ rest: (Int, [Int: Range<Int>]) -> Bool
    ) -> Bool {
      switch self {
      case .text(let wanted):
        return at < text.count && text[at] == wanted && rest(at + 1, captured)
      case .sequence(let parts):
        guard let first = parts.first else { return rest(at, captured) }
        return first.match(text, at, captured) {
          Pattern.sequence(Array(parts.dropFirst())).match(text, $0, $1, rest)
        }
      case .choice(let branches):
        return branches.contains { $0.match(text, at, captured, rest) }
      case .optional(let body):
        // What repeats nothing is given up again, as ECMA-262 has it.
        return body.match(text, at, captured) { $0 > at && rest($0, $1) } || rest(at, captured)
      case .group(let group, let body):
        return body.match(text, at, captured) { end, inner in
          rest(end, inner.merging([group: at..<end]) { $1 })
        }
      case .reference(let group):
        guard let range = captured[group] else { return rest(at, captured) }
        return text[at...].starts(with: text[range]) && rest(at + range.count, captured)
      }
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func theSameAsTryingOneThingAfterTheOther(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var compared = 0
    for _ in 0..<60 {
      var groups = 0
      let pattern = Pattern.random(4, &groups, &random)
      guard "\(pattern)".contains("\\"), let grammar = try? grammar("^(?:\(pattern))$") else {
        continue
      }
      compared += 1
      for length in 0..<5 {
        for bits in 0..<1 << length {
          let text = (0..<length).map { bits >> $0 & 1 == 0 ? "a" as Character : "b" }
          let expected = pattern.match(text, 0, [:]) { end, _ in end == text.count }
          #expect(
            matches(grammar, String(text)) == expected, "seed \(seed): \(pattern), \(String(text))")
        }
      }
    }
    #expect(compared > 5)
  }
}
