// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// For each byte of ASCII the nodes of a trie that it leads to, in order, and those that white space
/// beyond ASCII leads to.
///
/// An object, for the same reason as ``TokenTrie``.
final class ByteNodes: Sendable {
  /// A node and the one after its subtree: with that beside it, subtrees in which nothing happens are
  /// gone over without a look at the trie, which is larger than the nearer caches.
  struct Subtree: Sendable {
    var node: UInt32 = 0
    var end: UInt32 = 0
  }

  /// What stands for white space beyond ASCII among the bytes.
  static let space: UInt8 = 0x80

  private let starts: [Int32]
  private let subtrees: [Subtree]

  init(_ trie: TokenTrie, _ signatures: TokenSignatures) {
    func byte(_ node: Int) -> Int? {
      let byte = trie.nodes[node].byte
      if byte < 0x80 { return Int(byte) }
      return signatures.isSpaceBeyondASCII(node) ? Int(Self.space) : nil
    }
    var starts = [Int32](repeating: 0, count: Int(Self.space) + 2)
    for node in 0..<trie.count {
      if let byte = byte(node) { starts[byte + 1] += 1 }
    }
    for byte in 0...Int(Self.space) { starts[byte + 1] += starts[byte] }
    var ranges = [Subtree](repeating: Subtree(), count: Int(starts[Int(Self.space) + 1]))
    var places = starts
    for node in 0..<trie.count {
      guard let byte = byte(node) else { continue }
      ranges[Int(places[byte])] = Subtree(node: UInt32(node), end: trie.nodes[node].end)
      places[byte] += 1
    }
    (self.starts, subtrees) = (starts, ranges)
  }

  /// The first subtree under a byte that does not start before a node; `nil` where there is none.
  ///
  /// - Parameter cursor: How many of the byte are known to start before it: zero at first.
  @inline(__always)
  func next(_ byte: UInt8, from node: Int, _ cursor: inout Int) -> Subtree? {
    var place = Int(starts[Int(byte)]) + cursor
    let end = Int(starts[Int(byte) + 1])
    while place < end, Int(subtrees[place].node) < node { place += 1 }
    cursor = place - Int(starts[Int(byte)])
    return place < end ? subtrees[place] : nil
  }
}
