// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
package struct RegularLanguages {
  package typealias State = UInt32

  /// The empty language.
  package static let dead: State = 0
  /// All strings: between two scalars of any well-formed UTF-8.
  package static let free: State = 1

  package enum Definition {
    case dead
    case threads(program: Int, key: UInt32)
    case trie(node: Int)
    case product(key: UInt32)
  }

  enum Liveness: UInt8 { case unknown, live, dead }

  // MARK: States

  package var definitions: [Definition] = []
  var accepting: [Bool] = []
  var liveness: [Liveness] = []
  /// Where a state's 256 transitions start in `transitions`, or -1 before they are computed.
  var rows: [Int] = []
  var transitions: [State] = []
  /// For each 256 of those, the bytes over which the state goes on otherwise than over the byte
  /// before, and perhaps some more.
  var runStarts: [ByteSet] = []
  /// Whether a state's transitions are known to lead to live languages only.
  var isPurged: [Bool] = []

  // MARK: Limits

  /// What bounds the work.
  enum Limit { case states, compileTime }

  /// The most states with transitions. Past it none are made, and ``reachedLimit`` says so.
  var stateLimit = 200_000
  /// When work has to be done; checked as states are left for the first time.
  package var deadline: Deadline?
  /// The limit that was reached, so that some answers are "no" that are not known.
  var reachedLimit: Limit?
  /// How many states were left while there was a deadline.
  var expansions = 0

  // MARK: What states are made from

  /// The automata of single scalars that programs share.
  var automata = ScalarAutomata()
  var programs: [RegexProgram] = []
  /// How many positions the patterns have in all.
  private var positionCount = 0
  /// The most of them: a position takes 33 bytes, and a repetition of a few characters has thousands.
  private static let positionLimit = 4_000_000
  /// Which program an expression became, and the state of its language.
  var programIndices: [RegularExpression: Int] = [:]
  var expressions: [RegularExpression: State] = [:]
  var patterns: [String: Result<State, RegexError>] = [:]
  package var formats: [StringFormat: State] = [:]
  /// The languages whose strings are counted apart.
  var counted: [State: Counted] = [:]
  /// Sets of threads as words, and by program and set the state.
  var threadKeys = SequenceInterner()
  var threadStates = FlatMap()
  /// Tuples of states with polarities, and by tuple the state.
  var products = SequenceInterner()
  var productStates = FlatMap()
  /// Listed strings and declared names, and by content of a node the state.
  package var trie = ByteTrie()
  var trieStates = FlatMap()

  // MARK: Lengths

  /// The lengths of the longest strings, `Int.max` where there is none.
  var longestLengths: [State: Int] = [:]
  var shortestLengths: [Int32] = []
  /// By state, a bound on these from below, or -1 where it has not been asked for.
  var leastLengths: [Int32] = []
  var slacks: [State: Int] = [:]
  var programDistances: [[Int32]] = []
  var programSlacks: [Int32] = []
  /// Answers about lengths below 65,535, by state and bounds.
  var shortAnswers = FlatMap()
  var lengthAnswers: [LengthQuestion: Bool] = [:]
  var exactLengths: [State: [UInt64]] = [:]
  var lengthPatterns: [State: LengthPattern] = [:]
  var successorLists: [State: [(state: State, scalars: Int)]] = [:]

  // MARK: Other answers

  /// By state: -1 where it has not been asked, else whether it is known to have strings of any
  /// length.
  var endless: [Int8] = []
  /// Whether no beginning of a string can be used up, by state.
  var inexhaustible: [State: Bool] = [:]
  /// By state, whether any text may come, where it was asked.
  var anyTextStates = FlatMap()
  /// By state and place in a scalar, whether every text may follow, where it was asked.
  var everything = FlatMap()
  var finiteLanguages: [State: [[UInt8]]?] = [:]
  /// By language, a shortest string, where one was looked for.
  var examples: [State: [UInt8]?] = [:]

  // MARK: The step in progress

  /// When a node was last visited, for the closure in progress.
  var visited: [UInt32] = []
  var visit: UInt32 = 0
  /// The nodes to visit, and the threads found.
  var pendingNodes: [Int] = []
  var foundWords: [UInt32] = []
  var foundThreads: [UInt32] = []
  var simpleThreads: [SimpleThread] = []

  // MARK: Making languages

  /// The two languages that are always there, made once.
  private static let initial = RegularLanguages(empty: ())

  package init() { self = Self.initial }

  /// The two languages that are always there, for the time of compiling.
  package init(_ limits: CompilationOptions.Limits) {
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
      threadStates.set(
        UInt64(key), add(.threads(program: 0, key: key), accepting: true, liveness: .live))
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
  package func accepts(_ state: State) -> Bool { accepting[Int(state)] }
}

/// When work has to be done.
///
/// In an object of its own: the layout of an instant is known to the library alone that has it, and
/// every access to a field beside it, in whatever holds it, would have to ask for its offset.
package final class Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package init(after duration: Duration) { instant = ContinuousClock.now + duration }

  var isOver: Bool { ContinuousClock.now > instant }
}

/// Why a pattern gives no language.
package struct RegexError: Error, Hashable {
  package var message: String
}

extension RegularLanguages {
  /// The strings in which an ECMA-262 pattern is found.
  mutating func search(_ pattern: String) -> Result<State, RegexError> {
    if let known = patterns[pattern] { return known }
    let result: Result<State, RegexError>
    do {
      let expression = try RegularExpressionParser.parse(pattern)
      result = conjunction(of: expression) ?? language(of: expression.asSearch)
      if case .success(let state) = result { noteCount(expression, state) }
    } catch {
      result = .failure(RegexError(message: "\(error.message) at character \(error.offset)"))
    }
    patterns[pattern] = result
    return result
  }

  /// The strings that an expression describes as a whole.
  package mutating func language(of expression: RegularExpression) -> Result<State, RegexError> {
    if let state = expressions[expression] { return .success(state) }
    do throws(RegexError) {
      let program = try RegexProgram(expression, automata: &automata)
      guard positionCount + program.nodes.count <= Self.positionLimit else {
        return .failure(
          RegexError(
            message: "all patterns together have more than \(Self.positionLimit) positions; write "
              + "fewer or smaller repetitions"))
      }
      positionCount += program.nodes.count
      let index = programs.count
      programs.append(program)
      programIndices[expression] = index
      let state = initialState(program: index, atStart: true)
      expressions[expression] = state
      return .success(state)
    } catch {
      return .failure(error)
    }
  }

  /// The language of some given strings.
  package mutating func finite(_ strings: some Sequence<[UInt8]>) -> State {
    trieState(trie.add(Array(strings)))
  }

  /// The language of some given strings, in which what it has in common with others of its kind is
  /// shared.
  mutating func sharedFinite(_ strings: [[UInt8]]) -> State { trieState(trie.addShared(strings)) }

  mutating func trieState(_ node: Int) -> State {
    let content = trie.content(of: node)
    if let state = trieStates[content] { return state }
    let state = add(.trie(node: node), accepting: trie.isEnd(node), liveness: .live)
    trieStates.set(content, state)
    return state
  }

  /// The strings that are in all of some languages and in none of some others.
  package mutating func intersection(of states: [State], without excluded: [State] = []) -> State {
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
    if let state = productStates[UInt64(key)] { return state }
    let accepts = unique.allSatisfy { accepting[Int($0 >> 1)] == ($0 & 1 == 0) }
    let state = add(
      .product(key: key), accepting: accepts, liveness: accepts ? .live : .unknown)
    productStates.set(UInt64(key), state)
    return state
  }

  /// Whether a state belongs to the language of all strings, perhaps inside a scalar.
  package func isFreeState(_ state: State) -> Bool {
    if case .threads(0, _) = definitions[Int(state)] { return true }
    return false
  }
}
