// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Text that ends at a mark: what could be the beginning of the mark is held back.
///
///     fed   "so it is 4", "2.\n</thi", "nk>\n\n"
///     given "so it is 4", "2.",         the end, and "\n\n" after the mark
struct MarkedStream {
  private let mark: String.UnicodeScalarView
  private var held = ""
  private var text = TextStream()
  /// What came after the mark; nil until it comes.
  private(set) var rest: String?

  init(mark: String) { self.mark = mark.unicodeScalars }

  /// Takes bytes in.
  ///
  /// - Returns: Text that is before the mark for certain, without white space at its end.
  mutating func append(_ bytes: [UInt8]) -> String {
    held += text.append(bytes)
    // By code points: a mark and a sign of some script after it are one character.
    let scalars = held.unicodeScalars
    if let range = scalars.firstRange(of: mark) {
      rest = String(held[range.upperBound...])
      defer { held = "" }
      return Self.trimmed(held[..<range.lowerBound])
    }
    let open =
      mark.isEmpty
      ? 0 : (1...mark.count).last { scalars.suffix($0).elementsEqual(mark.prefix($0)) } ?? 0
    let free = Self.trimmed(Substring(scalars.dropLast(open)))
    held.unicodeScalars.removeFirst(free.unicodeScalars.count)
    return free
  }

  /// What is left where the mark does not come.
  mutating func finish() -> String {
    defer { held = "" }
    return Self.trimmed(held[...])
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
