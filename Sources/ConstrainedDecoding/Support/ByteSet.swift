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

  mutating func insert(_ byte: UInt8) { low[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  mutating func formUnion(_ other: ByteSet) { low |= other.low }

  func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.formUnion(other)
    return result
  }
}
