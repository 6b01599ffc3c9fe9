// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// SentencePiece's byte-pair encoding: characters are merged, the neighbours whose union has the
/// best score first, the leftmost of equals first; what has no token is written byte by byte.
///
/// Source: Kudo and Richardson 2018, and the order of llama.cpp.
struct SentencePieceEncoder: Sendable {
  private let table: ByteStringTable
  private let scores: [Float]
  private let byteTokens: [Int?]
  private let unknown: Int?
  private let addsSpacePrefix: Bool

  init(_ tables: TokenizerTables) throws(GGUFError) {
    let table = ByteStringTable(tables.tokens)
    self.table = table
    scores = tables.scores
    unknown = tables.unknown
    addsSpacePrefix = tables.addsSpacePrefix
    byteTokens = SentencePieceText.byteTokens(table)
  }

  private struct Pair: Comparable {
    var score: Float
    var left: Int
    var right: Int
    var length: Int

    static func < (a: Pair, b: Pair) -> Bool {
      a.score != b.score ? a.score > b.score : a.left < b.left
    }
  }

  func encode(_ text: ArraySlice<UInt8>, addsSpace: Bool, into tokens: inout [Int]) {
    let prefix = addsSpace && addsSpacePrefix ? [UInt8(0x20)] : []
    let bytes = SentencePieceText.escaped(prefix + text)
    var starts: [Int] = []
    for index in bytes.indices where bytes[index] & 0xC0 != 0x80 || index == 0 {
      starts.append(index)
    }
    let count = starts.count
    var lengths = (0..<count).map { ($0 + 1 < count ? starts[$0 + 1] : bytes.count) - starts[$0] }
    var next = Array(1..<(count + 1))
    var previous = Array(-1..<(count - 1))
    var heap = BinaryHeap<Pair>()

    func propose(_ left: Int, _ right: Int) {
      guard left >= 0, right < count else { return }
      let length = lengths[left] + lengths[right]
      guard let token = table.index(of: bytes[starts[left]..<(starts[left] + length)]) else {
        return
      }
      heap.insert(Pair(score: scores[token], left: left, right: right, length: length))
    }

    for index in 0..<max(0, count - 1) { propose(index, index + 1) }
    while let pair = heap.removeFirst() {
      guard lengths[pair.left] > 0, lengths[pair.right] > 0,
        lengths[pair.left] + lengths[pair.right] == pair.length
      else { continue }
      lengths[pair.left] = pair.length
      lengths[pair.right] = 0
      next[pair.left] = next[pair.right]
      if next[pair.right] < count { previous[next[pair.right]] = pair.left }
      propose(previous[pair.left], pair.left)
      propose(pair.left, next[pair.left])
    }
    var index = 0
    while index < count {
      let piece = bytes[starts[index]..<(starts[index] + lengths[index])]
      if let token = table.index(of: piece) {
        tokens.append(token)
      } else {
        for byte in piece {
          if let token = byteTokens[Int(byte)] ?? unknown { tokens.append(token) }
        }
      }
      index = next[index]
    }
  }
}
