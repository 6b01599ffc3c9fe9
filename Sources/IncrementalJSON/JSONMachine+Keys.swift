// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension JSONMachine {
  /// The number of keys up to which a new one is compared with each of them.
  static let nameTableThreshold = 12

  /// Throws where the innermost object already has the key that ends at `end`.
  @inline(__always)
  func checkUnused(endingAt end: Int) throws(JSONSyntaxError) {
    let bit = nameBit(from: tokenStart &+ 1, to: end)
    if names & bit != 0 || memberCount > Self.nameTableThreshold { try search(before: end) }
    names |= bit
  }

  /// One of 64 bits by which most of the keys of an object differ; all of them for a key with
  /// escapes, which may be spelled otherwise.
  @inline(__always)
  private func nameBit(from start: Int, to end: Int) -> UInt64 {
    if lastEscape >= start { return .max }
    // An empty key has its quotation marks for its first and its last byte.
    let (first, last) = (Int(text[start]), Int(text[end &- 1]))
    return 1 &<< UInt64(truncatingIfNeeded: first &+ 5 &* last &+ 11 &* (end &- start))
  }

  @inline(never)
  private func search(before end: Int) throws(JSONSyntaxError) {
    let start = tokenStart + 1
    let name = tape.text(from: start, to: end, hasEscapes: lastEscape >= start)
    let isUnused: Bool
    if memberCount <= Self.nameTableThreshold {
      isUnused = !isAmongMembers(name)
    } else {
      if nameTables[innermost] == nil { nameTables[innermost] = tableOfMembers() }
      isUnused =
        nameTables[innermost]?.insert(name, at: wordCount, of: tape, before: textCount) ?? true
    }
    if !isUnused { throw error(.duplicateKey(name.string), at: tokenStart) }
  }

  private func isAmongMembers(_ name: JSONTapeText) -> Bool {
    var valueIndex = wordCount - 1
    while valueIndex > innermost {
      let keyIndex = tape.start(of: valueIndex) - 1
      if tape.text(of: tape[keyIndex], before: textCount) == name { return true }
      valueIndex = keyIndex - 1
    }
    return false
  }

  private func tableOfMembers() -> JSONNameTable {
    var table = JSONNameTable()
    var valueIndex = wordCount - 1
    while valueIndex > innermost {
      let keyIndex = tape.start(of: valueIndex) - 1
      let name = tape.text(of: tape[keyIndex], before: textCount)
      _ = table.insert(name, at: keyIndex, of: tape, before: textCount)
      valueIndex = keyIndex - 1
    }
    return table
  }
}

/// The keys of one object: a hash table of their places on the tape, with linear probing.
struct JSONNameTable: Sendable {
  private var slots = [UInt32](repeating: .max, count: 64)
  private var count = 0

  /// Adds a key, the word of which is at `index` of the tape; says no where its text is there
  /// already. `end` is where the text of the parse ends.
  mutating func insert(
    _ name: JSONTapeText, at index: Int, of tape: JSONTape, before end: Int
  ) -> Bool {
    if count * 2 >= slots.count { grow(tape, before: end) }
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != .max {
      if tape.text(of: tape[Int(slots[slot])], before: end) == name { return false }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(truncatingIfNeeded: index)
    count += 1
    return true
  }

  private mutating func grow(_ tape: JSONTape, before end: Int) {
    let old = slots
    slots = [UInt32](repeating: .max, count: old.count * 2)
    for place in old where place != .max {
      var slot = Self.hash(tape.text(of: tape[Int(place)], before: end)) & (slots.count - 1)
      while slots[slot] != .max { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = place
    }
  }

  /// A seeded hash, so that no text can be made to collide with itself.
  private static func hash(_ name: JSONTapeText) -> Int {
    var hasher = Hasher()
    if name.hasEscapes {
      var string = name.string
      string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    } else {
      hasher.combine(bytes: UnsafeRawBufferPointer(name.bytes))
    }
    return hasher.finalize()
  }
}
