// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Computes the mask of one stack.
///
/// In general a mask is a walk over the trie of tokens: a node's byte is read from the stack of its
/// parent, and where it is refused the node's subtree is skipped. What makes it fast is that little
/// is walked:
///
/// - *Strings with any content.* Their inside tokens are one ready mask. A token that closes one is
///   its spelling before the quote and a rest after it, and only the rests, a few hundred for all
///   tokens, are walked, once for each stack that a string can lead to (``restRow(_:_:)``).
/// - *White space.* Where any amount is allowed the stack does not change, so that ` "`, `\n"` and
///   `"` are one core; the cores are walked, and tokens of white space alone are a ready mask.
/// - *Keys.* Declared names are walked beside the tokens; keys that may be anything are strings.
/// - *Numbers.* The digits that fit are ranges of values (``DigitTokens``).
struct MaskBuilder {
  let vocabulary: Vocabulary.Storage
  let index: TokenIndex
  /// What the mask shares with others.
  var base: MaskBase
  /// Tokens beside the base.
  var added: [UInt32] = []
  var removed: [UInt32] = []
  /// Whether a token may have been added more than once.
  var isAmbiguous = false
  /// What was made use of since the builder was made.
  var usedStrategies: MaskStrategies = []

  /// Lists that no walk uses just now: to allocate them took 4 % of the instructions of masks.
  var vacant: [[StackID]] = []
  /// Bits for what was seen; all zero between uses.
  private var scratch: [UInt32]
  /// What is left of tokens after a string or a value has ended, by stack.
  var rests: RestRows
  /// What tokens do above frames, whatever lies below them.
  var detached = DetachedStacks()
  /// What tokens do inside strings and keys that are held to something.
  var insides = InsideTables()

  /// The memory of what is kept between masks, in bytes.
  var byteCount: Int {
    mutating get {
      rests.byteCount + detached.byteCount
        + insides.byteCount
        + (rests.bases.count + insides.positions.count + insides.absorbed.count) * scratch.count * 4
    }
  }

  init(vocabulary: Vocabulary.Storage, index: TokenIndex) {
    self.vocabulary = vocabulary
    self.index = index
    base = index.noTokens
    scratch = index.noTokens.words
    rests = RestRows(stride: (index.split.emptyRest + 64) / 64)
  }

  /// Starts a new mask.
  mutating func reset() {
    base = index.noTokens
    if !added.isEmpty { added.removeAll(keepingCapacity: true) }
    if !removed.isEmpty { removed.removeAll(keepingCapacity: true) }
    isAmbiguous = false
  }

  /// A list is looked through, and copied where masks differ; more tokens are better bits.
  private static let mostListed = 2048

  /// The mask made since the last reset.
  mutating func mask() -> TokenMask {
    if isAmbiguous { removeDuplicates() }
    if base.count == 0, added.count > Self.mostListed {
      var words = base.words
      for token in added { words[Int(token >> 5)] |= 1 << (token & 31) }
      return TokenMask(
        storage: TokenMask.Storage(base: MaskBase(words: words, count: added.count), added: []))
    }
    // Copies of just their size; the lists here keep their room for the next mask.
    return TokenMask(
      storage: TokenMask.Storage(base: base, added: Self.copy(added), removed: Self.copy(removed)))
  }

  private static func copy(_ tokens: [UInt32]) -> [UInt32] {
    if tokens.isEmpty { return [] }
    var result: [UInt32] = []
    result.reserveCapacity(tokens.count)
    result.append(contentsOf: tokens)
    return result
  }

  /// Keeps every added token once, and none that the base has.
  mutating func removeDuplicates() {
    var kept = 0
    for place in added.indices {
      let token = added[place]
      if base.contains(token) { continue }
      let bit: UInt32 = 1 << (token & 31)
      if scratch[Int(token >> 5)] & bit != 0 { continue }
      scratch[Int(token >> 5)] |= bit
      added[kept] = token
      kept += 1
    }
    added.removeSubrange(kept...)
    for token in added { scratch[Int(token >> 5)] = 0 }
  }

  /// Those of some tokens that a mask allows, each once.
  mutating func allowed(_ tokens: [Int32], by mask: TokenMask.Storage) -> [UInt32] {
    var result: [UInt32] = []
    if tokens.isEmpty { return result }
    for token in tokens {
      let id = UInt32(bitPattern: token)
      scratch[Int(id >> 5)] |= 1 << (id & 31)
    }
    for id in mask.added where scratch[Int(id >> 5)] >> (id & 31) & 1 == 1 { result.append(id) }
    for id in mask.removed { scratch[Int(id >> 5)] &= ~(1 << (id & 31)) }
    for token in tokens {
      let id = UInt32(bitPattern: token)
      let bit: UInt32 = 1 << (id & 31)
      if scratch[Int(id >> 5)] & bit == 0 { continue }
      scratch[Int(id >> 5)] &= ~bit
      if mask.base.contains(id) { result.append(id) }
    }
    return result
  }

  /// Adds the tokens that a stack allows.
  mutating func add(_ stack: StackID, _ automaton: inout Automaton) {
    let frame = automaton.stacks[stack]
    let trie = vocabulary.trie
    switch frame.kind {
    case .string where frame.b == 0 && frame.a == RegularLanguages.free:
      addString(frame, &automaton)
    case .string where frame.b == 0 && !automaton.obligations.languages.isFreeState(frame.a):
      addPattern(frame, &automaton)
    case .key
    where frame.b == 0 && automaton.obligations.isBoundary(frame.a)
      && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a):
      addKey(frame, &automaton)
    case .key where frame.b == 0: addNamedKey(frame, &automaton)
    case .string where frame.b != 0, .key where frame.b != 0:
      readEscaped(trie, below: TokenTrie.root, from: stack, &automaton, .tokens)
    case .number where automaton.stacks[frame.parent].kind != .rule:
      addNumber(frame, stack, &automaton)
    case .value, .colon, .object, .array, .end:
      if automaton.whitespaceLimit == .max {
        addStructure(stack, frame, &automaton)
      } else {
        walk(trie, below: TokenTrie.root, from: stack, &automaton, .tokens)
      }
    default:
      walk(trie, below: TokenTrie.root, from: stack, &automaton, .tokens)
    }
  }

  /// What the ids in a trie stand for.
  enum Target {
    case tokens
    case cores
    /// Rests of tokens, set in the row that starts at a place of ``RestRows/bits``.
    case rests(row: Int)
  }

  /// Adds what a node stands for, with the duplicates.
  mutating func emit(_ id: Int32, _ trie: TokenTrie, _ target: Target) {
    switch target {
    case .rests(let row): setRest(id, row)
    case .tokens, .cores:
      emitOne(id, target)
      if !trie.hasDuplicates { return }
      var id = trie.duplicates[Int(id)]
      while id >= 0 {
        emitOne(id, target)
        id = trie.duplicates[Int(id)]
      }
    }
  }

  /// Adds an id whose duplicates are listed beside it.
  @inline(__always)
  mutating func emitOne(_ id: Int32, _ target: Target) {
    switch target {
    case .tokens, .cores: added.append(UInt32(bitPattern: id))
    case .rests(let row): setRest(id, row)
    }
  }

  /// Adds some ids whose duplicates are listed among them.
  mutating func emit(_ ids: ArraySlice<UInt32>, _ target: Target) {
    if case .rests(let row) = target {
      for id in ids { setRest(Int32(bitPattern: id), row) }
    } else {
      added += ids
    }
  }

  // MARK: Walks

  /// Goes on from a node whose byte has led to a stack: the node's own token and its subtree.
  mutating func enter(
    _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    if stack == detached.bottom { return leave(trie, node, target) }
    if trie.nodes[node].byte == 0x22, addOpened(trie, node, stack, &automaton, target) { return }
    if detached.bottom != .max, isDetachedNumber(stack, &automaton) {
      leaveBelow(trie, node, target)
    }
    if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
    walk(trie, below: node, from: stack, &automaton, target)
  }

  /// Whether a stack is a number that may end, on a detached stack.
  private func isDetachedNumber(_ stack: StackID, _ automaton: inout Automaton) -> Bool {
    let frame = automaton.stacks[stack]
    return frame.kind == .number && frame.parent == detached.bottom
      && automaton.obligations.numbers.mayEnd(frame.a)
  }

  /// Where no more bytes than these can come, the children over them are looked up, instead of
  /// going through all.
  static let fewBytes = 12

  /// Walks the nodes below a node that has led to a stack.
  mutating func walk(
    _ trie: TokenTrie, below parent: Int, from stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    let nodes = trie.below(parent)
    if nodes.isEmpty { return }
    let filter = automaton.firstBytes(stack)
    var reached = vacant.popLast() ?? []
    if nodes.count >= TokenTrie.wide, filter.count <= Self.fewBytes {
      filter.visitEach { byte in
        if let node = trie.child(byte, of: parent) {
          step(trie, node, byte, from: stack, &reached, &automaton, target)
        }
      }
    } else {
      var node = nodes.lowerBound
      while node < nodes.upperBound {
        let byte = trie.nodes[node].byte
        let end = Int(trie.nodes[node].end)
        if filter.contains(byte) {
          step(trie, node, byte, from: stack, &reached, &automaton, target)
        }
        node = end
      }
    }
    vacant.append(reached)
  }

  /// Reads the byte of a node from a stack, and goes on from there.
  @inline(__always)
  mutating func step(
    _ trie: TokenTrie, _ node: Int, _ byte: UInt8, from stack: StackID,
    _ reached: inout [StackID], _ automaton: inout Automaton, _ target: Target
  ) {
    // There are none or one, almost always: to remove all took 1 % of the instructions of masks.
    while !reached.isEmpty { reached.removeLast() }
    automaton.step(stack, byte, into: &reached)
    if reached.count > 1 { isAmbiguous = true }
    for next in reached { enter(trie, node, next, &automaton, target) }
  }
}
