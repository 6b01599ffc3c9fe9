import Synchronization

extension Grammar {
  /// Keeps what a grammar works out within ``CompilationOptions/Limits/memory``.
  ///
  /// Everything that grows with use can be made again, and all of it refers to each other by index.
  /// So once it is full it is dropped as a whole, and the grammar is compiled again: a new *epoch*.
  /// Whoever holds a configuration of an earlier epoch reads its text again to find its own. Where
  /// the texts in use need more than the limit by themselves, the limit is raised to twice their
  /// need, so that the work of reading them again stays in proportion to the texts.
  ///
  /// The transitions of regular languages are dropped alone before that, at half of
  /// ``CompilationOptions/Limits/states``: no one refers to them.
  struct Room {
    /// The number of times that everything was dropped.
    var epoch: UInt32 = 0
    /// The memory past which everything is dropped.
    private var bound: Int
    /// The growth at which memory is measured next.
    fileprivate var nextMeasure = 0
    /// Whether a step reached the limit of states right after everything was dropped: trying again
    /// does not help then.
    fileprivate var isTooSmall = false
    private let remake: @Sendable () -> Automaton?

    init(_ automaton: Automaton, remake: @escaping @Sendable () -> Automaton?) {
      self.remake = remake
      bound = automaton.byteCount + automaton.options.limits.memory
    }

    /// The compiled automaton, with none of what was worked out since.
    fileprivate mutating func fresh() -> Automaton? {
      guard let automaton = remake() else { return nil }
      bound = automaton.byteCount + automaton.options.limits.memory
      epoch &+= 1
      nextMeasure = 0
      return automaton
    }

    /// Whether everything should be dropped; else when to look again.
    fileprivate mutating func isFull(_ byteCount: Int, growth: Int) -> Bool {
      if byteCount > bound { return true }
      nextMeasure = growth + max(1 << 12, (bound - byteCount) / 4)
      return false
    }

    /// Leaves room for as much again as the texts in use need.
    fileprivate mutating func admit(_ byteCount: Int) {
      bound = max(bound, 2 * byteCount)
      nextMeasure = 0
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
    if isInexact || room.isFull(automaton.byteCount + maskBytes, growth: growth) { drop() }
  }

  /// Does some work on the state within its limits. Where it reaches the limit of states, it is tried
  /// once more with everything dropped that was worked out before.
  ///
  /// - Parameters:
  ///   - epoch: the epoch that the caller's configurations are of.
  ///   - restore: finds the caller's configurations anew, where that epoch has passed.
  mutating func work<Result>(
    epoch: UInt32, restore: (inout Grammar.State) -> Void,
    _ body: (inout Grammar.State) -> Result
  ) -> Result {
    makeRoom()
    if room.epoch != epoch { restore(&self) }
    let result = body(&self)
    guard isInexact, makeRoomToTryAgain() else { return result }
    restore(&self)
    let other = body(&self)
    noteOtherTry()
    return other
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

  /// To be called once a text was read again.
  mutating func admitRestored() { room.admit(automaton.byteCount + maskBytes) }
}

extension Grammar {
  /// The memory of the compiled grammar and of all states and masks that it keeps, in bytes, as
  /// ``CompilationOptions/Limits/memory`` counts it.
  public var cachedByteCount: Int {
    storage.state.withLock { $0.automaton.byteCount + $0.maskBytes }
  }

  /// How often everything that was worked out has been dropped to make room.
  public var dropCount: Int { storage.state.withLock { Int($0.room.epoch) } }
}
