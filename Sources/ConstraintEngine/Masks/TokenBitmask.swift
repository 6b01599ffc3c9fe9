// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A mask as bits, one for each token, kept from step to step.
///
/// Token *t* is bit `t % 32` of word `t / 32`, as other engines lay it out. Most masks differ from
/// the one before by a few hundred tokens, and inside a string by none: filling touches only those,
/// where a copy of the whole would move 16 KB for a vocabulary of 128,256 tokens.
///
/// ```swift
/// var bitmask = TokenBitmask(vocabulary: vocabulary)
/// matcher.fill(&bitmask)
/// if bitmask[token] { try matcher.accept(token) }
/// ```
public struct TokenBitmask: Sendable {
  /// The bits, 32 tokens a word.
  public private(set) var words: [UInt32]
  /// What the bits say now; `nil` where no token is allowed.
  private var shown: TokenMask.Storage?
  /// Bits of masks shown before, each kept beside its base, so that the next mask with that base
  /// costs no more than its tokens. The one that `words` was taken from is empty.
  private var planes: [Plane] = []
  private var current: Int?
  /// The plane that is given up next.
  private var oldest = 0

  fileprivate struct Plane {
    var words: [UInt32]
    var shown: TokenMask.Storage
    /// The base of what is shown: all threads share it, and counting its references makes them wait.
    var base: ObjectIdentifier

    init(words: [UInt32], shown: TokenMask.Storage) {
      (self.words, self.shown, base) = (words, shown, ObjectIdentifier(shown.base))
    }
  }

  /// What alternates in one text: inside strings, between values, inside declared names, and one
  /// more.
  private static let planeLimit = 4

  /// Creates a mask that allows no token.
  ///
  /// - Parameter vocabulary: the tokens that it has bits for.
  public init(vocabulary: Vocabulary) {
    words = [UInt32](repeating: 0, count: (vocabulary.count + 31) / 32)
  }

  /// Whether a token is allowed; no token out of the vocabulary's range is.
  @inlinable
  public subscript(token: Int) -> Bool {
    guard token >= 0, token >> 5 < words.count else { return false }
    return words[token >> 5] >> UInt32(token & 31) & 1 == 1
  }

  /// The number of tokens allowed.
  public var count: Int { shown?.count ?? 0 }

  /// Sets the logits of all tokens that are not allowed to minus infinity.
  ///
  /// - Parameter logits: one for each token, by id. Those past the vocabulary, which models have that give
  ///   more logits than they have tokens, are set too.
  /// - Complexity: a look at each word, and a write for each token that is not allowed.
  public func apply(to logits: inout MutableSpan<Float>) {
    // Unsafe: whole words of tokens are written as memory. All counts are taken from the buffers.
    logits.withUnsafeMutableBufferPointer { target in
      for (index, word) in words.enumerated() where word != .max {
        let start = index << 5
        guard start < target.count else { return }
        let end = min(start + 32, target.count)
        if word == 0 {
          target[start..<end].update(repeating: -.infinity)
          continue
        }
        var refused = ~word
        while refused != 0 {
          let token = start | refused.trailingZeroBitCount
          if token < end { target[token] = -.infinity }
          refused &= refused - 1
        }
      }
      let known = min(words.count << 5, target.count)
      target[known...].update(repeating: -.infinity)
    }
  }

  /// Sets the logits of all tokens that are not allowed to minus infinity, in an array.
  public func apply(to logits: inout [Float]) {
    var span = logits.mutableSpan
    apply(to: &span)
  }

  /// Makes the bits those of a mask.
  mutating func show(_ storage: TokenMask.Storage) {
    if storage === shown { return }
    let wordCount = words.count
    if let current {
      swap(&planes[current].words, &words)
      self.current = nil
    }
    shown = storage
    if let bits = storage.bits, bits.words.count == wordCount {
      words = bits.words
      return
    }
    let place = plane(for: storage, wordCount)
    current = place
    swap(&planes[place].words, &words)
    planes[place].shown = storage
    planes[place].base = ObjectIdentifier(storage.base)
    words.allow(storage.added)
    words.refuse(storage.removed)
  }

  /// The place of a plane with the bits of a mask's base.
  private mutating func plane(for storage: TokenMask.Storage, _ wordCount: Int) -> Int {
    let base = ObjectIdentifier(storage.base)
    for place in planes.indices where planes[place].base == base {
      planes[place].takeBack()
      return place
    }
    if planes.count < Self.planeLimit {
      planes.append(Plane(words: storage.base.words(count: wordCount), shown: storage))
      return planes.count - 1
    }
    let place = oldest
    oldest = (oldest + 1) % Self.planeLimit
    planes[place].copy(storage.base)
    return place
  }
}

extension TokenBitmask.Plane {
  /// Makes the bits those of the base of what they show.
  fileprivate mutating func takeBack() {
    if shown.added.count + shown.removed.count >= words.count / 4 { return copy(shown.base) }
    words.refuse(shown.added)
    words.allow(shown.removed)
  }

  fileprivate mutating func copy(_ base: MaskBase) {
    // Unsafe: the words are copied as memory.
    words.withUnsafeMutableBufferPointer { base.copy(to: $0) }
  }
}

extension MaskBase {
  /// Copies the bits, as far as there is room, and clears what is left of it. A loop over spans took 2.1 µs
  /// for 128,256 tokens, this 0.2 µs. Both counts are taken from the buffers themselves.
  func copy(to target: UnsafeMutableBufferPointer<UInt32>) {
    words.withUnsafeBufferPointer { source in
      let shared = min(source.count, target.count)
      guard let from = source.baseAddress, let to = target.baseAddress else { return }
      to.update(from: from, count: shared)
      (to + shared).update(repeating: 0, count: target.count - shared)
    }
  }

  /// The bits in a number of words.
  fileprivate func words(count: Int) -> [UInt32] {
    words.count == count
      ? words : words.prefix(count) + [UInt32](repeating: 0, count: max(0, count - words.count))
  }
}

extension [UInt32] {
  /// Sets the bits of some tokens, of those that have one.
  mutating func allow(_ tokens: [UInt32]) {
    var words = mutableSpan
    for token in tokens where Int(token >> 5) < words.count {
      words[Int(token >> 5)] |= 1 << (token & 31)
    }
  }

  /// Clears the bits of some tokens, of those that have one.
  mutating func refuse(_ tokens: [UInt32]) {
    var words = mutableSpan
    for token in tokens where Int(token >> 5) < words.count {
      words[Int(token >> 5)] &= ~(1 << (token & 31))
    }
  }
}
