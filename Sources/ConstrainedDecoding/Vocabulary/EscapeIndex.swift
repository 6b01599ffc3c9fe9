// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens that start with a backslash, by the character that they spell.
///
/// A string or key that must go on with one of a few ASCII characters can do so by an escape. Next
/// to no token holds a whole one that spells such a character: of the others it is enough to know
/// which characters they can still become. `\u006` can become any of `` ` `` to `o`.
struct EscapeIndex: Sendable {
  /// Characters below 128.
  struct Characters: Sendable {
    private var bits = SIMD2<UInt64>.zero

    mutating func insert(_ character: UInt8) {
      bits[Int(character >> 6)] |= 1 << UInt64(character & 63)
    }

    func meets(_ other: Characters) -> Bool { bits & other.bits != .zero }
  }

  /// Tokens that end inside of their first escape, with what that can spell.
  private(set) var unfinished: [(token: Int32, characters: Characters)] = []
  /// What tokens spell by a whole escape at their start.
  private(set) var whole = Characters()

  init(trie: TokenTrie, anyEscapes: Bool) {
    guard let root = trie.root(0x5C) else { return }
    add(root, Escape(.backslash), trie, anyEscapes: anyEscapes)
  }

  private mutating func add(_ node: Int, _ escape: Escape, _ trie: TokenTrie, anyEscapes: Bool) {
    var characters = Characters()
    for range in escape.scalars(anyEscapes: anyEscapes) where range.lowerBound < 0x80 {
      for scalar in range.lowerBound...min(range.upperBound, 0x7F) {
        characters.insert(UInt8(scalar))
      }
    }
    var token = trie.nodes[node].token
    while token >= 0 {
      unfinished.append((token, characters))
      token = trie.duplicates[Int(token)]
    }
    let below = trie.below(node)
    var child = below.lowerBound
    while child < below.upperBound {
      switch escape.spelled(trie.nodes[child].byte, anyEscapes: anyEscapes) {
      case .escape(let next): add(child, next, trie, anyEscapes: anyEscapes)
      case .scalar(let scalar): if scalar < 0x80 { whole.insert(UInt8(scalar)) }
      default: break
      }
      child = Int(trie.nodes[child].end)
    }
  }
}
