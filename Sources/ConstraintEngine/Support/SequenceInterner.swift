// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Gives equal sequences of 32-bit words equal dense ids.
///
/// Sets of automaton states, conjunctions of obligations and object states are all short sequences
/// of words; once interned they compare by one id. All sequences share one flat array, so that a
/// look-up touches no reference-counted storage of its own.
package struct SequenceInterner {
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
  package subscript(id: UInt32) -> ArraySlice<UInt32> {
    words[starts[Int(id)]..<starts[Int(id) + 1]]
  }

  /// The number of words of a sequence.
  func length(of id: UInt32) -> Int { starts[Int(id) + 1] - starts[Int(id)] }

  /// One word of a sequence.
  package func word(_ offset: Int, of id: UInt32) -> UInt32 { words[starts[Int(id)] + offset] }

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
    words.append(word)
    return internLast(1)
  }

  /// The id of the sequence of some words, a number of them that is known when this is compiled.
  @inline(__always)
  mutating func intern<Words: SIMD>(_ sequence: Words) -> UInt32 where Words.Scalar == UInt32 {
    for place in sequence.indices { words.append(sequence[place]) }
    return internLast(Words.scalarCount)
  }

  /// The id of a known sequence with another word in one place.
  mutating func intern(_ id: UInt32, with word: UInt32, at place: Int) -> UInt32 {
    let range = starts[Int(id)]..<starts[Int(id) + 1]
    let place = range.lowerBound + place
    if words[place] == word { return id }
    for at in range { words.append(at == place ? word : words[at]) }
    return internLast(range.count)
  }

  /// The id of a sequence whose words have been appended to those of all: if it is new they stay.
  private mutating func internLast(_ length: Int) -> UInt32 {
    let slot = slot(ofLast: length)
    let id = table[slot]
    if id == .max { return add(at: slot) }
    words.removeLast(length)
    return id
  }

  /// The place in the table of a sequence whose words have been appended to those of all.
  private func slot(ofLast length: Int) -> Int {
    let words = words.span
    let last = words.extracting(last: length)
    var hash = Self.seed(count: length)
    for at in last.indices { hash = Self.mix(hash, last[at]) }
    var slot = Self.finish(hash) & mask
    while table[slot] != .max {
      let start = starts[Int(table[slot])]
      if starts[Int(table[slot]) + 1] - start == length {
        let known = words.extracting(start..<start + length)
        var at = 0
        while at < length, known[at] == last[at] { at += 1 }
        if at == length { break }
      }
      slot = (slot + 1) & mask
    }
    return slot
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

#if DEBUG
  extension SequenceInterner {
    /// What is wrong with the table, for the tests: every sequence is found under its own id, so that no
    /// two are equal, and all words belong to one.
    func _checkInvariants() -> [String] {
      var found: [String] = []
      if starts.last != words.count {
        found.append("\(words.count) words, of which the last ends at \(starts.last ?? 0)")
      }
      if count * 2 > table.count || table.count != mask + 1 {
        found.append("a table of \(table.count) places for \(count) sequences")
      }
      for id in 0..<UInt32(count) {
        guard starts[Int(id)] <= starts[Int(id) + 1] else {
          return found + ["sequence \(id) ends before it starts"]
        }
        var slot = Self.hash(self[id]) & mask
        while table[slot] != .max,
          !equals(table[slot], self[id]) || length(of: table[slot]) != length(of: id)
        {
          slot = (slot + 1) & mask
        }
        if table[slot] != id { found.append("sequence \(id) is found as \(table[slot])") }
      }
      return found
    }
  }
#endif
