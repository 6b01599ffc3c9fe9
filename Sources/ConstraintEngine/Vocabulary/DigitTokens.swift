// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens of digits alone, by their length and value.
///
/// Whether a number may go on with some digits depends on the value of the digits; for integers
/// within bounds the values that fit are a few ranges for each length, so that a table in order
/// gives the tokens without reading them.
struct DigitTokens: Sendable {
  struct Entry: Sendable {
    var value: UInt64
    var token: Int32
  }

  /// By length, shortest first: entry 0 holds the tokens of one digit. Ascending by value.
  let byLength: [[Entry]]
  /// The tokens of those.
  let tokensByLength: [[UInt32]]
  /// The nodes of a trie over tokens that start with digits and go on with something else.
  let mixed: [UInt32]
  /// Longer tokens are left to the general walk.
  static let maximumLength = DigitContinuations.longestToken

  init(trie: TokenTrie) {
    var byLength: [[Entry]] = []
    var mixed: [UInt32] = []
    var values = [UInt64](repeating: 0, count: Self.maximumLength + 1)
    var node = 0
    while node < trie.count, trie.nodes[node].byte < 0x30 { node = Int(trie.nodes[node].end) }
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let byte = trie.nodes[node].byte
      guard (0x30...0x39).contains(byte), depth <= Self.maximumLength else {
        if depth == 1 { break }
        mixed.append(UInt32(node))
        node = Int(trie.nodes[node].end)
        continue
      }
      values[depth] = values[depth - 1] * 10 + UInt64(byte - 0x30)
      trie.forEachToken(of: node) { token in
        while byLength.count < depth { byLength.append([]) }
        byLength[depth - 1].append(Entry(value: values[depth], token: token))
      }
      node += 1
    }
    self.byLength = byLength
    tokensByLength = byLength.map { $0.map { UInt32(bitPattern: $0.token) } }
    self.mixed = mixed
  }
}
