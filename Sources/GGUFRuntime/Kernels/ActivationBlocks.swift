/// Activations of some positions, in blocks of 32 whole numbers of 16 bits with a scale.
///
/// Sixteen bits cost what eight do, because 16-bit numbers are what the multiply-add of every
/// processor takes; and they leave the error where the file's quantisation put it. With eight bits,
/// as llama.cpp has them, the logits of SmolLM2 move by up to 1.3, and which token is the likeliest
/// depends on the order of sums; with sixteen by 0.01.
///
/// Layout: a block's 32 numbers are 16 pairs, and a pair stands there four times, one for each of
/// four rows of weights that are multiplied together (``GroupProducts``). Pair t holds the columns
/// 4j + t % 2 and 4j + t % 2 + 2, where j = t / 2: the order in which a file's bytes fall apart.
///
/// Invariants of the unsafe memory: the buffers have room for `capacity` rows of `width` numbers,
/// a multiple of 32, and for as many more as make the positions a multiple of four; these are
/// zero or what an earlier filling left. An object stays within one call of the transformer.
final class ActivationBlocks {
  let width: Int
  /// Bytes of the pairs of one position.
  let pairStride: Int
  let pairs: UnsafeMutableRawPointer
  /// The scale of each block.
  let scales: UnsafeMutablePointer<Float>
  /// The sum of each half block's whole numbers.
  let halfSums: UnsafeMutablePointer<Int32>
  /// The scale times the sum of a block's numbers.
  let sums: UnsafeMutablePointer<Float>
  let floats: UnsafeMutablePointer<Float>
  var positions = 0

  var blocks: Int { width / 32 }

  init(width: Int, capacity: Int) {
    self.width = width
    pairStride = width * 8
    let capacity = (capacity + 3) / 4 * 4
    let blocks = width / 32
    pairs = .allocate(byteCount: pairStride * capacity, alignment: 64)
    pairs.initializeMemory(as: UInt8.self, repeating: 0, count: pairStride * capacity)
    scales = .allocate(capacity: blocks * capacity)
    scales.initialize(repeating: 0, count: blocks * capacity)
    halfSums = .allocate(capacity: 2 * blocks * capacity)
    halfSums.initialize(repeating: 0, count: 2 * blocks * capacity)
    sums = .allocate(capacity: blocks * capacity)
    sums.initialize(repeating: 0, count: blocks * capacity)
    floats = .allocate(capacity: width * capacity)
  }

  deinit {
    pairs.deallocate()
    scales.deallocate()
    halfSums.deallocate()
    sums.deallocate()
    floats.deallocate()
  }

  /// Takes rows of numbers in.
  func fill(from input: UnsafePointer<Float>, positions: Int) {
    self.positions = positions
    floats.update(from: input, count: positions * width)
    for block in 0..<(positions * blocks) { fill(block, from: input + block * 32) }
  }

  private func fill(_ block: Int, from input: UnsafePointer<Float>) {
    let source = UnsafeRawPointer(input)
    // Numbers without their signs are in the order of their bits.
    var greatest = SIMD4<Int32>()
    for part in 0..<8 {
      let x = source.loadUnaligned(fromByteOffset: part &* 16, as: SIMD4<Int32>.self) & 0x7FFF_FFFF
      greatest.replace(with: x, where: x .> greatest)
    }
    let other = SIMD4(lowHalf: greatest.highHalf, highHalf: greatest.highHalf)
    greatest.replace(with: other, where: other .> greatest)
    let scale = Float(bitPattern: UInt32(bitPattern: max(greatest[0], greatest[1]))) / 32767
    let inverse: Float = scale > 0 ? 1 / scale : 0
    // Adding 1.5 · 2²³ rounds to a whole number, ties to even, which the low bits then are.
    let magic = SIMD4<Float>(repeating: 12_582_912)
    var (first, second) = (SIMD4<Int32>(), SIMD4<Int32>())
    let target = pairs + block &* 256
    for part in 0..<4 {
      first &+= write(part, source, inverse, magic, target)
    }
    for part in 4..<8 {
      second &+= write(part, source, inverse, magic, target)
    }
    let sums = (first.wrappedSum(), second.wrappedSum())
    halfSums[2 &* block] = sums.0
    halfSums[2 &* block &+ 1] = sums.1
    scales[block] = scale
    self.sums[block] = scale * Float(sums.0 &+ sums.1)
  }

  @inline(__always)
  private func write(
    _ part: Int, _ source: UnsafeRawPointer, _ inverse: Float, _ magic: SIMD4<Float>,
    _ target: UnsafeMutableRawPointer
  ) -> SIMD4<Int32> {
    let x = source.loadUnaligned(fromByteOffset: part &* 16, as: SIMD4<Float>.self)
    let whole = unsafeBitCast(x * inverse + magic, to: SIMD4<Int32>.self) &- 0x4B40_0000
    // As two numbers of 64 bits, for of four the compiler moves each by itself.
    let halves = unsafeBitCast(whole, to: SIMD2<UInt64>.self) & 0x0000_FFFF_0000_FFFF
    let both = halves[0] | (halves[1] &<< 16)
    target.storeBytes(
      of: SIMD4(repeating: UInt32(truncatingIfNeeded: both)), toByteOffset: part &* 32,
      as: SIMD4<UInt32>.self)
    target.storeBytes(
      of: SIMD4(repeating: UInt32(truncatingIfNeeded: both &>> 32)),
      toByteOffset: part &* 32 &+ 16, as: SIMD4<UInt32>.self)
    return whole
  }
}
