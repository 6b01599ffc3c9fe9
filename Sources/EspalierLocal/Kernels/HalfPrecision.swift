/// Half-precision numbers, by bits: not every platform's standard library has them.
enum HalfPrecision {
  /// The value of an IEEE 754 binary16.
  @inline(__always)
  static func float(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let magnitude = UInt32(bits & 0x7FFF)
    if magnitude >= 0x7C00 {
      return Float(bitPattern: sign | 0x7F80_0000 | (magnitude & 0x3FF) << 13)
    }
    // Moving the exponent by a product is exact for subnormal numbers too.
    let value = Float(bitPattern: magnitude << 13) * Float(bitPattern: 0x7780_0000)
    return Float(bitPattern: value.bitPattern | sign)
  }

  /// The nearest number that binary16 can hold; for numbers of at most 65,504.
  @inline(__always)
  static func rounded(_ value: Float) -> Float {
    let magnitude = value.magnitude
    if magnitude < 0x1p-14 {
      // In 0.5..<1 numbers are multiples of 2⁻²⁴, as binary16's subnormal numbers are.
      return value < 0 ? -((magnitude + 0.75) - 0.75) : (magnitude + 0.75) - 0.75
    }
    let bits = value.bitPattern
    return Float(bitPattern: (bits &+ 0xFFF &+ ((bits >> 13) & 1)) & ~0x1FFF)
  }
}
