// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A regular expression as a non-deterministic automaton (Thompson's construction), with conditions
/// as edges of their own.
///
/// `a(b|c)$` becomes `scalar a → split → scalar b | scalar c → end → match`. Look-ahead and
/// look-behind name other languages: while the automaton runs, a thread that has passed a
/// look-ahead carries the state of its language along, which the rest of the string has to meet.
/// Look-behinds run beside the whole automaton from the start of the string.
struct RegexProgram: Sendable {
  enum Node: Sendable {
    case scalar(automaton: Int, next: Int)
    case split(Int, Int)
    case start(next: Int)
    case end(next: Int)
    case ahead(language: Int, negated: Bool, next: Int)
    case behind(index: Int, negated: Bool, next: Int)
    case match
    case fail
  }

  /// The most nodes of one program: bounds the work for `(a{1000}){1000}`.
  static let nodeLimit = 60_000

  /// The most steps of compiling one: a part without nodes, repeated in repetitions, takes a step for
  /// each copy and never reaches the other limit, as in `((){1000}){1000}`.
  private static let stepLimit = 16 * nodeLimit

  private static let tooLarge = RegexError(
    message: "the pattern is larger than \(nodeLimit) positions")

  var nodes: [Node] = [.match, .fail]
  var entry = 0
  /// Languages of look-aheads, completed to `L·anything`, each as an expression.
  var aheads: [RegularExpression] = []
  /// For each look-ahead, where its own look-behinds are among `behinds`.
  var aheadBehinds: [[Int]] = []
  /// Languages of look-behinds, completed to `anything·L`.
  var behinds: [RegularExpression] = []
  /// The node from which every string matches, if the program has one.
  var universal: Int?
  /// Whether a match can be reached from a node once something has been read.
  var canMatch: [Bool] = []
  /// How many steps compiling has taken, with those of the programs of look-aheads.
  private var stepCount = 0

  /// Whether something is asked of the text before or after a place.
  var hasLookAround: Bool { !aheads.isEmpty || !behinds.isEmpty }

  init(
    _ expression: RegularExpression, automata: inout ScalarAutomata
  ) throws(RegexError) {
    try self.init(expression, automata: &automata, after: 0)
  }

  /// - Parameter steps: How many steps the program around it has taken.
  private init(
    _ expression: RegularExpression, automata: inout ScalarAutomata, after steps: Int
  ) throws(RegexError) {
    stepCount = steps
    entry = try compile(expression, next: 0, automata: &automata)
    findMatchingNodes()
  }

  /// The same over scalar automata that are at other places.
  ///
  /// - Parameter automata: For each, where it is.
  func renumbered(automata: [Int]) -> RegexProgram {
    var result = self
    for (index, node) in nodes.enumerated() {
      if case .scalar(let automaton, let next) = node {
        result.nodes[index] = .scalar(automaton: automata[automaton], next: next)
      }
    }
    return result
  }

  private mutating func add(_ node: Node) throws(RegexError) -> Int {
    guard nodes.count < Self.nodeLimit else { throw Self.tooLarge }
    nodes.append(node)
    return nodes.count - 1
  }

  private mutating func compile(
    _ expression: RegularExpression, next: Int, automata: inout ScalarAutomata
  ) throws(RegexError) -> Int {
    stepCount += 1
    guard stepCount <= Self.stepLimit else { throw Self.tooLarge }
    switch expression {
    case .scalar(let set):
      if set.isEmpty { return 1 }
      return try add(.scalar(automaton: automata.index(of: set), next: next))
    case .sequence(let parts):
      var next = next
      for part in parts.reversed() { next = try compile(part, next: next, automata: &automata) }
      return next
    case .choice(let branches):
      guard let last = branches.last else { return 1 }
      var entry = try compile(last, next: next, automata: &automata)
      for branch in branches.dropLast().reversed() {
        entry = try add(.split(compile(branch, next: next, automata: &automata), entry))
      }
      return entry
    case .repetition(let body, let minimum, let maximum):
      return try repetition(body, minimum, maximum, next: next, automata: &automata)
    case .start:
      return try add(.start(next: next))
    case .end:
      return try add(.end(next: next))
    case .look(let body, let ahead, let negated):
      if ahead {
        aheads.append(.sequence([body, .anything]))
        try hoistLookBehinds(ofAhead: aheads[aheads.count - 1], automata: &automata)
        return try add(.ahead(language: aheads.count - 1, negated: negated, next: next))
      }
      guard !body.asksWhatFollows else {
        throw RegexError(
          message: "a look-behind that asks what follows it (`$`, `\\b`, a look-ahead) is not "
            + "supported; move the condition out of the look-behind")
      }
      behinds.append(.sequence([.anything, body]))
      return try add(.behind(index: behinds.count - 1, negated: negated, next: next))
    }
  }

  /// What a look-ahead asks of the text before it is followed from the start of the string by this
  /// program, and handed to the look-ahead's own where that begins.
  private mutating func hoistLookBehinds(
    ofAhead expression: RegularExpression, automata: inout ScalarAutomata
  ) throws(RegexError) {
    var places: [Int] = []
    if expression.hasLookAround {
      let inner = try RegexProgram(expression, automata: &automata, after: stepCount)
      stepCount = inner.stepCount
      for behind in inner.behinds {
        behinds.append(behind)
        places.append(behinds.count - 1)
      }
    }
    aheadBehinds.append(places)
  }

  private mutating func repetition(
    _ body: RegularExpression, _ minimum: Int, _ maximum: Int?, next: Int,
    automata: inout ScalarAutomata
  ) throws(RegexError) -> Int {
    guard minimum <= Self.nodeLimit, maximum ?? 0 <= Self.nodeLimit else { throw Self.tooLarge }
    var next = next
    var copies = minimum
    if let maximum {
      // x{2,4} is x x (x (x)?)?: an optional tail is left as soon as it is not entered.
      let end = next
      for _ in 0..<max(0, maximum - minimum) {
        next = try add(.split(compile(body, next: next, automata: &automata), end))
      }
    } else {
      let loop = try add(.fail)
      let again = try compile(body, next: loop, automata: &automata)
      nodes[loop] = .split(again, next)
      if case .scalar(let set) = body, set == .all, next == 0 { universal = loop }
      // x{3,} is x x x with a way back before the last: its states are those of x*.
      next = minimum > 0 ? again : loop
      copies = max(0, minimum - 1)
    }
    for _ in 0..<copies { next = try compile(body, next: next, automata: &automata) }
    return next
  }

  /// Marks the nodes from which a match can be reached after at least one scalar was read: there a
  /// `start` no longer passes.
  private mutating func findMatchingNodes() {
    canMatch = [Bool](repeating: false, count: nodes.count)
    canMatch[0] = true
    var changed = true
    while changed {
      changed = false
      for (index, node) in nodes.enumerated() where !canMatch[index] {
        let can =
          switch node {
          case .scalar(_, let next): canMatch[next]
          case .split(let a, let b): canMatch[a] || canMatch[b]
          case .ahead(_, _, let next), .behind(_, _, let next): canMatch[next]
          case .end(let next): passesAtEnd(next)
          case .start, .fail, .match: false
          }
        if can {
          canMatch[index] = true
          changed = true
        }
      }
    }
  }

  /// Whether a match can be reached from a node without reading anything, at the end of a string that
  /// is not empty. Look-aheads are taken as passed: the caller checks them against the empty rest.
  private func passesAtEnd(_ node: Int) -> Bool {
    var seen = Set<Int>()
    var pending = [node]
    while let node = pending.popLast() {
      guard seen.insert(node).inserted else { continue }
      switch nodes[node] {
      case .match: return true
      case .split(let a, let b): pending += [a, b]
      case .end(let next): pending.append(next)
      case .ahead(_, _, let next), .behind(_, _, let next): pending.append(next)
      case .scalar, .start, .fail: break
      }
    }
    return false
  }
}

/// The scalar automata of all programs, each set once.
struct ScalarAutomata: Sendable {
  private(set) var automata: [ScalarAutomaton] = []
  private var sets: [ScalarSet] = []
  private var indices: [ScalarSet: Int] = [:]

  subscript(index: Int) -> ScalarAutomaton { automata[index] }

  mutating func index(of set: ScalarSet) -> Int {
    if let index = indices[set] { return index }
    return add(ScalarAutomaton(set), of: set)
  }

  private mutating func add(_ automaton: ScalarAutomaton, of set: ScalarSet) -> Int {
    indices[set] = automata.count
    automata.append(automaton)
    sets.append(set)
    return automata.count - 1
  }

  /// Adds others, and returns where each of them is.
  mutating func merge(_ others: ScalarAutomata) -> [Int] {
    zip(others.automata, others.sets).map { automaton, set in
      indices[set] ?? add(automaton, of: set)
    }
  }
}
