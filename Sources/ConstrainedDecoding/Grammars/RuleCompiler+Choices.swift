// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Alternatives as few positions: every position that a text can be at is a stack of its own.
extension RuleCompiler {
  /// The regular alternatives become one language, and those that start alike, or go on alike, share
  /// what they have in common.
  mutating func choice(
    _ branches: [RuleExpression], next: Position, in rule: Int, _ obligations: inout Obligations
  ) throws(GrammarError) -> Position? {
    var regularBranches: [SizedRegular] = []
    var others: [[RuleExpression]] = []
    for branch in branches where isProductive(branch, isProductive) {
      if let regular = regular(branch) {
        regularBranches.append(regular)
      } else if case .sequence(let parts) = branch {
        others.append(parts)
      } else {
        others.append([branch])
      }
    }
    var positions = try languages(regularBranches, next: next, in: rule, &obligations)
    var firsts: [RuleExpression] = []
    var groups: [RuleExpression: [[RuleExpression]]] = [:]
    for parts in sharingRests(others) {
      guard let first = parts.first else { continue }
      if groups[first] == nil { firsts.append(first) }
      groups[first, default: []].append(Array(parts.dropFirst()))
    }
    for first in firsts {
      let rests = groups[first] ?? []
      let after =
        rests.count == 1
        ? try sequence(rests[0][...], next: next, in: rule, &obligations)
        : try compile(.choice(rests.map { .sequence($0) }), next: next, in: rule, &obligations)
      guard let after, let position = try compile(first, next: after, in: rule, &obligations)
      else { continue }
      positions.append(position)
    }
    if positions.count <= 1 { return positions.first }
    return graph.add(.choice(positions), owner: rule)
  }

  /// `"a" x | "b" x` as `("a" | "b") x`, where no other alternative begins with the same.
  private func sharingRests(_ alternatives: [[RuleExpression]]) -> [[RuleExpression]] {
    var counts: [RuleExpression: Int] = [:]
    for case let first? in alternatives.map(\.first) { counts[first, default: 0] += 1 }
    var places: [[RuleExpression]: Int] = [:]
    var result: [(firsts: [RuleExpression], rest: [RuleExpression])] = []
    for parts in alternatives {
      guard let first = parts.first else { continue }
      let rest = Array(parts.dropFirst())
      if !rest.isEmpty, counts[first] == 1, regular(first) != nil {
        if let place = places[rest] {
          result[place].firsts.append(first)
          continue
        }
        places[rest] = result.count
      }
      result.append(([first], rest))
    }
    return result.map { firsts, rest in
      [firsts.count == 1 ? firsts[0] : .choice(firsts)] + rest
    }
  }

  /// Regular alternatives as one language, or as few where they are too large for one expression: of
  /// plain texts any number is a trie.
  private mutating func languages(
    _ branches: [SizedRegular], next: Position, in rule: Int, _ obligations: inout Obligations
  ) throws(GrammarError) -> [Position] {
    if branches.isEmpty { return [] }
    if let joined = SizedRegular.choice(branches) {
      return [try language(joined.expression, joined.size, next: next, in: rule, &obligations)]
    }
    var positions: [Position] = []
    var texts: [[UInt8]] = []
    var groups: [[SizedRegular]] = [[]]
    var size = 0
    for branch in branches {
      if let text = branch.expression.plainText {
        texts.append(Array(String(text).utf8))
        try countRegular(branch.size, in: rule)
        continue
      }
      size += branch.size + 1
      if size > SizedRegular.sizeLimit {
        groups.append([])
        size = branch.size + 1
      }
      groups[groups.count - 1].append(branch)
    }
    if !texts.isEmpty {
      positions.append(
        graph.add(.language(obligations.languages.finite(texts), next: next), owner: rule))
    }
    for group in groups where !group.isEmpty {
      for part in SizedRegular.choice(group).map({ [$0] }) ?? group {
        positions.append(
          try language(part.expression, part.size, next: next, in: rule, &obligations))
      }
    }
    return positions
  }
}

extension RegularExpression {
  /// The one text that the expression stands for; nil where there are others, and for the empty text.
  fileprivate var plainText: String.UnicodeScalarView? {
    switch self {
    case .scalar(let set):
      guard set.ranges.count == 1, set.ranges[0].count == 1,
        let scalar = Unicode.Scalar(set.ranges[0].lowerBound)
      else { return nil }
      return String.UnicodeScalarView([scalar])
    case .sequence(let parts):
      var result = String.UnicodeScalarView()
      for part in parts {
        guard let text = part.plainText else { return nil }
        result += text
      }
      return result.isEmpty ? nil : result
    case .choice, .repetition, .look, .start, .end: return nil
    }
  }
}
