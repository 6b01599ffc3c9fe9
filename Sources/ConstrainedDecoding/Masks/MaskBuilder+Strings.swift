/// Where a string with a pattern stands, whatever comes after it.
struct PatternPosition: Hashable {
  var language: RegularLanguages.State
  var minimum: UInt32
  var maximum: UInt32
}

/// What tokens do in a string with a pattern, whatever comes after it.
struct PatternInside {
  /// The tokens that stay inside.
  var base: MaskBase
  var added: [UInt32]
  /// The spellings before a closing quote that make the content complete.
  var prefixes: [Int32]
}

/// Strings.
extension MaskBuilder {
  mutating func addString(_ frame: Frame, _ automaton: inout Automaton) {
    let split = index.split
    base = split.inside
    if frame.d != .max, Int(frame.d) < split.maximumScalars { limitInside(Int32(frame.d)) }
    let most = frame.d == .max ? Int32.max : Int32(clamping: frame.d)
    guard frame.c <= UInt32(split.maximumScalars), Int32(frame.c) <= most else { return }
    let scalars = Int32(frame.c)...most
    let isBounded = frame.c > 0 || frame.d != .max
    var after: [StackID] = []
    var closing = frame
    closing.c = 0
    automaton.step(string: closing, 0x22, into: &after)
    if after.count > 1 { isAmbiguous = true }
    var rows = after.map { restRow($0, &automaton) }
    if !isBounded, let row = rows.popLast() { base = closedBase(row) }
    for row in rows {
      var found: [UInt32] = []
      swap(&found, &added)
      forEachRest(row) { rest in
        for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1])
        where !isBounded || scalars.contains(split.closing[place].scalars) {
          found.append(UInt32(bitPattern: split.closing[place].token))
        }
      }
      swap(&found, &added)
    }
  }

  /// Keeps the inside tokens of at most so many scalars.
  private mutating func limitInside(_ most: Int32) {
    let all = index.split.insideByLength
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].scalars > most { high = middle } else { low = middle + 1 }
    }
    if all.count - low < low {
      for place in low..<all.count { removed.append(UInt32(bitPattern: all[place].token)) }
    } else {
      base = index.noTokens
      for place in 0..<low { added.append(UInt32(bitPattern: all[place].token)) }
    }
  }

  mutating func addPattern(_ frame: Frame, _ automaton: inout Automaton) {
    let position = PatternPosition(language: frame.a, minimum: frame.c, maximum: frame.d)
    let inside = patternInsides[position] ?? patternInside(position, &automaton)
    patternInsides[position] = inside
    base = inside.base
    added += inside.added
    if inside.prefixes.isEmpty { return }
    if frame.e == 0 {
      var after: [StackID] = []
      automaton.complete(frame.parent, .max, into: &after)
      for prefix in inside.prefixes { addClosers(after: after, prefix, &automaton) }
      return
    }
    // What comes after depends on the value, for which the array or object asked.
    let split = index.split
    for prefix in inside.prefixes {
      var frames = [frame]
      for place in split.bytes(of: prefix) {
        var reached: [StackID] = []
        for frame in frames {
          automaton.step(string: frame, split.prefixBytes[place], into: &reached)
        }
        frames = reached.map { automaton.stacks[$0] }
      }
      var after: [StackID] = []
      for frame in frames { automaton.step(string: frame, 0x22, into: &after) }
      addClosers(after: after, prefix, &automaton)
    }
  }

  /// The tokens that close a string after a spelling and go on in one of some stacks.
  private mutating func addClosers(
    after: [StackID], _ prefix: Int32, _ automaton: inout Automaton
  ) {
    if after.count > 1 { isAmbiguous = true }
    let split = index.split
    let entries =
      split.entries(after: prefix)
    for stack in after {
      let row = restRow(stack, &automaton)
      for place in entries where accepts(rest: split.prefixed[place].rest, row) {
        added.append(UInt32(bitPattern: split.prefixed[place].token))
      }
    }
  }

  private func patternInside(
    _ position: PatternPosition, _ automaton: inout Automaton
  ) -> PatternInside {
    let prefixes = completePrefixes(position, &automaton)
    if position.minimum == 0, position.maximum == .max,
      automaton.obligations.languages.isOpen(position.language)
    {
      return PatternInside(base: index.split.inside, added: [], prefixes: prefixes)
    }
    var tokens: [UInt32] = []
    findInside(position, into: &tokens, &automaton)
    if tokens.count > 2048 {
      var words = index.noTokens.words
      for token in tokens { words[Int(token >> 5)] |= 1 << (token & 31) }
      return PatternInside(
        base: MaskBase(words: words, count: tokens.count), added: [], prefixes: prefixes)
    }
    return PatternInside(base: index.noTokens, added: tokens, prefixes: prefixes)
  }

  /// The spellings, as they stand before the first quote of a token, after which the string may
  /// close.
  private func completePrefixes(
    _ position: PatternPosition, _ automaton: inout Automaton
  ) -> [Int32] {
    let split = index.split
    var result: [Int32] = []
    for prefix in 0..<split.prefixStarts.count - 1 {
      let bytes = Int(split.prefixStarts[prefix])..<Int(split.prefixStarts[prefix + 1])
      if split.isEscaped[prefix] {
        var frames = [
          Frame(
            kind: .string, a: position.language, c: position.minimum, d: position.maximum)
        ]
        for place in bytes {
          var reached: [StackID] = []
          for frame in frames {
            automaton.step(string: frame, split.prefixBytes[place], into: &reached)
          }
          frames = reached.map { automaton.stacks[$0] }
        }
        let isComplete = frames.contains {
          $0.b == 0 && $0.c == 0 && automaton.obligations.languages.accepts($0.a)
        }
        if isComplete { result.append(Int32(prefix)) }
        continue
      }
      var state = position.language
      var length: UInt32 = 0
      for place in bytes {
        let byte = split.prefixBytes[place]
        if byte & 0xC0 != 0x80 { length += 1 }
        state = automaton.obligations.languages.liveNext(state, byte)
        if state == RegularLanguages.dead { break }
      }
      if length >= position.minimum, length <= position.maximum,
        automaton.obligations.languages.accepts(state)
      {
        result.append(Int32(prefix))
      }
    }
    return result
  }

  /// The tokens that stay inside, by a walk in which the language's rows are read directly until an
  /// escape.
  private func findInside(
    _ position: PatternPosition, into tokens: inout [UInt32], _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    var states = [RegularLanguages.State](
      repeating: position.language, count: trie.maximumDepth + 2)
    var lengths = [UInt32](repeating: 0, count: trie.maximumDepth + 2)
    let isBounded = position.minimum > 0 || position.maximum != .max
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      let before = states[depth - 1]
      var after = RegularLanguages.dead
      if byte == 0x5C {
        var frame = Frame(
          kind: .string, a: before, c: position.minimum, d: position.maximum)
        let length = lengths[depth - 1]
        frame.c -= min(frame.c, length)
        if frame.d != .max { frame.d -= length }
        findEscaped(trie, node..<Int(trie.ends[node]), frame, into: &tokens, &automaton)
      } else if byte >= 0x20, byte != 0x22 {
        after = automaton.obligations.languages.liveNext(before, byte)
      }
      if after != RegularLanguages.dead, isBounded {
        let length = lengths[depth - 1] + (byte & 0xC0 == 0x80 ? 0 : 1)
        lengths[depth] = length
        let fits =
          length <= position.maximum
          && automaton.obligations.languages.hasString(
            after, minimum: Int(position.minimum) - Int(length),
            maximum: position.maximum == .max ? nil : Int(position.maximum - length))
        if !fits { after = RegularLanguages.dead }
      }
      if after == RegularLanguages.dead {
        node = Int(trie.ends[node])
        continue
      }
      states[depth] = after
      var token = trie.tokens[node]
      while token >= 0 {
        tokens.append(UInt32(bitPattern: token))
        token = trie.duplicates[Int(token)]
      }
      node += 1
    }
  }

  /// The same from a backslash on, byte by byte.
  private func findEscaped(
    _ trie: TokenTrie, _ range: Range<Int>, _ frame: Frame, into tokens: inout [UInt32],
    _ automaton: inout Automaton
  ) {
    var node = range.lowerBound
    while node < range.upperBound {
      let end = Int(trie.ends[node])
      var reached: [StackID] = []
      if trie.bytes[node] != 0x22 || frame.b != 0 {
        automaton.step(string: frame, trie.bytes[node], into: &reached)
      }
      for stack in reached {
        var token = trie.tokens[node]
        while token >= 0 {
          tokens.append(UInt32(bitPattern: token))
          token = trie.duplicates[Int(token)]
        }
        findEscaped(trie, node + 1..<end, automaton.stacks[stack], into: &tokens, &automaton)
      }
      node = end
    }
  }

  /// Takes out the tokens of more scalars than some, and those that close a string after more, that
  /// a stack refuses.
  mutating func recheck(
    longerThan length: Int, _ stack: StackID, _ automaton: inout Automaton
  ) {
    var suspects: [Int32] = []
    for entry in index.split.insideByLength.reversed() {
      if entry.scalars <= Int32(clamping: length) { break }
      suspects.append(entry.token)
    }
    for entry in index.split.closing where entry.scalars > Int32(clamping: length) {
      suspects.append(entry.token)
    }
    let mask = TokenMask.Storage(base: base, added: added, removed: removed)
    for token in suspects where mask.contains(UInt32(bitPattern: token)) {
      var configuration = stack
      for byte in vocabulary.bytes(of: Int(token)) {
        configuration = automaton.next(configuration, byte)
      }
      if configuration == Automaton.dead { remove(UInt32(bitPattern: token)) }
    }
  }

  /// Takes out a token that is allowed so far.
  mutating func remove(_ token: UInt32) {
    if base.contains(token) { removed.append(token) } else { added.removeAll { $0 == token } }
  }
}

extension RegularLanguages {
  /// Whether a string may start with anything whatever: every well-formed continuation can still
  /// become a string of the language. Found for languages with few states alone.
  mutating func isOpen(_ state: State) -> Bool {
    if let known = openStates[state] { return known }
    // A product's states are dear to make, and rarely open.
    guard case .threads = definitions[Int(state)] else { return false }
    var seen: Set<UInt64> = [UInt64(state) << 32 | UInt64(Self.free)]
    var pending: [(state: State, place: State)] = [(state, Self.free)]
    var result = true
    search: while let (current, place) = pending.popLast() {
      var previous: (State, State) = (Self.dead, Self.dead)
      for byte in 0..<256 {
        let after = next(place, UInt8(byte))
        if after == Self.dead { continue }
        let target = next(current, UInt8(byte))
        // Only what is known to be live without a search.
        if target == Self.dead || liveness[Int(target)] != .live {
          result = false
          break search
        }
        if (target, after) == previous { continue }
        previous = (target, after)
        if isFreeState(target) { continue }
        if seen.insert(UInt64(target) << 32 | UInt64(after)).inserted {
          pending.append((target, after))
        }
      }
      if seen.count > 24 {
        result = false
        break
      }
    }
    openStates[state] = result
    return result
  }

  /// The language after a byte, or ``dead`` where no string goes on with it.
  @inline(__always)
  mutating func liveNext(_ state: State, _ byte: UInt8) -> State {
    if state == Self.dead { return state }
    if !isPurged[Int(state)] { purge(state) }
    return transitions[rows[Int(state)] + Int(byte)]
  }
}
