// The storage of an incremental parse: the text so far, and a tape of what was found in it.
//
// The tape holds one word for each thing that is complete, in the order in which it became so, and
// one for each container that was opened. Nothing on it ever changes, so a snapshot is a reference
// to the tape and its length at that moment: older snapshots keep reading their beginning of it.
//
//     text   {"a":[1,"x"],"b"
//     tape   0 openObject   outer: none
//            1 key          "a"
//            2 openArray    outer: 0
//            3 number       1
//            4 string       "x"
//            5 closeArray   start: 2, count: 2
//            6 key          "b"
//
// A value is known by the index of its *last* word. From there the tape is read backwards: the
// element before the array at 5 would end at 1, just before the array's start, but there stands a
// key, so the array is the value of "a".
//
// A word, from the high end: 32 bits of offset or start, 28 bits of length or count, 4 bits of
// `JSONTape.Tag`. The highest bit of a text's length says that it holds escapes.
//
// This file holds raw memory. Its invariants:
// - One machine writes to a tape, and only beyond every count that it has given to a snapshot; all
//   others only read below their count. A copy of a parser gets a machine of its own, with a tape
//   of its own, before it writes.
// - Memory never moves: when a buffer is full, its contents go to a larger one, and the old one
//   lives as long as a snapshot refers to it.
// - A machine checks the capacity once per piece of text, and never writes more words than twice
//   the number of bytes.

/// Memory that one parser fills from its beginning, and snapshots read.
final class AppendOnlyBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // Sound without a lock: see the invariants above. Whoever reads was handed the count after the
  // elements below it were written, by the same means that handed over the snapshot.
  let base: UnsafeMutablePointer<Element>
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// A larger buffer with the first `count` elements. Four times larger: memory that is not yet
  /// touched costs nothing, and less is copied.
  func grown(keeping count: Int, toHold needed: Int) -> AppendOnlyBuffer {
    let larger = AppendOnlyBuffer(capacity: max(needed, capacity * 4))
    larger.base.initialize(from: base, count: count)
    return larger
  }
}

/// The text and the tape of one parse.
final class JSONTape: Sendable {
  let text: AppendOnlyBuffer<UInt8>
  let words: AppendOnlyBuffer<UInt64>
  /// What tells the values of one parse from those of another.
  let stream: UInt64

  enum Tag: UInt8 {
    case null, yes, no, number, string, key, openArray, openObject, closeArray, closeObject
  }

  init(text: AppendOnlyBuffer<UInt8>, words: AppendOnlyBuffer<UInt64>, stream: UInt64) {
    self.text = text
    self.words = words
    self.stream = stream
  }

  subscript(index: Int) -> JSONTapeWord { JSONTapeWord(bits: words.base[index]) }

  /// The index of the first word of the value whose last word is at `index`.
  func start(of index: Int) -> Int {
    let word = self[index]
    return word.tag == .closeArray || word.tag == .closeObject ? word.offset : index
  }

  func bytes(of word: JSONTapeWord) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.base + word.offset, count: word.length)
  }

  /// Whether two texts are the same once their escapes are resolved.
  func haveSameText(_ left: JSONTapeWord, _ right: JSONTapeWord) -> Bool {
    if left.hasEscapes || right.hasEscapes { return string(of: left) == string(of: right) }
    return left.length == right.length && bytes(of: left).elementsEqual(bytes(of: right))
  }

  /// The string that a text stands for.
  func string(of word: JSONTapeWord) -> String {
    word.hasEscapes
      ? JSONEscapes.decode(bytes(of: word)) : String(decoding: bytes(of: word), as: UTF8.self)
  }
}

/// One word of a tape.
struct JSONTapeWord {
  let bits: UInt64

  static let maximumLength = 1 << 27 - 1
  private static let escapeBit: UInt64 = 1 << 31

  init(bits: UInt64) { self.bits = bits }

  @inline(__always)
  init(_ tag: JSONTape.Tag, offset: Int = 0, length: Int = 0, hasEscapes: Bool = false) {
    bits =
      UInt64(truncatingIfNeeded: offset) &<< 32 | UInt64(truncatingIfNeeded: length) &<< 4
      | UInt64(tag.rawValue) | (hasEscapes ? Self.escapeBit : 0)
  }

  // A word is only ever made of a tag, so its bits name one.
  var tag: JSONTape.Tag { JSONTape.Tag(rawValue: UInt8(truncatingIfNeeded: bits & 15)) ?? .null }

  /// Where a text starts, or at which word a closed container does.
  var offset: Int { Int(bits &>> 32) }

  /// Which container is around an open one, -1 for none.
  var outer: Int { Int(Int32(truncatingIfNeeded: bits &>> 32)) }

  /// The number of bytes of a text, or of elements or members of a closed container.
  var length: Int { Int(bits &>> 4 & 0x7FF_FFFF) }

  var hasEscapes: Bool { bits & Self.escapeBit != 0 }
}
