// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How far a program's nodes are from a match, in scalars.
///
/// Known once for the nodes, so that the shortest string of any state is the least over its threads
/// and a bound over all states needs none of them: `(a+b){0,19}c` has hundreds of states, and no
/// prefix of its strings needs more than two scalars to be completed.
extension RegexProgram {
  /// Whether its threads carry no look-aheads.
  var isSimple: Bool { aheads.isEmpty && behinds.isEmpty }

  /// For each node the fewest scalars from it to a match once something has been read, whatever is
  /// looked at on the way; `Int32.max` where there is none. Linear in the nodes.
  func distances() -> [Int32] {
    var distances = [Int32](repeating: .max, count: nodes.count)
    var moves = [[Int32]](repeating: [], count: nodes.count)
    var scalars = [[Int32]](repeating: [], count: nodes.count)
    var level: [Int] = []
    for (index, node) in nodes.enumerated() {
      switch node {
      case .match: level.append(index)
      case .end: if canMatch[index] { level.append(index) }
      case .split(let a, let b):
        moves[a].append(Int32(index))
        moves[b].append(Int32(index))
      case .scalar(_, let next): scalars[next].append(Int32(index))
      case .ahead(_, _, let next), .behind(_, _, let next): moves[next].append(Int32(index))
      case .start, .fail: break
      }
    }
    var length: Int32 = 0
    while !level.isEmpty {
      var next: [Int] = []
      while let node = level.popLast() {
        if distances[node] != .max { continue }
        distances[node] = length
        for before in moves[node] { level.append(Int(before)) }
        for before in scalars[node] { next.append(Int(before)) }
      }
      level = next
      length += 1
    }
    return distances
  }

  /// The most scalars from some nodes to a match; `nil` where there is no most.
  ///
  /// A search in depth, with a stack of its own: a pattern may be thousands of nodes deep. A node that
  /// is met again on the way to itself can be passed any number of times.
  func longest(from starts: [Int]) -> Int? {
    var longest = [Int32](repeating: Self.isNew, count: nodes.count)
    for start in starts {
      var open = [start]
      while let node = open.last {
        let (first, second) = after(node)
        if longest[node] == Self.isNew {
          longest[node] = Self.isOpen
          for next in [first, second] where next >= 0 {
            if longest[next] == Self.isOpen { return nil }
            if longest[next] == Self.isNew { open.append(next) }
          }
          continue
        }
        open.removeLast()
        if longest[node] != Self.isOpen { continue }
        let most = max(first >= 0 ? longest[first] : 0, second >= 0 ? longest[second] : 0)
        if case .scalar = nodes[node] { longest[node] = most + 1 } else { longest[node] = most }
      }
    }
    return starts.map { Int(longest[$0]) }.max()
  }

  private static let isNew: Int32 = -1
  private static let isOpen: Int32 = -2

  /// The nodes that come after one on a way to a match; -1 for none.
  private func after(_ node: Int) -> (Int, Int) {
    switch nodes[node] {
    case .scalar(_, let next), .start(let next): canMatch[next] ? (next, -1) : (-1, -1)
    case .split(let a, let b): (canMatch[a] ? a : -1, canMatch[b] ? b : -1)
    // Nothing is read after the end.
    case .end, .match, .fail, .ahead, .behind: (-1, -1)
    }
  }
}

extension RegularLanguages {
  /// The distances of a program's nodes, found once.
  mutating func distances(program: Int) -> [Int32] {
    while programDistances.count < programs.count { programDistances.append([]) }
    if programDistances[program].isEmpty {
      programDistances[program] = programs[program].distances()
    }
    return programDistances[program]
  }

  /// The length of the shortest string of a state without look-aheads; `nil` for other states.
  mutating func shortestByThreads(_ state: State) -> Int? {
    guard case .threads(let program, let key) = definitions[Int(state)],
      programs[program].isSimple
    else { return nil }
    if accepts(state) { return 0 }
    let least = leastLength(ofThreads: key, of: program)
    return least == .max ? nil : least
  }

  /// A bound on the lengths of the strings of a state, from below, for which no transition is
  /// followed.
  mutating func leastLength(_ state: State) -> Int {
    while leastLengths.count < definitions.count { leastLengths.append(-1) }
    if leastLengths[Int(state)] >= 0 { return Int(leastLengths[Int(state)]) }
    var least = 0
    switch definitions[Int(state)] {
    case .dead, .trie: break
    case .threads(let program, let key): least = leastLength(ofThreads: key, of: program)
    case .product(let key):
      for member in products[key] where member & 1 == 0 {
        least = max(least, leastLength(member >> 1))
      }
    }
    leastLengths[Int(state)] = Int32(clamping: least)
    return least
  }

  private mutating func leastLength(ofThreads key: UInt32, of program: Int) -> Int {
    let distances = distances(program: program)
    var best = Int.max
    var at = programs[program].behinds.count
    while at < threadKeys.length(of: key) {
      let word = threadKeys.word(at, of: key)
      let node = Int(word >> 16)
      var distance = distances[node]
      if case .scalar(let automaton, let next) = programs[program].nodes[node],
        Int(word & 0xFFFF) != automata[automaton].start
      {
        // Inside a scalar, which its first byte has counted.
        distance = distances[next]
      }
      var least = distance == .max ? Int.max : Int(distance)
      let lookAheadCount = Int(threadKeys.word(at + 1, of: key))
      for place in at + 2..<at + 2 + lookAheadCount where least < best {
        let lookAhead = threadKeys.word(place, of: key)
        if lookAhead & 1 == 0 { least = max(least, leastLength(lookAhead >> 1)) }
      }
      best = min(best, least)
      at += 2 + lookAheadCount
    }
    return best
  }

  /// The length of the longest string of a state without look-aheads; `nil` where there is none, and
  /// for other states.
  func longestByThreads(_ state: State) -> Int? {
    guard case .threads(let program, let key) = definitions[Int(state)],
      programs[program].isSimple
    else { return nil }
    return programs[program].longest(
      from: stride(from: 0, to: threadKeys.length(of: key), by: 2).map {
        Int(threadKeys.word($0, of: key) >> 16)
      })
  }

  /// A bound on the shortest strings of all states of a program without look-aheads; `nil` for
  /// other states.
  mutating func slackByProgram(_ state: State) -> Int? {
    guard case .threads(let program, _) = definitions[Int(state)], programs[program].isSimple
    else { return nil }
    while programSlacks.count < programs.count { programSlacks.append(-1) }
    if programSlacks[program] >= 0 { return Int(programSlacks[program]) }
    var result: Int32 = 0
    for distance in distances(program: program) where distance != .max {
      result = max(result, distance)
    }
    programSlacks[program] = result
    return Int(result)
  }
}
