// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

/// The table of texts against a dictionary of all of them.
@Suite struct TextTableTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func equalTextsAreEqualIDs(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = TextTable()
    var ids: [[UInt8]: UInt32] = [[]: TextTable.empty]
    var texts: [[UInt8]] = [[]]
    for _ in 0..<400 {
      // Some go on where an earlier one ended, most with few letters, so that they part everywhere.
      var text =
        Bool.random(using: &generator) ? [] : texts.randomElement(using: &generator) ?? []
      var id = ids[text] ?? TextTable.empty
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let byte = UInt8.random(in: 0x61...0x63, using: &generator)
        #expect(table.child(of: id, byte) == ids[text + [byte]], "seed \(seed)")
        id = table.append(byte, to: id)
        text.append(byte)
        #expect(ids[text] ?? id == id, "seed \(seed)")
        if ids.updateValue(id, forKey: text) == nil { texts.append(text) }
      }
    }
    for (text, id) in ids {
      #expect(table.bytes(of: id) == text)
      #expect(table.firstByte(of: id) == text.first)
      let children = Self.children(of: id, in: table).sorted()
      #expect(children == (0x61...0x63).filter { ids[text + [$0]] != nil }, "seed \(seed)")
      let start = Int.random(in: 0...text.count, using: &generator)
      let before = ids[Array(text[..<start])] ?? TextTable.unknown
      let rest = table.bytes(of: id, after: before, atMost: 6)
      #expect(rest == (text.count - start <= 6 ? Array(text[start...]) : nil), "seed \(seed)")
    }
    let one = table.append(0x64, to: TextTable.empty)
    let other = table.append(0x65, to: TextTable.empty)
    #expect(table.bytes(of: one, after: other, atMost: 9) == nil)
  }

  private static func children(of text: UInt32, in table: TextTable) -> [UInt8] {
    var result: [UInt8] = []
    table.forEachChild(of: text) { byte, _ in result.append(byte) }
    return result
  }

  @Test func unknownTextsStayUnknown() {
    var table = TextTable()
    #expect(table.append(0x61, to: TextTable.unknown) == TextTable.unknown)
    _ = table.append(0x61, to: TextTable.empty)
    #expect(table.child(of: TextTable.unknown, 0x61) == nil)
    #expect(Self.children(of: TextTable.unknown, in: table).isEmpty)
    #expect(table.bytes(of: TextTable.unknown) == [])
  }

  /// What `uniqueItems` keeps of long strings is bounded by their length.
  @Test func longTextsTakeFiveBytesForEachOfTheirOwn() {
    var table = TextTable()
    let before = table.byteCount
    for first in UInt8(0x61)...0x6A {
      var text = table.append(first, to: TextTable.empty)
      for _ in 1..<10_000 { text = table.append(0x7A, to: text) }
    }
    #expect(table.byteCount - before <= 6 * 100_000)
  }
}
