/// Computes the mask of one stack.
///
/// In general a mask is a walk over the trie of tokens: a node's byte is read from the stack of its
/// parent, and where it is refused the node's subtree is skipped. Two shortcuts make it fast:
///
/// - *Strings with any content.* Their inside tokens are one ready mask; of the tokens that close
///   them only the distinct rests are walked (``StringSplit``). Where a walk opens such a string in
///   the middle of a token, the tokens below that quote are taken from ``QuoteIndex``.
/// - *White space.* Where any amount is allowed, the stack does not change: tokens of white space
///   alone are a ready list, and what follows white space is entered directly.
struct MaskBuilder {
  let vocabulary: Vocabulary.Storage
  let index: TokenIndex
  var words: [UInt32]
  private var path: [StackID]

  init(vocabulary: Vocabulary.Storage, index: TokenIndex) {
    self.vocabulary = vocabulary
    self.index = index
    words = [UInt32](repeating: 0, count: (vocabulary.count + 31) / 32)
    path = [StackID](repeating: 0, count: vocabulary.trie.maximumDepth + 2)
  }

  /// Adds the tokens that a stack allows to the mask.
  mutating func add(_ stack: StackID, _ automaton: inout Automaton) {
    let frame = automaton.stacks[stack]
    switch frame.kind {
    case .string where frame.b == 0 && frame.a == RegularLanguages.free:
      addString(frame, automaton: &automaton)
    case .string where frame.b == 0 && !automaton.obligations.languages.isFreeState(frame.a):
      addPattern(frame, automaton: &automaton)
    case .key
    where frame.b == 0 && automaton.obligations.isBoundary(frame.a)
      && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a):
      addKey(frame, automaton: &automaton)
    case .value, .colon, .object, .array, .end:
      if automaton.whitespaceLimit == .max {
        addStructure(stack, &automaton)
      } else {
        walk(vocabulary.trie, 0..<vocabulary.trie.count, from: stack, &automaton, .tokens)
      }
    default:
      walk(vocabulary.trie, 0..<vocabulary.trie.count, from: stack, &automaton, .tokens)
    }
  }

  /// What the ids in a trie stand for.
  enum Target {
    case tokens
    /// Rests of tokens after a quote, for tokens with so many scalars before it.
    case rests(scalars: ClosedRange<Int32>)
  }

  @inline(__always)
  private mutating func set(_ token: Int32) {
    words[Int(token) >> 5] |= 1 << UInt32(token & 31)
  }

  private mutating func emit(_ id: Int32, _ trie: TokenTrie, _ target: Target) {
    switch target {
    case .tokens:
      var token = id
      while token >= 0 {
        set(token)
        token = trie.duplicates[Int(token)]
      }
    case .rests(let scalars): addRest(Int(id), scalars)
    }
  }

  /// The ids below a quote have their duplicates listed already.
  private mutating func emitListed(_ id: Int32, _ target: Target) {
    switch target {
    case .tokens: set(id)
    case .rests(let scalars): addRest(Int(id), scalars)
    }
  }

  private mutating func addRest(_ rest: Int, _ scalars: ClosedRange<Int32>) {
    let split = index.split
    for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1])
    where scalars.contains(split.closing[place].scalars) {
      set(split.closing[place].token)
    }
  }

  // MARK: Strings

  private mutating func addString(_ frame: Frame, automaton: inout Automaton) {
    let split = index.split
    if frame.d == .max || Int(frame.d) >= split.maximumScalars {
      for place in words.indices { words[place] |= split.inside[place] }
    } else {
      for entry in split.insideByLength {
        if entry.scalars > Int32(frame.d) { break }
        set(entry.token)
      }
    }
    let most = frame.d == .max ? Int32.max : Int32(clamping: frame.d)
    guard frame.c <= UInt32(split.maximumScalars), Int32(frame.c) <= most else { return }
    let scalars = Int32(frame.c)...most
    var after: [StackID] = []
    var closing = frame
    closing.c = 0
    automaton.step(string: closing, 0x22, into: &after)
    for stack in after {
      addRest(split.emptyRest, scalars)
      walk(split.rests, 0..<split.rests.count, from: stack, &automaton, .rests(scalars: scalars))
    }
  }

  /// A string with a pattern: its automaton's rows are read directly until a quote or an escape.
  private mutating func addPattern(_ frame: Frame, automaton: inout Automaton) {
    let trie = vocabulary.trie
    let isBounded = frame.c > 0 || frame.d != .max
    var states = [Frame](repeating: frame, count: trie.maximumDepth + 2)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      let before = states[depth - 1]
      if byte == 0x22 || byte == 0x5C || before.a == RegularLanguages.free {
        var reached: [StackID] = []
        automaton.step(string: before, byte, into: &reached)
        for stack in reached { enter(trie, node, stack, &automaton, .tokens) }
        node = Int(trie.ends[node])
        continue
      }
      var after = before
      after.a = automaton.obligations.languages.liveNext(before.a, byte)
      if after.a == RegularLanguages.dead || byte < 0x20 {
        node = Int(trie.ends[node])
        continue
      }
      if isBounded {
        if byte & 0xC0 != 0x80 {
          if after.d == 0 {
            node = Int(trie.ends[node])
            continue
          }
          if after.d != .max { after.d -= 1 }
          if after.c > 0 { after.c -= 1 }
        }
        let fits = automaton.obligations.languages.hasString(
          after.a, minimum: Int(after.c), maximum: after.d == .max ? nil : Int(after.d))
        if !fits {
          node = Int(trie.ends[node])
          continue
        }
      }
      if after.e != 0 { after.e = automaton.texts.append(byte, to: after.e) }
      states[depth] = after
      if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, .tokens) }
      node += 1
    }
  }

  // MARK: Keys

  /// A key that may be anything: like a string, but a token that completes it is read in full where
  /// the key it makes is declared.
  private mutating func addKey(_ frame: Frame, automaton: inout Automaton) {
    let split = index.split
    for place in words.indices { words[place] |= split.inside[place] }
    // Whatever key comes of it, a key that is nowhere declared closes like this one.
    var other = frame
    other.a = automaton.obligations.keyTuples.intern([0, RegularLanguages.free])
    other.e = TextTable.unknown
    let object = automaton.stacks[frame.parent]
    var after: [StackID] = []
    automaton.close(key: other, object: object, into: &after)
    for stack in after {
      addRest(split.emptyRest, 0...Int32.max)
      walk(
        split.rests, 0..<split.rests.count, from: stack, &automaton,
        .rests(scalars: 0...Int32.max))
    }
    for rest in automaton.declaredRests(frame) { recheck(rest, frame, &automaton) }
  }

  /// Looks again at the tokens that start with a spelling and a quote.
  private mutating func recheck(
    _ content: [UInt8], _ frame: Frame, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    guard let node = trie.node(content + [0x22]) else { return }
    let end = Int(trie.ends[node])
    var clearing = node
    while clearing < end {
      var token = trie.tokens[clearing]
      while token >= 0 {
        words[Int(token) >> 5] &= ~(1 << UInt32(token & 31))
        token = trie.duplicates[Int(token)]
      }
      clearing += 1
    }
    var key = frame
    for byte in content {
      key.a = automaton.obligations.nextTuple(key.a, byte)
      key.e = automaton.texts.append(byte, to: key.e)
    }
    var after: [StackID] = []
    automaton.close(key: key, object: automaton.stacks[frame.parent], into: &after)
    for stack in after { enter(trie, node, stack, &automaton, .tokens) }
  }

  // MARK: Structure

  private mutating func addStructure(_ stack: StackID, _ automaton: inout Automaton) {
    let trie = vocabulary.trie
    for token in index.whitespaceTokens { set(token) }
    let bytes = automaton.firstBytes(stack)
    for byte in UInt8.min...UInt8.max
    where bytes.contains(byte) && !automaton.isWhitespace(byte) {
      var reached: [StackID] = []
      automaton.step(stack, byte, into: &reached)
      if reached.isEmpty { continue }
      for place in Int(index.entryStarts[Int(byte)])..<Int(index.entryStarts[Int(byte) + 1]) {
        for next in reached { enter(trie, Int(index.entries[place]), next, &automaton, .tokens) }
      }
    }
  }

  // MARK: Walks

  /// Goes on from a node whose byte has led to a stack: the node's own token and its subtree.
  private mutating func enter(
    _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    if trie.bytes[node] == 0x22, addOpened(trie, node, stack, &automaton, target) { return }
    if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, target) }
    let end = Int(trie.ends[node])
    if node + 1 < end { walk(trie, node + 1..<end, from: stack, &automaton, target) }
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
    let quotes: QuoteIndex
    switch target {
    case .tokens: quotes = index.quotes
    case .rests: quotes = index.split.restQuotes
    }
    let entry = Int(quotes.entries[node])
    for place in Int(quotes.insideStarts[entry])..<Int(quotes.insideStarts[entry + 1]) {
      emitListed(quotes.inside[place], target)
    }
    for place in Int(quotes.closingStarts[entry])..<Int(quotes.closingStarts[entry + 1]) {
      var current = [stack]
      let content = Int(quotes.contentStarts[place])..<Int(quotes.contentStarts[place + 1])
      if frame.kind == .key || frame.e != 0 {
        for at in content where !current.isEmpty {
          var next: [StackID] = []
          for stack in current { automaton.step(stack, quotes.contents[at], into: &next) }
          current = next
        }
      }
      var after: [StackID] = []
      for stack in current { automaton.step(stack, 0x22, into: &after) }
      for stack in after {
        enter(trie, Int(quotes.closing[place]), stack, &automaton, target)
      }
    }
    return true
  }

  /// Walks some subtrees that lie side by side, from one stack.
  private mutating func walk(
    _ trie: TokenTrie, _ range: Range<Int>, from stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    guard !range.isEmpty else { return }
    let base = Int(trie.depths[range.lowerBound]) - 1
    var stacks = [stack]
    var filters = [automaton.firstBytes(stack)]
    var node = range.lowerBound
    var reached: [StackID] = []
    while node < range.upperBound {
      let depth = Int(trie.depths[node]) - base
      let byte = trie.bytes[node]
      guard filters[depth - 1].contains(byte) else {
        node = Int(trie.ends[node])
        continue
      }
      reached.removeAll(keepingCapacity: true)
      automaton.step(stacks[depth - 1], byte, into: &reached)
      if reached.isEmpty {
        node = Int(trie.ends[node])
        continue
      }
      if reached.count > 1 || byte == 0x22 {
        for next in reached { enter(trie, node, next, &automaton, target) }
        node = Int(trie.ends[node])
        continue
      }
      if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, target) }
      if node + 1 < Int(trie.ends[node]) {
        if stacks.count > depth {
          stacks[depth] = reached[0]
          filters[depth] = automaton.firstBytes(reached[0])
        } else {
          stacks.append(reached[0])
          filters.append(automaton.firstBytes(reached[0]))
        }
      }
      node += 1
    }
  }
}

extension RegularLanguages {
  /// The language after a byte, or ``dead`` where no string goes on with it.
  @inline(__always)
  mutating func liveNext(_ state: State, _ byte: UInt8) -> State {
    if state == Self.dead { return state }
    if !isPurged[Int(state)] { purge(state) }
    return transitions[rows[Int(state)] + Int(byte)]
  }
}
