// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A set of bytes as 256 bits.
package struct ByteSet: Hashable, Sendable {
  private var low: SIMD4<UInt64> = .zero

  static let all: ByteSet = {
    var set = ByteSet()
    set.low = SIMD4(repeating: .max)
    return set
  }()

  package static let whitespace = ByteSet([0x20, 0x09, 0x0A, 0x0D])

  package init() {}

  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  @inline(__always)
  package func contains(_ byte: UInt8) -> Bool {
    low[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
  }

  package var isEmpty: Bool { low == .zero }

  var isASCII: Bool { low[2] | low[3] == 0 }

  package var count: Int {
    low[0].nonzeroBitCount + low[1].nonzeroBitCount + low[2].nonzeroBitCount
      + low[3].nonzeroBitCount
  }

  /// The runs of bytes that start with those of the set: each goes on to the next, the last to 255.
  @inline(__always)
  var runs: Runs { Runs(self) }

  struct Runs: Sequence, IteratorProtocol {
    private let set: ByteSet
    private var start: Int

    @inline(__always)
    fileprivate init(_ set: ByteSet) {
      self.set = set
      start = set.first(from: 0)
    }

    @inline(__always)
    mutating func next() -> Range<Int>? {
      if start == 256 { return nil }
      let run = start..<set.first(from: start + 1)
      start = run.upperBound
      return run
    }
  }

  /// The first byte that is not below another; 256 where there is none.
  @inline(__always)
  private func first(from byte: Int) -> Int {
    if byte == 256 { return 256 }
    var word = byte >> 6
    var bits = low[word] & (.max << UInt64(byte & 63))
    while bits == 0 {
      word += 1
      if word == 4 { return 256 }
      bits = low[word]
    }
    return word << 6 | bits.trailingZeroBitCount
  }

  /// Calls a closure with each byte, in order.
  @inline(__always)
  func visitEach(_ body: (UInt8) -> Void) {
    for word in 0..<4 {
      var bits = low[word]
      while bits != 0 {
        body(UInt8(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount))
        bits &= bits - 1
      }
    }
  }

  package mutating func insert(_ byte: UInt8) { low[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  mutating func formUnion(_ other: ByteSet) { low |= other.low }

  func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.formUnion(other)
    return result
  }
}
