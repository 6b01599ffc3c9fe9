// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import IncrementalJSON
import TestSupport
import Testing

/// The table of the parser against what others know: of characters, of names, of broken texts.
@Suite struct JSONTransitionsTests {
  private static func error(of bytes: [UInt8], pieceSize: Int) -> (JSONSyntaxError?, JSONNode) {
    var parser = JSONStreamParser()
    do throws(JSONSyntaxError) {
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        let piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
        try parser.append(piece.span)
      }
      try parser.finish()
      return (nil, parser.snapshot)
    } catch {
      return (error, parser.snapshot)
    }
  }

  @Test(arguments: 0..<200)
  func bytesOfCharacters(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // The bytes around which the rules of UTF-8 change, twice in three.
    let edges: [UInt8] = [
      0x20, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        Int.random(in: 0..<3, using: &generator) > 0
          ? edges[Int.random(in: 0..<edges.count, using: &generator)]
          : UInt8.random(in: 0x23...0x5B, using: &generator)
      }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      let quote = UInt8(ascii: "\"")
      let asValue = Self.error(of: [quote] + bytes + [quote], pieceSize: 1)
      #expect((asValue.0 == nil) == isValid, "\(bytes)")
      if isValid { #expect(Array(asValue.1.text.utf8) == bytes) }
      let asName = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
      #expect((Self.error(of: asName, pieceSize: 2).0 == nil) == isValid, "\(bytes)")
    }
  }

  @Test(arguments: 0..<300)
  func brokenTextsBreakAtTheSamePlaceHoweverTheyCome(seed: UInt64) {
    var random = RandomJSON(seed: seed)
    var generator = SeededGenerator(seed: seed)
    var bytes = Array(random.text().utf8)
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: place)
      default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
      }
    }
    let whole = Self.error(of: bytes, pieceSize: max(bytes.count, 1)).0
    for pieceSize in [1, 2, 3, 4, 7] {
      let pieces = Self.error(of: bytes, pieceSize: pieceSize).0
      #expect(pieces?.offset == whole?.offset, "seed \(seed)")
      #expect(pieces?.problem == whole?.problem, "seed \(seed)")
    }
  }

  @Test(arguments: [
    #"{"a":{"b":1,"c":{}},"a":2}"#, #"{"":1,"":2}"#, #"{"a":[{"a":1}],"\u0061":2}"#,
    #"{"\u0061":1,"a":2}"#, #"{"ab":1,"axb":2,"ab":3}"#, #"{"é":1,"\u00e9":2}"#,
  ])
  func namesThatAreThereAlready(text: String) {
    let error = Self.error(of: Array(text.utf8), pieceSize: 4).0
    guard case .duplicateKey = error?.problem else {
      Issue.record("\(text): \(error?.description ?? "no error")")
      return
    }
  }

  @Test(arguments: [1, 5, 12, 13, 14, 40, 700])
  func namesThatDifferInTheMiddle(count: Int) throws {
    let names = (0..<count).map { "k\($0 + 1000)k" }
    let members = names.map { "\"\($0)\":{\"k\":0}" }
    let text = "{\(members.joined(separator: ","))"
    var parser = JSONStreamParser()
    try parser.append(text)
    var other = parser
    try parser.append("}")
    #expect(parser.snapshot.members().map(\.key) == names)
    #expect(throws: JSONSyntaxError.self) { try other.append(",\"\(names[count / 2])\"") }
  }

  @Test(arguments: [1, 100, 256, 257, 1023, 1024, 5000])
  func copiesShareWhatIsFull(count: Int) throws {
    var first = JSONStreamParser()
    try first.append("[" + String(repeating: "1,", count: count))
    var second = first
    let before = first.snapshot
    try first.append("\"a\"]")
    try second.append("2,{\"b\":[]}]")
    #expect(before.elements().count == count)
    #expect(first.snapshot.elements().count == count + 1)
    #expect(first.snapshot.elements().last?.text == "a")
    #expect(second.snapshot.elements().count == count + 2)
    #expect(second.snapshot.elements()[count].text == "2")
  }
}
