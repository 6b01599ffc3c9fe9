/// For each byte of ASCII the nodes of a trie that it leads to, in order.
///
/// An object, for the same reason as ``TokenTrie``.
final class ByteNodes: Sendable {
  /// A node and the one after its subtree: with that beside it, subtrees in which nothing happens are
  /// gone over without a look at the trie, which is larger than the nearer caches.
  struct Subtree: Sendable {
    var node: UInt32 = 0
    var end: UInt32 = 0
  }

  private let starts: [Int32]
  private let subtrees: [Subtree]

  init(_ trie: TokenTrie) {
    var starts = [Int32](repeating: 0, count: 129)
    for node in trie.nodes where node.byte < 0x80 { starts[Int(node.byte) + 1] += 1 }
    for byte in 0..<128 { starts[byte + 1] += starts[byte] }
    var ranges = [Subtree](repeating: Subtree(), count: Int(starts[128]))
    var places = starts
    for (place, node) in trie.nodes.enumerated() where node.byte < 0x80 {
      ranges[Int(places[Int(node.byte)])] = Subtree(node: UInt32(place), end: node.end)
      places[Int(node.byte)] += 1
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
