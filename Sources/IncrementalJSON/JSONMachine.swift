// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The state of a parse: where in the grammar of JSON it is, and what it has written to its tape.
@usableFromInline
final class JSONMachine: @unchecked Sendable {
  // Sound without a lock: a parser changes its machine only while it alone refers to it. For the
  // same reason no access needs to be checked for exclusivity, which took a third of the time.

  let limits: JSONLimits
  @exclusivity(unchecked) @usableFromInline var tape: JSONTape
  /// The memory of the text.
  @exclusivity(unchecked) var text: UnsafeMutablePointer<UInt8>
  /// Where the next word goes, and where the part of the tape ends that has been allocated.
  @exclusivity(unchecked) var nextWord: UnsafeMutablePointer<UInt32>
  @exclusivity(unchecked) var wordsEnd: UnsafeMutablePointer<UInt32>
  @exclusivity(unchecked) @usableFromInline var textCount = 0
  @exclusivity(unchecked) @usableFromInline var wordCount = 0

  /// How many more bytes can be read before the memory or the limit has to be looked at; negative
  /// once the text has turned out not to be JSON.
  @exclusivity(unchecked) var room = 0

  /// The table of transitions, for it is not to be looked up for each piece.
  let kinds: UnsafePointer<UInt8>
  let entries: UnsafePointer<UInt16>
  /// The row of the table for the state.
  @exclusivity(unchecked) @usableFromInline var row = JSONTransitions.row(of: .value)
  /// The row for the state after a value in the innermost container.
  @exclusivity(unchecked) var rowAfterValue = JSONTransitions.row(of: .end)
  /// Where the current string, with its quotation mark, or number starts.
  @exclusivity(unchecked) @usableFromInline var tokenStart = 0
  /// Where the last escape starts, -1 for none.
  @exclusivity(unchecked) @usableFromInline var lastEscape = -1
  @exclusivity(unchecked) var escapePart = EscapePart.letter
  /// How many digits of an escape are still to come.
  @exclusivity(unchecked) var digitsToCome: UInt8 = 0
  /// The code unit that the digits of an escape have given so far.
  @exclusivity(unchecked) var unit: UInt32 = 0
  /// The first half of a surrogate pair, zero for none.
  @exclusivity(unchecked) var leadSurrogate: UInt32 = 0
  /// The first word of the innermost container that is open, -1 for none.
  @exclusivity(unchecked) @usableFromInline var innermost = -1
  /// The number of its elements or members that are complete.
  @exclusivity(unchecked) var memberCount = 0
  /// A bit for each of its keys: a key whose bit is not there is new.
  @exclusivity(unchecked) var names: UInt64 = 0
  /// What is kept of the containers around it.
  @exclusivity(unchecked) var outer: [JSONOpenContainer] = []
  /// The keys of the open objects that have many, by their first word.
  @exclusivity(unchecked) var nameTables: [Int: JSONNameTable] = [:]
  @exclusivity(unchecked) var failure: JSONSyntaxError?

  init(limits: JSONLimits, showsUnfinishedNumbers: Bool) {
    self.limits = limits
    kinds = JSONTransitions.shared.kinds
    entries = JSONTransitions.shared.entries
    tape = JSONTape(showsUnfinishedNumbers: showsUnfinishedNumbers)
    let words = tape.chunks[0]
    (text, nextWord, wordsEnd) = (tape.text.base, words.base, words.base + words.capacity)
  }

  var state: JSONParserState { JSONParserState(rawValue: rawState) ?? .end }

  @inlinable @inline(__always)
  var rawState: UInt8 { UInt8(truncatingIfNeeded: row &>> 6) }

  @inlinable @inline(__always)
  var isComplete: Bool { row == JSONTransitions.row(of: .end) }

  // Inlined with what calls it, as is `snapshot`: for small pieces a call costs as much as they do.
  @inline(__always)
  func append(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    guard bytes.count <= room else { return try appendSlowly(bytes) }
    try read(bytes)
  }

  /// Reads bytes for which there is room.
  @inline(__always)
  private func read(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let start = textCount
    let target = UnsafeMutableRawPointer(text + start)
    bytes.withUnsafeBytes { Self.copy($0, to: target, count: $0.count) }
    room &-= bytes.count
    textCount = start &+ bytes.count
    do throws(JSONSyntaxError) {
      try scan(from: start)
    } catch {
      remember(error)
      throw error
    }
  }

  /// Reads bytes for which room has to be made first.
  @inline(never)
  private func appendSlowly(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    if let failure { throw failure }
    let count = min(bytes.count, limits.byteCount - textCount)
    makeRoom(for: count)
    try read(bytes.extracting(first: count))
    guard count < bytes.count else { return }
    let error = error(.tooLong(limit: limits.byteCount), at: textCount)
    remember(error)
    throw error
  }

  func finish() throws(JSONSyntaxError) {
    if let failure { throw failure }
    if innermost < 0 { completeNumber() }
    guard !isComplete else { return }
    let isInEscape = state == .stringEscape || state == .nameEscape
    let expected = isInEscape ? expectationInEscape : state.expectation
    let error = error(.unexpected(found: nil, expected: expected), at: textCount)
    remember(error)
    throw error
  }

  private func remember(_ error: JSONSyntaxError) {
    failure = error
    room = -1
  }

  /// The value at the top as it is now. What the state means for it is found out by who reads it.
  @inlinable @inline(__always)
  var snapshot: JSONNode {
    let isInEscape = row == JSONTransitions.row(of: .stringEscape)
    return JSONNode(
      tape: tape, count: UInt32(truncatingIfNeeded: wordCount),
      innermost: UInt32(truncatingIfNeeded: innermost),
      tokenStart: UInt32(truncatingIfNeeded: tokenStart),
      textEnd: UInt32(truncatingIfNeeded: isInEscape ? lastEscape : textCount),
      rawState: rawState)
  }

  // MARK: Errors

  var wholeText: String {
    String(decoding: UnsafeBufferPointer(start: text, count: textCount), as: UTF8.self)
  }

  /// An error with the line of its place, as far as 40 bytes to either side.
  func error(_ problem: JSONSyntaxError.Problem, at offset: Int) -> JSONSyntaxError {
    let text = UnsafeBufferPointer(start: text, count: textCount)
    let place = min(offset, textCount)
    var start = max(0, place - 40)
    var end = min(textCount, place + 40)
    if let lineBreak = text[start..<place].lastIndex(of: 0x0A) { start = lineBreak + 1 }
    if let lineBreak = text[place..<end].firstIndex(of: 0x0A) { end = lineBreak }
    // Whole characters only, at both ends.
    while start < place, text[start] & 0xC0 == 0x80 { start += 1 }
    while end > place, end < textCount, text[end] & 0xC0 == 0x80 { end -= 1 }
    let before = String(decoding: text[start..<place], as: UTF8.self)
    let after = String(decoding: text[place..<end], as: UTF8.self)
    return JSONSyntaxError(
      problem: problem, offset: offset, excerpt: before + after, column: before.count)
  }
}

/// What a machine keeps of a container while it is in another.
struct JSONOpenContainer: Sendable {
  /// Its first word, -1 where there is none around.
  var start: Int
  var rowAfterValue: UInt16
  var memberCount: Int
  var names: UInt64
}
