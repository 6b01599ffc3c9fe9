// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A set of scalar values as a deterministic automaton over the bytes of their UTF-8 form.
///
/// The set `[a-zé]` has two states: in state 0 the bytes `61`…`7A` finish a scalar and `C3` leads
/// to state 1, in which `A9` finishes it. States with the same transitions are shared, so that even
/// `\p{L}` with its 650 ranges needs about a hundred.
struct ScalarAutomaton: Sendable {
  /// The byte leads nowhere.
  static let dead: UInt16 = .max
  /// The byte completes a scalar value of the set.
  static let done: UInt16 = .max - 1

  /// For each state 256 entries: the next state, ``dead`` or ``done``.
  private(set) var transitions: [UInt16] = []
  /// For each state the bytes that lead elsewhere than the byte before: most are like their
  /// neighbours.
  private(set) var runStarts: [ByteSet] = []
  /// The state before the first byte.
  private(set) var start: UInt16 = 0

  func next(_ state: UInt16, _ byte: UInt8) -> UInt16 {
    transitions[Int(state) << 8 | Int(byte)]
  }

  /// The kinds of characters that the set has all of, and those that it may have some of.
  private(set) var wholeKinds: CharacterKinds.Bits = 0
  private(set) var someKinds: CharacterKinds.Bits = 0
  /// The kinds beyond ASCII that the set has all of or none.
  private(set) var uniformBeyondASCII = CharacterKinds.anyBeyondASCII

  /// The scalars of each kind beyond ASCII.
  private static let beyondASCII: [(kind: CharacterKinds.Bits, scalars: ScalarSet)] = {
    let letters = ScalarSet(CharacterKinds.letterScalarsBeyondASCII)
    let spaces = ScalarSet(CharacterKinds.spaceScalarsBeyondASCII.map { $0...$0 })
    let unusual = ScalarSet(CharacterKinds.unusualScalarsBeyondASCII)
    let others = ScalarSet([0x80...0xD7FF, 0xE000...0x10FFFF])
      .subtracting(letters.union(spaces).union(unusual))
    return [
      (CharacterKinds.beyondASCII, letters), (CharacterKinds.spaceBeyondASCII, spaces),
      (CharacterKinds.unusualBeyondASCII, unusual), (CharacterKinds.otherBeyondASCII, others),
    ]
  }()

  init(_ set: ScalarSet) {
    var builder = Builder(set: set)
    start = builder.root()
    transitions = builder.transitions
    runStarts = builder.runStarts
    findKinds(set)
  }

  private mutating func findKinds(_ set: ScalarSet) {
    var missing: CharacterKinds.Bits = 0
    for byte in 0x20..<0x80 {
      let kind = CharacterKinds.kinds[byte]
      if next(start, UInt8(byte)) == Self.done { someKinds |= kind } else { missing |= kind }
    }
    missing |= CharacterKinds.anyBeyondASCII
    if let last = set.ranges.last, last.upperBound >= 0x80 {
      for (kind, scalars) in Self.beyondASCII {
        let shared = set.intersection(scalars)
        if shared.isEmpty { continue }
        // What is cut within a scalar may be of these kinds, whatever else begins so.
        someKinds |= kind | CharacterKinds.beyondASCII
        if kind != CharacterKinds.beyondASCII { someKinds |= CharacterKinds.otherBeyondASCII }
        if shared == scalars { missing &= ~kind } else { uniformBeyondASCII &= ~kind }
      }
    }
    wholeKinds = someKinds & ~missing & CharacterKinds.all
  }

  private struct Builder {
    let set: ScalarSet
    var transitions: [UInt16] = []
    var runStarts: [ByteSet] = []
    var known: [RawKey<UInt16>: UInt16] = [:]
    /// The states after which any 1, 2 or 3 continuation bytes complete a scalar of the set.
    var full: [UInt16?] = [nil, nil, nil]

    mutating func state(_ row: [UInt16]) -> UInt16 {
      let key = RawKey(row[...])
      if let state = known[key] { return state }
      let state = UInt16(transitions.count / 256)
      transitions += row
      var starts = ByteSet()
      for byte in 1..<256 where row[byte] != row[byte - 1] { starts.insert(UInt8(byte)) }
      runStarts.append(starts)
      known[key] = state
      return state
    }

    mutating func root() -> UInt16 {
      var row = [UInt16](repeating: ScalarAutomaton.dead, count: 256)
      for byte in 0..<0x80 where set.contains(UInt32(byte)) { row[byte] = ScalarAutomaton.done }
      for byte in 0xC2..<0xE0 {
        row[byte] = node(base: UInt32(byte & 0x1F) << 6, remaining: 1, least: 0x80)
      }
      for byte in 0xE0..<0xF0 {
        row[byte] = node(base: UInt32(byte & 0x0F) << 12, remaining: 2, least: 0x800)
      }
      for byte in 0xF0..<0xF5 {
        row[byte] = node(base: UInt32(byte & 0x07) << 18, remaining: 3, least: 0x10000)
      }
      return state(row)
    }

    /// The state after the bytes that fix a scalar value down to `6 × remaining` bits.
    mutating func node(base: UInt32, remaining: Int, least: UInt32) -> UInt16 {
      let span = UInt32(1) << UInt32(6 * remaining)
      guard let overlap = overlap(max(base, least), base + span - 1) else {
        return ScalarAutomaton.dead
      }
      let isFull = base >= least && overlap.contains(base) && overlap.contains(base + span - 1)
      if isFull, let state = full[remaining - 1] { return state }
      var row = [UInt16](repeating: ScalarAutomaton.dead, count: 256)
      let step = span >> 6
      for index in 0..<64 {
        let low = base + UInt32(index) * step
        if remaining == 1 {
          if low >= least, set.contains(low) { row[0x80 + index] = ScalarAutomaton.done }
        } else {
          row[0x80 + index] = node(base: low, remaining: remaining - 1, least: least)
        }
      }
      let state = state(row)
      if isFull { full[remaining - 1] = state }
      return state
    }

    /// The first range of the set that has a value between two others.
    func overlap(_ low: UInt32, _ high: UInt32) -> ClosedRange<UInt32>? {
      guard low <= high else { return nil }
      var from = 0
      var to = set.ranges.count
      while from < to {
        let middle = (from + to) / 2
        if set.ranges[middle].upperBound < low { from = middle + 1 } else { to = middle }
      }
      guard from < set.ranges.count, set.ranges[from].lowerBound <= high else { return nil }
      return set.ranges[from]
    }
  }
}
