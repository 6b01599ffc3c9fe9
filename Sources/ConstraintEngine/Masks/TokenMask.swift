// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens that may come next.
///
/// A mask is a base that many masks share (no token, white space, the inside of a string) with the
/// few tokens by which it differs, so that a mask that has been seen costs little memory and making
/// a new one touches only the tokens that it is about.
public struct TokenMask: Sendable {
  package let storage: Storage

  /// What a mask shares between its copies: immutable once made.
  package final class Storage: Sendable {
    package let base: MaskBase
    /// Tokens that are not in the base, each once, in no order.
    package let added: [UInt32]
    /// Tokens of the base that are not allowed.
    package let removed: [UInt32]
    /// All bits, where they are kept.
    let bits: MaskBase?

    init(base: MaskBase, added: [UInt32], removed: [UInt32] = [], bits: MaskBase? = nil) {
      self.base = base
      self.added = added
      self.removed = removed
      self.bits = bits ?? (added.isEmpty && removed.isEmpty ? base : nil)
    }

    /// Whether the mask differs from its base by so much that its bits are better kept.
    var isWorthBits: Bool { bits == nil && added.count + removed.count >= 64 }

    /// The same mask with its bits kept.
    func withBits() -> Storage {
      let bits = MaskBase(words: words, count: count)
      return Storage(base: base, added: added, removed: removed, bits: bits)
    }

    /// The same mask in memory of its own, but for its base.
    func copy() -> Storage {
      Storage(base: base, added: added.map(\.self), removed: removed.map(\.self), bits: bits)
    }

    convenience init(words: [UInt32]) {
      self.init(base: MaskBase(words: words), added: [])
    }

    /// The memory held, in bytes; a base is counted where it may be the mask's own.
    var byteCount: Int {
      let own = added.isEmpty && removed.isEmpty ? base.words.count * 4 : 0
      return 96 + own + (added.count + removed.count) * 4
    }

    package var count: Int { base.count + added.count - removed.count }

    /// The same for masks that are made of the same; of many bits some are looked at.
    var contentHash: UInt64 {
      var hash = UInt64(base.count) << 32 | UInt64(added.count) << 16 ^ UInt64(removed.count)
      func add(_ word: UInt32) {
        hash = (hash ^ UInt64(word)) &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 29
      }
      for place in stride(from: 0, to: base.words.count, by: 64) { add(base.words[place]) }
      for token in added { add(token) }
      for token in removed { add(token) }
      return hash >> 1
    }

    /// Whether another mask is made of the same.
    func isAlike(_ other: Storage) -> Bool {
      base.count == other.base.count && added == other.added && removed == other.removed
        && (base === other.base || base.words == other.base.words)
    }

    package func contains(_ token: UInt32) -> Bool {
      if let bits { return bits.contains(token) }
      guard base.contains(token) else { return added.contains(token) }
      return removed.isEmpty || !removed.contains(token)
    }

    /// All bits.
    var words: [UInt32] {
      if let bits { return bits.words }
      var words = base.words
      words.allow(added)
      words.refuse(removed)
      return words
    }
  }

  /// The number of tokens allowed.
  public var count: Int { storage.count }

  /// Whether a token is allowed.
  public func contains(_ token: Int) -> Bool {
    guard let token = UInt32(exactly: token) else { return false }
    return storage.contains(token)
  }

  /// Calls a closure with every allowed token, in ascending order; linear in the number of tokens
  /// allowed where they are few, and in the vocabulary's size over 32 otherwise.
  public func forEach(_ body: (Int) -> Void) {
    if storage.base.count == 0 {
      for token in storage.added.sorted() { body(Int(token)) }
      return
    }
    for (index, word) in storage.words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index << 5 | rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  /// The allowed tokens in ascending order.
  public var tokens: [Int] {
    var result: [Int] = []
    result.reserveCapacity(count)
    forEach { result.append($0) }
    return result
  }

  /// Writes the mask as bits: token *t* is bit `t % 32` of word `t / 32`, as other engines lay it
  /// out. The memory is the caller's: a row of a batch, for example, that goes to a GPU.
  ///
  /// - Parameter bits: at least one word for every 32 tokens of the vocabulary; words past the
  ///   vocabulary are cleared.
  public func copy(to bits: inout MutableSpan<UInt32>) {
    // Unsafe: the words are copied as memory.
    bits.withUnsafeMutableBufferPointer { target in
      if let bits = storage.bits { return bits.copy(to: target) }
      storage.base.copy(to: target)
      for token in storage.added where Int(token >> 5) < target.count {
        target[Int(token >> 5)] |= 1 << (token & 31)
      }
      for token in storage.removed where Int(token >> 5) < target.count {
        target[Int(token >> 5)] &= ~(1 << (token & 31))
      }
    }
  }
}
