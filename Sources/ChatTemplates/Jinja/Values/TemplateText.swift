// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A text in a template: UTF-8 that knows which of its bytes the conversation said.
///
/// What the conversation says never counts as markup: `<|im_end|>` that a user wrote stays text,
/// however the template cuts and joins it. So a text carries its *quotedness*: runs of bytes that the
/// template wrote and runs of bytes that it quotes. A run is kept as the place where it begins:
///
///     "<|user|>" + content + "<|end|>"   with content "Hi"
///     bytes       <|user|>Hi<|end|>
///     boundaries  8, 10      startsQuoted false
struct TemplateText: Sendable {
  private(set) var bytes: [UInt8]
  /// Where quotedness changes, ascending; none of them at either end.
  private(set) var boundaries: [Int32] = []
  private(set) var startsQuoted: Bool
  /// How many Unicode scalars the text has: what Python calls its length.
  private(set) var count: Int
  /// Whether the text went through `safe` or `escape`: what is added to it is escaped for HTML.
  var isSafe = false

  static let empty = TemplateText(utf8: [], isQuoted: false)

  init(utf8 bytes: [UInt8], isQuoted: Bool, isSafe: Bool = false) {
    self.bytes = bytes
    startsQuoted = isQuoted
    count = Self.scalarCount(bytes[...])
    self.isSafe = isSafe
  }

  init(_ text: String, isQuoted: Bool = false) {
    self.init(utf8: Array(text.utf8), isQuoted: isQuoted)
  }

  init(_ scalars: some Sequence<Unicode.Scalar>, isQuoted: Bool) {
    var bytes: [UInt8] = []
    for scalar in scalars { bytes.append(utf8: scalar) }
    self.init(utf8: bytes, isQuoted: isQuoted)
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }
  var isEmpty: Bool { bytes.isEmpty }
  var isASCII: Bool { count == bytes.count }

  /// Whether any of the text is quoted.
  var hasQuotes: Bool { !bytes.isEmpty && (startsQuoted || !boundaries.isEmpty) }

  private var endsQuoted: Bool { startsQuoted != (boundaries.count % 2 == 1) }

  private static func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int {
    var count = 0
    for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// The text without a mark of ``isSafe``.
  var plain: TemplateText {
    var result = self
    result.isSafe = false
    return result
  }

  var scalars: String.UnicodeScalarView { string.unicodeScalars }
}

extension TemplateText: Hashable {
  static func == (left: TemplateText, right: TemplateText) -> Bool { left.bytes == right.bytes }
  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension TemplateText {
  mutating func append(_ other: TemplateText) {
    guard !other.bytes.isEmpty else { return }
    if bytes.isEmpty {
      startsQuoted = other.startsQuoted
      boundaries = other.boundaries
    } else {
      let offset = Int32(truncatingIfNeeded: bytes.count)
      if endsQuoted != other.startsQuoted { boundaries.append(offset) }
      for boundary in other.boundaries { boundaries.append(boundary + offset) }
    }
    bytes += other.bytes
    count += other.count
  }

  mutating func append(_ text: StaticString) {
    append(TemplateText(utf8: text.withUTF8Buffer { Array($0) }, isQuoted: false))
  }

  /// The text so many times.
  func repeated(_ times: Int) -> TemplateText {
    var result = TemplateText(utf8: [], isQuoted: false, isSafe: isSafe)
    guard times > 0, !isEmpty else { return result }
    guard boundaries.isEmpty else {
      for _ in 0..<times { result.append(self) }
      return result
    }
    let size = bytes.count * times
    result.bytes.reserveCapacity(size)
    result.bytes = bytes
    while result.bytes.count < size {
      result.bytes += result.bytes.prefix(size - result.bytes.count)
    }
    result.startsQuoted = startsQuoted
    result.count = count * times
    return result
  }

  static func + (left: TemplateText, right: TemplateText) -> TemplateText {
    var result = left
    result.append(right)
    return result
  }

  /// The text of a range of bytes.
  subscript(range: Range<Int>) -> TemplateText {
    if range.lowerBound == 0, range.upperBound == bytes.count { return self }
    var result = TemplateText(utf8: Array(bytes[range]), isQuoted: startsQuoted, isSafe: isSafe)
    guard !boundaries.isEmpty else { return result }
    var index = firstBoundary(after: range.lowerBound)
    result.startsQuoted = startsQuoted != (index % 2 == 1)
    while index < boundaries.count, boundaries[index] < range.upperBound {
      result.boundaries.append(boundaries[index] - Int32(truncatingIfNeeded: range.lowerBound))
      index += 1
    }
    return result
  }

  /// How many boundaries are at or before a byte.
  private func firstBoundary(after byte: Int) -> Int {
    var (low, high) = (0, boundaries.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(boundaries[middle]) <= byte { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where a scalar begins, in bytes.
  func byteOffset(ofScalar index: Int) -> Int {
    guard !isASCII else { return min(index, bytes.count) }
    var (offset, seen) = (0, 0)
    while offset < bytes.count {
      if bytes[offset] & 0xC0 != 0x80 {
        if seen == index { return offset }
        seen += 1
      }
      offset += 1
    }
    return offset
  }

  /// The text of a range of scalars.
  func scalars(_ range: Range<Int>) -> TemplateText {
    let start = byteOffset(ofScalar: range.lowerBound)
    if isASCII { return self[start..<start + range.count] }
    var (end, left) = (start, range.count)
    while end < bytes.count {
      if bytes[end] & 0xC0 != 0x80 {
        if left == 0 { break }
        left -= 1
      }
      end += 1
    }
    return self[start..<end]
  }

  /// The text's scalars, each a text.
  var characters: [TemplateText] {
    var result: [TemplateText] = []
    result.reserveCapacity(count)
    var start = 0
    while start < bytes.count {
      var end = start + 1
      while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
      result.append(self[start..<end])
      start = end
    }
    return result
  }

  /// The pieces of one quotedness each, in order.
  var runs: [(text: ArraySlice<UInt8>, isQuoted: Bool)] {
    guard !bytes.isEmpty else { return [] }
    var result: [(text: ArraySlice<UInt8>, isQuoted: Bool)] = []
    var (start, isQuoted) = (0, startsQuoted)
    for boundary in boundaries {
      result.append((bytes[start..<Int(boundary)], isQuoted))
      start = Int(boundary)
      isQuoted.toggle()
    }
    result.append((bytes[start...], isQuoted))
    return result
  }

  /// The text as pieces of a prompt.
  var pieces: [ChatTemplate.Piece] {
    runs.map { run in
      let text = String(decoding: run.text, as: UTF8.self)
      return run.isQuoted ? .text(text) : .markup(text)
    }
  }

  /// The text with each scalar replaced by others.
  func mapped(_ change: (Unicode.Scalar, inout [UInt8]) -> Void) -> TemplateText {
    var result = TemplateText.empty
    for run in runs {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(run.text.count)
      for scalar in String(decoding: run.text, as: UTF8.self).unicodeScalars {
        change(scalar, &bytes)
      }
      result.append(TemplateText(utf8: bytes, isQuoted: run.isQuoted))
    }
    result.isSafe = isSafe
    return result
  }
}

extension [UInt8] {
  mutating func append(utf8 scalar: Unicode.Scalar) {
    if scalar.isASCII {
      append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}
