// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The transitions of states: computed for all bytes together, when a state is first left.
///
/// Most bytes lead where their neighbours lead, so that a state's *runs* are kept beside its
/// transitions: what is found out of them is found out once for each run.
extension RegularLanguages {
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

  /// The bytes over which a state goes on otherwise than over the byte before, and perhaps some
  /// more: most bytes are like their neighbours.
  mutating func runStarts(of state: State) -> ByteSet {
    if state == Self.dead { return Self.firstByte }
    if rows[Int(state)] < 0 { expand(state) }
    return runStarts[rows[Int(state)] >> 8]
  }

  private static let firstByte = ByteSet(CollectionOfOne(0))

  mutating func expand(_ state: State) {
    let start = transitions.appendRow(Self.dead)
    runStarts.append(Self.firstByte)
    if expandedCount > stateLimit, reachedLimit == nil { reachedLimit = .states }
    if deadline != nil {
      expansions += 1
      if expansions & 7 == 0 { checkDeadline() }
    }
    var starts = Self.firstByte
    if reachedLimit == nil {
      switch definitions[Int(state)] {
      case .dead: break
      case .threads(let program, let key):
        if programs[program].hasLookAround {
          let threads = Array(threadKeys[key])
          starts = expandThreads(program: program, threads: threads, at: start)
        } else {
          starts = expandSimpleThreads(program: program, key: key, at: start)
          // Each of these states is live, or would not have been made.
          isPurged[Int(state)] = true
        }
      case .trie(let node):
        for (byte, child) in trie.children(of: node) {
          transitions[start + Int(byte)] = trieState(child)
          starts.insert(byte)
          if byte < 0xFF { starts.insert(byte + 1) }
        }
        isPurged[Int(state)] = true
      case .product(let key):
        starts = expandProduct(Array(products[key]), at: start)
      }
    }
    runStarts[start >> 8] = starts
    rows[Int(state)] = start
  }

  /// Sets the transitions over a run of bytes, of those that start at a place.
  @inline(__always)
  mutating func setRun(_ run: Range<Int>, at start: Int, _ state: State) {
    var row = transitions.mutableSpan
    for byte in run { row[start + byte] = state }
  }

  /// The number of states with transitions.
  var expandedCount: Int { transitions.count >> 8 }

  /// Whether transitions should be dropped before the next step, so that it has room.
  package var shouldDropTransitions: Bool { expandedCount > stateLimit / 2 }

  /// Drops all transitions; the states stay what they are, and are left anew.
  mutating func dropTransitions() {
    transitions = []
    runStarts = []
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
  private mutating func expandProduct(_ members: [UInt32], at start: Int) -> ByteSet {
    var starts = Self.firstByte
    for member in members { starts.formUnion(runStarts(of: member >> 1)) }
    // The tuples of the classes, one after the other.
    var tuples: [UInt32] = []
    var states: [State] = []
    var after = [UInt32](repeating: 0, count: members.count)
    for run in starts.runs {
      var isDead = false
      for (place, member) in members.enumerated() {
        let target =
          member >> 1 == Self.dead
          ? Self.dead : transitions[rows[Int(member >> 1)] + run.lowerBound]
        if target == Self.dead, member & 1 == 0 { isDead = true }
        after[place] = target << 1 | member & 1
      }
      if isDead { continue }
      let state: State
      if let known = lastPlace(of: after, in: tuples) {
        state = states[known]
      } else {
        state = productState(after)
        tuples += after
        states.append(state)
      }
      setRun(run, at: start, state)
    }
    return starts
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

extension RegularLanguages {
  /// The language after a byte, or ``dead`` where no string goes on with it.
  @inline(__always)
  package mutating func liveNext(_ state: State, _ byte: UInt8) -> State {
    if state == Self.dead { return state }
    if !isPurged[Int(state)] { purge(state) }
    return transitions[rows[Int(state)] + Int(byte)]
  }

  /// The languages after each byte.
  mutating func liveRow(_ state: State) -> [State] {
    if !isPurged[Int(state)] { purge(state) }
    return Array(transitions[rows[Int(state)]..<rows[Int(state)] + 256])
  }
}
