// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension StringSplit {
  /// The spellings before a closing quote that go on a text of another trie, with the nodes that they
  /// lead to: the two tries are gone down together.
  ///
  /// - Parameter start: The node of the other trie where the text stands.
  func spellings<Trie: TextTrie>(
    in trie: Trie, from start: Trie.Text
  ) -> [(prefix: Int32, end: Trie.Text)] {
    var result: [(prefix: Int32, end: Trie.Text)] = []
    if emptyPrefix >= 0 { result.append((emptyPrefix, start)) }
    var pending = [(parent: TokenTrie.root, node: start)]
    while let (parent, node) = pending.popLast() {
      trie.forEachChild(of: node) { byte, next in
        guard JSONSpelling.isPlain(byte), let below = prefixes.child(byte, of: parent) else {
          return
        }
        let prefix = prefixes.nodes[below].token
        if prefix >= 0 { result.append((prefix, next)) }
        if !prefixes.below(below).isEmpty { pending.append((below, next)) }
      }
    }
    var first = ByteSet()
    trie.forEachChild(of: start) { byte, _ in first.insert(byte) }
    for (prefix, text) in escapedPrefixes where text.first.map(first.contains) ?? true {
      var node: Trie.Text? = start
      for byte in text { node = node.flatMap { trie.child(of: $0, byte) } }
      if let node { result.append((prefix, node)) }
    }
    return result
  }
}
