extension JSONMachine {
  /// The number of keys up to which a new one is compared with each of them.
  static let keyTableThreshold = 12

  /// Throws where the innermost object already has the key.
  func checkUnused(_ word: JSONTapeWord) throws(JSONSyntaxError) {
    let isUnused: Bool
    if memberCount <= Self.keyTableThreshold {
      isUnused = !isAmongMembers(word)
    } else {
      if keyTables[innermost] == nil { keyTables[innermost] = tableOfMembers() }
      isUnused = keyTables[innermost]?.insert(word, at: wordCount, in: tape) ?? true
    }
    if !isUnused { throw error(.duplicateKey(tape.string(of: word)), at: word.offset - 1) }
  }

  private func isAmongMembers(_ word: JSONTapeWord) -> Bool {
    var valueIndex = wordCount - 1
    while valueIndex > innermost {
      let keyIndex = tape.start(of: valueIndex) - 1
      if tape.haveSameText(tape[keyIndex], word) { return true }
      valueIndex = keyIndex - 1
    }
    return false
  }

  private func tableOfMembers() -> JSONKeyTable {
    var table = JSONKeyTable()
    var valueIndex = wordCount - 1
    while valueIndex > innermost {
      let keyIndex = tape.start(of: valueIndex) - 1
      _ = table.insert(tape[keyIndex], at: keyIndex, in: tape)
      valueIndex = keyIndex - 1
    }
    return table
  }
}

/// The keys of one object: a hash table of their places on the tape, with linear probing.
struct JSONKeyTable: Sendable {
  private var slots = [UInt32](repeating: .max, count: 64)
  private var count = 0

  /// Adds the key at a place of the tape; says no where its text is there already.
  mutating func insert(_ word: JSONTapeWord, at index: Int, in tape: JSONTape) -> Bool {
    if count * 2 >= slots.count { grow(in: tape) }
    var slot = Self.hash(word, in: tape) & (slots.count - 1)
    while slots[slot] != .max {
      if tape.haveSameText(tape[Int(slots[slot])], word) { return false }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(truncatingIfNeeded: index)
    count += 1
    return true
  }

  private mutating func grow(in tape: JSONTape) {
    let old = slots
    slots = [UInt32](repeating: .max, count: old.count * 2)
    for place in old where place != .max {
      var slot = Self.hash(tape[Int(place)], in: tape) & (slots.count - 1)
      while slots[slot] != .max { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = place
    }
  }

  /// A seeded hash, so that no text can be made to collide with itself.
  private static func hash(_ word: JSONTapeWord, in tape: JSONTape) -> Int {
    var hasher = Hasher()
    if word.hasEscapes {
      tape.string(of: word).withContiguousUTF8 { hasher.combine(bytes: $0) }
    } else {
      hasher.combine(bytes: UnsafeRawBufferPointer(tape.bytes(of: word)))
    }
    return hasher.finalize()
  }
}

extension String {
  fileprivate func withContiguousUTF8(_ body: (UnsafeRawBufferPointer) -> Void) {
    var copy = self
    copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
