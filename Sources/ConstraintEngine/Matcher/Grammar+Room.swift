// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Grammar {
  /// Keeps what a grammar works out within ``CompilationOptions/Limits/memory``.
  ///
  /// Everything that grows with use can be made again, and all of it refers to each other by index.
  /// So once it is full it is dropped as a whole, and new tables are started: a new *epoch*. Those
  /// before are kept for one epoch without what was worked out from them, and whoever holds a
  /// configuration of that epoch carries it over (``CarriedTables``): what a live sequence stands on is
  /// never read again. Where the sequences in use need more than the limit by themselves, the limit is
  /// raised to twice their need, so that the work of carrying them stays in proportion.
  ///
  /// The obligations of the schema stay. Should these alone grow past the limit, the grammar is
  /// compiled again and texts are read again.
  ///
  /// The transitions of regular languages are dropped alone before that, at half of
  /// ``CompilationOptions/Limits/states``: no one refers to them.
  ///
  /// Copies of the tables for several threads (``Storage``) share the memory equally.
  package struct Room {
    /// The number of times that everything was dropped.
    package var epoch: UInt32 = 0
    /// The tables of the epoch before, where they can be carried over from.
    var previous: CarriedTables?
    /// The memory of the compiled grammar.
    private var base: Int
    /// The memory beyond it past which new tables are started.
    private var bound: Int
    /// The memory of the obligations past which the grammar is compiled again.
    private var obligationsBound: Int
    /// The growth at which memory is measured next.
    fileprivate var nextMeasure = 0
    /// Whether a step reached the limit of states right after everything was dropped: trying again
    /// does not help then.
    fileprivate var isTooSmall = false
    let shares: Shares
    private let remake: @Sendable () -> Automaton?

    init(
      _ automaton: Automaton, shares: Shares, remake: @escaping @Sendable () -> Automaton?
    ) {
      self.shares = shares
      self.remake = remake
      (base, bound, obligationsBound) = Self.bounds(automaton)
    }

    /// Two epochs share the memory.
    private static func bounds(
      _ automaton: Automaton
    ) -> (base: Int, tables: Int, obligations: Int) {
      let half = automaton.options.limits.memory / 2
      return (automaton.byteCount, half, automaton.obligations.byteCount + half)
    }

    /// The compiled automaton, with none of what was worked out since.
    fileprivate mutating func fresh() -> Automaton? {
      guard let automaton = remake() else { return nil }
      (base, bound, obligationsBound) = Self.bounds(automaton)
      epoch &+= 1
      previous = nil
      nextMeasure = 0
      return automaton
    }

    /// Starts new tables, where the obligations leave room for them; whether they do.
    fileprivate mutating func renew(_ automaton: inout Automaton) -> Bool {
      guard automaton.obligations.byteCount <= obligationsBound else { return false }
      previous = automaton.renew()
      epoch &+= 1
      nextMeasure = 0
      return true
    }

    /// Whether everything should be dropped; else when to look again.
    fileprivate mutating func isFull(_ byteCount: Int, growth: Int) -> Bool {
      let left = (base + bound) / shares.count - byteCount
      if left < 0 { return true }
      nextMeasure = growth + max(1 << 12, left / 4)
      return false
    }

    /// Leaves room for as much again as the texts in use need.
    fileprivate mutating func admit(_ byteCount: Int) {
      bound = max(bound, 2 * byteCount * shares.count - base)
      nextMeasure = 0
    }

    /// Whether one more copy leaves each of them twice what the tables take.
    mutating func hasShare(forCopyOf byteCount: Int) -> Bool {
      nextMeasure = 0
      return 2 * byteCount * (shares.count + 1) <= base + bound
    }
  }
}

extension Grammar.State {
  /// Whether a limit was reached, so that what was worked out is not exact.
  var isInexact: Bool { automaton.obligations.languages.reachedLimit != nil }

  private var growth: Int {
    mutating get { automaton.growth &+ maskBytes }
  }

  /// Drops what has grown past the limits. Where the epoch changes, configurations from before are
  /// void.
  private mutating func makeRoom() {
    if automaton.obligations.languages.shouldDropTransitions {
      automaton.obligations.languages.dropTransitions()
      room.nextMeasure = 0
    }
    if growth < room.nextMeasure, !isInexact { return }
    if isInexact { return drop() }
    guard room.isFull(automaton.byteCount + maskBytes, growth: growth) else { return }
    guard room.renew(&automaton) else { return drop() }
    dropMasks()
    transitions = TransitionCache()
  }

  /// A configuration of the epoch before this one in this one; `nil` where it has to be found by
  /// reading its text again.
  package mutating func carried(
    _ configuration: Automaton.Configuration, from epoch: UInt32
  ) -> Automaton.Configuration? {
    guard room.epoch == epoch &+ 1, var tables = room.previous else { return nil }
    room.previous = nil
    let result = automaton.carry(configuration, from: &tables)
    room.previous = tables
    return result
  }

  /// Does some work on the state within its limits. Where it reaches the limit of states, it is tried
  /// once more with everything dropped that was worked out before.
  ///
  /// What was worked out after another limit was reached is not exact, so that it is dropped: who asks
  /// next does not meet it.
  ///
  /// - Parameters:
  ///   - epoch: the epoch that the caller's configurations are of.
  ///   - restore: finds the caller's configurations anew, where that epoch has passed.
  /// - Returns: The result, and the limit that was reached, if one was: the result is void then.
  package mutating func work<Result>(
    epoch: UInt32, restore: (inout Grammar.State) -> Void,
    _ body: (inout Grammar.State) -> Result
  ) -> (result: Result, limit: GrammarError.Diagnostic?) {
    makeRoom()
    if room.epoch != epoch { restore(&self) }
    var result = body(&self)
    if isInexact, makeRoomToTryAgain() {
      restore(&self)
      result = body(&self)
      noteOtherTry()
    }
    guard let failure = automaton.obligations.reachedFailure else { return (result, nil) }
    if automaton.obligations.failure != nil { drop() }
    return (result, GrammarError.Diagnostic(failure))
  }

  /// Makes room after a step that reached the limit of states; whether it is worth another try.
  private mutating func makeRoomToTryAgain() -> Bool {
    if room.isTooSmall { return false }
    drop()
    return true
  }

  /// Notes whether the other try reached the limit too.
  private mutating func noteOtherTry() { room.isTooSmall = isInexact }

  private mutating func drop() {
    guard let automaton = room.fresh() else { return }
    self.automaton = automaton
    dropMasks()
    transitions = TransitionCache()
  }

  /// To be called once a text was carried over or read again.
  package mutating func admitRestored() { room.admit(automaton.byteCount + maskBytes) }
}

extension Grammar {
  /// The memory of the compiled grammar and of all states and masks that it keeps, in bytes, as
  /// ``CompilationOptions/Limits/memory`` counts it.
  public var cachedByteCount: Int {
    storage.forEachState { state in
      let previous = state.room.previous?.byteCount ?? 0
      return state.automaton.byteCount + state.maskBytes + previous
    }.reduce(0, +)
  }

  /// How often everything that was worked out has been dropped to make room.
  public var dropCount: Int {
    storage.forEachState { Int($0.room.epoch) }.reduce(0, +)
  }
}
