// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A question about lengths, as it is remembered.
struct LengthQuestion: Hashable {
  var state: RegularLanguages.State
  var minimum: Int
  var maximum: Int
}

/// Whether a language has a string whose length is within bounds: `minLength` and `maxLength` beside a pattern.
///
/// It is asked at every character of such a string, so that cheap answers come first: the shortest string, a
/// language with strings of any length, a search that gives up soon. What is left is decided exactly, by the
/// set of all lengths up to the bound.
///
/// Worked example: `^(ab)*$` has the lengths 0, 2, 4 and so on. Between 3 and 3 there is none, between 3 and
/// 4 there is one; a window of two lengths always has one.
extension RegularLanguages {
  /// Whether a language has a string of at least `minimum` and at most `maximum` scalars.
  ///
  /// Exact: an infinite automaton of *n* states that has strings on both sides of a window wider
  /// than *n* has one inside it (dropping a cycle shortens a string by at most *n*); for narrower
  /// windows the lengths are computed one by one.
  mutating func hasString(_ state: State, minimum: Int, maximum: Int?) -> Bool {
    if let counted = counted[state] {
      let bounds = [maximum, counted.maximum].compactMap { $0 }
      return hasString(
        counted.language, minimum: max(minimum, counted.minimum), maximum: bounds.min())
    }
    guard isLive(state) else { return false }
    if let maximum, maximum < minimum || maximum < 0 { return false }
    if isFreeState(state) { return true }
    if accepts(state), minimum <= 0 { return true }
    if minimum <= 0 {
      guard let maximum else { return true }
      return shortest(state) <= maximum
    }
    if isEndless(state) {
      guard let maximum else { return true }
      // After as many scalars as are asked for it can end within the slack.
      if let slack = slackByProgram(state), maximum - minimum >= slack { return true }
    }
    if minimum < 1 << 16, maximum ?? 0 < (1 << 16) - 1 {
      let bounds = UInt64(minimum) << 16 | UInt64(maximum.map { $0 + 1 } ?? 0)
      let key = UInt64(state) << 32 | bounds
      if let known = shortAnswers[key] { return known == 1 }
      let answer = foundString(state, minimum, maximum) ?? decideString(state, minimum, maximum)
      shortAnswers.set(key, answer ? 1 : 0)
      return answer
    }
    let question = LengthQuestion(state: state, minimum: minimum, maximum: maximum ?? -1)
    if let known = lengthAnswers[question] { return known }
    let answer =
      foundString(state, minimum, maximum) ?? decideString(state, minimum, maximum)
    lengthAnswers[question] = answer
    return answer
  }

  /// Whether a live state is known to have strings of any length: it does not change over some byte, or
  /// a thread of it lingers.
  mutating func isEndless(_ state: State) -> Bool {
    while endless.count <= Int(state) { endless.append(-1) }
    if endless[Int(state)] < 0 {
      if rows[Int(state)] < 0 { expand(state) }
      let row = rows[Int(state)]
      let stays = (0..<0x80).contains { transitions[row + $0] == state }
      endless[Int(state)] = stays || lingeringKinds(state) != 0 ? 1 : 0
    }
    return endless[Int(state)] == 1
  }

  /// A quick search, depth first, that finds what most patterns have at once; `nil` where it gives
  /// up.
  private mutating func foundString(_ start: State, _ minimum: Int, _ maximum: Int?) -> Bool? {
    var pending: [(state: State, length: Int)] = [(start, 0)]
    var seen: Set<UInt64> = []
    var steps = 0
    while let (state, length) = pending.popLast() {
      if accepts(state), length >= minimum { return true }
      steps += 1
      if steps > 200 { return nil }
      if !isPurged[Int(state)] { purge(state) }
      let row = rows[Int(state)]
      var previous = Self.dead
      for byte in 0..<256 {
        let target = transitions[row + byte]
        if target == previous || target == Self.dead { continue }
        previous = target
        let after = length + (byte & 0xC0 == 0x80 ? 0 : 1)
        if after > maximum ?? .max { continue }
        if seen.insert(UInt64(target) << 32 | UInt64(after)).inserted {
          pending.append((target, after))
        }
      }
    }
    return false
  }

  /// Whether a walk through live states, which takes the first way on everywhere, comes to a state
  /// again or is long enough: then there are strings of any length, or of enough.
  private mutating func canGoOn(_ state: State, for length: Int) -> Bool {
    var seen: Set<State> = [state]
    var at = state
    var walked = 0
    while walked < length {
      guard seen.count <= 1000, let next = successors(at).first else { return false }
      at = next.state
      walked += next.scalars
      if !seen.insert(at).inserted { return true }
    }
    return true
  }

  /// Whether the same walk comes to `minimum` scalars and can then end within `maximum`.
  private mutating func canEnd(_ state: State, after minimum: Int, by maximum: Int) -> Bool {
    guard minimum <= Self.exactLengthLimit else { return false }
    var at = state
    var walked = 0
    while walked < minimum {
      guard let next = successors(at).first else { return false }
      at = next.state
      walked += next.scalars
    }
    return shortest(at) <= maximum - minimum
  }

  /// The searches that look at few states come first: a pattern may have very many.
  private mutating func decideString(_ state: State, _ minimum: Int, _ maximum: Int?) -> Bool {
    if maximum == nil, canGoOn(state, for: minimum) { return true }
    let least = shortest(state)
    if least > maximum ?? .max { return false }
    if least >= minimum { return true }
    if let maximum, canEnd(state, after: minimum, by: maximum) { return true }
    let most = longest(state)
    if most < minimum { return false }
    guard let maximum, maximum < most else { return true }
    // Longer than there are bits for: a string of the least length, which is one's start, ends
    // within as many scalars as there are states.
    if maximum > Self.exactLengthLimit {
      if maximum - minimum >= reachableCount(state) { return true }
      if let pattern = lengthPattern(state) { return pattern.contains(max(0, minimum)...maximum) }
      if reachedLimit == nil { reachedLimit = .states }
      return false
    }
    let sets = exactLengthSet(state, upTo: maximum)
    for length in max(0, minimum)...maximum where length < sets.count * 64 {
      if sets[length / 64] >> UInt64(length % 64) & 1 == 1 { return true }
    }
    return false
  }

  /// Up to here lengths are kept as bits.
  private static let exactLengthLimit = 4095

  /// The lengths up to a bound that strings of a language have, as bits.
  private mutating func exactLengthSet(_ state: State, upTo bound: Int) -> [UInt64] {
    let wordCount = bound / 64 + 1
    if let known = exactLengths[state], known.count >= wordCount { return known }
    var order: [State] = []
    var seen: Set<State> = [state]
    var pending = [state]
    var edges: [State: [(state: State, scalars: Int)]] = [:]
    while let current = pending.popLast() {
      order.append(current)
      let out = successors(current)
      edges[current] = out
      for edge in out where seen.insert(edge.state).inserted { pending.append(edge.state) }
    }
    var sets: [State: [UInt64]] = [:]
    for current in order {
      var words = [UInt64](repeating: 0, count: wordCount)
      if accepts(current) { words[0] = 1 }
      sets[current] = words
    }
    var changed = true
    while changed {
      changed = false
      for current in order.reversed() {
        guard var words = sets[current] else { continue }
        let before = words
        for edge in edges[current] ?? [] {
          guard let after = sets[edge.state] else { continue }
          var carry: UInt64 = 0
          for index in 0..<wordCount {
            if edge.scalars == 0 {
              words[index] |= after[index]
            } else {
              words[index] |= after[index] << 1 | carry
              carry = after[index] >> 63
            }
          }
        }
        if words != before {
          sets[current] = words
          changed = true
        }
      }
    }
    for (current, words) in sets where (exactLengths[current]?.count ?? 0) < wordCount {
      exactLengths[current] = words
    }
    return exactLengths[state] ?? []
  }
}
