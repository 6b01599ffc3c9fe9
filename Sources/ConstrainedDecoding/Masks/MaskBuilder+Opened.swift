// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings and keys that are opened, or gone on with, in the middle of a token and are held to
/// something.
extension MaskBuilder {
  /// The nodes below a quote that has opened a string with a pattern, or a key that only some names
  /// or patterns allow. Inside it only its own state is followed; where it is left by an escape or by
  /// its closing quote, the whole stack is.
  mutating func readOpened(
    _ reader: InsideReader, _ trie: TokenTrie, _ quote: Int, _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.nodes[quote].token >= 0 { emit(trie.nodes[quote].token, trie, target) }
    let end = Int(trie.nodes[quote].end)
    let base = Int(trie.nodes[quote].depth)
    var states = vacant.popLast() ?? []
    var reached = vacant.popLast() ?? []
    states.removeAll(keepingCapacity: true)
    states.append(frame.a)
    var path: [UInt8] = []
    var closed = ClosedStrings(quotes(target), quote)
    var node = quote + 1
    while node < end {
      let depth = Int(trie.nodes[node].depth) - base
      while states.count > depth { states.removeLast() }
      while path.count >= depth { path.removeLast() }
      let byte = trie.nodes[node].byte
      if JSONSpelling.isPlain(byte) {
        let after = reader.next(states[depth - 1], byte, &automaton)
        if after == InsideReader.dead {
          node = Int(trie.nodes[node].end)
          continue
        }
        states.append(after)
        path.append(byte)
        if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
        node += 1
        continue
      }
      if byte == 0x22, reader == .string, frame.e == 0 {
        if automaton.obligations.languages.accepts(states[depth - 1]) {
          closed.add(trie, node, frame, &self, &automaton, target)
        }
        node = Int(trie.nodes[node].end)
        continue
      }
      var inner = frame
      inner.a = states[depth - 1]
      if frame.e != 0 {
        for byte in path { inner.e = automaton.texts.append(byte, to: inner.e) }
      }
      while !reached.isEmpty { reached.removeLast() }
      automaton.step(inside: inner, byte, into: &reached)
      if reached.count > 1 { isAmbiguous = true }
      for next in reached { enter(trie, node, next, &automaton, target) }
      node = Int(trie.nodes[node].end)
    }
    vacant.append(states)
    vacant.append(reached)
  }

  /// What is listed of the quotes of a trie, where that has all that closes them.
  private func quotes(_ target: Target) -> QuoteIndex? {
    switch target {
    case .tokens: index.quotes
    case .cores: index.coreQuotes
    case .rests: nil
    }
  }

  /// The nodes below a quote that has opened a key that must be a declared name: the trie of names is
  /// gone down beside them.
  mutating func addOpened(
    names name: Int, _ trie: TokenTrie, _ parent: Int, _ path: inout [UInt8], _ frame: Frame,
    _ object: Frame, _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.below(parent).isEmpty { return }
    if let member = automaton.obligations.languages.trie.index(at: name),
      let quote = trie.child(0x22, of: parent)
    {
      addClosed(member, trie, quote, object, &automaton, target)
    }
    var hasEscapes = automaton.anyEscapes
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    // Below a name that may come, and does not end here, an only child may come too.
    let isOnlyChild =
      !path.isEmpty && child >= 0
      && automaton.obligations.languages.trie.nextSibling(of: child) < 0
      && !automaton.obligations.languages.trie.isEnd(name)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if !JSONSpelling.isPlain(byte) {
        hasEscapes = true
      } else if let node = trie.child(byte, of: parent),
        isOnlyChild || automaton.isLive(name: child, object)
      {
        if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
        path.append(byte)
        addOpened(names: child, trie, node, &path, frame, object, &automaton, target)
        path.removeLast()
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
    guard hasEscapes, trie.isBeforeEscape(parent), let escape = trie.child(0x5C, of: parent)
    else { return }
    addEscaped(trie, escape, path, frame, &automaton, target)
  }

  /// The nodes from the quote on that closes a declared name.
  private mutating func addClosed(
    _ member: Int, _ trie: TokenTrie, _ quote: Int, _ object: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.below(quote).isEmpty {
      guard automaton.canTake(member: member, Int(object.a), object.b) else { return }
      return emit(trie.nodes[quote].token, trie, target)
    }
    var after: [StackID] = []
    automaton.close(declared: member, key: TextTable.unknown, object: object, into: &after)
    if after.count > 1 { isAmbiguous = true }
    for stack in after { enter(trie, quote, stack, &automaton, target) }
  }

  /// The nodes from a backslash on, byte by byte.
  ///
  /// - Parameter path: What was read of the string or key in a frame before the backslash.
  mutating func addEscaped(
    _ trie: TokenTrie, _ escape: Int, _ path: [UInt8], _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    var frames = [frame]
    for byte in path + [0x5C] {
      var reached: [StackID] = []
      for frame in frames { automaton.step(inside: frame, byte, into: &reached) }
      frames = reached.map { automaton.stacks[$0] }
    }
    for frame in frames {
      enter(trie, escape, automaton.stacks.intern(frame), &automaton, target)
    }
  }

  // MARK: After an escape

  /// The nodes below one in the middle of an escape. Once the escape has ended only the inside's own
  /// state is followed: what may come after it is a quarter of all tokens.
  mutating func readEscaped(
    _ trie: TokenTrie, below parent: Int, from stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    let frame = automaton.stacks[stack]
    automaton.firstBytes(stack).visitEach { byte in
      guard let node = trie.child(byte, of: parent) else { return }
      var reached: [StackID] = []
      automaton.step(stack, byte, into: &reached)
      if reached.count > 1 { isAmbiguous = true }
      for next in reached {
        let after = automaton.stacks[next]
        guard after.kind == frame.kind, after.parent == frame.parent else {
          enter(trie, node, next, &automaton, target)
          continue
        }
        if after.b != 0 {
          if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
          readEscaped(trie, below: node, from: next, &automaton, target)
        } else if after.kind == .key {
          readOpened(.key(object: after.parent), trie, node, after, &automaton, target)
        } else if after.c == 0, after.d == .max {
          readOpened(.string, trie, node, after, &automaton, target)
        } else {
          enter(trie, node, next, &automaton, target)
        }
      }
    }
  }
}

/// What closes a string that was opened by one quote, whose value does not matter: after all contents
/// the stacks are the same.
private struct ClosedStrings {
  private let quotes: QuoteIndex?
  /// The next of the closing quotes that are listed.
  private var closing = 0
  private var after: [StackID]?
  private var rows: [Int]?

  init(_ quotes: QuoteIndex?, _ quote: Int) {
    guard let quotes, quotes.entries[quote] >= 0 else {
      self.quotes = nil
      return
    }
    self.quotes = quotes
    closing = Int(quotes.closingStarts[Int(quotes.entries[quote])])
  }

  /// The tokens from a closing quote on. The quotes come in the order of the trie.
  mutating func add(
    _ trie: TokenTrie, _ node: Int, _ frame: Frame, _ builder: inout MaskBuilder,
    _ automaton: inout Automaton, _ target: MaskBuilder.Target
  ) {
    let after = after ?? stacks(frame, &builder, &automaton)
    guard let quotes else {
      for stack in after { builder.enter(trie, node, stack, &automaton, target) }
      return
    }
    while quotes.closing[closing] < UInt32(node) { closing += 1 }
    let places = Int(quotes.closerStarts[closing])..<Int(quotes.closerStarts[closing + 1])
    if builder.open != .max {
      builder.addOpenClosers(quotes.closers[places], after, target, &automaton)
      return
    }
    let rows = rows ?? after.map { builder.restRow($0, &automaton) }
    self.rows = rows
    for place in places {
      let closer = quotes.closers[place]
      if rows.contains(where: { builder.accepts(rest: closer.rest, $0) }) {
        builder.emitOne(closer.token, target)
      }
    }
  }

  private mutating func stacks(
    _ frame: Frame, _ builder: inout MaskBuilder, _ automaton: inout Automaton
  ) -> [StackID] {
    var after: [StackID] = []
    automaton.complete(frame.parent, .max, into: &after)
    if after.count > 1 { builder.isAmbiguous = true }
    self.after = after
    return after
  }
}
