// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading grammars written by hand (see ``RuleGraph``).
///
/// Before a byte can be read from a rule's position, calls, choices and empty parts are gone
/// through: that gives the position's *leaves*, stacks whose top reads a byte. They are found once
/// for a stack.
extension Automaton {
  /// Starts reading at the rule that the whole text must match.
  package mutating func begin(rules graph: RuleGraph) {
    rules = graph
    let bottom = stacks.intern(Frame(kind: .rule, a: UInt32(RuleGraph.accept)))
    start = continuation(graph.start, parent: bottom)
  }

  mutating func step(
    rule frame: Frame, _ stack: StackID, _ byte: UInt8, into reached: inout [StackID]
  ) {
    // Past the limit the configuration is given up as a whole.
    guard reached.count <= options.limits.alternatives else { return }
    for leaf in ruleClosure(stack).leaves {
      let top = stacks[leaf]
      guard top.kind == .rule else {
        step(leaf, byte, into: &reached)
        continue
      }
      guard case .language(_, let next) = rules?.nodes[Int(top.a)] else { continue }
      let state = obligations.languages.liveNext(top.b, byte)
      if state == RegularLanguages.dead { continue }
      if isFinal(state) {
        reached.append(continuation(next, parent: top.parent))
      } else {
        var after = top
        after.b = state
        reached.append(stacks.intern(after))
      }
    }
  }

  /// The stack on which reading goes on at a position: the frame below where a rule ends there.
  mutating func continuation(_ next: RuleGraph.Position, parent: StackID) -> StackID {
    if next == RuleGraph.end { return parent }
    return stacks.intern(Frame(kind: .rule, a: UInt32(next), parent: parent))
  }

  /// What may be read next from a stack whose top is a rule's position.
  mutating func ruleClosure(_ stack: StackID) -> RuleGraph.Closure {
    if let known = rules?.closures[stack] { return known }
    let result = computeClosure(stack)
    rules?.closures[stack] = result
    return result
  }

  /// A stack on the way to the leaves.
  private struct Entry: Hashable {
    var stack: StackID
    /// How many of the frames below the top were pushed since the last byte.
    var fresh: Int
    /// Whether the top was pushed since the last byte and is come back to with nothing read: a
    /// repetition must not start another round then, or it would do so for ever.
    var hasReadNothing = false
  }

  private static let closureLimit = 100_000

  private mutating func computeClosure(_ start: StackID) -> RuleGraph.Closure {
    var result = RuleGraph.Closure()
    var leaves: Set<StackID> = []
    var seen: Set<Entry> = []
    var pending = [Entry(stack: start, fresh: 0)]
    while let entry = pending.popLast() {
      guard seen.insert(entry).inserted, seen.count <= Self.closureLimit else { continue }
      let frame = stacks[entry.stack]
      guard frame.kind == .rule, let node = rules?.nodes[Int(frame.a)] else {
        if leaves.insert(entry.stack).inserted { result.leaves.append(entry.stack) }
        continue
      }
      var leaf: StackID?
      switch node {
      case .end: break
      case .accept: result.mayEnd = true
      case .language(let initial, let next):
        var begun = frame
        if frame.b == 0 { begun.b = initial }
        if !isFinal(begun.b) { leaf = stacks.intern(begun) }
        if obligations.languages.accepts(begun.b) { pending.append(after(entry, frame, next)) }
      case .call(let rule, let next):
        let position = rules?.entries[rule] ?? RuleGraph.end
        if next == RuleGraph.end {
          // The last call of a rule takes the rule's place.
          pending.append(after(entry, frame, position))
        } else {
          let parent = continuation(next, parent: frame.parent)
          let isEmpty = position == RuleGraph.end
          pending.append(
            Entry(
              stack: continuation(position, parent: parent),
              fresh: entry.fresh + (isEmpty ? 0 : 1)))
        }
      case .value(let goal, let next):
        let parent = continuation(next, parent: frame.parent)
        leaf = stacks.intern(outermostValue(goal, parent: parent))
      case .token: leaf = entry.stack
      case .choice(let positions):
        for position in positions.reversed() { pending.append(after(entry, frame, position)) }
      case .repetition(let body, let minimum, let maximum, let next):
        if entry.hasReadNothing, frame.d == 1 { continue }
        if frame.c >= minimum { pending.append(after(entry, frame, next)) }
        if frame.c < maximum {
          var round = frame
          round.c = maximum == .max ? min(frame.c + 1, minimum) : frame.c + 1
          round.d = 1
          let inside = Frame(kind: .rule, a: UInt32(body), parent: stacks.intern(round))
          pending.append(Entry(stack: stacks.intern(inside), fresh: entry.fresh + 1))
        }
      }
      if let leaf, leaves.insert(leaf).inserted { result.leaves.append(leaf) }
    }
    if seen.count > Self.closureLimit {
      reportAmbiguity(start)
      return RuleGraph.Closure()
    }
    return result
  }

  /// What follows a stack's top in the same rule, or the frame below at the rule's end.
  private mutating func after(
    _ entry: Entry, _ frame: Frame, _ next: RuleGraph.Position
  ) -> Entry {
    if next != RuleGraph.end {
      return Entry(stack: continuation(next, parent: frame.parent), fresh: entry.fresh)
    }
    return Entry(
      stack: frame.parent, fresh: max(0, entry.fresh - 1), hasReadNothing: entry.fresh > 0)
  }

  /// Notes that a text can be read in too many ways.
  mutating func reportAmbiguity(_ stack: StackID) {
    if obligations.failure != nil { return }
    obligations.failure = ObligationFailure(
      keyword: ruleName(stacks[stack]), pointer: "grammar",
      message: "the text can be read in more than \(options.limits.alternatives) ways here; "
        + "write alternatives so that they start differently, or raise the limit `alternatives`")
  }

  /// Whether nothing can follow in a language.
  private mutating func isFinal(_ state: RegularLanguages.State) -> Bool {
    let place = Int(state)
    let count = rules?.finals.count ?? 0
    if place >= count {
      rules?.finals += [Int8](repeating: -1, count: place + 1 - count)
    }
    if let known = rules?.finals[place], known >= 0 { return known == 1 }
    let result = obligations.languages.firstBytes(state).isEmpty
    rules?.finals[place] = result ? 1 : 0
    return result
  }

  /// The name of the rule that a frame is in.
  func ruleName(_ frame: Frame) -> String {
    guard let rules, frame.kind == .rule else { return "" }
    let owner = rules.owners[Int(frame.a)]
    return owner < 0 ? "" : rules.names[owner]
  }

  // MARK: Tokens by their id

  /// The configuration after a token that the grammar asks for by its id.
  mutating func next(_ configuration: Configuration, token: Int) -> Configuration {
    var reached: [StackID] = []
    for (id, isNegated, after) in tokenLeaves(configuration) where (id == token) != isNegated {
      reached.append(after)
    }
    return self.configuration(reached)
  }

  /// The tokens that a configuration asks for by their id.
  mutating func tokens(of configuration: Configuration) -> [(id: Int, isNegated: Bool)] {
    tokenLeaves(configuration).map { ($0.id, $0.isNegated) }
  }

  private mutating func tokenLeaves(
    _ configuration: Configuration
  ) -> [(id: Int, isNegated: Bool, after: StackID)] {
    var result: [(id: Int, isNegated: Bool, after: StackID)] = []
    for stack in stacks(of: configuration) {
      for leaf in numberEnds(stack).flatMap({ ruleClosure($0).leaves }) {
        let frame = stacks[leaf]
        if frame.kind == .rule,
          case .token(let id, let isNegated, let next) = rules?.nodes[Int(frame.a)]
        {
          result.append((id, isNegated, continuation(next, parent: frame.parent)))
        }
      }
    }
    return result
  }

  /// A stack in a rule, or what is below a number that may end here.
  private mutating func numberEnds(_ stack: StackID) -> [StackID] {
    let frame = stacks[stack]
    if frame.kind == .rule { return [stack] }
    guard frame.kind == .number, stacks[frame.parent].kind == .rule,
      obligations.numbers.mayEnd(frame.a)
    else { return [] }
    return [frame.parent]
  }
}
