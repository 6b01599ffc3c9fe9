// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Quotes that open a string or a key with any content, perhaps of a bounded length: what the tokens
/// below them do is listed (``QuoteIndex``), and only the rests of those that close it again are up to
/// the stack.
extension MaskBuilder {
  /// Whether a quote has just opened a string or key with any content; then all below it is done.
  mutating func addOpened(
    _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) -> Bool {
    let frame = automaton.stacks[stack]
    guard frame.b == 0 else { return false }
    switch frame.kind {
    case .string where frame.a == RegularLanguages.free: break
    case .key
    where automaton.obligations.isBoundary(frame.a)
      && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a):
      break
    case .string where frame.c == 0 && frame.d == .max:
      readOpened(.string, trie, node, frame, &automaton, target)
      return true
    case .key where automaton.obligations.hasPatterns(frame.a):
      readOpened(.key(object: frame.parent), trie, node, frame, &automaton, target)
      return true
    case .key:
      guard let name = automaton.obligations.nameNode(of: frame.a),
        automaton.isClosed(automaton.stacks[frame.parent])
      else { return false }
      if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
      var path: [UInt8] = []
      addNames(from: name, trie, node, &path, frame, &automaton, target)
      return true
    default: return false
    }
    usedStrategies.insert(.listedQuotes)
    addOpened(quotes(target), trie, node, stack, frame, &automaton, target)
    return true
  }

  /// What is listed of the quotes of the trie of a target.
  func quotes(_ target: Target) -> QuoteIndex {
    switch target {
    case .tokens: index.quotes
    case .cores: index.coreQuotes
    case .rests: index.split.restQuotes
    }
  }

  private mutating func addOpened(
    _ quotes: QuoteIndex, _ trie: TokenTrie, _ node: Int, _ stack: StackID, _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    let entry = Int(quotes.entries[node])
    let isBounded = frame.kind == .string && (frame.c > 0 || frame.d != .max)
    let inside = Int(quotes.insideStarts[entry])..<Int(quotes.insideStarts[entry + 1])
    if !isBounded {
      emit(quotes.inside[inside], target)
    } else {
      for place in inside where UInt32(quotes.insideScalars[place]) <= frame.d {
        emitOne(Int32(bitPattern: quotes.inside[place]), target)
      }
    }
    let closings = Int(quotes.closingStarts[entry])..<Int(quotes.closingStarts[entry + 1])
    if closings.isEmpty { return }
    // What comes after a recorded text depends on it.
    let isRecorded =
      frame.kind == .key ? automaton.stacks[frame.parent].e != 0 : frame.e != 0
    if !isRecorded {
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
    if frame.kind == .key || frame.e != 0 || frame.c > 0 || frame.d != .max {
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
    var rows = ClosedRows()
    for closing in closings {
      var keyClass: UInt32 = 0
      let content =
        Int(quotes.contentStarts[closing])..<Int(quotes.contentStarts[closing + 1])
      if frame.kind == .string {
        let scalars = UInt32(quotes.closingScalars[closing])
        if scalars < frame.c || scalars > frame.d { continue }
      } else {
        // A declared name closes in its own way; an escape or a second key is read in full.
        guard !quotes.isUnusual[closing],
          let found = undeclaredClass(quotes.contents, content, frame.a, &automaton)
        else {
          addClosing(quotes, closing, trie, stack, frame, &automaton, target)
          continue
        }
        keyClass = found
      }
      addClosers(quotes, closing, keyClass, trie, frame, &rows, &automaton, target)
    }
  }

  /// The tokens from one closing quote on, by the rests that may follow.
  mutating func addClosers(
    _ quotes: QuoteIndex, _ closing: Int, _ keyClass: UInt32, _ trie: TokenTrie, _ frame: Frame,
    _ rows: inout ClosedRows, _ automaton: inout Automaton, _ target: Target
  ) {
    let after = rows.stacks(keyClass, frame, &automaton)
    if case .rests = target {
      for stack in after {
        enter(trie, Int(quotes.closing[closing]), stack, &automaton, target)
      }
      return
    }
    let closers = quotes.closers[
      Int(quotes.closerStarts[closing])..<Int(quotes.closerStarts[closing + 1])]
    if detached.bottom != .max { return addDetachedClosers(closers, after, target, &automaton) }
    let found = rows.rows(keyClass, frame, &self, &automaton)
    for closer in closers where found.contains(where: { accepts(rest: closer.rest, $0) }) {
      emitOne(closer.token, target)
    }
  }

  /// The class of an undeclared key after some bytes without escapes; `nil` for a declared one.
  private func undeclaredClass(
    _ bytes: [UInt8], _ content: Range<Int>, _ tuple: UInt32, _ automaton: inout Automaton
  ) -> UInt32? {
    if !automaton.obligations.hasPatterns(tuple) {
      guard let name = automaton.obligations.nameNode(of: tuple) else { return 0 }
      var at = name
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

/// What comes after a string whose value does not matter, or after an undeclared key, by the key's
/// class; strings have the class 0.
struct ClosedRows {
  private var known: [(keyClass: UInt32, stacks: [StackID], rows: [Int]?)] = []

  /// The stacks after the closing quote.
  mutating func stacks(
    _ keyClass: UInt32, _ frame: Frame, _ automaton: inout Automaton
  ) -> [StackID] {
    for entry in known where entry.keyClass == keyClass { return entry.stacks }
    var after: [StackID] = []
    if frame.kind == .key {
      automaton.close(
        undeclared: TextTable.unknown, class: keyClass, object: automaton.stacks[frame.parent],
        into: &after)
    } else {
      automaton.complete(frame.parent, .max, into: &after)
    }
    known.append((keyClass, after, nil))
    return after
  }

  /// Their rows of rests.
  mutating func rows(
    _ keyClass: UInt32, _ frame: Frame, _ builder: inout MaskBuilder, _ automaton: inout Automaton
  ) -> [Int] {
    for entry in known where entry.keyClass == keyClass {
      if let rows = entry.rows { return rows }
    }
    let rows = stacks(keyClass, frame, &automaton).map { builder.restRow($0, &automaton) }
    if let place = known.firstIndex(where: { $0.keyClass == keyClass }) { known[place].rows = rows }
    return rows
  }
}
