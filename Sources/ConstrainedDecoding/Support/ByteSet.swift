/// A set of bytes as 256 bits.
struct ByteSet: Hashable, Sendable {
  private var low: SIMD4<UInt64> = .zero

  static let all: ByteSet = {
    var set = ByteSet()
    set.low = SIMD4(repeating: .max)
    return set
  }()

  static let whitespace = ByteSet([0x20, 0x09, 0x0A, 0x0D])

  init() {}

  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    low[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
  }

  var isEmpty: Bool { low == .zero }

  var count: Int {
    low[0].nonzeroBitCount + low[1].nonzeroBitCount + low[2].nonzeroBitCount
      + low[3].nonzeroBitCount
  }

  /// The first byte after another, or the first of all.
  @inline(__always)
  func next(after byte: UInt8?) -> UInt8? {
    if byte == 0xFF { return nil }
    let from = byte.map { $0 + 1 } ?? 0
    var word = Int(from >> 6)
    var bits = low[word] & (.max << UInt64(from & 63))
    while bits == 0 {
      word += 1
      if word == 4 { return nil }
      bits = low[word]
    }
    return UInt8(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount)
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

  mutating func insert(_ byte: UInt8) { low[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  mutating func formUnion(_ other: ByteSet) { low |= other.low }

  func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.formUnion(other)
    return result
  }
}
