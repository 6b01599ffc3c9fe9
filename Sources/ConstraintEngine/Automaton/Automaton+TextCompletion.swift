// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The shortest completions of numbers, strings and keys: each is searched breadth first over its frames,
/// byte by byte, so that the first end found is the nearest.
extension Automaton {
  mutating func numberCompletion(_ start: NumberAutomaton.State) -> [UInt8]? {
    if obligations.numbers.mayEnd(start) { return [] }
    if let known = numberCompletions[start] { return known }
    let found = searchNumber(start)
    numberCompletions[start] = .some(found)
    return found
  }

  private mutating func searchNumber(_ start: NumberAutomaton.State) -> [UInt8]? {
    var frontier: [(state: NumberAutomaton.State, text: [UInt8])] = [(start, [])]
    var seen: Set<NumberAutomaton.State> = [start]
    for length in 0..<400 {
      var next: [(state: NumberAutomaton.State, text: [UInt8])] = []
      for (state, text) in frontier {
        for byte in Array("0123456789.-e+".utf8) {
          let after = obligations.numbers.next(state, byte)
          guard after != NumberAutomaton.dead, seen.insert(after).inserted else { continue }
          if obligations.numbers.mayEnd(after) { return text + [byte] }
          next.append((after, text + [byte]))
        }
      }
      if next.isEmpty { return nil }
      // Of very many texts of one length the smallest and the largest numbers are followed.
      let width = length < 40 ? 64 : 4
      frontier = next.count <= 2 * width ? next : Array(next.prefix(width) + next.suffix(width))
    }
    return nil
  }

  /// The shortest completion of a string with its closing quote: breadth first over its frames.
  mutating func stringCompletion(_ stack: StackID) -> [UInt8]? {
    var frame = stacks[stack]
    guard frame.c <= Self.stepLimit else { return nil }
    // Lengths that the free language has are filled without a search.
    if frame.b == 0, frame.a == RegularLanguages.free {
      return [UInt8](repeating: UInt8(ascii: "a"), count: Int(frame.c)) + [0x22]
    }
    frame.parent = .max
    frame.e = 0
    let start = stacks.intern(frame)
    if let known = stringCompletions[start] { return known }
    let found =
      listedString(frame) ?? searchString(start, pairs: false) ?? searchString(start, pairs: true)
    if let found { stringCompletions[start] = found }
    return found
  }

  /// The shortest of listed strings: there may be more of them than frames are gone through.
  private func listedString(_ frame: Frame) -> [UInt8]? {
    guard frame.b == 0, frame.c == 0, frame.d == .max,
      case .trie(let node) = obligations.languages.definitions[Int(frame.a)],
      let text = obligations.languages.trie.nearestEnd(
        from: node, cost: { JSONSpelling.isPlain($0) ? 1 : JSONSpelling.escaped([$0]).count })
    else { return nil }
    return JSONSpelling.escaped(text) + [0x22]
  }

  /// - Parameter pairs: Whether an escape that was begun may become one of two units. There are a
  ///   million of them: they are tried where nothing else leads to the end.
  private mutating func searchString(_ start: StackID, pairs: Bool) -> [UInt8]? {
    let frame = stacks[start]
    if pairs, frame.b == 0 { return nil }
    let pairs = pairs || Escape(word: frame.b).high != nil
    var texts: [StackID: (previous: StackID, byte: UInt8)] = [:]
    var frontier = [start]
    var begun = longestRest(of: frame.b, pairs: pairs)
    while !frontier.isEmpty {
      defer { begun -= 1 }
      var next: [StackID] = []
      for current in frontier {
        var inner = stacks[current]
        if inner.b == 0, obligations.languages.accepts(inner.a), inner.c == 0 {
          var text: [UInt8] = [0x22]
          var at = current
          while at != start, let step = texts[at] {
            text.append(step.byte)
            at = step.previous
          }
          return text.reversed()
        }
        inner.parent = .max
        for byte in UInt8(0x20)...0xFF
        where isInside(byte, inner.b) && (begun > 0 || isShortSpelling(byte, in: inner.b)) {
          var reached: [StackID] = []
          step(string: inner, byte, into: &reached)
          for after in reached where after != start && texts[after] == nil {
            if !pairs, Escape(word: stacks[after].b).high != nil { continue }
            texts[after] = (current, byte)
            next.append(after)
          }
        }
        if texts.count > 50_000 { return nil }
      }
      frontier = next
    }
    return nil
  }

  /// How many bytes an escape that was begun may still take.
  private func longestRest(of escape: UInt32, pairs: Bool) -> Int {
    let longest = Escape(word: escape).longestRest
    return pairs ? longest : min(longest, "uFFFF".utf8.count)
  }

  /// Whether a byte is no closing quote.
  private func isInside(_ byte: UInt8, _ escape: UInt32) -> Bool { byte != 0x22 || escape != 0 }

  /// Whether a byte may belong to the shortest spelling of a text, where no escape was begun before:
  /// with a letter, or of a control without one.
  private func isShortSpelling(_ byte: UInt8, in word: UInt32) -> Bool {
    let escape = Escape(word: word)
    return escape.phase != .hexadecimal || escape.high != nil || escape.isCanonical(byte)
  }

  /// The shortest completion of a key and of its object, breadth first over the frames of the key.
  ///
  /// Frames that differ by their text alone go on alike unless a key would be repeated, so that one
  /// more of them than there are keys to repeat is enough.
  mutating func keyCompletion(_ start: Frame) -> [UInt8]? {
    // What is below the object does not matter, and is another stack for most tokens of a mask.
    var object = stacks[start.parent]
    object.parent = .max
    object.d = 0
    var start = start
    start.parent = stacks.intern(object)
    let siblings = wordSets.words(of: object.f).map {
      texts.bytes(of: $0)
    }
    let text = texts.bytes(of: start.e)
    var known = start
    let isOrdinary = !siblings.contains { $0.starts(with: text) }
    if isOrdinary {
      known.e = TextTable.unknown
      if let completion = keyCompletions[known] { return completion }
    }
    let best =
      searchKey(start, siblings.count, pairs: false)
      ?? searchKey(start, siblings.count, pairs: true)
    if isOrdinary { keyCompletions[known] = .some(best) }
    return best
  }

  /// - Parameter pairs: As for ``searchString(_:pairs:)``.
  private mutating func searchKey(_ start: Frame, _ siblingCount: Int, pairs: Bool) -> [UInt8]? {
    if pairs, start.b == 0 { return nil }
    let pairs = pairs || Escape(word: start.b).high != nil
    let object = stacks[start.parent]
    var best: [UInt8]?
    var frontier: [(key: Frame, text: [UInt8])] = [(start, [])]
    var visits: [UInt64: Int] = [:]
    var begun = longestRest(of: start.b, pairs: pairs)
    var depth = 0
    while !frontier.isEmpty, visits.count < 20_000 {
      defer {
        begun -= 1
        depth += 1
      }
      // The nearest quote after which the object can be completed, or a name: what is required may be
      // one, and then that is shorter.
      for (key, text) in frontier where key.b == 0 {
        if let rest = closedKeyCompletion(key, Int(object.a)),
          text.count + rest.count < best?.count ?? .max
        {
          best = text + rest
        }
        // Below a name that was gone on with, names were looked at before.
        if depth == 0 || start.b != 0 {
          findName(below: key, object, after: text, &best)
        }
      }
      if best != nil { break }
      var next: [(key: Frame, text: [UInt8])] = []
      for (key, text) in frontier {
        for byte in UInt8(0x20)...0xFF
        where isInside(byte, key.b) && (begun > 0 || isShortSpelling(byte, in: key.b)) {
          var reached: [StackID] = []
          step(key: key, byte, into: &reached)
          for stack in reached {
            let frame = stacks[stack]
            let place = UInt64(frame.a) << 32 | UInt64(frame.b)
            guard visits[place, default: 0] <= siblingCount else { continue }
            if !pairs, Escape(word: frame.b).high != nil { continue }
            visits[place, default: 0] += 1
            next.append((frame, text + [byte]))
          }
        }
      }
      frontier = next
    }
    return best
  }

  /// The shortest completion from the closing quote of a key on.
  private mutating func closedKeyCompletion(_ key: Frame, _ object: Int) -> [UInt8]? {
    var closed: [StackID] = []
    step(key: key, 0x22, into: &closed)
    return completion(afterKey: closed, object)
  }

  /// The shortest completion of an object from the closing quote of a key on, which has led to some stacks.
  private mutating func completion(afterKey closed: [StackID], _ object: Int) -> [UInt8]? {
    var best: [UInt8]?
    for stack in closed {
      let after = stacks[stack]
      // The quote of an escape does not end the key.
      guard after.kind == .colon, let value = minimalText(after.a) else { continue }
      var parent = stacks[after.parent]
      if parent.kind == .member { parent = stacks[parent.parent] }
      guard
        let rest = objectCompletion(
          ObjectPosition(object: object, state: parent.b, keys: parent.f, phase: .afterValue))
      else { continue }
      let whole = [0x22] + colon + value + rest
      if whole.count < best?.count ?? .max { best = whole }
    }
    return best
  }

  /// Looks for a declared name that a key can become, if that is a shorter way to the end.
  private mutating func findName(
    below key: Frame, _ object: Frame, after text: [UInt8], _ best: inout [UInt8]?
  ) {
    guard let name = obligations.nameNode(of: key.a) else { return }
    var path: [UInt8] = []
    var pending = obligations.languages.trie.children(of: name).map { (node: $0.1, depth: 0) }
    while let (node, depth) = pending.popLast() {
      path.removeSubrange(depth...)
      path.append(obligations.languages.trie.byte(of: node))
      // A quote, a colon, a value and a bracket follow at least.
      if text.count + path.count + 4 >= best?.count ?? .max { continue }
      if let member = obligations.languages.trie.index(at: node) {
        var closed: [StackID] = []
        close(declared: member, key: TextTable.unknown, object: object, into: &closed)
        if let rest = completion(afterKey: closed, Int(object.a)) {
          let whole = text + JSONSpelling.escaped(path) + rest
          if whole.count < best?.count ?? .max { best = whole }
        }
      }
      var child = obligations.languages.trie.firstChild(of: node)
      while child >= 0 {
        pending.append((child, depth + 1))
        child = obligations.languages.trie.nextSibling(of: child)
      }
    }
  }
}
