// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension TemplateText {
  /// Where another text begins, between two bytes.
  ///
  /// - Complexity: Linear in both.
  func firstIndex(of other: TemplateText, from start: Int = 0, to end: Int? = nil) -> Int? {
    let end = end ?? bytes.count
    let wanted = other.bytes
    guard start <= end, end - start >= wanted.count else { return nil }
    guard let first = wanted.first else { return start }
    if wanted.count > Self.shortCount {
      return RepeatedSearch(wanted).end(in: bytes[start..<end]).map {
        start + $0 - wanted.count
      }
    }
    return bytes.withUnsafeBufferPointer { all in
      var index = start
      while index + wanted.count <= end {
        if all[index] == first {
          var length = 1
          while length < wanted.count, all[index + length] == wanted[length] { length += 1 }
          if length == wanted.count { return index }
        }
        index += 1
      }
      return nil
    }
  }

  /// Where another text begins for the last time, between two bytes.
  ///
  /// - Complexity: Linear in both.
  func lastIndex(of other: TemplateText, from start: Int = 0, to end: Int? = nil) -> Int? {
    let end = end ?? bytes.count
    let wanted = other.bytes
    guard start <= end, end - start >= wanted.count else { return nil }
    if wanted.count > Self.shortCount {
      return RepeatedSearch(wanted.reversed()).end(in: bytes[start..<end].reversed()).map {
        end - $0
      }
    }
    var index = end - wanted.count
    while index >= start {
      var length = 0
      while length < wanted.count, bytes[index + length] == wanted[length] { length += 1 }
      if length == wanted.count { return index }
      index -= 1
    }
    return nil
  }

  /// A text of as many bytes is compared at each place; a longer one could nearly match at all.
  private static var shortCount: Int { 32 }

  func hasPrefix(_ other: TemplateText) -> Bool { bytes.starts(with: other.bytes) }

  func hasSuffix(_ other: TemplateText) -> Bool {
    bytes.count >= other.bytes.count && bytes.suffix(other.bytes.count) == other.bytes[...]
  }

  /// How often another text stands here, without overlaps.
  func occurrences(of other: TemplateText) -> Int {
    guard !other.isEmpty else { return count + 1 }
    var (total, start) = (0, 0)
    while let index = firstIndex(of: other, from: start) {
      total += 1
      start = index + other.bytes.count
    }
    return total
  }

  /// The parts between a separator that is not empty; at most `limit` cuts, from the left.
  func split(by separator: TemplateText, limit: Int = .max) -> [TemplateText] {
    var parts: [TemplateText] = []
    var start = 0
    while parts.count < limit, let index = firstIndex(of: separator, from: start) {
      parts.append(self[start..<index])
      start = index + separator.bytes.count
    }
    parts.append(self[start..<bytes.count])
    return parts
  }

  /// The same, cut from the right.
  func splitFromRight(by separator: TemplateText, limit: Int) -> [TemplateText] {
    var parts: [TemplateText] = []
    var end = bytes.count
    while parts.count < limit, let index = lastIndex(of: separator, to: end) {
      parts.append(self[index + separator.bytes.count..<end])
      end = index
    }
    parts.append(self[0..<end])
    return parts.reversed()
  }

  /// The words between white space; at most `limit` cuts, from the left.
  func splitAtSpaces(limit: Int = .max) -> [TemplateText] {
    var words: [TemplateText] = []
    var offset = skippingScalars(from: 0) { $0.isPythonSpace }
    while offset < bytes.count {
      guard words.count < limit else {
        words.append(self[offset..<bytes.count])
        break
      }
      let end = skippingScalars(from: offset) { !$0.isPythonSpace }
      words.append(self[offset..<end])
      offset = skippingScalars(from: end) { $0.isPythonSpace }
    }
    return words
  }

  /// The same, cut from the right.
  func splitAtSpacesFromRight(limit: Int) -> [TemplateText] {
    let words = splitAtSpaces()
    guard words.count > limit else { return words }
    var rest = trimmed(atStart: false)
    for word in words.suffix(limit).reversed() {
      rest = rest[0..<rest.bytes.count - word.bytes.count].trimmed(atStart: false)
    }
    return [rest] + words.suffix(limit)
  }

  /// The first byte from one on whose scalar does not meet a condition.
  private func skippingScalars(from start: Int, while meets: (Unicode.Scalar) -> Bool) -> Int {
    var offset = start
    while offset < bytes.count {
      let (scalar, width) = scalar(at: offset)
      guard meets(scalar) else { break }
      offset += width
    }
    return offset
  }

  /// The lines, with or without what ends them.
  func lines(keepingEnds: Bool) -> [TemplateText] {
    var result: [TemplateText] = []
    var (start, offset) = (0, 0)
    while offset < bytes.count {
      let (scalar, width) = scalar(at: offset)
      offset += width
      guard scalar.isPythonLineBreak else { continue }
      let end = offset - width
      if scalar == "\r", offset < bytes.count, bytes[offset] == 0x0A { offset += 1 }
      result.append(self[start..<(keepingEnds ? offset : end)])
      start = offset
    }
    if start < bytes.count { result.append(self[start..<bytes.count]) }
    return result
  }

  func replacing(_ old: TemplateText, with new: TemplateText, limit: Int = .max) -> TemplateText {
    var result = TemplateText.empty
    result.isSafe = isSafe
    var done = 0
    if old.isEmpty {
      // Python puts the new text before every character, and at the end.
      for character in characters {
        if done < limit {
          result.append(new)
          done += 1
        }
        result.append(character)
      }
      if done < limit { result.append(new) }
      return result
    }
    var start = 0
    while done < limit, let index = firstIndex(of: old, from: start) {
      result.append(self[start..<index])
      result.append(new)
      start = index + old.bytes.count
      done += 1
    }
    if done == 0 { return self }
    result.append(self[start..<bytes.count])
    return result
  }

  static func joined(_ parts: [TemplateText], by separator: TemplateText) -> TemplateText {
    var result = TemplateText.empty
    for (index, part) in parts.enumerated() {
      if index > 0 { result.append(separator) }
      result.append(part)
    }
    return result
  }

  /// The text without what stands at its ends: white space, or the scalars of a set.
  func trimmed(
    _ set: TemplateText? = nil, atStart: Bool = true, atEnd: Bool = true
  ) -> TemplateText {
    let wanted = set.map { Set($0.scalars) }
    func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
      wanted?.contains(scalar) ?? scalar.isPythonSpace
    }
    var (start, end) = (0, bytes.count)
    if atStart {
      while start < end {
        let (scalar, width) = scalar(at: start)
        guard isTrimmed(scalar) else { break }
        start += width
      }
    }
    if atEnd {
      while end > start {
        var place = end - 1
        while place > start, bytes[place] & 0xC0 == 0x80 { place -= 1 }
        guard isTrimmed(scalar(at: place).scalar) else { break }
        end = place
      }
    }
    return self[start..<end]
  }

  /// The scalar that begins at a byte, and how many bytes it has.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, width: Int) {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let text = String(decoding: bytes[offset..<min(offset + width, bytes.count)], as: UTF8.self)
    return (text.unicodeScalars.first ?? "\u{FFFD}", width)
  }
}

/// Looks for a text with the table of Knuth, Morris and Pratt: no byte is compared again for each byte
/// before it that matched.
private struct RepeatedSearch {
  private let wanted: [UInt8]
  /// For each number of bytes, how many of the last of them are the beginning once more.
  private let borders: [Int]

  init(_ wanted: [UInt8]) {
    self.wanted = wanted
    var borders = [0]
    borders.reserveCapacity(wanted.count)
    var border = 0
    for byte in wanted.dropFirst() {
      while border > 0, wanted[border] != byte { border = borders[border - 1] }
      if wanted[border] == byte { border += 1 }
      borders.append(border)
    }
    self.borders = borders
  }

  /// How many bytes there are up to the end of the first place where the text stands.
  func end(in bytes: some Sequence<UInt8>) -> Int? {
    var (count, matched) = (0, 0)
    for byte in bytes {
      count += 1
      while matched > 0, wanted[matched] != byte { matched = borders[matched - 1] }
      if wanted[matched] == byte { matched += 1 }
      if matched == wanted.count { return count }
    }
    return nil
  }
}

extension Unicode.Scalar {
  /// White space as Python's `str.isspace` has it: Unicode's, and four separators of ASCII.
  var isPythonSpace: Bool {
    switch value {
    case 0x20, 0x09...0x0D, 0x1C...0x1F: true
    case ..<0x85: false
    default: properties.isWhitespace
    }
  }

  /// Where `str.splitlines` cuts.
  var isPythonLineBreak: Bool {
    switch value {
    case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
