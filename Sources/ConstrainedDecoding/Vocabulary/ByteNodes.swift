/// For each byte of ASCII the nodes of a trie that it leads to, in order.
///
/// An object, for the same reason as ``TokenTrie``.
final class ByteNodes: Sendable {
  private let starts: [Int32]
  private let nodes: [UInt32]

  init(_ trie: TokenTrie) {
    var starts = [Int32](repeating: 0, count: 129)
    for node in trie.nodes where node.byte < 0x80 { starts[Int(node.byte) + 1] += 1 }
    for byte in 0..<128 { starts[byte + 1] += starts[byte] }
    var nodes = [UInt32](repeating: 0, count: Int(starts[128]))
    var places = starts
    for (place, node) in trie.nodes.enumerated() where node.byte < 0x80 {
      nodes[Int(places[Int(node.byte)])] = UInt32(place)
      places[Int(node.byte)] += 1
    }
    (self.starts, self.nodes) = (starts, nodes)
  }

  /// The first node of a byte that is not before another node; `.max` where there is none.
  ///
  /// - Parameter cursor: How many nodes of the byte are known to be before it: zero at first.
  @inline(__always)
  func next(_ byte: UInt8, from node: Int, _ cursor: inout Int) -> Int {
    var place = Int(starts[Int(byte)]) + cursor
    let end = Int(starts[Int(byte) + 1])
    while place < end, Int(nodes[place]) < node { place += 1 }
    cursor = place - Int(starts[Int(byte)])
    return place < end ? Int(nodes[place]) : .max
  }
}
