// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// JSON's spelling of a string with any content, as a small table: which bytes keep a reader inside
/// the string, and which quote closes it.
///
/// States 0…7 are between two scalars and inside a UTF-8 sequence, the others inside an escape. A
/// scanner has no content to compare with, so that its table serves every string without a pattern.
struct StringScanner: Sendable {
  static let dead: UInt8 = 255
  static let closed: UInt8 = 254
  static let boundary: UInt8 = 0

  private var table: [UInt8]

  func next(_ state: UInt8, _ byte: UInt8) -> UInt8 { table[Int(state) << 8 | Int(byte)] }

  init(anyEscapes: Bool) {
    let stateCount = 24
    var table = [UInt8](repeating: Self.dead, count: stateCount * 256)
    func set(_ state: Int, _ bytes: ClosedRange<Int>, _ next: UInt8) {
      for byte in bytes { table[state << 8 | byte] = next }
    }
    func set(_ state: Int, _ characters: String, _ next: UInt8) {
      for byte in characters.utf8 { table[state << 8 | Int(byte)] = next }
    }
    let digits = "0123456789abcdef" + (anyEscapes ? "ABCDEF" : "")
    set(0, 0x20...0x7F, 0)
    set(0, "\"", Self.closed)
    set(0, "\\", 8)
    set(0, 0xC2...0xDF, 1)
    set(0, 0xE1...0xEF, 2)
    set(0, 0xE0...0xE0, 4)
    set(0, 0xED...0xED, 5)
    set(0, 0xF1...0xF3, 3)
    set(0, 0xF0...0xF0, 6)
    set(0, 0xF4...0xF4, 7)
    set(1, 0x80...0xBF, 0)
    set(2, 0x80...0xBF, 1)
    set(3, 0x80...0xBF, 2)
    set(4, 0xA0...0xBF, 1)
    set(5, 0x80...0x9F, 1)
    set(6, 0x90...0xBF, 2)
    set(7, 0x80...0x8F, 2)
    set(8, "\"\\bfnrt" + (anyEscapes ? "/" : ""), 0)
    set(8, "u", 9)
    if anyEscapes {
      set(9, digits, 10)
      set(9, "dD", 11)
      set(10, digits, 12)
      set(12, digits, 13)
      set(13, digits, 0)
      set(11, "01234567", 12)
      set(11, "89abAB", 14)
      set(14, digits, 15)
      set(15, digits, 16)
      set(16, "\\", 17)
      set(17, "u", 18)
      set(18, "dD", 19)
      set(19, "cdefCDEF", 12)
    } else {
      // Only the controls without a letter are spelled by their number: 00…1f less 8, 9, a, c, d.
      set(9, "0", 10)
      set(10, "0", 11)
      set(11, "0", 12)
      set(11, "1", 13)
      set(12, "01234567bef", 0)
      set(13, digits, 0)
    }
    self.table = table
  }
}
