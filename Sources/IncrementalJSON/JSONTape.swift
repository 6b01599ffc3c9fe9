// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
//            5 closeArray   start: 2
//            6 key          "b"
//
// A value is known by the index of its *last* word. From there the tape is read backwards: the
// element before the array at 5 would end at 1, just before the array's start, but there stands a
// key, so the array is the value of "a".
//
// A word holds 28 bits of where a text starts, or a container, and 4 bits of `JSONTape.Tag`. Where a
// text ends is not kept, for the text itself says it: to read one is to go through it anyway, and
// half as much memory is written.
//
// The text and the words are raw memory: for it a snapshot takes no allocation, and text in pieces
// of four bytes is read at more than 100 MB/s (Documentation/Performance.md). Its invariants:
// - One machine writes to a tape, and only beyond every count that it has given to a snapshot; all
//   others only read below their count. A copy of a parser gets a machine of its own, with a tape
//   of its own, before it writes.
// - Memory never moves: when the text's buffer is full, its contents go to a larger one, and the old
//   one lives as long as a snapshot refers to it. The tape grows by chunks, which are not copied.
// - A machine makes room for a whole piece of text before it copies it, and asks for each word
//   whether the chunk has room for it.

import Synchronization

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

  /// A larger buffer with the first `count` elements. Much larger: memory that is not yet touched
  /// costs nothing, and less is copied.
  func grown(keeping count: Int, toHold needed: Int) -> AppendOnlyBuffer {
    let larger = AppendOnlyBuffer(capacity: max(needed, capacity * (capacity < 1 << 20 ? 4 : 16)))
    larger.base.initialize(from: base, count: count)
    return larger
  }
}

/// The text and the tape of one parse.
@usableFromInline
final class JSONTape: Sendable {
  let text: AppendOnlyBuffer<UInt8>
  /// The parts of the tape: each holds three times as many words as those before it together.
  let chunks: [AppendOnlyBuffer<UInt32>]
  /// What tells the values of one parse from those of another; zero until it is asked for, for a
  /// random number is dear beside a short text.
  private let drawnStream: Mutex<UInt64>
  /// Whether a number that may go on is shown as it is.
  let showsUnfinishedNumbers: Bool
  /// The long strings that have been read; none where the text is short.
  private let longStrings: JSONTextCache?

  enum Tag: UInt8 {
    case null, yes, no, number, string, key, openArray, openObject, closeArray, closeObject
  }

  private init(
    text: AppendOnlyBuffer<UInt8>, chunks: [AppendOnlyBuffer<UInt32>], stream: UInt64,
    showsUnfinishedNumbers: Bool, longStrings: JSONTextCache?
  ) {
    self.text = text
    self.chunks = chunks
    drawnStream = Mutex(stream)
    self.showsUnfinishedNumbers = showsUnfinishedNumbers
    self.longStrings = longStrings
  }

  convenience init(showsUnfinishedNumbers: Bool) {
    self.init(
      text: AppendOnlyBuffer(capacity: 1024),
      chunks: [AppendOnlyBuffer(capacity: Self.capacity(ofChunk: 0))], stream: 0,
      showsUnfinishedNumbers: showsUnfinishedNumbers, longStrings: nil)
  }

  /// What tells the values of this parse, and of its forks, from those of another.
  var stream: UInt64 {
    drawnStream.withLock { drawn in
      if drawn == 0 { drawn = .random(in: 1...UInt64.max) }
      return drawn
    }
  }

  /// The same parse with more memory.
  func grown(text: AppendOnlyBuffer<UInt8>, chunks: [AppendOnlyBuffer<UInt32>]) -> JSONTape {
    JSONTape(
      text: text, chunks: chunks, stream: stream, showsUnfinishedNumbers: showsUnfinishedNumbers,
      longStrings: longStrings ?? JSONTextCache())
  }

  /// A parse that has the same beginning, in memory of its own. What comes after it may be another
  /// text, so it has its own strings too.
  func forked(text: AppendOnlyBuffer<UInt8>, chunks: [AppendOnlyBuffer<UInt32>]) -> JSONTape {
    JSONTape(
      text: text, chunks: chunks, stream: stream, showsUnfinishedNumbers: showsUnfinishedNumbers,
      longStrings: JSONTextCache())
  }

  // Chunk 0 holds 256 words, chunk k those from 64 · 4^k to 256 · 4^k.

  static func start(ofChunk chunk: Int) -> Int { chunk == 0 ? 0 : 64 &<< (2 &* chunk) }

  static func capacity(ofChunk chunk: Int) -> Int { chunk == 0 ? 256 : 192 &<< (2 &* chunk) }

  private static func chunk(of index: Int) -> Int {
    (Int.bitWidth &- (index &>> 8).leadingZeroBitCount &+ 1) / 2
  }

  subscript(index: Int) -> JSONTapeWord {
    let chunk = Self.chunk(of: index)
    return JSONTapeWord(bits: chunks[chunk].base[index &- Self.start(ofChunk: chunk)])
  }

  /// The index of the first word of the value whose last word is at `index`.
  func start(of index: Int) -> Int {
    let word = self[index]
    return word.tag == .closeArray || word.tag == .closeObject ? word.position : index
  }

  /// The text that starts where a word says: of a number, or the inside of a string.
  ///
  /// - Parameters:
  ///   - word: A word of a number, a string or a key.
  ///   - end: Where the text of the parse ended, or anywhere from the end of this text to there.
  func text(of word: JSONTapeWord, before end: Int) -> JSONTapeText {
    guard word.tag == .number else { return insideOfString(from: word.position, before: end) }
    var index = word.position
    while index < end, Self.isInNumbers(text.base[index]) { index += 1 }
    return text(from: word.position, to: index, hasEscapes: false)
  }

  /// The text from within a string, but not within an escape, to its quotation mark or `end`.
  func insideOfString(from start: Int, before end: Int) -> JSONTapeText {
    var hasEscapes = false
    var index = firstQuoteOrEscape(from: start, before: end)
    while index < end, text.base[index] != UInt8(ascii: "\"") {
      hasEscapes = true
      index = firstQuoteOrEscape(from: index + 2, before: end)
    }
    return text(from: start, to: min(index, end), hasEscapes: hasEscapes)
  }

  /// The string whose text starts at `start` and ends with its quotation mark, or at `end`.
  func string(from start: Int, before end: Int) -> String {
    guard let longStrings else { return insideOfString(from: start, before: end).string }
    let limit = min(end, start + JSONTextCache.minimumCount)
    let beginning = insideOfString(from: start, before: limit)
    if limit == end || start + beginning.bytes.count < limit { return beginning.string }
    return longStrings.string(from: start, before: end, in: self)
  }

  /// Whether a key is a name. Where the key has no escape, which hardly any has, its end is where
  /// the name's would be.
  func key(_ key: JSONTapeWord, is name: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
    let start = text.base + key.position
    for (index, byte) in name.enumerated() {
      let found = start[index]
      if found == UInt8(ascii: "\\") { return hasKeyWithEscapes(key, name, before: end) }
      // A quotation mark that no escape precedes ends the key.
      if found != byte || found == UInt8(ascii: "\"") { return false }
    }
    if start[name.count] == UInt8(ascii: "\\") {
      return hasKeyWithEscapes(key, name, before: end)
    }
    return start[name.count] == UInt8(ascii: "\"")
  }

  @inline(never)
  private func hasKeyWithEscapes(
    _ key: JSONTapeWord, _ name: UnsafeBufferPointer<UInt8>, before end: Int
  ) -> Bool {
    text(of: key, before: end).string.utf8.elementsEqual(name)
  }

  /// Where the first quotation mark or backslash is at or after `start`; `end` where none is before
  /// it.
  ///
  /// A property's text is looked through for every snapshot. Eight bytes at a time, by the sign
  /// that subtraction leaves in a byte that is zero (Mycroft 1987); Swift's vectors are taken apart
  /// into bytes here.
  private func firstQuoteOrEscape(from start: Int, before end: Int) -> Int {
    let bytes = UnsafeRawPointer(text.base)
    let (ones, signs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let quotes = ones &* UInt64(UInt8(ascii: "\""))
    let escapes = ones &* UInt64(UInt8(ascii: "\\"))
    var index = start
    while index &+ 8 <= end {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let (quote, escape) = (word ^ quotes, word ^ escapes)
      let zeros = (quote &- ones) & ~quote | (escape &- ones) & ~escape
      if zeros & signs != 0 { break }
      index &+= 8
    }
    while index < end {
      let byte = text.base[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
      index &+= 1
    }
    return index
  }

  func text(from start: Int, to end: Int, hasEscapes: Bool) -> JSONTapeText {
    JSONTapeText(
      bytes: UnsafeBufferPointer(start: text.base + start, count: end - start),
      hasEscapes: hasEscapes)
  }

  private static func isInNumbers(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Where the character starts whose first bytes end at `index`.
  static func characterStart(before index: Int, in text: UnsafePointer<UInt8>) -> Int {
    var start = index - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }
}

/// A number or the inside of a string, as it stands in the text.
struct JSONTapeText {
  let bytes: UnsafeBufferPointer<UInt8>
  let hasEscapes: Bool

  /// What the text stands for, with its escapes resolved.
  var string: String {
    hasEscapes ? JSONEscapes.decode(bytes) : String(decoding: bytes, as: UTF8.self)
  }

  /// Whether two texts are the same once their escapes are resolved.
  static func == (left: JSONTapeText, right: JSONTapeText) -> Bool {
    if left.hasEscapes || right.hasEscapes {
      return left.string.utf8.elementsEqual(right.string.utf8)
    }
    return left.bytes.count == right.bytes.count && left.bytes.elementsEqual(right.bytes)
  }
}

/// One word of a tape.
struct JSONTapeWord {
  let bits: UInt32

  static let maximumLength = 1 << 27 - 1
  private static let noContainer = 1 << 28 - 1

  init(bits: UInt32) { self.bits = bits }

  @inline(__always)
  init(_ tag: JSONTape.Tag, at position: Int = 0) {
    bits = UInt32(truncatingIfNeeded: position) &<< 4 | UInt32(tag.rawValue)
  }

  // A word is only ever made of a tag, so its bits name one.
  var tag: JSONTape.Tag { JSONTape.Tag(rawValue: UInt8(truncatingIfNeeded: bits & 15)) ?? .null }

  /// Where a text starts, or at which word a closed container does.
  var position: Int { Int(bits &>> 4) }

  /// Which container is around an open one, -1 for none.
  var outer: Int { position == Self.noContainer ? -1 : position }
}
