// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A small random grammar with a straightforward recogniser of its own, to compare with.
struct RandomGrammar: CustomStringConvertible {
  indirect enum Expression {
    case text(String)
    case characters([Character], isNegated: Bool)
    case rule(Int)
    case sequence([Expression])
    case choice([Expression])
    case repetition(Expression, minimum: Int, maximum: Int?)
  }

  static let alphabet: [Character] = ["a", "b", "é"]

  var rules: [Expression] = []

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...4, using: &generator)
    for _ in 0..<count {
      rules.append(Self.expression(depth: 3, rules: count, using: &generator))
    }
  }

  private static func expression(
    depth: Int, rules: Int, using generator: inout SeededGenerator
  ) -> Expression {
    func inner() -> Expression { expression(depth: depth - 1, rules: rules, using: &generator) }
    switch Int.random(in: 0...(depth > 0 ? 9 : 3), using: &generator) {
    case 0, 1:
      let length = Int.random(in: 0...2, using: &generator)
      return .text(
        String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "a" }))
    case 2:
      return .characters(
        [alphabet.randomElement(using: &generator) ?? "a"],
        isNegated: Int.random(in: 0...3, using: &generator) == 0)
    case 3: return .rule(Int.random(in: 0..<rules, using: &generator))
    case 4, 5, 6:
      return .sequence((0..<Int.random(in: 1...3, using: &generator)).map { _ in inner() })
    case 7, 8:
      return .choice((0..<Int.random(in: 2...3, using: &generator)).map { _ in inner() })
    default:
      let minimum = Int.random(in: 0...2, using: &generator)
      let maximum = Bool.random(using: &generator) ? nil : minimum + 1
      return .repetition(inner(), minimum: minimum, maximum: maximum)
    }
  }

  /// The grammar in GBNF.
  var description: String {
    rules.enumerated().map { index, rule in
      (index == 0 ? "root" : "r\(index)") + " ::= " + Self.text(rule)
    }
    .joined(separator: "\n")
  }

  private static func text(_ expression: Expression) -> String {
    switch expression {
    case .text(let text): "\"\(text)\""
    case .characters(let characters, let isNegated):
      "[\(isNegated ? "^" : "")\(String(characters))]"
    case .rule(let index): index == 0 ? "root" : "r\(index)"
    case .sequence(let parts): "(" + parts.map(text).joined(separator: " ") + ")"
    case .choice(let branches): "(" + branches.map(text).joined(separator: " | ") + ")"
    case .repetition(let body, let minimum, let maximum):
      "(" + text(body) + "){\(minimum),\(maximum.map { "\($0)" } ?? "")}"
    }
  }

  /// Whether a text is in the language; the grammar must not be left-recursive.
  func matches(_ text: [Character]) -> Bool {
    var recogniser = Recogniser(rules: rules, text: text)
    return recogniser.ends(of: .rule(0), from: 0).contains(text.count)
  }

  private struct Recogniser {
    let rules: [Expression]
    let text: [Character]
    var known: [Int: Set<Int>] = [:]

    /// Where the texts of an expression that start somewhere can end.
    mutating func ends(of expression: Expression, from start: Int) -> Set<Int> {
      switch expression {
      case .text(let wanted):
        return text[start...].starts(with: Array(wanted)) ? [start + wanted.count] : []
      case .characters(let set, let isNegated):
        return start < text.count && set.contains(text[start]) != isNegated ? [start + 1] : []
      case .rule(let index):
        let key = index << 16 | start
        if let known = known[key] { return known }
        let result = ends(of: rules[index], from: start)
        known[key] = result
        return result
      case .sequence(let parts):
        var places: Set<Int> = [start]
        for part in parts {
          places = places.reduce(into: []) { $0.formUnion(ends(of: part, from: $1)) }
        }
        return places
      case .choice(let branches):
        return branches.reduce(into: []) { $0.formUnion(ends(of: $1, from: start)) }
      case .repetition(let body, let minimum, let maximum):
        var places: Set<Int> = [start]
        for _ in 0..<minimum {
          places = places.reduce(into: []) { $0.formUnion(ends(of: body, from: $1)) }
        }
        var all = places
        for _ in minimum..<(maximum ?? text.count + 2) {
          places = places.reduce(into: []) { $0.formUnion(ends(of: body, from: $1)) }
          if places.isSubset(of: all) { break }
          all.formUnion(places)
        }
        return all
      }
    }
  }
}
