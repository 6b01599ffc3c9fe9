// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
  /// The bytes as people read them: whole characters as text, each byte of another as `\xE6`.
  ///
  /// - Parameter quote: What is done to the text between such bytes.
  package func shown(_ quote: (String) -> String = { $0 }) -> String {
    var result = ""
    var text: [UInt8] = []
    var at = 0
    func characterEnd() -> Int? {
      let end = at + (self[at] < 0x80 ? 1 : self[at] < 0xE0 ? 2 : self[at] < 0xF0 ? 3 : 4)
      return end <= count && String(validating: self[at..<end], as: UTF8.self) != nil ? end : nil
    }
    while at < count {
      if let end = characterEnd() {
        text += self[at..<end]
        at = end
        continue
      }
      if !text.isEmpty { result += quote(String(decoding: text, as: UTF8.self)) }
      text = []
      result += "\\x" + String(self[at], radix: 16, uppercase: true)
      at += 1
    }
    return text.isEmpty ? result : result + quote(String(decoding: text, as: UTF8.self))
  }

  /// The character that a byte is a part of, and where it ends; nil where the bytes are no text there.
  package func scalar(at offset: Int, from start: Int = 0) -> (scalar: Unicode.Scalar, end: Int)? {
    guard offset < count else { return nil }
    var first = offset
    while first > start, first > offset - 3, self[first] & 0xC0 == 0x80 { first -= 1 }
    var end = offset + 1
    while end < count, end < first + 4, self[end] & 0xC0 == 0x80 { end += 1 }
    guard let scalars = String(validating: self[first..<end], as: UTF8.self)?.unicodeScalars,
      scalars.count == 1, let scalar = scalars.first
    else { return nil }
    return (scalar, end)
  }

  /// The character that a byte is a part of, in words: with the marks upon it, which tell `é` written
  /// as one code point from `é` written as two.
  package func characterInWords(at offset: Int, from start: Int = 0) -> String? {
    guard let (scalar, end) = scalar(at: offset, from: start) else { return nil }
    var marked = String(scalar)
    var next = end
    while scalar.properties.isAlphabetic, let (mark, end) = self.scalar(at: next, from: next),
      mark.properties.generalCategory == .nonspacingMark, marked.unicodeScalars.count < 4
    {
      marked.unicodeScalars.append(mark)
      next = end
    }
    guard marked.unicodeScalars.count > 1 else { return scalar.inWords }
    return "`\(marked)` (\(marked.codePoints))"
  }
}
