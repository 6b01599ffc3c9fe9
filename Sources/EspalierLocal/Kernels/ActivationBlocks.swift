/// Activations of some positions, in blocks of 32 whole numbers of 8 bits with a scale.
///
/// The numbers are kept in 16 bits, because that is what the multiply-add of every processor takes.
/// Rounding is that of llama.cpp's Q8_0 and Q8_1, whose results ours are compared with.
///
/// Invariants of the unsafe memory: the buffers have room for `positions` rows of `width` numbers,
/// a multiple of 32; an object stays within one call of the transformer.
final class ActivationBlocks {
  let width: Int
  let values: UnsafeMutablePointer<Int16>
  let scales: UnsafeMutablePointer<Float>
  /// The scale times the sum of a block's numbers.
  let sums: UnsafeMutablePointer<Float>
  let floats: UnsafeMutablePointer<Float>
  var positions = 0

  init(width: Int, capacity: Int) {
    self.width = width
    values = .allocate(capacity: width * capacity)
    scales = .allocate(capacity: width / 32 * capacity + 1)
    sums = .allocate(capacity: width / 32 * capacity + 1)
    floats = .allocate(capacity: width * capacity)
  }

  deinit {
    values.deallocate()
    scales.deallocate()
    sums.deallocate()
    floats.deallocate()
  }

  /// Takes rows of numbers in.
  func fill(from input: UnsafePointer<Float>, positions: Int) {
    self.positions = positions
    floats.update(from: input, count: positions * width)
    // Adding and taking away 1.5 · 2²³ rounds to a whole number, ties to even.
    let magic = SIMD8<Float>(repeating: 12_582_912)
    for block in 0..<(positions * width / 32) {
      let source = UnsafeRawPointer(input + block * 32)
      let target = UnsafeMutableRawPointer(values + block * 32)
      var greatest = SIMD8<Float>()
      for part in 0..<4 {
        let x = source.loadUnaligned(fromByteOffset: part * 32, as: SIMD8<Float>.self)
        greatest = pointwiseMax(greatest, pointwiseMax(x, -x))
      }
      let scale = greatest.max() / 127
      let inverse: Float = scale > 0 ? 1 / scale : 0
      var sum = SIMD8<Int32>()
      for part in 0..<4 {
        let x = source.loadUnaligned(fromByteOffset: part * 32, as: SIMD8<Float>.self)
        // The low bits of the shifted number are the whole number itself.
        let shifted = unsafeBitCast(x * inverse + magic, to: SIMD8<Int32>.self)
        let whole = shifted &- 0x4B40_0000
        sum &+= whole
        target.storeBytes(
          of: SIMD8<Int16>(truncatingIfNeeded: whole), toByteOffset: part * 16,
          as: SIMD8<Int16>.self)
      }
      scales[block] = HalfPrecision.rounded(scale)
      sums[block] = HalfPrecision.rounded(scale * Float(sum.wrappedSum()))
    }
  }
}
