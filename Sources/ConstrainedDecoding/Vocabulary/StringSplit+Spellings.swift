// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension StringSplit {
  /// The spellings before a closing quote that go on a text of another trie, with the nodes that they
  /// lead to: the two tries are gone down together.
  ///
  /// - Parameters:
  ///   - start: The node of the other trie where the text stands.
  ///   - children: What the nodes of that trie lead to, by their bytes.
  ///   - child: The same for one byte.
  func spellings<Node>(
    from start: Node, children: (Node) -> [(UInt8, Node)], child: (Node, UInt8) -> Node?
  ) -> [(prefix: Int32, end: Node)] {
    var result: [(prefix: Int32, end: Node)] = []
    if emptyPrefix >= 0 { result.append((emptyPrefix, start)) }
    var pending = [(parent: TokenTrie.root, node: start)]
    while let (parent, node) = pending.popLast() {
      for (byte, next) in children(node) where JSONSpelling.isPlain(byte) {
        guard let below = prefixes.child(byte, of: parent) else { continue }
        let prefix = prefixes.nodes[below].token
        if prefix >= 0 { result.append((prefix, next)) }
        pending.append((below, next))
      }
    }
    let first = children(start).map(\.0)
    for (prefix, text) in escapedPrefixes where text.first.map(first.contains) ?? true {
      var node: Node? = start
      for byte in text { node = node.flatMap { child($0, byte) } }
      if let node { result.append((prefix, node)) }
    }
    return result
  }
}
