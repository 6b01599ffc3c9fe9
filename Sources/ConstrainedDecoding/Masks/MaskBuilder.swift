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

  /// Bits for what was seen; all zero between uses.
  private var scratch: [UInt32]
  /// By stack, where its row of accepted rests starts in `restBits`; -1 where it is not known yet.
  private var restRows: [Int32] = []
  /// Rows of accepted rests, equal ones once.
  private var restBits: [UInt64] = []
  /// Where a row starts, by a hash of it.
  private var rowPlaces = FlatMap()
  /// For each row the inside of a string with the tokens that close it and go on so.
  private var rowBases: [MaskBase?] = []
  private let restStride: Int
  /// The bottom of the stacks that are walked apart from what lies below; `.max` else.
  var open = StackID.max
  /// The exits found since that began.
  var exits: [OpenRow.Exit] = []
  var openRows: [OpenRow] = []
  /// By stack over an open one, where its row is in `openRows` and its mask in `openMasks`, or -1.
  var openRowIndices: [Int32] = []
  var openMasks: [OpenMask] = []
  var openMaskIndices: [Int32] = []
  /// The memory of what was found in the open, in bytes, beside the rows.
  var openByteCount = 0
  /// By open row and row below, the row of the two.
  var joinedRows = FlatMap()
  var insides: [InsidePosition: Inside] = [:]
  var knownLoops: [InsidePosition: TokenSignatures.Signature] = [:]
  var knownTargets: [InsidePosition: (others: UInt32, spaces: UInt32)] = [:]

  /// The memory of what is kept between masks, in bytes.
  var byteCount: Int {
    restRows.count * 4 + restBits.count * 8 + rowPlaces.byteCount
      + (rowBases.count + insides.count) * scratch.count * 4
      + (knownLoops.count + knownTargets.count) * 80 + joinedRows.byteCount
      + openRows.count * (restStride * 8 + 64) + openMasks.count * 128
      + (openRowIndices.count + openMaskIndices.count) * 4 + openByteCount
  }

  init(vocabulary: Vocabulary.Storage, index: TokenIndex) {
    self.vocabulary = vocabulary
    self.index = index
    base = index.noTokens
    scratch = index.noTokens.words
    restStride = (index.split.emptyRest + 64) / 64
  }

  /// Starts a new mask.
  mutating func reset() {
    base = index.noTokens
    added.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    isAmbiguous = false
  }

  /// The mask made since the last reset.
  mutating func mask() -> TokenMask {
    if isAmbiguous { removeDuplicates() }
    return TokenMask(storage: TokenMask.Storage(base: base, added: added, removed: removed))
  }

  /// Keeps every added token once, and none that the base has.
  mutating func removeDuplicates() {
    var kept = 0
    for token in added where !base.contains(token) {
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
    var wanted: [UInt32] = []
    for token in tokens {
      let id = UInt32(bitPattern: token)
      let bit: UInt32 = 1 << (id & 31)
      if scratch[Int(id >> 5)] & bit != 0 { continue }
      scratch[Int(id >> 5)] |= bit
      wanted.append(id)
    }
    var result: [UInt32] = []
    for id in mask.added where scratch[Int(id >> 5)] >> (id & 31) & 1 == 1 { result.append(id) }
    for id in mask.removed { scratch[Int(id >> 5)] &= ~(1 << (id & 31)) }
    for id in wanted {
      if scratch[Int(id >> 5)] >> (id & 31) & 1 == 1, mask.base.contains(id) { result.append(id) }
      scratch[Int(id >> 5)] &= ~(1 << (id & 31))
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
    case .number where frame.e == 0 && automaton.stacks[frame.parent].kind != .rule:
      addNumber(frame, stack, &automaton)
    case .value, .colon, .object, .array, .end:
      if automaton.whitespaceLimit == .max {
        addStructure(stack, frame, &automaton)
      } else {
        walk(trie, 0..<trie.count, from: stack, &automaton, .tokens)
      }
    default:
      walk(trie, 0..<trie.count, from: stack, &automaton, .tokens)
    }
  }

  /// What the ids in a trie stand for.
  enum Target {
    case tokens
    case cores
    /// Rests of tokens, set in the row that starts at a place of `restBits`.
    case rests(row: Int)
  }

  /// Adds what a node stands for, with the duplicates.
  mutating func emit(_ id: Int32, _ trie: TokenTrie, _ target: Target) {
    switch target {
    case .rests(let row): restBits[row + Int(id) >> 6] |= 1 << UInt64(id & 63)
    case .tokens, .cores:
      var id = id
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
    case .tokens: added.append(UInt32(bitPattern: id))
    case .cores: added.append(UInt32(bitPattern: index.coreTokens[Int(id)]))
    case .rests(let row): restBits[row + Int(id) >> 6] |= 1 << UInt64(id & 63)
    }
  }

  // MARK: Rests

  /// Where the row of a stack starts; -1 where it is not known.
  func knownRow(_ stack: StackID) -> Int {
    Int(stack) < restRows.count ? Int(restRows[Int(stack)]) : -1
  }

  mutating func setRow(_ stack: StackID, _ row: Int) {
    while restRows.count <= Int(stack) { restRows.append(-1) }
    restRows[Int(stack)] = Int32(row)
  }

  /// The row of a stack, by a walk.
  mutating func walkedRow(_ stack: StackID, _ automaton: inout Automaton) -> Int {
    let row = appendRow(nil)
    walk(
      index.split.rests, 0..<index.split.rests.count, from: stack, &automaton, .rests(row: row))
    let kept = unique(row: row)
    setRow(stack, kept)
    return kept
  }

  /// A row of some bits, or of the empty rest alone.
  mutating func appendRow(_ bits: [UInt64]?) -> Int {
    let row = restBits.count
    if let bits {
      restBits += bits
    } else {
      restBits.append(contentsOf: repeatElement(0, count: restStride))
      setRest(Int32(index.split.emptyRest), row)
    }
    return row
  }

  @inline(__always)
  mutating func setRest(_ rest: Int32, _ row: Int) {
    restBits[row + Int(rest) >> 6] |= 1 << UInt64(rest & 63)
  }

  /// Takes out the last row.
  mutating func takeRow(_ row: Int) -> [UInt64] {
    let bits = Array(restBits[row...])
    restBits.removeSubrange(row...)
    return bits
  }

  /// The place of a row equal to the last one, which is dropped if there is an earlier one.
  mutating func unique(row: Int) -> Int {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for word in restBits[row...] {
      hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 29
    }
    hash >>= 1
    while let known = rowPlaces[hash] {
      if restBits[Int(known)..<Int(known) + restStride] == restBits[row...] {
        restBits.removeSubrange(row...)
        return Int(known)
      }
      hash += 1
    }
    rowPlaces.set(hash, UInt32(row))
    return row
  }

  /// The inside of a string with the tokens that close it and go on with a rest of a row.
  mutating func closedBase(_ row: Int) -> MaskBase {
    let place = row / restStride
    while rowBases.count <= place { rowBases.append(nil) }
    if let known = rowBases[place] { return known }
    let split = index.split
    var words = split.inside.words
    var count = split.inside.count
    forEachRest(row) { rest in
      for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1]) {
        let token = UInt32(bitPattern: split.closing[place].token)
        words[Int(token >> 5)] |= 1 << (token & 31)
        count += 1
      }
    }
    let base = MaskBase(words: words, count: count)
    rowBases[place] = base
    return base
  }

  @inline(__always)
  func accepts(rest: Int32, _ row: Int) -> Bool {
    restBits[row + Int(rest) >> 6] >> UInt64(rest & 63) & 1 == 1
  }

  /// The rests of a row.
  @inline(__always)
  func forEachRest(_ row: Int, _ body: (Int) -> Void) {
    for word in 0..<restStride {
      var bits = restBits[row + word]
      while bits != 0 {
        body(word << 6 | bits.trailingZeroBitCount)
        bits &= bits - 1
      }
    }
  }

  // MARK: Walks

  /// Goes on from a node whose byte has led to a stack: the node's own token and its subtree.
  mutating func enter(
    _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    if stack == open { return leave(trie, node, target) }
    if trie.bytes[node] == 0x22, addOpened(trie, node, stack, &automaton, target) { return }
    if open != .max, isOpenNumber(stack, &automaton) { leaveNumber(trie, node, target) }
    if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, target) }
    let end = Int(trie.ends[node])
    if node + 1 < end { walk(trie, node + 1..<end, from: stack, &automaton, target) }
  }

  /// Whether a stack is a number that may end, over an open stack.
  private func isOpenNumber(_ stack: StackID, _ automaton: inout Automaton) -> Bool {
    let frame = automaton.stacks[stack]
    return frame.kind == .number && frame.parent == open
      && automaton.obligations.numbers.mayEnd(frame.a)
  }

  /// Walks some subtrees that lie side by side, from one stack.
  mutating func walk(
    _ trie: TokenTrie, _ range: Range<Int>, from stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    var node = range.lowerBound
    if node >= range.upperBound { return }
    let filter = automaton.firstBytes(stack)
    var reached: [StackID] = []
    while node < range.upperBound {
      let byte = trie.bytes[node]
      let end = Int(trie.ends[node])
      if filter.contains(byte) {
        reached.removeAll(keepingCapacity: true)
        automaton.step(stack, byte, into: &reached)
        if reached.count > 1 { isAmbiguous = true }
        for next in reached { enter(trie, node, next, &automaton, target) }
      }
      node = end
    }
  }

  /// Whether a quote has just opened a string or key with any content; then all below it is done.
  private mutating func addOpened(
    _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) -> Bool {
    let frame = automaton.stacks[stack]
    guard frame.b == 0 else { return false }
    switch frame.kind {
    case .string where frame.a == RegularLanguages.free && frame.c == 0 && frame.d == .max: break
    case .key
    where automaton.obligations.isBoundary(frame.a)
      && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a):
      break
    default: return false
    }
    switch target {
    case .tokens: addOpened(index.quotes, trie, node, stack, frame, &automaton, target)
    case .cores: addOpened(index.coreQuotes, trie, node, stack, frame, &automaton, target)
    case .rests: addOpened(index.split.restQuotes, trie, node, stack, frame, &automaton, target)
    }
    return true
  }

  private mutating func addOpened(
    _ quotes: QuoteIndex, _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    let entry = Int(quotes.entries[node])
    for place in Int(quotes.insideStarts[entry])..<Int(quotes.insideStarts[entry + 1]) {
      emitOne(quotes.inside[place], target)
    }
    let closings = Int(quotes.closingStarts[entry])..<Int(quotes.closingStarts[entry + 1])
    if closings.isEmpty { return }
    var isByRests = frame.kind == .key || frame.e == 0
    if case .rests = target { isByRests = false }
    if isByRests {
      addClosers(quotes, closings, trie, stack, frame, &automaton, target)
    } else {
      for closing in closings {
        addClosing(quotes, closing, trie, stack, frame, &automaton, target)
      }
    }
  }

  /// The tokens from one closing quote on, read byte by byte.
  private mutating func addClosing(
    _ quotes: QuoteIndex, _ closing: Int, _ trie: TokenTrie, _ stack: StackID, _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    var current = [stack]
    if frame.kind == .key || frame.e != 0 {
      for at in Int(quotes.contentStarts[closing])..<Int(quotes.contentStarts[closing + 1]) {
        var next: [StackID] = []
        for stack in current { automaton.step(stack, quotes.contents[at], into: &next) }
        current = next
      }
    }
    var after: [StackID] = []
    for stack in current { automaton.step(stack, 0x22, into: &after) }
    if after.count > 1 { isAmbiguous = true }
    for stack in after {
      enter(trie, Int(quotes.closing[closing]), stack, &automaton, target)
    }
  }

  /// The tokens from all closing quotes on, by the rests that may follow.
  private mutating func addClosers(
    _ quotes: QuoteIndex, _ closings: Range<Int>, _ trie: TokenTrie, _ stack: StackID,
    _ frame: Frame, _ automaton: inout Automaton, _ target: Target
  ) {
    var rows = KeyRows()
    for closing in closings {
      var keyClass: UInt32 = 0
      if frame.kind == .key {
        let content =
          Int(quotes.contentStarts[closing])..<Int(quotes.contentStarts[closing + 1])
        // A declared name closes in its own way; an escape or a second key is read in full.
        guard !quotes.isUnusual[closing],
          let found = undeclaredClass(quotes.contents, content, frame.a, &automaton)
        else {
          addClosing(quotes, closing, trie, stack, frame, &automaton, target)
          continue
        }
        keyClass = found
      }
      let places = Int(quotes.closerStarts[closing])..<Int(quotes.closerStarts[closing + 1])
      if open != .max {
        let after = rows.stacks(keyClass, frame, stack, &automaton)
        for place in places { addOpenCloser(quotes.closers[place], after, target, &automaton) }
        continue
      }
      let found = rows.rows(keyClass, frame, stack, &self, &automaton)
      for place in places {
        let closer = quotes.closers[place]
        for row in found where accepts(rest: closer.rest, row) {
          emitOne(closer.token, target)
          break
        }
      }
    }
  }

  /// The class of an undeclared key after some bytes without escapes; `nil` for a declared one.
  private func undeclaredClass(
    _ bytes: [UInt8], _ content: Range<Int>, _ tuple: UInt32, _ automaton: inout Automaton
  ) -> UInt32? {
    if automaton.obligations.keyTuples.length(of: tuple) == 2 {
      let name = automaton.obligations.keyTuples.word(0, of: tuple)
      if name == 0 { return 0 }
      var at = Int(name) - 1
      for place in content {
        guard let child = automaton.obligations.languages.trie.child(of: at, bytes[place]) else {
          return 0
        }
        at = child
      }
      return automaton.obligations.languages.trie.isEnd(at) ? nil : 0
    }
    var tuple = tuple
    for place in content { tuple = automaton.obligations.nextTuple(tuple, bytes[place]) }
    if automaton.obligations.member(0, tuple) != nil { return nil }
    return automaton.obligations.keyClass(tuple)
  }
}

/// What comes after a string or an undeclared key, by the key's class.
struct KeyRows {
  private var known: [(keyClass: UInt32, stacks: [StackID], rows: [Int]?)] = []

  /// The stacks after the closing quote.
  mutating func stacks(
    _ keyClass: UInt32, _ frame: Frame, _ stack: StackID, _ automaton: inout Automaton
  ) -> [StackID] {
    for entry in known where entry.keyClass == keyClass { return entry.stacks }
    var after: [StackID] = []
    if frame.kind == .key {
      automaton.close(
        undeclared: TextTable.unknown, class: keyClass, object: automaton.stacks[frame.parent],
        into: &after)
    } else {
      automaton.step(stack, 0x22, into: &after)
    }
    known.append((keyClass, after, nil))
    return after
  }

  /// Their rows of rests.
  mutating func rows(
    _ keyClass: UInt32, _ frame: Frame, _ stack: StackID, _ builder: inout MaskBuilder,
    _ automaton: inout Automaton
  ) -> [Int] {
    for entry in known where entry.keyClass == keyClass {
      if let rows = entry.rows { return rows }
    }
    let rows = stacks(keyClass, frame, stack, &automaton)
      .map { builder.restRow($0, &automaton) }
    if let place = known.firstIndex(where: { $0.keyClass == keyClass }) { known[place].rows = rows }
    return rows
  }
}
