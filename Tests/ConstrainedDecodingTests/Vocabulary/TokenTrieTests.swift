// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

/// The trie of the tokens, against a dictionary of their texts.
@Suite struct TokenTrieTests {
  private static func tokens(_ generator: inout SeededGenerator) -> [[UInt8]] {
    let bytes: [UInt8] = [0x00, 0x22, 0x5C, 0x61, 0x62, 0x7A, 0xC3, 0xFF]
    return (0..<Int.random(in: 1...400, using: &generator)).map { _ in
      (0..<Int.random(in: 0...12, using: &generator)).map { place in
        // Long common beginnings, beyond the eight bytes by which texts are sorted first.
        place < 8 && Int.random(in: 0..<3, using: &generator) > 0
          ? 0x61 : bytes.randomElement(using: &generator) ?? 0x61
      }
    }
  }

  @Test func everyTextAndNoOtherIsFound() {
    for seed in UInt64(0)..<80 {
      var generator = SeededGenerator(seed: seed)
      let tokens = Self.tokens(&generator)
      let special = Set(
        tokens.indices.filter { _ in Int.random(in: 0..<20, using: &generator) == 0 })
      var starts = [0]
      for token in tokens { starts.append((starts.last ?? 0) + token.count) }
      let trie = TokenTrie(text: tokens.flatMap { $0 }, starts: starts, special: special)
      var byText: [[UInt8]: Set<Int>] = [:]
      var prefixes: Set<[UInt8]> = []
      for (token, text) in tokens.enumerated() where !text.isEmpty && !special.contains(token) {
        byText[text, default: []].insert(token)
        for count in 1...text.count { prefixes.insert(Array(text.prefix(count))) }
      }
      #expect(trie.count == prefixes.count, "seed \(seed)")
      for prefix in prefixes {
        guard let node = trie.node(prefix) else {
          Issue.record("seed \(seed): \(prefix) is not found")
          continue
        }
        var found: Set<Int> = []
        var token = Int(trie.nodes[node].token)
        while token >= 0 {
          #expect(found.insert(token).inserted, "seed \(seed): token \(token) comes twice")
          token = Int(trie.duplicates[token])
        }
        #expect(found == byText[prefix] ?? [], "seed \(seed): \(prefix)")
        #expect(Int(trie.nodes[node].depth) == prefix.count, "seed \(seed)")
        #expect(trie.nodes[node].byte == prefix.last, "seed \(seed)")
        #expect(trie.isBeforeEscape(node) == prefixes.contains(prefix + [0x5C]), "seed \(seed)")
        for byte in [0x22, 0x61, 0xFF] as [UInt8] where !prefixes.contains(prefix + [byte]) {
          #expect(trie.child(byte, of: node) == nil, "seed \(seed): \(prefix), \(byte)")
        }
      }
      checkOrder(trie, seed)
    }
  }

  /// Depth first: a node's subtree follows it, and the children ascend.
  private func checkOrder(_ trie: TokenTrie, _ seed: UInt64) {
    var open: [(end: Int, last: Int)] = [(trie.count, -1)]
    for node in 0..<trie.count {
      while let level = open.last, level.end == node, open.count > 1 { open.removeLast() }
      let depth = Int(trie.nodes[node].depth)
      #expect(depth == open.count, "seed \(seed), node \(node)")
      let level = open[open.count - 1]
      #expect(Int(trie.nodes[node].byte) > level.last, "seed \(seed), node \(node)")
      open[open.count - 1].last = Int(trie.nodes[node].byte)
      let end = Int(trie.nodes[node].end)
      #expect(end > node && end <= level.end, "seed \(seed), node \(node)")
      open.append((end, -1))
    }
    #expect(open.allSatisfy { $0.end == trie.count }, "seed \(seed)")
  }
}
