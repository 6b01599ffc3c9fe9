// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Hands bytes on as text, whole characters only. One whose end never comes, because a budget was used
/// up within it, is no text.
struct TextStream {
  private var held: [UInt8] = []

  /// Takes bytes in.
  ///
  /// - Returns: The text that is whole; the beginning of a character waits for its end.
  mutating func append(_ bytes: [UInt8]) -> String {
    held += bytes
    let whole = held.count - Self.unfinishedCount(held)
    let text = String(decoding: held[..<whole], as: UTF8.self)
    held.removeFirst(whole)
    return text
  }

  /// How many bytes at the end begin a character that is not whole.
  private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
    for back in 1...4 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let width = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return width > back ? back : 0
    }
    return 0
  }
}
