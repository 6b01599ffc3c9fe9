// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// For every node of a trie: what goes on below it with the text of a rest.
///
/// Where a token may leave an object or array in its middle, what is left of it is a rest, which is up
/// to what lies below. The tokens `}`, `},` and `}]` have under the node `}` the rests `,` and `]`.
final class ExitIndex: Sendable {
  /// A token, or the index of a rest, that leaves something, and what is left of it there.
  struct Exit: Sendable {
    var id: UInt32
    var rest: Int32
  }

  private let starts: [Int32]
  private let exits: [Exit]

  init(_ trie: TokenTrie, rests: TokenTrie) {
    var starts: [Int32] = []
    starts.reserveCapacity(trie.count + 1)
    var exits: [Exit] = []
    for node in 0..<trie.count {
      starts.append(Int32(exits.count))
      Self.add(trie, below: node, rests, TokenTrie.root, to: &exits)
    }
    starts.append(Int32(exits.count))
    self.starts = starts
    self.exits = exits
  }

  /// What goes on below a node.
  @inline(__always)
  func below(_ node: Int) -> ArraySlice<Exit> {
    exits[Int(starts[node])..<Int(starts[node + 1])]
  }

  /// Goes down two tries by the same texts: that of tokens and that of rests.
  static func add(
    _ trie: TokenTrie, below parent: Int, _ rests: TokenTrie, _ restParent: Int,
    to exits: inout [Exit]
  ) {
    let nodes = trie.below(parent)
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      if let rest = rests.child(trie.nodes[node].byte, of: restParent) {
        let left = rests.nodes[rest].token
        if left >= 0 {
          trie.forEachToken(of: node) { exits.append(Exit(id: UInt32(bitPattern: $0), rest: left)) }
        }
        add(trie, below: node, rests, rest, to: &exits)
      }
      node = Int(trie.nodes[node].end)
    }
  }
}
