/// Regular languages over UTF-8 as states of one lazily built deterministic automaton.
///
/// A language *is* a state: the set of strings that lead from it to an accepting state. Reading a
/// byte gives the language of what may follow (Brzozowski's derivative). Three constructions give
/// states: sets of threads of a ``RegexProgram``, nodes of a trie of given strings, and tuples of
/// states with polarities (intersection and complement). A state's 256 transitions are computed
/// together when it is first left.
///
/// Worked example: for the search `b`, the initial state reads `a` and stays, reads `b` and becomes
/// ``free``, the language of all strings; the product {search `b`, not search `c`} reads `b` and
/// becomes {not search `c`} alone, because ``free`` constrains nothing.
struct RegularLanguages {
  typealias State = UInt32

  /// The empty language.
  static let dead: State = 0
  /// All strings: between two scalars of any well-formed UTF-8.
  static let free: State = 1

  enum Definition {
    case dead
    case threads(program: Int, key: UInt32)
    case trie(node: Int)
    case product(key: UInt32)
  }

  enum Liveness: UInt8 { case unknown, live, dead }

  /// The most states with transitions. Past it none are made, and ``reachedLimit`` says so.
  var stateLimit = 200_000
  /// When work has to be done; checked as states are left for the first time.
  var deadline: Deadline?
  /// The limit that was reached, so that some answers are "no" that are not known.
  var reachedLimit: Limit?
  private var expansions = 0

  /// What bounds the work.
  enum Limit { case states, compileTime }

  var definitions: [Definition] = []
  var accepting: [Bool] = []
  var liveness: [Liveness] = []
  /// Where a state's 256 transitions start in `transitions`, or -1 before they are computed.
  var rows: [Int] = []
  var transitions: [State] = []
  /// Whether a state's transitions are known to lead to live languages only.
  var isPurged: [Bool] = []
  var lengths: [State: LengthRange] = [:]
  var shortestLengths: [Int32] = []
  var slacks: [State: Int] = [:]
  var programDistances: [[Int32]] = []
  var programSlacks: [Int: Int] = [:]
  /// Answers about lengths below 65,535, by state and bounds.
  var shortAnswers = FlatMap()
  /// By state: -1 where it has not been asked, else whether it is known to have strings of any
  /// length.
  var endless: [Int8] = []
  var openStates: [State: Bool] = [:]
  var lengthAnswers: [LengthQuestion: Bool] = [:]
  var exactLengths: [State: [UInt64]] = [:]
  var finiteLanguages: [State: [[UInt8]]?] = [:]
  var lengthPatterns: [State: LengthPattern] = [:]
  var successorLists: [State: [(state: State, scalars: Int)]] = [:]

  var automata = ScalarAutomata()
  /// When a node was last visited, for the closure in progress.
  var visited: [UInt32] = []
  var visit: UInt32 = 0
  /// The nodes to visit, and the threads found, in the step in progress.
  var pendingNodes: [Int] = []
  var foundWords: [UInt32] = []
  var programs: [RegexProgram] = []
  var expressions: [RegularExpression: State] = [:]
  /// Which program an expression became.
  var programIndices: [RegularExpression: Int] = [:]
  var patterns: [String: Result<State, RegexError>] = [:]
  var formats: [StringFormat: State] = [:]
  var threadKeys = SequenceInterner()
  var threadStates: [UInt64: State] = [:]
  var products = SequenceInterner()
  var productStates: [UInt32: State] = [:]
  var trie = ByteTrie()
  var trieStates: [Int: State] = [:]
  var singles: [[UInt8]: State] = [:]

  /// The two languages that are always there, made once.
  private static let initial = RegularLanguages(empty: ())

  init() { self = Self.initial }

  /// The two languages that are always there, for the time of compiling.
  init(_ limits: CompilationOptions.Limits) {
    self = Self.initial
    stateLimit = limits.states
    deadline = Deadline(after: limits.compileTime)
  }

  private init(empty: Void) {
    _ = add(.dead, accepting: false, liveness: .dead)
    let all = try? RegexProgram(.anything, automata: &automata)
    if var all {
      all.universal = nil
      programs.append(all)
      let entry = closure(program: 0, from: [all.entry], atStart: true)
      let key = threadKeys.intern(entry)
      threadStates[UInt64(key)] = add(
        .threads(program: 0, key: key), accepting: true, liveness: .live)
    }
  }

  mutating func add(_ definition: Definition, accepting: Bool, liveness: Liveness) -> State {
    definitions.append(definition)
    self.accepting.append(accepting)
    self.liveness.append(liveness)
    rows.append(-1)
    isPurged.append(false)
    return State(definitions.count - 1)
  }

  /// Whether the empty string is in the language.
  func accepts(_ state: State) -> Bool { accepting[Int(state)] }

  /// The language of what may follow a byte.
  mutating func next(_ state: State, _ byte: UInt8) -> State {
    if state == Self.dead { return state }
    if rows[Int(state)] < 0 { expand(state) }
    return transitions[rows[Int(state)] + Int(byte)]
  }

  /// The language of what may follow a string of bytes.
  mutating func next(_ state: State, _ bytes: some Sequence<UInt8>) -> State {
    var state = state
    for byte in bytes { state = next(state, byte) }
    return state
  }

  /// Whether a string is in a language.
  mutating func contains(_ state: State, _ bytes: some Sequence<UInt8>) -> Bool {
    let after = next(state, bytes)
    return accepts(after)
  }

  mutating func expand(_ state: State) {
    var row = [State](repeating: Self.dead, count: 256)
    if expandedCount >= stateLimit, reachedLimit == nil { reachedLimit = .states }
    if deadline != nil {
      expansions += 1
      if expansions & 7 == 0 { checkDeadline() }
    }
    if reachedLimit == nil {
      switch definitions[Int(state)] {
      case .dead: break
      case .threads(let program, let key):
        expandThreads(program: program, threads: Array(threadKeys[key]), into: &row)
      case .trie(let node):
        for (byte, child) in trie.children(of: node) { row[Int(byte)] = trieState(child) }
      case .product(let key):
        expandProduct(Array(products[key]), into: &row)
      }
    }
    rows[Int(state)] = transitions.count
    transitions.append(contentsOf: row)
  }

  /// The number of states with transitions.
  var expandedCount: Int { transitions.count >> 8 }

  /// Whether transitions should be dropped before the next step, so that it has room.
  var shouldDropTransitions: Bool { expandedCount > stateLimit / 2 }

  /// Drops all transitions; the states stay what they are, and are left anew.
  mutating func dropTransitions() {
    transitions = []
    for state in rows.indices {
      rows[state] = -1
      isPurged[state] = false
    }
  }

  /// Notes that the time is over.
  mutating func checkDeadline() {
    if let deadline, reachedLimit == nil, deadline.isOver {
      reachedLimit = .compileTime
    }
  }

  /// The transitions of a tuple: bytes that lead every member to the same state are one class, for
  /// which the new tuple is made once.
  private mutating func expandProduct(_ members: [UInt32], into row: inout [State]) {
    for member in members where member >> 1 != Self.dead && rows[Int(member >> 1)] < 0 {
      expand(member >> 1)
    }
    // The tuples of the classes, one after the other.
    var tuples: [UInt32] = []
    var states: [State] = []
    var after = [UInt32](repeating: 0, count: members.count)
    for byte in 0..<256 {
      var isDead = false
      for (place, member) in members.enumerated() {
        let target =
          member >> 1 == Self.dead ? Self.dead : transitions[rows[Int(member >> 1)] + byte]
        if target == Self.dead, member & 1 == 0 { isDead = true }
        after[place] = target << 1 | member & 1
      }
      if isDead { continue }
      if let known = lastPlace(of: after, in: tuples) {
        row[byte] = states[known]
      } else {
        row[byte] = productState(after)
        tuples += after
        states.append(row[byte])
      }
    }
  }

  /// The place of the last of some tuples that is the same as one.
  private func lastPlace(of tuple: [UInt32], in tuples: [UInt32]) -> Int? {
    var start = tuples.count - tuple.count
    while start >= 0 {
      var place = 0
      while place < tuple.count, tuples[start + place] == tuple[place] { place += 1 }
      if place == tuple.count { return start / tuple.count }
      start -= tuple.count
    }
    return nil
  }
}

/// When work has to be done.
///
/// In an object of its own: the layout of an instant is known to the library alone that has it, and
/// every access to a field beside it, in whatever holds it, would have to ask for its offset.
final class Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  init(after duration: Duration) { instant = ContinuousClock.now + duration }

  var isOver: Bool { ContinuousClock.now > instant }
}

/// Why a pattern gives no language.
struct RegexError: Error, Hashable {
  var message: String
}

extension RegularLanguages {
  /// The strings in which an ECMA-262 pattern is found.
  mutating func search(_ pattern: String) -> Result<State, RegexError> {
    if let known = patterns[pattern] { return known }
    let result: Result<State, RegexError>
    do {
      let expression = try RegularExpressionParser.parse(pattern)
      result = language(of: expression.asSearch)
    } catch {
      result = .failure(RegexError(message: "\(error.message) at character \(error.offset)"))
    }
    patterns[pattern] = result
    return result
  }

  /// The strings that an expression describes as a whole.
  mutating func language(of expression: RegularExpression) -> Result<State, RegexError> {
    if let state = expressions[expression] { return .success(state) }
    do {
      let program = try RegexProgram(expression, automata: &automata)
      let index = programs.count
      programs.append(program)
      programIndices[expression] = index
      let state = initialState(program: index, atStart: true)
      expressions[expression] = state
      return .success(state)
    } catch is RegexProgram.TooLarge {
      return .failure(
        RegexError(message: "the pattern is larger than \(RegexProgram.nodeLimit) positions"))
    } catch let error as RegexProgram.Unsupported {
      return .failure(RegexError(message: error.message))
    } catch {
      return .failure(RegexError(message: "\(error)"))
    }
  }

  /// The language of some given strings.
  mutating func finite(_ strings: some Sequence<[UInt8]>) -> State {
    trieState(trie.add(Array(strings)))
  }

  /// The language of one string, the same state for the same string.
  mutating func single(_ string: [UInt8]) -> State {
    if let state = singles[string] { return state }
    let state = finite([string])
    singles[string] = state
    return state
  }

  mutating func trieState(_ node: Int) -> State {
    if let state = trieStates[node] { return state }
    let state = add(.trie(node: node), accepting: trie.isEnd(node), liveness: .live)
    trieStates[node] = state
    return state
  }

  /// Strings from a node of the trie on, without those from some other nodes on.
  struct Listed: Equatable {
    var node: Int
    var excluded: [Int] = []
  }

  /// Where a language that was given as a list of strings, perhaps without some others, goes on in
  /// the trie of those.
  func listed(_ state: State) -> Listed? {
    switch definitions[Int(state)] {
    case .trie(let node): return Listed(node: node)
    case .product(let key):
      var result: Listed?
      var excluded: [Int] = []
      for member in products[key] {
        guard case .trie(let node) = definitions[Int(member >> 1)] else { return nil }
        if member & 1 == 1 {
          excluded.append(node)
        } else if result == nil {
          result = Listed(node: node)
        } else {
          return nil
        }
      }
      result?.excluded = excluded
      return result
    case .dead, .threads: return nil
    }
  }

  /// The strings that are in all of some languages and in none of some others.
  mutating func intersection(of states: [State], without excluded: [State] = []) -> State {
    productState(states.map { $0 << 1 } + excluded.map { $0 << 1 | 1 })
  }

  /// The state of a tuple, in which members that constrain nothing are dropped and products are
  /// flattened; a complement is taken within well-formed UTF-8, which the free language stands for.
  mutating func productState(_ members: [UInt32]) -> State {
    var kept: [UInt32] = []
    for member in members {
      let state = member >> 1
      if member & 1 == 0 {
        if state == Self.dead { return Self.dead }
        if case .product(let key) = definitions[Int(state)] {
          kept.append(contentsOf: products[key])
        } else {
          kept.append(member)
        }
      } else {
        if state == Self.free { return Self.dead }
        if state != Self.dead { kept.append(member) }
      }
    }
    kept.sort()
    var unique: [UInt32] = []
    for member in kept where unique.last != member { unique.append(member) }
    // States of the free language constrain nothing beside another positive member: every language
    // here holds well-formed UTF-8 only. Alone they say where in a scalar the string is.
    let positives = unique.filter { $0 & 1 == 0 }
    if positives.count > 1 {
      let others = positives.filter { !isFreeState($0 >> 1) }
      if !others.isEmpty {
        unique.removeAll { $0 & 1 == 0 && isFreeState($0 >> 1) }
      }
    }
    if positives.isEmpty { unique.insert(Self.free << 1, at: 0) }
    if unique.count == 1 { return unique[0] >> 1 }
    let key = products.intern(unique)
    if let state = productStates[key] { return state }
    let accepts = unique.allSatisfy { accepting[Int($0 >> 1)] == ($0 & 1 == 0) }
    let state = add(
      .product(key: key), accepting: accepts, liveness: accepts ? .live : .unknown)
    productStates[key] = state
    return state
  }

  /// The nodes of the strings that a language lacks, where it has all others.
  func excluded(_ state: State) -> [Int]? {
    guard case .product(let key) = definitions[Int(state)] else { return nil }
    var result: [Int] = []
    for member in products[key] {
      if member & 1 == 0 {
        if member >> 1 != Self.free { return nil }
      } else if case .trie(let node) = definitions[Int(member >> 1)] {
        result.append(node)
      } else {
        return nil
      }
    }
    return result
  }

  /// Whether a state belongs to the language of all strings, perhaps inside a scalar.
  func isFreeState(_ state: State) -> Bool {
    if case .threads(0, _) = definitions[Int(state)] { return true }
    return false
  }
}
