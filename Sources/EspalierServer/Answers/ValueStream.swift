// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// Holds the text of a structured response to its schema, byte by byte as it comes.
///
/// What is handed on is the value alone. A model that begins with words or a Markdown fence is
/// followed until its value begins; white space around the value is left out; after the value has
/// ended nothing more is wanted.
///
/// Example: of `Sure!\n```json\n{"a": 1}\n``` `, the text `{"a": 1}` is handed on.
struct ValueStream {
  /// What happens to the text that was handed on.
  enum Step: Sendable, Equatable {
    /// More of the value.
    case append(String)
    /// What looked like the value was none.
    case restart
  }

  private let grammar: Grammar
  /// How much white space in a row is believed.
  private let whiteSpaceLimit: Int
  private let tool: String?
  /// Whether it is a text of the app's grammar, in which white space is like anything else.
  private let isText: Bool
  private var validator: StreamValidator
  private var bytes: [UInt8] = []
  /// The bytes that were handed on end here.
  private var sentEnd = 0
  private var start: Int?
  private var whiteSpaceCount = 0
  /// Whether the value has ended: whatever follows is left out.
  private(set) var hasEnded = false

  /// Starts a value.
  ///
  /// - Parameters:
  ///   - grammar: What the value is held to.
  ///   - prefix: What is there of it already.
  ///   - isText: Whether it is a text of a grammar that is no schema.
  ///   - whiteSpaceLimit: How much white space in a row is believed.
  ///   - tool: The tool whose arguments they are; nil for a response.
  init(
    grammar: Grammar, prefix: String = "", isText: Bool = false, whiteSpaceLimit: Int = 512,
    tool: String? = nil
  ) {
    self.grammar = grammar
    self.isText = isText
    self.whiteSpaceLimit = whiteSpaceLimit
    self.tool = tool
    validator = StreamValidator(grammar: grammar)
    if !prefix.isEmpty {
      bytes = Array(prefix.utf8)
      validator.append(bytes)
      start = isText ? 0 : validator.valueRange?.lowerBound
      sentEnd = bytes.count
    }
  }

  /// What was handed on of the value.
  var text: ArraySlice<UInt8> { start.map { bytes[$0..<max($0, sentEnd)] } ?? [] }

  /// Whether nothing of a value has come.
  var isEmpty: Bool { start == nil }

  /// Reads more of the text.
  ///
  /// - Throws: ``SchemaBreak`` at the first byte after which no value of the schema is left.
  /// - Complexity: Linear in the text.
  mutating func take(_ text: String) throws(SchemaBreak) -> [Step] {
    guard !hasEnded else { return [] }
    if isText { return try take(ofText: text) }
    bytes += text.utf8
    validator.append(text)
    if case .violated(let violation) = validator.verdict { try handle(violation) }
    var steps: [Step] = []
    if let range = validator.valueRange,
      let first = bytes[range.lowerBound...].firstIndex(where: { !Self.isWhiteSpace($0) }),
      first != start
    {
      if start != nil, sentEnd > (start ?? 0) { steps.append(.restart) }
      start = first
      sentEnd = first
    }
    if let piece = nextPiece() { steps.append(.append(piece)) }
    try countWhiteSpace(text)
    return steps
  }

  /// Reads more of a text of the app's grammar.
  ///
  /// Models begin with a line break, or go on in another line. White space before the text that the
  /// grammar does not take is left out, and so is what comes after the text from white space on.
  private mutating func take(ofText text: String) throws(SchemaBreak) -> [Step] {
    var added = Array(text.utf8)
    if bytes.isEmpty, let first = added.first, Self.isWhiteSpace(first) {
      var tried = StreamValidator(grammar: grammar)
      if case .violated = tried.append(added) {
        added.removeSubrange(..<(added.firstIndex { !Self.isWhiteSpace($0) } ?? added.endIndex))
      }
    }
    bytes += added
    validator.append(added)
    if case .violated(let violation) = validator.verdict {
      var before = StreamValidator(grammar: grammar)
      guard case .complete = before.append(bytes[..<violation.offset]),
        Self.isWhiteSpace(bytes[violation.offset])
      else { throw broken(violation, from: 0) }
      validator = before
      bytes.removeSubrange(violation.offset...)
      hasEnded = true
    }
    guard bytes.count > sentEnd else { return [] }
    start = 0
    defer { sentEnd = bytes.count }
    return [.append(String(decoding: bytes[sentEnd...], as: UTF8.self))]
  }

  /// Ends the text.
  ///
  /// - Parameter reason: What the server says why; nil where it said nothing.
  /// - Throws: ``SchemaBreak`` where the text is no value of the schema.
  mutating func finish(_ reason: FinishReason?) throws(SchemaBreak) {
    guard !hasEnded else { return }
    var end: Violation?
    if case .violated(let violation) = validator.finish() { end = violation }
    // More digits may be missing where a number is the last thing before a cut.
    let isCut = !isText && (reason == nil || reason == .length)
    guard end != nil || isCut && bytes.last.map(Self.isDigit) ?? false else { return }
    let kind: ServerError.Kind =
      switch reason {
      case .length?: .truncated
      case nil: .endedEarly
      default: .brokenSchema
      }
    throw SchemaBreak(
      kind, violation: end, bytes: bytes[(start ?? 0)...],
      validCount: (end?.offset ?? bytes.count) - (start ?? 0), tool: tool, isText: isText)
  }

  private mutating func nextPiece() -> String? {
    guard start != nil else { return nil }
    var end = validator.valueRange?.upperBound ?? bytes.count
    // White space after the value is none of it; before the end of the value nobody knows.
    if case .complete = validator.verdict {
      while end > sentEnd, Self.isWhiteSpace(bytes[end - 1]) { end -= 1 }
    }
    guard end > sentEnd else { return nil }
    defer { sentEnd = end }
    return String(decoding: bytes[sentEnd..<end], as: UTF8.self)
  }

  /// A byte was refused: after a value that its own end closes, that is the end of the value; before a
  /// value has begun, it may be prose.
  private mutating func handle(_ violation: Violation) throws(SchemaBreak) {
    let start = bytes.firstIndex { !Self.isWhiteSpace($0) } ?? 0
    if validator.surroundings == .none {
      if violation.offset == start, Self.isProse(bytes[start]) {
        validator = StreamValidator(grammar: grammar, surroundings: .skipped)
        validator.append(bytes)
        guard case .violated(let violation) = validator.verdict else { return }
        throw broken(violation, from: validator.valueRange?.lowerBound ?? start)
      }
      var before = StreamValidator(grammar: grammar)
      if case .complete = before.append(bytes[..<violation.offset]),
        let last = bytes[..<violation.offset].last(where: { !Self.isWhiteSpace($0) }),
        "}]\"".utf8.contains(last)
      {
        validator = before
        bytes.removeSubrange(violation.offset...)
        hasEnded = true
        return
      }
    }
    throw broken(violation, from: validator.valueRange?.lowerBound ?? start)
  }

  private func broken(_ violation: Violation, from start: Int) -> SchemaBreak {
    // The place is counted from the start of the value, as the app sees it.
    var violation = violation
    violation.offset -= start
    return SchemaBreak(
      .brokenSchema, violation: violation, bytes: bytes[start...], validCount: violation.offset,
      tool: tool, isText: isText)
  }

  private mutating func countWhiteSpace(_ text: String) throws(SchemaBreak) {
    for byte in text.utf8 {
      whiteSpaceCount = Self.isWhiteSpace(byte) ? whiteSpaceCount + 1 : 0
    }
    guard whiteSpaceCount > 0 else { return }
    if case .complete = validator.verdict {
      // A number may go on after white space no more than anything else.
      if whiteSpaceCount > 16 { hasEnded = true }
    } else if whiteSpaceCount > whiteSpaceLimit {
      throw SchemaBreak(
        .endlessWhiteSpace, violation: nil, bytes: bytes[(start ?? 0)...],
        validCount: bytes.count - (start ?? 0) - whiteSpaceCount, tool: tool)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Whether a byte that no value of the schema begins with begins no JSON value at all.
  private static func isProse(_ byte: UInt8) -> Bool {
    !("{[\"-0123456789".utf8.contains(byte))
  }
}
