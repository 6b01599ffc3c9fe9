// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tokens as they are found: those of a base, and a list, or all as bits where there are many.
struct FoundTokens {
  private(set) var base: MaskBase
  private(set) var list: [UInt32] = []
  /// All bits, once these are kept.
  private(set) var words: [UInt32] = []

  /// A list is looked through, and copied where masks differ; many tokens are better bits.
  private static let longestList = 2048

  init(none: MaskBase) { base = none }

  private var areBits: Bool { !words.isEmpty }

  /// Adds all tokens of a base.
  mutating func add(_ more: MaskBase) {
    if !areBits, base.count == 0 {
      base = more
    } else if more.count > 0 {
      makeBits()
      var bits = words.mutableSpan
      MaskBuilder.unite(&bits, more.words)
    }
  }

  /// Makes all that was found bits.
  mutating func makeBits() {
    if areBits { return }
    words = base.words
    for token in list { words[Int(token >> 5)] |= 1 << (token & 31) }
    list = []
  }

  /// Adds a token of a trie, if it is one, with its duplicates.
  mutating func add(_ token: Int32, _ trie: TokenTrie) {
    if token < 0 { return }
    add(one: token)
    if !trie.hasDuplicates { return }
    var token = trie.duplicates[Int(token)]
    while token >= 0 {
      add(one: token)
      token = trie.duplicates[Int(token)]
    }
  }

  @inline(__always)
  mutating func add(one token: Int32) {
    if areBits {
      words[Int(token) >> 5] |= 1 << UInt32(token & 31)
    } else {
      list.append(UInt32(bitPattern: token))
    }
  }

  /// The tokens as a base and a list of those that it lacks.
  mutating func take() -> (base: MaskBase, added: [UInt32]) {
    if list.count > Self.longestList { makeBits() }
    if areBits { return (MaskBase(words: words), []) }
    return (base, list.filter { !base.contains($0) })
  }
}

extension Inside {
  init(found: FoundTokens, closing: [(prefix: Int32, state: UInt32)]) {
    var found = found
    let (base, added) = found.take()
    self.init(base: base, added: added, closing: closing)
  }
}
