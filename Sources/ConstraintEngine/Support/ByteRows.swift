// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// For each of some dense ids a word for every byte, unknown until it is set.
///
/// An id has its 256 words once it is asked for, in one table with those of the others.
struct ByteRows {
  /// A word that was not set yet.
  static let unknown = UInt32.max - 1

  /// By id, where its words start, or -1.
  private var starts: [Int32] = []
  private var words: [UInt32] = []

  /// The memory held, in bytes.
  var byteCount: Int { starts.count * 4 + words.count * 4 }

  /// Where the word of an id and a byte stands.
  @inline(__always)
  mutating func place(_ id: UInt32, _ byte: UInt8) -> Int {
    while starts.count <= Int(id) { starts.append(-1) }
    if starts[Int(id)] < 0 { starts[Int(id)] = Int32(words.appendRow(Self.unknown)) }
    return Int(starts[Int(id)]) + Int(byte)
  }

  /// The word at a place.
  subscript(place: Int) -> UInt32 {
    @inline(__always) get { words[place] }
    @inline(__always) set { words[place] = newValue }
  }

  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
  }
}

extension [UInt32] {
  /// Appends a word for each byte, all the same.
  ///
  /// A table that grows past some size has room for many more at once: what is not written to takes
  /// no memory, and to copy a table to twice its size took half a millisecond of one mask.
  ///
  /// - Returns: Where they start.
  mutating func appendRow(_ word: UInt32) -> Int {
    let start = count
    if start == 1 << 14 { reserveCapacity(1 << 20) }
    append(contentsOf: repeatElement(word, count: 256))
    return start
  }
}
