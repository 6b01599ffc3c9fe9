// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Stepping a regular expression's threads.
///
/// A state is a sequence of words: the states of the program's look-behind languages, then for each
/// thread its node and its place inside a scalar (`node << 16 | place`), the number of the look-aheads
/// that it carries, and their states (`state << 1 | negated`). A thread between two scalars sits on
/// a scalar node at that node's start place, on `match`, or on an `end` node that only the end of
/// the string can pass.
///
/// Worked example: the search for `a(?=b)` has read `a`. One thread still looks for an `a`. Another one
/// has found it, takes any text, and carries the look-ahead "starts with `b`". After `b` that is met
/// and dropped; after `c` the second thread is gone.
extension RegularLanguages {
  private struct Thread: Comparable {
    var word: UInt32
    var lookAheads: [UInt32]

    static func < (left: Thread, right: Thread) -> Bool {
      left.word != right.word
        ? left.word < right.word
        : left.lookAheads.lexicographicallyPrecedes(right.lookAheads)
    }
  }

  mutating func initialState(program: Int, atStart: Bool) -> State {
    let key = closure(program: program, from: [programs[program].entry], atStart: atStart)
    return threadState(program: program, key)
  }

  mutating func threadState(program: Int, _ sequence: [UInt32]) -> State {
    let behinds = programs[program].behinds.count
    if sequence.count == behinds { return Self.dead }
    if let universal = programs[program].universal {
      // A thread that matches whatever follows: nothing else matters.
      var at = behinds
      while at < sequence.count {
        if Int(sequence[at] >> 16) == universal { return Self.free }
        at += 2 + Int(sequence[at + 1])
      }
    }
    let key = threadKeys.intern(sequence)
    let identity = UInt64(program) << 32 | UInt64(key)
    if let state = threadStates[identity] { return state }
    let accepts = acceptsAtEnd(program: program, sequence)
    let simple = !programs[program].hasLookAround
    let state = add(
      .threads(program: program, key: key), accepting: accepts,
      liveness: simple || accepts ? .live : .unknown)
    threadStates.set(identity, state)
    return state
  }

  /// The threads after every move that reads nothing from some nodes.
  mutating func closure(program: Int, from nodes: [Int], atStart: Bool) -> [UInt32] {
    var behinds: [UInt32] = []
    for expression in programs[program].behinds { behinds.append(behindLanguage(expression)) }
    let entries = nodes.map { Thread(word: UInt32($0) << 16, lookAheads: []) }
    return closure(program: program, entries: entries, behinds: behinds, atStart: atStart)
  }

  private mutating func behindLanguage(_ expression: RegularExpression) -> State {
    (try? language(of: expression).get()) ?? Self.dead
  }

  private mutating func closure(
    program: Int, entries: [Thread], behinds: [UInt32], atStart: Bool
  ) -> [UInt32] {
    if programs[program].aheads.isEmpty, behinds.isEmpty {
      pendingNodes = entries.map { Int($0.word >> 16) }
      return simpleClosure(program: program, atStart: atStart)
    }
    var result: [Thread] = []
    var seen = Set<[UInt32]>()
    var pending = entries
    while let thread = pending.popLast() {
      let node = Int(thread.word >> 16)
      guard seen.insert([thread.word] + thread.lookAheads).inserted else { continue }
      func move(_ next: Int) {
        pending.append(Thread(word: UInt32(next) << 16, lookAheads: thread.lookAheads))
      }
      if node == programs[program].universal, thread.lookAheads.isEmpty {
        return behinds + [UInt32(node) << 16, 0]
      }
      switch programs[program].nodes[node] {
      case .scalar(let automaton, let next):
        guard programs[program].canMatch[next] else { continue }
        let place = UInt32(automata[automaton].start)
        result.append(
          Thread(word: UInt32(node) << 16 | place, lookAheads: thread.lookAheads))
      case .match:
        result.append(thread)
      case .end(let next):
        if atStart || programs[program].canMatch[node],
          passesAtEnd(program: program, from: next, behinds: behinds, atStart: atStart)
        {
          result.append(thread)
        }
      case .fail: break
      case .split(let a, let b):
        move(b)
        move(a)
      case .start(let next):
        if atStart { move(next) }
      case .behind(let index, let negated, let next):
        if accepting[Int(behinds[index])] != negated { move(next) }
      case .ahead(let language, let negated, let next):
        let state = aheadLanguage(
          program: program, language, behinds: behinds, atStart: atStart)
        if let lookAheads = adding(
          state << 1 | (negated ? 1 : 0), to: thread.lookAheads)
        {
          pending.append(Thread(word: UInt32(next) << 16, lookAheads: lookAheads))
        }
      }
    }
    result.sort()
    var sequence = behinds
    for thread in result {
      sequence.append(thread.word)
      sequence.append(UInt32(thread.lookAheads.count))
      sequence.append(contentsOf: thread.lookAheads)
    }
    return sequence
  }

  /// Whether a match is reached from what follows a `$`, if the string ends here.
  mutating func passesAtEnd(
    program: Int, from node: Int, behinds: [UInt32], atStart: Bool
  ) -> Bool {
    var seen = Set<Int>()
    var pending = [node]
    while let node = pending.popLast() {
      guard seen.insert(node).inserted else { continue }
      switch programs[program].nodes[node] {
      case .match: return true
      case .split(let a, let b): pending += [a, b]
      case .end(let next): pending.append(next)
      case .start(let next): if atStart { pending.append(next) }
      case .behind(let index, let negated, let next):
        if accepting[Int(behinds[index])] != negated { pending.append(next) }
      case .ahead(let language, let negated, let next):
        let state = aheadLanguage(
          program: program, language, behinds: behinds, atStart: atStart)
        if accepting[Int(state)] != negated { pending.append(next) }
      case .scalar, .fail: break
      }
    }
    return false
  }

  private mutating func aheadLanguage(
    program: Int, _ index: Int, behinds: [UInt32], atStart: Bool
  ) -> State {
    let expression = programs[program].aheads[index]
    guard case .success(let state) = language(of: expression) else { return Self.dead }
    guard !atStart, let inner = programIndices[expression] else { return state }
    let entry = Thread(word: UInt32(programs[inner].entry) << 16, lookAheads: [])
    let key = closure(
      program: inner, entries: [entry],
      behinds: programs[program].aheadBehinds[index].map { behinds[$0] }, atStart: false)
    return threadState(program: inner, key)
  }

  /// The look-aheads with one more; `nil` where it can no longer be met.
  private func adding(_ lookAhead: UInt32, to lookAheads: [UInt32]) -> [UInt32]? {
    let state = lookAhead >> 1
    let negated = lookAhead & 1 == 1
    if state == Self.dead { return negated ? lookAheads : nil }
    if state == Self.free { return negated ? nil : lookAheads }
    if lookAheads.contains(lookAhead) { return lookAheads }
    return (lookAheads + [lookAhead]).sorted()
  }

  /// Computes the transitions of a set of threads: bytes over which all scalars go on alike are one
  /// class.
  ///
  /// - Parameter start: Where the transitions are, all dead at first.
  /// - Returns: The first bytes of the runs.
  mutating func expandThreads(program: Int, threads: [UInt32], at start: Int) -> ByteSet {
    let count = programs[program].behinds.count
    for index in 0..<count where threads[index] != Self.dead && rows[Int(threads[index])] < 0 {
      expand(threads[index])
    }
    var places: [(automaton: Int, place: Int)] = []
    var awaited: [State] = []
    var at = count
    while at < threads.count {
      let word = threads[at]
      for lookAhead in threads[(at + 2)..<(at + 2 + Int(threads[at + 1]))] {
        if !awaited.contains(lookAhead >> 1) { awaited.append(lookAhead >> 1) }
      }
      at += 2 + Int(threads[at + 1])
      guard case .scalar(let automaton, _) = programs[program].nodes[Int(word >> 16)] else {
        continue
      }
      places.append((automaton, Int(word & 0xFFFF)))
    }
    for state in awaited where state != Self.dead && rows[Int(state)] < 0 { expand(state) }
    let besides = (Array(threads[..<count]) + awaited).filter { $0 != Self.dead }
    var starts = ByteSet()
    starts.insert(0)
    for place in places { starts.formUnion(automata[place.automaton].runStarts[place.place]) }
    for state in besides { starts.formUnion(runStarts(of: state)) }
    /// The first byte of each class.
    var classes: [Int] = []
    for run in starts.runs {
      let first = run.lowerBound
      guard places.contains(where: { isAlive($0, first) }) else { continue }
      let known = classes.last { representative in
        places.allSatisfy { goesOnAlike($0, first, representative) }
          && besides.allSatisfy {
            transitions[rows[Int($0)] + first] == transitions[rows[Int($0)] + representative]
          }
      }
      let state: State
      if let known {
        state = transitions[start + known]
      } else {
        state = step(program: program, threads: threads, UInt8(first))
        classes.append(first)
      }
      setRun(run, at: start, state)
    }
    return starts
  }

  /// A thread's scalar automaton and its place there.
  private typealias Place = (automaton: Int, place: Int)

  @inline(__always)
  private func isAlive(_ place: Place, _ byte: Int) -> Bool {
    automata[place.automaton].transitions[place.place << 8 | byte] != ScalarAutomaton.dead
  }

  @inline(__always)
  private func goesOnAlike(_ place: Place, _ byte: Int, _ other: Int) -> Bool {
    automata[place.automaton].transitions[place.place << 8 | byte]
      == automata[place.automaton].transitions[place.place << 8 | other]
  }

  /// The state after a byte.
  private mutating func step(program: Int, threads: [UInt32], _ byte: UInt8) -> State {
    let count = programs[program].behinds.count
    var behinds: [UInt32] = []
    for index in 0..<count { behinds.append(next(threads[index], byte)) }
    var inside: [Thread] = []
    var entries: [Thread] = []
    var at = count
    while at < threads.count {
      let word = threads[at]
      let lookAheads = threads[(at + 2)..<(at + 2 + Int(threads[at + 1]))]
      at += 2 + lookAheads.count
      guard case .scalar(let automaton, let nextNode) = programs[program].nodes[Int(word >> 16)]
      else { continue }
      let place = automata[automaton].next(UInt16(word & 0xFFFF), byte)
      guard place != ScalarAutomaton.dead else { continue }
      var kept: [UInt32]? = []
      for lookAhead in lookAheads {
        guard let list = kept else { break }
        kept = adding(next(lookAhead >> 1, byte) << 1 | lookAhead & 1, to: list)
      }
      guard let kept else { continue }
      if place == ScalarAutomaton.done {
        entries.append(Thread(word: UInt32(nextNode) << 16, lookAheads: kept))
      } else {
        inside.append(Thread(word: word & 0xFFFF_0000 | UInt32(place), lookAheads: kept))
      }
    }
    if entries.isEmpty {
      if inside.isEmpty { return Self.dead }
      inside.sort()
      var sequence = behinds
      var previous: Thread?
      for thread in inside where thread != previous {
        sequence.append(thread.word)
        sequence.append(UInt32(thread.lookAheads.count))
        sequence.append(contentsOf: thread.lookAheads)
        previous = thread
      }
      return threadState(program: program, sequence)
    }
    // All scalars end at the same byte: a UTF-8 sequence's length is fixed by its first byte.
    return threadState(
      program: program,
      closure(program: program, entries: entries, behinds: behinds, atStart: false))
  }

  private mutating func acceptsAtEnd(program: Int, _ sequence: [UInt32]) -> Bool {
    var at = programs[program].behinds.count
    while at < sequence.count {
      let node = Int(sequence[at] >> 16)
      let lookAheads = sequence[(at + 2)..<(at + 2 + Int(sequence[at + 1]))]
      at += 2 + lookAheads.count
      switch programs[program].nodes[node] {
      case .match, .end:
        if lookAheads.allSatisfy({ accepting[Int($0 >> 1)] == ($0 & 1 == 0) }) { return true }
      default: break
      }
    }
    return false
  }
}
