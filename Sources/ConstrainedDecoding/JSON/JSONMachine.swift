/// The state of a parse: where in the grammar of JSON it is, and what it has written to its tape.
final class JSONMachine: @unchecked Sendable {
  // Sound without a lock: a parser changes its machine only while it alone refers to it. For the
  // same reason no access needs to be checked for exclusivity, which took a third of the time.

  let limits: JSONLimits
  let showsUnfinishedNumbers: Bool
  @exclusivity(unchecked) private(set) var tape: JSONTape
  /// The memory of the tape, and how much of it is used.
  @exclusivity(unchecked) private(set) var text: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var words: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var textCapacity: Int
  @exclusivity(unchecked) private var wordCapacity: Int
  @exclusivity(unchecked) private(set) var textCount = 0
  @exclusivity(unchecked) private(set) var wordCount = 0

  @exclusivity(unchecked) var state = JSONParserState.value
  /// Where the current string, number or literal starts.
  @exclusivity(unchecked) var tokenStart = 0
  /// Where the current escape or character of several bytes starts.
  @exclusivity(unchecked) var scalarStart = 0
  @exclusivity(unchecked) var hasEscapes = false
  @exclusivity(unchecked) var isKey = false
  /// How many digits of an escape, or bytes of a character, are still to come.
  @exclusivity(unchecked) var remaining: UInt8 = 0
  /// The range of the next byte of a character.
  @exclusivity(unchecked) var continuation: ClosedRange<UInt8> = 0x80...0xBF
  @exclusivity(unchecked) var literal = JSONLiteral.null
  /// The code unit that the digits of an escape have given so far.
  @exclusivity(unchecked) var unit: UInt32 = 0
  /// The first half of a surrogate pair, zero for none.
  @exclusivity(unchecked) var leadSurrogate: UInt32 = 0
  /// The first word of the innermost container that is open, -1 for none.
  @exclusivity(unchecked) var innermost = -1
  @exclusivity(unchecked) var innermostIsObject = false
  /// The number of its elements or members that are complete.
  @exclusivity(unchecked) var memberCount = 0
  /// The numbers of complete elements or members of the containers around it.
  @exclusivity(unchecked) var outerCounts: [Int] = []
  /// The keys of the open objects that have many, by their first word.
  @exclusivity(unchecked) var keyTables: [Int: JSONKeyTable] = [:]
  @exclusivity(unchecked) private var hasFailed = false
  @exclusivity(unchecked) private var failure: JSONSyntaxError?

  init(limits: JSONLimits, stream: UInt64, showsUnfinishedNumbers: Bool) {
    self.limits = limits
    self.showsUnfinishedNumbers = showsUnfinishedNumbers
    tape = JSONTape(
      text: AppendOnlyBuffer(capacity: 1024), words: AppendOnlyBuffer(capacity: 256),
      stream: stream)
    (text, words) = (tape.text.base, tape.words.base)
    (textCapacity, wordCapacity) = (tape.text.capacity, tape.words.capacity)
  }

  // Inlined with what calls it, as is `snapshot`: together a fifth of the time of small pieces.
  @inline(__always)
  func append(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    if hasFailed { return try fail() }
    let count = min(bytes.count, limits.byteCount &- textCount)
    makeRoom(for: count)
    let start = textCount
    let target = UnsafeMutableRawPointer(text + start)
    bytes.withUnsafeBytes { Self.copy($0, to: target, count: count) }
    textCount = start &+ count
    do throws(JSONSyntaxError) {
      try scan(from: start)
      if count < bytes.count {
        throw error(.tooLong(limit: limits.byteCount), at: textCount)
      }
    } catch {
      remember(error)
      throw error
    }
  }

  func finish() throws(JSONSyntaxError) {
    if hasFailed { return try fail() }
    if innermost < 0 { completeNumber(endingAt: textCount) }
    guard state != .end else { return }
    let error = error(.unexpected(found: nil, expected: expectation), at: textCount)
    remember(error)
    throw error
  }

  private func remember(_ error: JSONSyntaxError) {
    hasFailed = true
    failure = error
  }

  private func fail() throws(JSONSyntaxError) {
    if let failure { throw failure }
  }

  /// The value at the top as it is now.
  @inline(__always)
  var snapshot: JSONNode {
    var pending = JSONNode.Pending.none
    var end = textCount
    if state.isInString, !isKey {
      pending = .string
      if state != .string { end = scalarStart }
    } else if showsUnfinishedNumbers, state.endsNumber {
      pending = .number
    }
    return JSONNode(
      tape: tape, count: UInt32(truncatingIfNeeded: wordCount),
      innermost: UInt32(truncatingIfNeeded: innermost),
      pendingStart: UInt32(truncatingIfNeeded: tokenStart),
      pendingEnd: UInt32(truncatingIfNeeded: end), pending: pending,
      pendingHasEscapes: hasEscapes)
  }

  @inline(__always)
  func write(_ word: JSONTapeWord) {
    words[wordCount] = word.bits
    wordCount &+= 1
  }

  // MARK: Memory

  /// Copies a few bytes at once: for pieces of some bytes a call would cost more than the copy.
  @inline(__always)
  private static func copy(
    _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    guard count > 0 else { return }
    if 4...8 ~= count {
      let last = count &- 4
      let head = source.loadUnaligned(as: UInt32.self)
      let tail = source.loadUnaligned(fromByteOffset: last, as: UInt32.self)
      target.storeBytes(of: head, as: UInt32.self)
      target.storeBytes(of: tail, toByteOffset: last, as: UInt32.self)
    } else {
      target.copyMemory(from: source.baseAddress ?? UnsafeRawPointer(target), byteCount: count)
    }
  }

  @inline(__always)
  private func makeRoom(for count: Int) {
    if textCount &+ count > textCapacity || wordCount &+ 2 &* count &+ 2 > wordCapacity {
      grow(for: count)
    }
  }

  @inline(never)
  private func grow(for count: Int) {
    let wordsNeeded = wordCount + 2 * count + 2
    use(
      text: textCount + count > textCapacity
        ? tape.text.grown(keeping: textCount, toHold: textCount + count) : tape.text,
      words: wordsNeeded > wordCapacity
        ? tape.words.grown(keeping: wordCount, toHold: wordsNeeded) : tape.words)
  }

  /// A machine in the same state with a tape of its own.
  func copy() -> JSONMachine {
    let copy = JSONMachine(
      limits: limits, stream: tape.stream, showsUnfinishedNumbers: showsUnfinishedNumbers)
    copy.textCount = textCount
    copy.wordCount = wordCount
    copy.use(
      text: tape.text.grown(keeping: textCount, toHold: textCount),
      words: tape.words.grown(keeping: wordCount, toHold: wordCount))
    copy.state = state
    copy.tokenStart = tokenStart
    copy.scalarStart = scalarStart
    copy.hasEscapes = hasEscapes
    copy.isKey = isKey
    copy.remaining = remaining
    copy.continuation = continuation
    copy.literal = literal
    copy.unit = unit
    copy.leadSurrogate = leadSurrogate
    copy.innermost = innermost
    copy.innermostIsObject = innermostIsObject
    copy.memberCount = memberCount
    copy.outerCounts = outerCounts
    copy.keyTables = keyTables
    copy.hasFailed = hasFailed
    copy.failure = failure
    return copy
  }

  private func use(text: AppendOnlyBuffer<UInt8>, words: AppendOnlyBuffer<UInt64>) {
    tape = JSONTape(text: text, words: words, stream: tape.stream)
    (self.text, self.words) = (text.base, words.base)
    (textCapacity, wordCapacity) = (text.capacity, words.capacity)
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
