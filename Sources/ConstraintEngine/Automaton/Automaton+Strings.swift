// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading strings and keys: JSON's spelling around a content that the languages see as UTF-8.
extension Automaton {
  /// Steps the inside of a string or key over a byte.
  mutating func step(inside frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {
    if frame.kind == .key {
      step(key: frame, byte, into: &reached)
    } else {
      step(string: frame, byte, into: &reached)
    }
  }

  mutating func step(string frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {
    switch Escape(word: frame.b).spelled(byte, anyEscapes: anyEscapes) {
    case .nothing: return
    case .quote:
      guard obligations.languages.accepts(frame.a), frame.c == 0 else { return }
      let value = frame.e == 0 ? UInt32.max : values.id(of: .string(frame.e))
      complete(frame.parent, value, into: &reached)
    case .byte:
      var next = frame
      next.a = obligations.languages.next(frame.a, byte)
      if frame.e != 0 { next.e = texts.append(byte, to: frame.e) }
      if byte & 0xC0 != 0x80, !next.countScalar() { return }
      if canComplete(string: next) { reached.append(stacks.intern(next)) }
    case .scalar(let scalar):
      var next = frame
      next.b = 0
      guard next.countScalar() else { return }
      for byte in Escape.utf8(scalar) {
        next.a = obligations.languages.next(next.a, byte)
        if frame.e != 0 { next.e = texts.append(byte, to: next.e) }
      }
      if canComplete(string: next) { reached.append(stacks.intern(next)) }
    case .escape(let escape):
      var after = frame
      after.b = escape.word
      // An escape may only start between two scalars, and only where one that it can spell fits.
      var counted = frame
      guard counted.countScalar() else { return }
      if isInsideScalar(frame.a) { return }
      let fits =
        obligations.languages.isFreeState(frame.a)
        || escape.scalars(anyEscapes: anyEscapes).contains { range in
          hasScalar(range, string: counted)
        }
      if fits { reached.append(stacks.intern(after)) }
    }
  }

  private mutating func isInsideScalar(_ state: RegularLanguages.State) -> Bool {
    // Only the free language can be inside a scalar and look the same as between two; others
    // would not have a transition over the bytes of another scalar.
    obligations.languages.isFreeState(state) && !obligations.languages.accepts(state)
  }

  private mutating func canComplete(string frame: Frame) -> Bool {
    if frame.a == RegularLanguages.dead { return false }
    if obligations.languages.isFreeState(frame.a) { return true }
    if frame.c == 0, frame.d == .max { return obligations.languages.isLive(frame.a) }
    return obligations.languages.hasString(
      frame.a, minimum: Int(frame.c), maximum: frame.d == .max ? nil : Int(frame.d))
  }

  /// Whether a scalar of a range can come next in a string whose bounds already count it.
  private mutating func hasScalar(_ range: ClosedRange<UInt32>, string frame: Frame) -> Bool {
    anyScalar(range, from: frame) { automaton, frame, byte in
      var next = frame
      next.a = automaton.obligations.languages.next(frame.a, byte)
      return next.a == RegularLanguages.dead ? nil : next
    } accept: { automaton, frame in
      automaton.canComplete(string: frame)
    }
  }

  /// Whether the UTF-8 form of some scalar in a range leads from a frame to an accepted one.
  mutating func anyScalar(
    _ range: ClosedRange<UInt32>, from frame: Frame,
    next: (inout Automaton, Frame, UInt8) -> Frame?,
    accept: (inout Automaton, Frame) -> Bool
  ) -> Bool {
    let lengths: [(ClosedRange<UInt32>, Int)] = [
      (0...0x7F, 0), (0x80...0x7FF, 1), (0x800...0xFFFF, 2), (0x10000...0x10FFFF, 3),
    ]
    for (whole, tail) in lengths {
      let low = max(range.lowerBound, whole.lowerBound)
      let high = min(range.upperBound, whole.upperBound)
      guard low <= high else { continue }
      let lead: UInt32 = [0, 0xC0, 0xE0, 0xF0][tail]
      if descend(low...high, tail, lead, frame, next, accept) { return true }
    }
    return false
  }

  private mutating func descend(
    _ range: ClosedRange<UInt32>, _ tail: Int, _ marker: UInt32, _ frame: Frame,
    _ next: (inout Automaton, Frame, UInt8) -> Frame?,
    _ accept: (inout Automaton, Frame) -> Bool
  ) -> Bool {
    let shift = UInt32(6 * tail)
    // Most bytes lead where another led in vain.
    var failed: Frame?
    for bits in range.lowerBound >> shift...range.upperBound >> shift {
      let byte = UInt8(marker | (marker == 0x80 ? bits & 0x3F : bits))
      guard let after = next(&self, frame, byte), after != failed else { continue }
      let low = max(range.lowerBound, bits << shift)
      let high = min(range.upperBound, bits << shift | ((1 << shift) - 1))
      if tail == 0 {
        if accept(&self, after) { return true }
      } else {
        if descend(low...high, tail - 1, 0x80, after, next, accept) { return true }
      }
      if high - low == (1 << shift) - 1 { failed = after }
    }
    return false
  }

  // MARK: Keys

  /// Whether a key without patterns may have one more scalar.
  private mutating func canGoOn(key frame: Frame, _ object: Frame) -> Bool {
    if let name = obligations.nameNode(of: frame.a) {
      var child = obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = obligations.languages.trie.byte(of: child)
        let tuple = obligations.nextTuple(frame.a, byte)
        if canComplete(key: tuple, object) { return true }
        child = obligations.languages.trie.nextSibling(of: child)
      }
    }
    return canComplete(key: obligations.outsideTuple(), object)
  }

  /// Whether a declared name goes on with a scalar of some ranges; `nil` where other keys may come
  /// or a name goes on beyond ASCII, so that this is not all.
  private mutating func canSpellName(
    _ ranges: [ClosedRange<UInt32>], key frame: Frame, _ object: Frame
  ) -> Bool? {
    guard !obligations.hasPatterns(frame.a), let name = obligations.nameNode(of: frame.a),
      !canComplete(key: obligations.outsideTuple(), object)
    else { return nil }
    var result = false
    var child = obligations.languages.trie.firstChild(of: name)
    while child >= 0 {
      let byte = obligations.languages.trie.byte(of: child)
      if byte >= 0x80 { return nil }
      if !result, ranges.contains(where: { $0.contains(UInt32(byte)) }) {
        result = isLive(name: child, object)
      }
      child = obligations.languages.trie.nextSibling(of: child)
    }
    return result
  }

  /// The text of a key that goes on with a byte; where texts are not recorded, one that no key before
  /// began with is unknown.
  @inline(__always)
  private mutating func key(_ text: UInt32, and byte: UInt8) -> UInt32 {
    recordsKeys
      ? texts.append(byte, to: text) : texts.child(of: text, byte) ?? TextTable.unknown
  }

  mutating func step(key frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {
    let object = stacks[frame.parent]
    switch Escape(word: frame.b).spelled(byte, anyEscapes: anyEscapes) {
    case .nothing: return
    case .quote:
      if obligations.isBoundary(frame.a) {
        close(key: frame, object: object, into: &reached)
      }
    case .byte:
      var next = frame
      next.a = obligations.nextTuple(frame.a, byte)
      if frame.e != 0 { next.e = key(frame.e, and: byte) }
      if canComplete(key: next.a, next.e, object) { reached.append(stacks.intern(next)) }
    case .scalar(let scalar):
      var next = frame
      next.b = 0
      for byte in Escape.utf8(scalar) {
        next.a = obligations.nextTuple(next.a, byte)
        if frame.e != 0 { next.e = key(next.e, and: byte) }
      }
      if canComplete(key: next.a, next.e, object) { reached.append(stacks.intern(next)) }
    case .escape(let escape):
      guard obligations.isBoundary(frame.a) else { return }
      var after = frame
      after.b = escape.word
      if anyEscapes, escape.spellsAnything, !obligations.hasPatterns(frame.a) {
        if canGoOn(key: frame, object) { reached.append(stacks.intern(after)) }
        return
      }
      let ranges = escape.scalars(anyEscapes: anyEscapes)
      if let fits = canSpellName(ranges, key: frame, object) {
        if fits { reached.append(stacks.intern(after)) }
        return
      }
      let fits = ranges.contains { range in
        anyScalar(range, from: frame) { automaton, frame, byte in
          var next = frame
          next.a = automaton.obligations.nextTuple(frame.a, byte)
          next.e = automaton.texts.child(of: frame.e, byte) ?? TextTable.unknown
          return automaton.canComplete(key: next.a, next.e, object) ? next : nil
        } accept: { _, _ in
          true
        }
      }
      if fits { reached.append(stacks.intern(after)) }
    }
  }
}
