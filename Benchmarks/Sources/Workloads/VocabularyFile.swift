// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ConstrainedDecoding
import Foundation

/// Reads a vocabulary file: `TVOC`, u32 count, u32 end-of-sequence id, then for each token u8 flags
/// (1: special), u16 length and the bytes; little-endian.
public func readVocabulary(_ path: String) throws -> Vocabulary {
  let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  var at = 4
  func read(_ count: Int) -> Int {
    var value = 0
    for place in 0..<count { value |= Int(data[at + place]) << (8 * place) }
    at += count
    return value
  }
  guard data.starts(with: Array("TVOC".utf8)) else {
    throw CocoaError(.fileReadCorruptFile)
  }
  let count = read(4)
  let end = read(4)
  var tokens: [[UInt8]] = []
  var special: Set<Int> = []
  for token in 0..<count {
    if read(1) & 1 == 1 { special.insert(token) }
    let length = read(2)
    tokens.append(Array(data[at..<at + length]))
    at += length
  }
  return try Vocabulary(tokens: tokens, specialTokens: special, endOfSequence: end)
}
