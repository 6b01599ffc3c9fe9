/// Finds byte strings: the index of each string of a list.
///
/// Open addressing over the list itself: a text of a language model is not Unicode text, and two
/// spellings that Swift's strings hold equal are different tokens.
struct ByteStringTable: Sendable {
  let strings: ByteStrings
  private var slots: [Int32]

  init(_ strings: ByteStrings) {
    self.strings = strings
    var size = 16
    while size < strings.count * 2 { size *= 2 }
    slots = Array(repeating: -1, count: size)
    for index in strings.indices where !strings[index].isEmpty {
      var slot = Self.hash(strings[index]) & (size - 1)
      // Of equal strings the first stays.
      while slots[slot] >= 0 && strings[Int(slots[slot])] != strings[index] {
        slot = (slot + 1) & (size - 1)
      }
      if slots[slot] < 0 { slots[slot] = Int32(truncatingIfNeeded: index) }
    }
  }

  func index(of bytes: some Collection<UInt8>) -> Int? {
    var slot = Self.hash(bytes) & (slots.count - 1)
    while slots[slot] >= 0 {
      if strings[Int(slots[slot])].elementsEqual(bytes) { return Int(slots[slot]) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private static func hash(_ bytes: some Collection<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 29) & Int.max
  }
}
