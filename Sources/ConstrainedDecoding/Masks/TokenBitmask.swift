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

  /// Makes the bits those of a mask.
  mutating func show(_ storage: TokenMask.Storage) {
    if storage === shown { return }
    if let shown, shown.base === storage.base || shown.base.count == 0 && storage.base.count == 0,
      shown.added.count + shown.removed.count < words.count / 4
    {
      for token in shown.added where Int(token >> 5) < words.count {
        words[Int(token >> 5)] &= ~(1 << (token & 31))
      }
      for token in shown.removed where Int(token >> 5) < words.count {
        words[Int(token >> 5)] |= 1 << (token & 31)
      }
    } else {
      copy(storage.base)
    }
    for token in storage.added where Int(token >> 5) < words.count {
      words[Int(token >> 5)] |= 1 << (token & 31)
    }
    for token in storage.removed where Int(token >> 5) < words.count {
      words[Int(token >> 5)] &= ~(1 << (token & 31))
    }
    shown = storage
  }

  private mutating func copy(_ base: MaskBase) {
    // Unsafe: a loop over spans took 2.1 µs for 128,256 tokens, this 0.2 µs.
    words.withUnsafeMutableBufferPointer { target in
      base.words.withUnsafeBufferPointer { source in
        let shared = min(source.count, target.count)
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        to.update(from: from, count: shared)
        (to + shared).update(repeating: 0, count: target.count - shared)
      }
    }
  }
}
