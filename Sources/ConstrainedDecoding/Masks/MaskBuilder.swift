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
  private var acceptedRests: [Bool] = []

  init(vocabulary: Vocabulary.Storage, index: TokenIndex) {
    self.vocabulary = vocabulary
    self.index = index
    words = [UInt32](repeating: 0, count: (vocabulary.count + 31) / 32)
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
    case .key where frame.b == 0: addNamedKey(frame, automaton: &automaton)
    case .value, .colon, .object, .array, .end:
      if automaton.whitespaceLimit == .max {
        addStructure(stack, &automaton)
      } else {
        walk(vocabulary.trie, 0..<vocabulary.trie.count, from: stack, &automaton, .tokens)
      }
    case .rule: addRule(stack, &automaton)
    default:
      walk(vocabulary.trie, 0..<vocabulary.trie.count, from: stack, &automaton, .tokens)
    }
  }

  /// What the ids in a trie stand for.
  enum Target {
    case tokens
    /// Rests of tokens after a quote, for tokens with so many scalars before it.
    case rests(scalars: ClosedRange<Int32>)
    /// Rests of tokens, of which only a list is made.
    case acceptedRests
  }

  @inline(__always)
  private mutating func set(_ token: Int32) {
    words[Int(token) >> 5] |= 1 << UInt32(token & 31)
  }

  mutating func emit(_ id: Int32, _ trie: TokenTrie, _ target: Target) {
    switch target {
    case .tokens:
      var token = id
      while token >= 0 {
        set(token)
        token = trie.duplicates[Int(token)]
      }
    case .rests(let scalars): addRest(Int(id), scalars)
    case .acceptedRests: acceptedRests[Int(id)] = true
    }
  }

  /// The ids below a quote have their duplicates listed already.
  private mutating func emitListed(_ id: Int32, _ target: Target) {
    switch target {
    case .tokens: set(id)
    case .rests(let scalars): addRest(Int(id), scalars)
    case .acceptedRests: acceptedRests[Int(id)] = true
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
    var states = [RegularLanguages.State](repeating: frame.a, count: trie.maximumDepth + 2)
    var lengths = [UInt32](repeating: 0, count: trie.maximumDepth + 2)
    let isBounded = frame.c > 0 || frame.d != .max
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      let before = states[depth - 1]
      var after = RegularLanguages.dead
      if byte == 0x22 || byte == 0x5C {
        leave(frame, trie, node, before, lengths[depth - 1], &automaton)
      } else if byte >= 0x20 {
        after = automaton.obligations.languages.liveNext(before, byte)
      }
      if after != RegularLanguages.dead, isBounded {
        let length = lengths[depth - 1] + (byte & 0xC0 == 0x80 ? 0 : 1)
        lengths[depth] = length
        let fits =
          length <= frame.d
          && automaton.obligations.languages.hasString(
            after, minimum: Int(frame.c) - Int(length),
            maximum: frame.d == .max ? nil : Int(frame.d - length))
        if !fits { after = RegularLanguages.dead }
      }
      if after == RegularLanguages.dead {
        node = Int(trie.ends[node])
        continue
      }
      states[depth] = after
      if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, .tokens) }
      node += 1
    }
  }

  /// A quote or a backslash in a string with a pattern: read as everything else is.
  private mutating func leave(
    _ frame: Frame, _ trie: TokenTrie, _ node: Int, _ state: RegularLanguages.State,
    _ length: UInt32, _ automaton: inout Automaton
  ) {
    var here = frame
    here.a = state
    here.c = frame.c > length ? frame.c - length : 0
    if frame.d != .max { here.d = frame.d - length }
    if frame.e != 0 {
      for byte in trie.text(before: node) { here.e = automaton.texts.append(byte, to: here.e) }
    }
    var reached: [StackID] = []
    automaton.step(string: here, trie.bytes[node], into: &reached)
    for stack in reached { enter(trie, node, stack, &automaton, .tokens) }
  }

  /// Looks again at the tokens of more scalars than some, and at those that close a string after
  /// more.
  mutating func recheck(
    longerThan length: Int, _ stack: StackID, _ automaton: inout Automaton
  ) {
    func look(_ token: Int32, _ words: inout [UInt32]) {
      guard words[Int(token) >> 5] >> UInt32(token & 31) & 1 == 1 else { return }
      var configuration = stack
      for byte in vocabulary.bytes(of: Int(token)) {
        configuration = automaton.next(configuration, byte)
      }
      if configuration == Automaton.dead { words[Int(token) >> 5] &= ~(1 << UInt32(token & 31)) }
    }
    for entry in index.split.insideByLength.reversed() {
      if entry.scalars <= Int32(clamping: length) { break }
      look(entry.token, &words)
    }
    for entry in index.split.closing where entry.scalars > Int32(clamping: length) {
      look(entry.token, &words)
    }
  }

  // MARK: Keys

  /// A key that may be anything: like a string, but what comes after it depends on the patterns that
  /// it matches, and a token that completes it is read in full where the key is declared.
  private mutating func addKey(_ frame: Frame, automaton: inout Automaton) {
    let split = index.split
    for place in words.indices { words[place] |= split.inside[place] }
    let object = automaton.stacks[frame.parent]
    // The classes that the spellings before a closing quote lead to, numbered as they come up.
    var numbers: [UInt32: UInt16] = [:]
    var accepted: [[Bool]] = []
    var classes = [UInt16](repeating: 0, count: split.prefixStarts.count - 1)
    func number(_ keyClass: UInt32) -> UInt16 {
      if let known = numbers[keyClass] { return known }
      accepted.append(rests(after: keyClass, frame, object, &automaton))
      numbers[keyClass] = UInt16(accepted.count - 1)
      return UInt16(accepted.count - 1)
    }
    if automaton.obligations.keyTuples.length(of: frame.a) > 2 {
      for prefix in classes.indices {
        classes[prefix] = number(keyClass(after: prefix, frame.a, &automaton))
      }
    } else {
      _ = number(0)
    }
    for rest in 0...split.emptyRest {
      for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1])
      where accepted[Int(classes[Int(split.closing[place].prefix)])][rest] {
        set(split.closing[place].token)
      }
    }
    for rest in automaton.declaredRests(frame) { recheck(rest, frame, &automaton) }
  }

  /// The class of a key that ends after a spelling.
  private func keyClass(
    after prefix: Int, _ tuple: UInt32, _ automaton: inout Automaton
  ) -> UInt32 {
    let split = index.split
    var tuple = tuple
    var escape = Escape(.none)
    for place in Int(split.prefixStarts[prefix])..<Int(split.prefixStarts[prefix + 1]) {
      switch automaton.spelled(split.prefixBytes[place], in: escape) {
      case .byte: tuple = automaton.obligations.nextTuple(tuple, split.prefixBytes[place])
      case .scalar(let scalar):
        for byte in automaton.utf8(scalar) {
          tuple = automaton.obligations.nextTuple(tuple, byte)
        }
        escape = Escape(.none)
      case .escape(let next): escape = next
      case .quote, .nothing: break
      }
    }
    return automaton.obligations.keyClass(tuple)
  }

  /// Which rests may follow an undeclared key of a class.
  private mutating func rests(
    after keyClass: UInt32, _ frame: Frame, _ object: Frame, _ automaton: inout Automaton
  ) -> [Bool] {
    let split = index.split
    var builder = self
    builder.acceptedRests = [Bool](repeating: false, count: split.emptyRest + 1)
    var after: [StackID] = []
    automaton.close(
      undeclared: TextTable.unknown, class: keyClass, object: object, into: &after)
    for stack in after {
      builder.acceptedRests[split.emptyRest] = true
      builder.walk(
        split.rests, 0..<split.rests.count, from: stack, &automaton, .acceptedRests)
    }
    return builder.acceptedRests
  }

  /// A key that only some names or patterns allow.
  private mutating func addNamedKey(_ frame: Frame, automaton: inout Automaton) {
    let trie = vocabulary.trie
    let object = automaton.stacks[frame.parent]
    var tuples = [UInt32](repeating: frame.a, count: trie.maximumDepth + 2)
    var verdicts: [Int8] = []
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      if byte == 0x22 || byte == 0x5C {
        var here = frame
        here.a = tuples[depth - 1]
        for byte in trie.text(before: node) { here.e = automaton.texts.append(byte, to: here.e) }
        var reached: [StackID] = []
        automaton.step(key: here, byte, into: &reached)
        for stack in reached { enter(trie, node, stack, &automaton, .tokens) }
        node = Int(trie.ends[node])
        continue
      }
      if byte < 0x20 {
        node = Int(trie.ends[node])
        continue
      }
      let tuple = automaton.obligations.nextTuple(tuples[depth - 1], byte)
      while verdicts.count <= Int(tuple) { verdicts.append(-1) }
      if verdicts[Int(tuple)] < 0 {
        verdicts[Int(tuple)] = automaton.canComplete(key: tuple, object) ? 1 : 0
      }
      if verdicts[Int(tuple)] == 0 {
        node = Int(trie.ends[node])
        continue
      }
      tuples[depth] = tuple
      if trie.tokens[node] >= 0 { emit(trie.tokens[node], trie, .tokens) }
      node += 1
    }
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
    case .rests, .acceptedRests: quotes = index.split.restQuotes
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
  mutating func walk(
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
