/// Gives equal sequences of 32-bit words equal dense ids.
///
/// Sets of automaton states, conjunctions of obligations and object states are all short sequences
/// of words; once interned they compare by one id. All sequences share one flat array, so that a
/// look-up touches no reference-counted storage of its own.
struct SequenceInterner {
  private var words: [UInt32] = []
  private var starts: [Int] = [0]
  private var table: [UInt32]
  private var mask: Int

  /// Creates an interner with room for a few sequences.
  init() {
    table = [UInt32](repeating: .max, count: 64)
    mask = 63
  }

  /// The number of distinct sequences so far.
  var count: Int { starts.count - 1 }

  /// The memory held by the sequences and their index, in bytes.
  var byteCount: Int { words.count * 4 + starts.count * 8 + table.count * 4 }

  /// The sequence with an id.
  subscript(id: UInt32) -> ArraySlice<UInt32> {
    words[starts[Int(id)]..<starts[Int(id) + 1]]
  }

  /// The number of words of a sequence.
  func length(of id: UInt32) -> Int { starts[Int(id) + 1] - starts[Int(id)] }

  /// One word of a sequence.
  func word(_ offset: Int, of id: UInt32) -> UInt32 { words[starts[Int(id)] + offset] }

  /// The id of a sequence, the same as before if it was seen before.
  mutating func intern(_ sequence: [UInt32]) -> UInt32 {
    intern(sequence[...])
  }

  /// The id of a sequence, the same as before if it was seen before.
  mutating func intern(_ sequence: ArraySlice<UInt32>) -> UInt32 {
    var slot = Self.hash(sequence) & mask
    while table[slot] != .max {
      let id = table[slot]
      if length(of: id) == sequence.count, equals(id, sequence) { return id }
      slot = (slot + 1) & mask
    }
    words.append(contentsOf: sequence)
    return add(at: slot)
  }

  /// The id of the sequence of one word.
  mutating func intern(word: UInt32) -> UInt32 {
    var slot = Self.finish(Self.mix(Self.seed(count: 1), word)) & mask
    while table[slot] != .max {
      let id = table[slot]
      if length(of: id) == 1, words[starts[Int(id)]] == word { return id }
      slot = (slot + 1) & mask
    }
    words.append(word)
    return add(at: slot)
  }

  /// The id of the sequence of two words.
  mutating func intern(_ first: UInt32, _ second: UInt32) -> UInt32 {
    var slot = Self.finish(Self.mix(Self.mix(Self.seed(count: 2), first), second)) & mask
    while table[slot] != .max {
      let start = starts[Int(table[slot])]
      if length(of: table[slot]) == 2, words[start] == first, words[start + 1] == second {
        return table[slot]
      }
      slot = (slot + 1) & mask
    }
    words.append(first)
    words.append(second)
    return add(at: slot)
  }

  /// The id of a known sequence with another word in one place.
  mutating func intern(_ id: UInt32, with word: UInt32, at place: Int) -> UInt32 {
    let range = starts[Int(id)]..<starts[Int(id) + 1]
    let place = range.lowerBound + place
    if words[place] == word { return id }
    // At the end, where it stays if it is new.
    let end = words.count
    for at in range { words.append(at == place ? word : words[at]) }
    var hash = Self.seed(count: range.count)
    for at in end..<words.count { hash = Self.mix(hash, words[at]) }
    var slot = Self.finish(hash) & mask
    while table[slot] != .max {
      if equals(table[slot], end..<words.count) {
        words.removeLast(range.count)
        return table[slot]
      }
      slot = (slot + 1) & mask
    }
    return add(at: slot)
  }

  private func equals(_ id: UInt32, _ range: Range<Int>) -> Bool {
    guard length(of: id) == range.count else { return false }
    let start = starts[Int(id)]
    for offset in 0..<range.count where words[start + offset] != words[range.lowerBound + offset] {
      return false
    }
    return true
  }

  /// The id of the sequence that has just been appended to the words.
  private mutating func add(at slot: Int) -> UInt32 {
    let id = UInt32(count)
    starts.append(words.count)
    table[slot] = id
    if count * 2 > table.count { grow() }
    return id
  }

  private func equals(_ id: UInt32, _ sequence: ArraySlice<UInt32>) -> Bool {
    var at = starts[Int(id)]
    for word in sequence {
      if words[at] != word { return false }
      at += 1
    }
    return true
  }

  private mutating func grow() {
    table = [UInt32](repeating: .max, count: table.count * 2)
    mask = table.count - 1
    for id in 0..<UInt32(count) {
      var slot = Self.hash(self[id]) & mask
      while table[slot] != .max { slot = (slot + 1) & mask }
      table[slot] = id
    }
  }

  private static func hash(_ sequence: ArraySlice<UInt32>) -> Int {
    var hash = seed(count: sequence.count)
    for word in sequence { hash = mix(hash, word) }
    return finish(hash)
  }

  @inline(__always)
  private static func seed(count: Int) -> UInt64 { 0x9E37_79B9_7F4A_7C15 ^ UInt64(count) }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt32) -> UInt64 {
    let mixed = (hash ^ UInt64(word)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ mixed >> 29
  }

  @inline(__always)
  private static func finish(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 7) & Int.max
  }
}
