// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How long the strings of a language are, in scalars: the shortest, the longest, and how far it is to an end
/// from anywhere.
///
/// Each is a search over states. Where threads tell it, they do so without one (`RegexProgram+Lengths`).
///
/// Worked example: the strings of `^(ab)*c$` have at least one scalar and no most. Their *slack* is two: after
/// `a`, `bc` must still come, and nowhere more than that.
extension RegularLanguages {
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
  mutating func longest(_ state: State) -> Int {
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
}
