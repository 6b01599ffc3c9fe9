// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A question about lengths, as it is remembered.
struct LengthQuestion: Hashable {
  var state: RegularLanguages.State
  var minimum: Int
  var maximum: Int
}

/// States that wait to be looked at, by the distance to what is searched for.
private struct NearestFirst {
  /// The states at each distance, and in the last place those that are further.
  private var states = [[RegularLanguages.State]](repeating: [], count: 32)
  private var nearest = 0

  mutating func add(_ state: RegularLanguages.State, at distance: Int) {
    let distance = min(distance, states.count - 1)
    states[distance].append(state)
    nearest = min(nearest, distance)
  }

  mutating func popNearest() -> RegularLanguages.State? {
    while nearest < states.count {
      if let state = states[nearest].popLast() { return state }
      nearest += 1
    }
    nearest = 0
    return nil
  }
}

extension RegularLanguages {
  /// Whether a language has any string.
  ///
  /// Threads without look-around are live by construction; products and look-aheads are explored
  /// until an accepting state is found, those first that may be closest to one: of two patterns that
  /// both count to a thousand most states are far from any. Each state is explored once: linear in
  /// the states that can be reached.
  package mutating func isLive(_ state: State) -> Bool {
    switch liveness[Int(state)] {
    case .live: return true
    case .dead: return false
    case .unknown: break
    }
    var parents: [State: State] = [state: state]
    var pending = NearestFirst()
    pending.add(state, at: 0)
    while let current = pending.popNearest() {
      if rows[Int(current)] < 0 { expand(current) }
      if reachedLimit != nil { return false }
      let row = rows[Int(current)]
      var previous = Self.dead
      for byte in 0..<256 {
        let target = transitions[row + byte]
        if target == previous || target == Self.dead { continue }
        previous = target
        if parents[target] != nil { continue }
        parents[target] = current
        switch liveness[Int(target)] {
        case .live:
          var at = current
          while true {
            liveness[Int(at)] = .live
            guard let parent = parents[at], parent != at else { break }
            at = parent
          }
          return true
        case .dead: break
        case .unknown: pending.add(target, at: leastLength(target))
        }
      }
    }
    for explored in parents.keys where liveness[Int(explored)] == .unknown {
      liveness[Int(explored)] = .dead
    }
    return false
  }

  /// The length of the shortest string of a live language, by a search in the order of lengths.
  mutating func shortest(_ state: State) -> Int {
    while shortestLengths.count < definitions.count { shortestLengths.append(-1) }
    if shortestLengths[Int(state)] >= 0 { return Int(shortestLengths[Int(state)]) }
    if let length = shortestByThreads(state) {
      shortestLengths[Int(state)] = Int32(clamping: length)
      return length
    }
    var level = [state]
    var seen: Set<State> = [state]
    var length = 0
    /// The best length over a state whose own is known.
    var best = Int.max
    search: while !level.isEmpty, length < best {
      var next: [State] = []
      var at = 0
      while at < level.count {
        let current = level[at]
        at += 1
        if accepts(current) {
          best = length
          break search
        }
        if shortestLengths.count > Int(current), shortestLengths[Int(current)] >= 0 {
          best = min(best, length + Int(shortestLengths[Int(current)]))
          continue
        }
        if !isPurged[Int(current)] { purge(current) }
        var previous = Self.dead
        for byte in 0..<256 {
          let target = transitions[rows[Int(current)] + byte]
          if target == previous || target == Self.dead { continue }
          previous = target
          guard seen.insert(target).inserted else { continue }
          if byte & 0xC0 == 0x80 { level.append(target) } else { next.append(target) }
        }
      }
      level = next
      length += 1
    }
    if best == .max { best = length }
    while shortestLengths.count < definitions.count { shortestLengths.append(-1) }
    shortestLengths[Int(state)] = Int32(clamping: best)
    return best
  }

  /// A bound on the scalars that the shortest string after any prefix has.
  mutating func slack(_ state: State) -> Int {
    if let known = slackByProgram(state) ?? slacks[state] { return known }
    var seen: Set<State> = [state]
    var pending = [state]
    var result = 0
    while let current = pending.popLast() {
      result = max(result, shortest(current))
      if !isPurged[Int(current)] { purge(current) }
      var previous = Self.dead
      for byte in 0..<256 {
        let target = transitions[rows[Int(current)] + byte]
        if target == previous || target == Self.dead { continue }
        previous = target
        if seen.insert(target).inserted { pending.append(target) }
      }
      if seen.count > 2000 {
        result = Int(Int32.max)
        break
      }
    }
    // What can be reached from here has no more, so that one search does for a whole automaton.
    for reached in seen where slacks[reached] == nil { slacks[reached] = result }
    slacks[state] = result
    return result
  }

  /// The live states that one byte leads to, each once, with the number of scalars that the byte
  /// starts (0 for a byte inside a scalar).
  mutating func successors(_ state: State) -> [(state: State, scalars: Int)] {
    if rows[Int(state)] < 0 { expand(state) }
    var result: [(state: State, scalars: Int)] = []
    for byte in 0..<256 {
      let target = transitions[rows[Int(state)] + byte]
      if target == Self.dead { continue }
      let scalars = byte & 0xC0 == 0x80 ? 0 : 1
      if let last = result.last, last.state == target, last.scalars == scalars { continue }
      if result.contains(where: { $0.state == target && $0.scalars == scalars }) { continue }
      if isLive(target) { result.append((target, scalars)) }
    }
    return result
  }

  /// The length of the longest string of a live language, `Int.max` where there is none, by a
  /// depth-first search: a cycle among live states means there is none.
  private mutating func longest(_ state: State) -> Int {
    if let known = longestLengths[state] { return known }
    if isFreeState(state) { return .max }
    // Depth-first order with an explicit stack: a pattern may be thousands of scalars deep.
    var order: [State] = []
    var status: [State: Int] = [state: 1]
    var cyclic = Set<State>()
    var edges: [State: [(state: State, scalars: Int)]] = [:]
    var stack: [(state: State, at: Int)] = [(state, 0)]
    edges[state] = successors(state)
    while let top = stack.last {
      let out = edges[top.state] ?? []
      if top.at == out.count {
        status[top.state] = 2
        order.append(top.state)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].at += 1
      let target = out[top.at].state
      switch status[target] {
      case nil:
        status[target] = 1
        edges[target] = successors(target)
        stack.append((target, 0))
      case 1: cyclic.insert(top.state)
      default: break
      }
    }
    for current in order {
      var most = cyclic.contains(current) ? Int.max : 0
      for edge in edges[current] ?? [] where most < .max {
        let after = longestLengths[edge.state] ?? .max
        most = after == .max ? .max : max(most, after + edge.scalars)
      }
      longestLengths[current] = most
    }
    return longestLengths[state] ?? .max
  }

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
