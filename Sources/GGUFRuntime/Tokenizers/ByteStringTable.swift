// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Finds byte strings: the index of each string of a list.
///
/// Open addressing over the list itself: a text of a language model is not Unicode text, and two
/// spellings that Swift's strings hold equal are different tokens. A slot keeps the hash beside the
/// index, so that a string is compared where it is found and hardly anywhere else.
struct ByteStringTable: Sendable {
  private let strings: ByteStrings
  private var slots: [Slot]

  private struct Slot: Sendable {
    var index: Int32
    var hash: UInt32
  }

  init(_ strings: ByteStrings) {
    self.strings = strings
    var size = 16
    while size < strings.count * 2 { size *= 2 }
    var slots = [Slot](repeating: Slot(index: -1, hash: 0), count: size)
    strings.withBuffers { text, ends in
      var start = 0
      for index in 0..<ends.count {
        let string = UnsafeBufferPointer(rebasing: text[start..<ends[index]])
        start = ends[index]
        guard !string.isEmpty else { continue }
        let hash = Self.hash(string)
        // Of equal strings the first stays.
        let slot = Self.slot(of: string, hash, slots, text, ends)
        if slots[slot].index < 0 {
          slots[slot] = Slot(index: Int32(truncatingIfNeeded: index), hash: hash)
        }
      }
    }
    self.slots = slots
  }

  func index(of bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBufferPointer { index(of: $0) }
  }

  func index(of bytes: [UInt8]) -> Int? { bytes.withUnsafeBufferPointer { index(of: $0) } }

  func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    strings.withBuffers { text, ends in
      let slot = slots[Self.slot(of: bytes, Self.hash(bytes), slots, text, ends)]
      return slot.index < 0 ? nil : Int(slot.index)
    }
  }

  /// The slot that has a string, or the empty one where it would be.
  private static func slot(
    of string: UnsafeBufferPointer<UInt8>, _ hash: UInt32, _ slots: [Slot],
    _ text: UnsafeBufferPointer<UInt8>, _ ends: UnsafeBufferPointer<Int>
  ) -> Int {
    var place = Int(hash) & (slots.count - 1)
    while slots[place].index >= 0 {
      let index = Int(slots[place].index)
      if slots[place].hash == hash {
        let start = index == 0 ? 0 : ends[index - 1]
        if ends[index] - start == string.count {
          var same = 0
          while same < string.count, text[start + same] == string[same] { same += 1 }
          if same == string.count { return place }
        }
      }
      place = (place + 1) & (slots.count - 1)
    }
    return place
  }

  /// FNV-1a, mixed.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 29)
  }
}
