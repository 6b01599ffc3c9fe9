/// Reading strings and keys: JSON's spelling around a content that the languages see as UTF-8.
extension Automaton {
  /// What one byte of a spelling means for the content.
  enum Spelled {
    case byte
    case scalar(UInt32)
    case escape(Escape)
    case quote
    case nothing
  }

  func spelled(_ byte: UInt8, in escape: Escape) -> Spelled {
    switch escape.phase {
    case .none:
      if byte == 0x22 { return .quote }
      if byte == 0x5C { return .escape(Escape(.backslash)) }
      return byte < 0x20 ? .nothing : .byte
    case .backslash:
      if byte == UInt8(ascii: "u") { return .escape(Escape(.hexadecimal)) }
      guard let scalar = Escape.scalar(letter: byte) else { return .nothing }
      return !anyEscapes && scalar == 0x2F ? .nothing : .scalar(scalar)
    case .hexadecimal:
      guard let digit = hexadecimalValue(byte) else { return .nothing }
      if !anyEscapes, !isCanonical(byte, escape) { return .nothing }
      let value = escape.value << 4 | digit
      if escape.digits < 3 {
        return .escape(
          Escape(.hexadecimal, value: value, digits: escape.digits + 1, high: escape.high))
      }
      if let high = escape.high {
        guard (0xDC00..<0xE000).contains(value) else { return .nothing }
        return .scalar(0x10000 + high << 10 + (value - 0xDC00))
      }
      if (0xD800..<0xDC00).contains(value) {
        return .escape(Escape(.lowBackslash, high: value - 0xD800))
      }
      return (0xDC00..<0xE000).contains(value) ? .nothing : .scalar(value)
    case .lowBackslash:
      return byte == 0x5C ? .escape(Escape(.lowLetter, high: escape.high)) : .nothing
    case .lowLetter:
      guard byte == UInt8(ascii: "u") else { return .nothing }
      return .escape(Escape(.hexadecimal, high: escape.high))
    }
  }

  /// Canonical spelling keeps `\u00xx`, in lower case, for the controls without a letter.
  func isCanonical(_ byte: UInt8, _ escape: Escape) -> Bool {
    switch escape.digits {
    case 0, 1: return byte == 0x30
    case 2: return byte == 0x30 || byte == 0x31
    default:
      let scalar = escape.value << 4 | (hexadecimalValue(byte) ?? 0)
      return !(0x41...0x46).contains(byte) && ![0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(scalar)
    }
  }

  /// The scalars that an unfinished escape can still spell.
  private func scalars(_ escape: Escape) -> [ClosedRange<UInt32>] {
    if !anyEscapes {
      switch escape.phase {
      case .backslash: return [0...0x1F, 0x22...0x22, 0x5C...0x5C]
      default:
        return escape.range.compactMap { range in
          range.lowerBound > 0x1F ? nil : range.lowerBound...min(range.upperBound, 0x1F)
        }
      }
    }
    switch escape.phase {
    case .none: return []
    case .backslash: return [0...0xD7FF, 0xE000...0x10FFFF]
    case .hexadecimal: return escape.range
    case .lowBackslash, .lowLetter:
      let base = 0x10000 + (escape.high ?? 0) << 10
      return [base...base + 0x3FF]
    }
  }

  mutating func step(string frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {
    switch spelled(byte, in: Escape(word: frame.b)) {
    case .nothing: return
    case .quote:
      guard obligations.languages.accepts(frame.a), frame.c == 0 else { return }
      let value = frame.e == 0 ? UInt32.max : values.id(of: .string(frame.e))
      complete(frame.parent, value, into: &reached)
    case .byte:
      var next = frame
      next.a = obligations.languages.next(frame.a, byte)
      if frame.e != 0 { next.e = texts.append(byte, to: frame.e) }
      if byte & 0xC0 != 0x80, !count(&next) { return }
      if canComplete(string: next) { reached.append(stacks.intern(next)) }
    case .scalar(let scalar):
      var next = frame
      next.b = 0
      guard count(&next) else { return }
      for byte in utf8(scalar) {
        next.a = obligations.languages.next(next.a, byte)
        if frame.e != 0 { next.e = texts.append(byte, to: next.e) }
      }
      if canComplete(string: next) { reached.append(stacks.intern(next)) }
    case .escape(let escape):
      var after = frame
      after.b = escape.word
      // An escape may only start between two scalars, and only where one that it can spell fits.
      var counted = frame
      guard count(&counted) else { return }
      if isInsideScalar(frame.a) { return }
      let fits =
        obligations.languages.isFreeState(frame.a)
        || scalars(escape).contains { range in hasScalar(range, string: counted) }
      if fits { reached.append(stacks.intern(after)) }
    }
  }

  private func isInsideScalar(_ state: RegularLanguages.State) -> Bool {
    // Only the free language can be inside a scalar and look the same as between two; others
    // would not have a transition over the bytes of another scalar.
    obligations.languages.isFreeState(state) && !obligations.languages.accepts(state)
  }

  /// Takes one scalar off the bounds of a string's length.
  private func count(_ frame: inout Frame) -> Bool {
    if frame.d != .max {
      if frame.d == 0 { return false }
      frame.d -= 1
    }
    if frame.c > 0 { frame.c -= 1 }
    return true
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

  func utf8(_ scalar: UInt32) -> [UInt8] {
    Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? []
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
    let name = obligations.keyTuples.word(0, of: frame.a)
    if name > 0 {
      var child = obligations.languages.trie.firstChild(of: Int(name) - 1)
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
    let name = obligations.keyTuples.word(0, of: frame.a)
    guard obligations.keyTuples.length(of: frame.a) == 2, name > 0,
      !canComplete(key: obligations.outsideTuple(), object)
    else { return nil }
    var result = false
    var child = obligations.languages.trie.firstChild(of: Int(name) - 1)
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

  mutating func step(key frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {
    let object = stacks[frame.parent]
    switch spelled(byte, in: Escape(word: frame.b)) {
    case .nothing: return
    case .quote:
      if obligations.isBoundary(frame.a) {
        close(key: frame, object: object, into: &reached)
      }
    case .byte:
      var next = frame
      next.a = obligations.nextTuple(frame.a, byte)
      if frame.e != 0 { next.e = texts.append(byte, to: frame.e) }
      if canComplete(key: next.a, object) { reached.append(stacks.intern(next)) }
    case .scalar(let scalar):
      var next = frame
      next.b = 0
      for byte in utf8(scalar) {
        next.a = obligations.nextTuple(next.a, byte)
        if frame.e != 0 { next.e = texts.append(byte, to: next.e) }
      }
      if canComplete(key: next.a, object) { reached.append(stacks.intern(next)) }
    case .escape(let escape):
      guard obligations.isBoundary(frame.a) else { return }
      var after = frame
      after.b = escape.word
      if anyEscapes, escape.spellsAnything, obligations.keyTuples.length(of: frame.a) == 2 {
        if canGoOn(key: frame, object) { reached.append(stacks.intern(after)) }
        return
      }
      let ranges = scalars(escape)
      if let fits = canSpellName(ranges, key: frame, object) {
        if fits { reached.append(stacks.intern(after)) }
        return
      }
      let fits = ranges.contains { range in
        anyScalar(range, from: frame) { automaton, frame, byte in
          var next = frame
          next.a = automaton.obligations.nextTuple(frame.a, byte)
          return automaton.canComplete(key: next.a, object) ? next : nil
        } accept: { _, _ in
          true
        }
      }
      if fits { reached.append(stacks.intern(after)) }
    }
  }
}
