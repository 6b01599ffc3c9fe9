// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings and keys that may be anything of a language but for some that are listed.
///
/// As long as there is no end to what may follow, a list that leaves out some of it changes nothing
/// about which tokens stay inside: those of the language are. What closes the string is read.
///
/// Worked example: under `^(?!(?:if|else)$)[a-z]+$` after `i` an `f` stays inside, for `iff` may come;
/// only a quote may not follow it.
extension MaskBuilder {
  /// The position without the list that it leaves out, where the tokens inside are the same; `nil`
  /// where there is none.
  mutating func withoutListedExclusions(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> InsidePosition? {
    if position.maximum != .max { return nil }
    var result = position
    switch position.reader {
    case .string:
      guard let state = automaton.obligations.languages.withoutFiniteExclusions(position.state)
      else { return nil }
      result.state = state
    case .key(let object):
      let frame = automaton.stacks[object]
      guard automaton.obligations.keyTuples.length(of: position.state) == 4,
        let state = automaton.obligations.languages.withoutFiniteExclusions(
          automaton.obligations.keyTuples.word(3, of: position.state)),
        !automaton.extraChoices(
          object: Int(frame.a), frame.b,
          class: automaton.obligations.keyClasses.intern(
            word: automaton.obligations.keyTuples.word(2, of: position.state))
        ).isEmpty
      else { return nil }
      var words = Array(automaton.obligations.keyTuples[position.state])
      words[3] = state
      result.state = automaton.obligations.keyTuples.intern(words)
    }
    return result
  }
}

extension RegularLanguages {
  /// More states than these are not looked at.
  private static let mostStates = 16

  /// A language without the lists of strings that it leaves out, where whatever was read of it there
  /// is no end to its strings; `nil` where that is not known, or it has no such lists.
  mutating func withoutFiniteExclusions(_ state: State) -> State? {
    guard let members = members(state) else { return nil }
    var kept: [UInt32] = []
    var hasLists = false
    for (member, isExcluded) in members {
      if isExcluded, case .trie = definitions[Int(member)] {
        hasLists = true
      } else {
        kept.append(member << 1 | (isExcluded ? 1 : 0))
      }
    }
    if !hasLists { return nil }
    let rest = productState(kept)
    return isEndlessThroughout(rest) ? rest : nil
  }

  /// Whether every state that can be reached has strings of any length, as far as that is found out.
  private mutating func isEndlessThroughout(_ start: State) -> Bool {
    if isFreeState(start) { return true }
    if let known = endlessThroughout[start] { return known }
    var order = [start]
    var edges: [[Int]] = []
    var places: [State: Int] = [start: 0]
    while edges.count < order.count, order.count <= Self.mostStates {
      var targets: [Int] = []
      for (target, _) in successors(order[edges.count]) {
        if places[target] == nil {
          places[target] = order.count
          order.append(target)
        }
        targets.append(places[target] ?? 0)
      }
      edges.append(targets)
    }
    var isFound = order.map { isEndless($0) }
    var changed = order.count <= Self.mostStates
    let isKnown = changed
    while changed {
      changed = false
      for place in order.indices.reversed() where !isFound[place] {
        if edges[place].contains(where: { isFound[$0] }) {
          isFound[place] = true
          changed = true
        }
      }
    }
    let result = isKnown && isFound.allSatisfy { $0 }
    // What can be reached from here is endless too; where the search was given up, it would be again.
    if result || !isKnown {
      for state in order { endlessThroughout[state] = result }
    } else {
      endlessThroughout[start] = false
    }
    return result
  }
}
