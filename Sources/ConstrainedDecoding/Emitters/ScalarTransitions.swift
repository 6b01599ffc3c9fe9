// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension RegularLanguages {
  /// The live transitions of a state by whole characters: for each state that one scalar value leads
  /// to, the set of these scalar values.
  mutating func scalarTransitions(_ state: State) -> [(scalars: ScalarSet, state: State)] {
    var ranges: [State: [ClosedRange<UInt32>]] = [:]
    var order: [State] = []
    var memo: [UInt64: [(range: ClosedRange<UInt32>, state: State)]] = [:]
    func add(_ range: ClosedRange<UInt32>, _ target: State) {
      if ranges[target] == nil { order.append(target) }
      ranges[target, default: []].append(range)
    }
    for byte in UInt8(0)..<0x80 {
      let target = liveNext(state, byte)
      if target != Self.dead { add(UInt32(byte)...UInt32(byte), target) }
    }
    for lead in UInt8(0xC2)...0xF4 {
      let middle = liveNext(state, lead)
      guard middle != Self.dead else { continue }
      let (tail, bits): (Int, UInt32) =
        lead < 0xE0
        ? (1, UInt32(lead & 0x1F)) : lead < 0xF0 ? (2, UInt32(lead & 0x0F)) : (3, UInt32(lead & 7))
      let base = bits << UInt32(6 * tail)
      for part in suffixes(middle, tail, &memo) {
        add(base + part.range.lowerBound...base + part.range.upperBound, part.state)
      }
    }
    return order.map { (ScalarSet(ranges[$0] ?? []).intersection(.all), $0) }
  }

  /// Where the last bytes of a scalar value lead, as ranges of its low bits.
  private mutating func suffixes(
    _ state: State, _ tail: Int,
    _ memo: inout [UInt64: [(range: ClosedRange<UInt32>, state: State)]]
  ) -> [(range: ClosedRange<UInt32>, state: State)] {
    let key = UInt64(state) << 2 | UInt64(tail)
    if let known = memo[key] { return known }
    var result: [(range: ClosedRange<UInt32>, state: State)] = []
    func add(_ range: ClosedRange<UInt32>, _ target: State) {
      if let last = result.last, last.state == target,
        last.range.upperBound + 1 == range.lowerBound
      {
        result[result.count - 1].range = last.range.lowerBound...range.upperBound
      } else {
        result.append((range, target))
      }
    }
    for byte in UInt8(0x80)..<0xC0 {
      let target = liveNext(state, byte)
      guard target != Self.dead else { continue }
      let base = UInt32(byte & 0x3F) << UInt32(6 * (tail - 1))
      if tail == 1 {
        add(base...base, target)
      } else {
        for part in suffixes(target, tail - 1, &memo) {
          add(base + part.range.lowerBound...base + part.range.upperBound, part.state)
        }
      }
    }
    memo[key] = result
    return result
  }
}

/// A deterministic automaton whose transitions carry expressions, on its way to one expression.
///
/// States are taken out one by one, the least connected first; each way through one becomes a direct
/// one: `p —a→ q —b→ q —c→ r` becomes `p —a b* c→ r` (Brzozowski and McCluskey, 1963).
struct StateElimination {
  private var out: [[Int: EmittedExpression]]
  private var into: [Set<Int>]
  private let start: Int
  private let end: Int
  private let sizeLimit: Int

  /// - Parameters:
  ///   - transitions: for each state, the expressions that lead to others. State 0 is the start.
  ///   - accepting: for each state whether the text may end there.
  init(
    transitions: [[Int: EmittedExpression]], accepting: [Bool], sizeLimit: Int
  ) {
    let count = transitions.count
    start = count
    end = count + 1
    self.sizeLimit = sizeLimit
    out = transitions + [[0: .empty], [:]]
    into = [Set<Int>](repeating: [], count: count + 2)
    for (state, isAccepting) in accepting.enumerated() where isAccepting {
      out[state][end] = .empty
    }
    for (state, targets) in out.enumerated() {
      for target in targets.keys { into[target].insert(state) }
    }
  }

  /// The expression of all texts from the start to an end; `nil` where it is larger than the limit.
  mutating func expression() -> EmittedExpression? {
    var left = Set(0..<start)
    while let state = left.min(by: { (weight($0), $0) < (weight($1), $1) }) {
      left.remove(state)
      let loop = out[state][state].map { EmittedExpression.repeated($0, 0, nil) } ?? .empty
      for source in into[state].sorted() where source != state {
        guard let first = out[source][state] else { continue }
        for (target, last) in out[state].sorted(by: { $0.key < $1.key }) where target != state {
          let way = EmittedExpression.joined([first, loop, last])
          let whole = out[source][target].map { EmittedExpression.either([$0, way]) } ?? way
          if whole.size(limit: sizeLimit) > sizeLimit { return nil }
          out[source][target] = whole
          into[target].insert(source)
        }
        out[source][state] = nil
      }
      for target in out[state].keys { into[target].remove(state) }
      out[state] = [:]
    }
    return out[start][end] ?? .never
  }

  private func weight(_ state: Int) -> Int { into[state].count * out[state].count }
}
