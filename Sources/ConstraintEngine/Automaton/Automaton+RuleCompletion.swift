// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The shortest way to the end of a rule.
///
/// The lengths for all positions are the least solution of a system of equations, found by
/// relaxation from "none known"; positions lie after those that they lead to, but for recursion, so
/// that few rounds are enough. A choice keeps the branch that made it shorter last; following those
/// writes the text.
extension Automaton {
  /// Longer texts are not worked out.
  static let completionLimit = 1 << 20
  private static let rounds = 200

  /// The shortest text from a frame of a rule until the frame below goes on; `nil` where it takes a
  /// token that is known by its id alone, or is too long.
  mutating func ruleCompletion(_ frame: Frame) -> [UInt8]? {
    findShortestInRules()
    guard let node = rules?.nodes[Int(frame.a)] else { return nil }
    var text: [UInt8] = []
    switch node {
    case .language(let initial, let next):
      guard let string = shortestString(frame.b == 0 ? initial : frame.b),
        write(next, to: &text)
      else { return nil }
      return string + text
    case .repetition(let body, let minimum, _, let next):
      let rounds = minimum > frame.c ? minimum - frame.c : 0
      guard write(body, times: rounds, to: &text), write(next, to: &text) else { return nil }
      return text
    default: return write(Int(frame.a), to: &text) ? text : nil
    }
  }

  /// The goals of the values in a grammar's rules, and the most bytes by which one byte can lengthen
  /// the shortest completion outside of them: it can enter every call of the grammar at most once.
  mutating func detoursOfRules() -> (goals: [Obligations.Goal], bytes: Int)? {
    findShortestInRules()
    guard let rules else { return nil }
    var goals: Set<Obligations.Goal> = []
    var longest = 0
    var depth = 1
    for (position, node) in rules.nodes.enumerated() {
      guard let length = rules.shortest[position] else { return nil }
      longest = max(longest, length)
      switch node {
      case .value(let goal, _): goals.insert(goal)
      case .call, .repetition: depth += 1
      case .language(let state, _):
        let slack = obligations.languages.slack(state)
        guard slack < Self.completionLimit else { return nil }
        longest = max(longest, 4 * slack + length)
      case .end, .accept, .token, .choice: break
      }
    }
    let (bytes, overflow) = longest.multipliedReportingOverflow(by: depth)
    return overflow ? nil : (goals.sorted(), bytes)
  }

  private mutating func findShortestInRules() {
    guard let nodes = rules?.nodes, let entries = rules?.entries,
      rules?.shortest.isEmpty ?? false
    else { return }
    var shortest = [Int?](repeating: nil, count: nodes.count)
    var chosen = [RuleGraph.Position](repeating: RuleGraph.end, count: nodes.count)
    shortest[RuleGraph.end] = 0
    shortest[RuleGraph.accept] = 0
    for _ in 0..<Self.rounds {
      var changed = false
      for position in nodes.indices {
        guard let (length, branch) = shortestLength(nodes[position], shortest, entries),
          length < shortest[position] ?? .max, length <= Self.completionLimit
        else { continue }
        shortest[position] = length
        chosen[position] = branch
        changed = true
      }
      if !changed { break }
    }
    rules?.shortest = shortest
    rules?.chosen = chosen
  }

  private mutating func shortestLength(
    _ node: RuleGraph.Node, _ shortest: [Int?], _ entries: [RuleGraph.Position]
  ) -> (length: Int, branch: RuleGraph.Position)? {
    func sum(_ own: Int?, _ next: RuleGraph.Position) -> (Int, RuleGraph.Position)? {
      guard let own, let rest = shortest[next] else { return nil }
      return (own + rest, RuleGraph.end)
    }
    switch node {
    case .end, .accept, .token: return nil
    case .language(let state, let next):
      return sum(shortestString(state)?.count, next)
    case .call(let rule, let next): return sum(shortest[entries[rule]], next)
    case .value(let goal, let next): return sum(minimalText(goal)?.count, next)
    case .choice(let positions):
      var best: (length: Int, branch: RuleGraph.Position)?
      for position in positions {
        guard let length = shortest[position], length < best?.length ?? .max else { continue }
        best = (length, position)
      }
      return best
    case .repetition(let body, let minimum, _, let next):
      if minimum == 0 { return sum(0, next) }
      guard let length = shortest[body] else { return nil }
      let (total, overflow) = length.multipliedReportingOverflow(by: Int(minimum))
      return overflow || total > Self.completionLimit ? nil : sum(total, next)
    }
  }

  /// Writes the shortest text from a position to the end of its rule; whether one is known.
  private mutating func write(_ start: RuleGraph.Position, to text: inout [UInt8]) -> Bool {
    guard let known = rules?.shortest[start], text.count + known <= Self.completionLimit else {
      return false
    }
    var pending = [start]
    while let position = pending.popLast() {
      guard let node = rules?.nodes[position] else { return false }
      switch node {
      case .end, .accept: break
      case .token: return false
      case .language(let state, let next):
        guard let string = shortestString(state) else { return false }
        text += string
        pending.append(next)
      case .call(let rule, let next):
        pending.append(next)
        pending.append(rules?.entries[rule] ?? RuleGraph.end)
      case .value(let goal, let next):
        guard let value = minimalText(goal) else { return false }
        text += value
        pending.append(next)
      case .choice: pending.append(rules?.chosen[position] ?? RuleGraph.end)
      case .repetition(let body, let minimum, _, let next):
        guard write(body, times: minimum, to: &text) else { return false }
        pending.append(next)
      }
    }
    return true
  }

  private mutating func write(
    _ body: RuleGraph.Position, times count: UInt32, to text: inout [UInt8]
  ) -> Bool {
    if count == 0 { return true }
    var round: [UInt8] = []
    guard write(body, to: &round) else { return false }
    let (length, overflow) = round.count.multipliedReportingOverflow(by: Int(count))
    guard !overflow, text.count + length <= Self.completionLimit else { return false }
    for _ in 0..<count { text += round }
    return true
  }

  private mutating func shortestString(_ state: RegularLanguages.State) -> [UInt8]? {
    if let known = rules?.shortestStrings[state] { return known }
    let text = obligations.languages.shortestString(state)
    rules?.shortestStrings[state] = text
    return text
  }
}

extension RegularLanguages {
  /// A shortest string of a language, in bytes, breadth first; `nil` where there is none.
  mutating func shortestString(_ start: State) -> [UInt8]? {
    var steps: [State: (previous: State, byte: UInt8)] = [:]
    var frontier = [start]
    while !frontier.isEmpty {
      var next: [State] = []
      for state in frontier {
        if accepts(state) {
          var text: [UInt8] = []
          var at = state
          while at != start, let step = steps[at] {
            text.append(step.byte)
            at = step.previous
          }
          return text.reversed()
        }
        purge(state)
        for byte in UInt8.min...UInt8.max {
          let target = transitions[rows[Int(state)] + Int(byte)]
          if target == Self.dead || target == start || steps[target] != nil { continue }
          steps[target] = (state, byte)
          next.append(target)
        }
        if steps.count > stateLimit { return nil }
      }
      frontier = next
    }
    return nil
  }
}
