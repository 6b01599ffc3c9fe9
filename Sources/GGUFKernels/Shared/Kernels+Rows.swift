// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  package import GGUFKernels
#endif

// What a transformer does beside products of matrices, on rows of numbers.

extension Kernels {
  package static func quantize(
    _ input: UnsafePointer<Float>, blocks: Range<Int>, into output: MutableActivationRows
  ) {
    for block in blocks { quantize(block, UnsafeRawPointer(input + block &* 32), output) }
  }

  @inline(__always)
  private static func quantize(
    _ block: Int, _ source: UnsafeRawPointer, _ output: MutableActivationRows
  ) {
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
    var (first, second) = (SIMD4<Int32>(), SIMD4<Int32>())
    let target = output.pairs + block &* 64
    for part in 0..<4 { first &+= writePairs(part, source, inverse, target) }
    for part in 4..<8 { second &+= writePairs(part, source, inverse, target) }
    let sums = (first.wrappedSum(), second.wrappedSum())
    output.halfSums[2 &* block] = sums.0
    output.halfSums[2 &* block &+ 1] = sums.1
    output.scales[block] = scale
    output.sums[2 &* block] = scale * Float(sums.0)
    output.sums[2 &* block &+ 1] = scale * Float(sums.1)
  }

  @inline(__always)
  private static func writePairs(
    _ part: Int, _ source: UnsafeRawPointer, _ inverse: Float, _ target: UnsafeMutableRawPointer
  ) -> SIMD4<Int32> {
    // Adding 1.5 · 2²³ rounds to a whole number, ties to even, which the low bits then are.
    let magic = SIMD4<Float>(repeating: 12_582_912)
    let x = source.loadUnaligned(fromByteOffset: part &* 16, as: SIMD4<Float>.self)
    let whole = unsafeBitCast(x * inverse + magic, to: SIMD4<Int32>.self) &- 0x4B40_0000
    // As two numbers of 64 bits, for of four the compiler moves each by itself.
    let halves = unsafeBitCast(whole, to: SIMD2<UInt64>.self) & 0x0000_FFFF_0000_FFFF
    target.storeBytes(
      of: halves[0] | (halves[1] &<< 16), toByteOffset: part &* 8, as: UInt64.self)
    return whole
  }

  package static func normalize(
    _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ count: Int, epsilon: Float,
    into output: UnsafeMutablePointer<Float>
  ) {
    let mean = squares(input, count) / Float(count)
    let scale = 1 / (mean + epsilon).squareRoot()
    var i = 0
    while i < count {
      output[i] = input[i] * scale * weights[i]
      i &+= 1
    }
  }

  /// The sum of squares, in 16 sums whatever the width of a vector.
  private static func squares(_ input: UnsafePointer<Float>, _ count: Int) -> Float {
    let source = UnsafeRawPointer(input)
    var (a, b, c, d) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var i = 0
    while i &+ 16 <= count {
      let p = source.loadUnaligned(fromByteOffset: i &* 4, as: SIMD4<Float>.self)
      let q = source.loadUnaligned(fromByteOffset: i &* 4 &+ 16, as: SIMD4<Float>.self)
      let r = source.loadUnaligned(fromByteOffset: i &* 4 &+ 32, as: SIMD4<Float>.self)
      let s = source.loadUnaligned(fromByteOffset: i &* 4 &+ 48, as: SIMD4<Float>.self)
      a += p * p
      b += q * q
      c += r * r
      d += s * s
      i &+= 16
    }
    let four = (a + b) + (c + d)
    var total = (four[0] + four[2]) + (four[1] + four[3])
    while i < count {
      total += input[i] * input[i]
      i &+= 1
    }
    return total
  }

  package static func add(
    _ input: UnsafePointer<Float>, _ count: Int, to output: UnsafeMutablePointer<Float>
  ) {
    var i = 0
    while i < count {
      output[i] += input[i]
      i &+= 1
    }
  }

  package static func swiGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int
  ) {
    forEachLanes(gate, up, count) { x, y in
      x / (Lanes(repeating: 1) + exponential(-x)) * y
    }
  }

  package static func geGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int
  ) {
    forEachLanes(gate, up, count) { x, y in
      let inner = x * 0.797_884_56 * (Lanes(repeating: 1) + x * x * 0.044715)
      return x * 0.5 * (Lanes(repeating: 1) + tangent(inner)) * y
    }
  }

  package static func boundedSwiGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int
  ) {
    forEachLanes(gate, up, count) { x, y in
      var (x, y) = (x, y)
      x.replace(with: 7, where: x .> 7)
      y.replace(with: 7, where: y .> 7)
      y.replace(with: -7, where: y .< -7)
      return x / (Lanes(repeating: 1) + exponential(x * -1.702)) * (y + Lanes(repeating: 1))
    }
  }

  package static func gateBySigmoid(
    _ row: UnsafeMutablePointer<Float>, _ gate: UnsafePointer<Float>, _ count: Int
  ) {
    forEachLanes(row, gate, count) { x, y in x / (Lanes(repeating: 1) + exponential(-y)) }
  }

  package static func deltaStep(
    _ matrix: UnsafeMutablePointer<Float>, size: Int, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, decay: Float, strength: Float,
    into output: UnsafeMutablePointer<Float>
  ) {
    let matrix = UnsafeMutableRawPointer(matrix)
    var part = 0
    while part < size {
      var known = Lanes()
      var i = 0
      while i < size {
        known += UnsafeRawPointer(matrix).lanes((i &* size &+ part) &* 4) * key[i]
        i &+= 1
      }
      let change = (UnsafeRawPointer(value).lanes(part &* 4) - known * decay) * strength
      var result = Lanes()
      i = 0
      while i < size {
        let place = (i &* size &+ part) &* 4
        let row = UnsafeRawPointer(matrix).lanes(place) * decay + change * key[i]
        matrix.storeBytes(of: row, toByteOffset: place, as: Lanes.self)
        result += row * query[i]
        i &+= 1
      }
      UnsafeMutableRawPointer(output).storeBytes(
        of: result, toByteOffset: part &* 4, as: Lanes.self)
      part &+= laneCount
    }
  }

  package static func scanStep(
    _ matrix: UnsafeMutablePointer<Float>, size: Int, width: Int, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, decay: Float, strength: Float,
    into output: UnsafeMutablePointer<Float>
  ) {
    let matrix = UnsafeMutableRawPointer(matrix)
    var part = 0
    while part < width {
      let change = UnsafeRawPointer(value).lanes(part &* 4) * strength
      var result = Lanes()
      var i = 0
      while i < size {
        let place = (i &* width &+ part) &* 4
        let row = UnsafeRawPointer(matrix).lanes(place) * decay + change * key[i]
        matrix.storeBytes(of: row, toByteOffset: place, as: Lanes.self)
        result += row * query[i]
        i &+= 1
      }
      UnsafeMutableRawPointer(output).storeBytes(
        of: result, toByteOffset: part &* 4, as: Lanes.self)
      part &+= laneCount
    }
  }

  /// Calls a closure with the vectors of two rows; the last numbers stand in a vector of zeros.
  @inline(__always)
  private static func forEachLanes(
    _ row: UnsafeMutablePointer<Float>, _ other: UnsafePointer<Float>, _ count: Int,
    _ body: (Lanes, Lanes) -> Lanes
  ) {
    let (x, y) = (UnsafeMutableRawPointer(row), UnsafeRawPointer(other))
    let width = laneCount
    var i = 0
    while i &+ width <= count {
      let result = body(UnsafeRawPointer(x).lanes(i &* 4), y.lanes(i &* 4))
      x.storeBytes(of: result, toByteOffset: i &* 4, as: Lanes.self)
      i &+= width
    }
    while i < count {
      row[i] = body(Lanes(repeating: row[i]), Lanes(repeating: other[i]))[0]
      i &+= 1
    }
  }

  package static func turn(
    _ head: UnsafeMutablePointer<Float>, pairs: Int, areNeighbours: Bool,
    cosines: UnsafePointer<Float>, sines: UnsafePointer<Float>
  ) {
    var pair = 0
    if areNeighbours {
      while pair < pairs {
        let (x, y) = (head[2 &* pair], head[2 &* pair &+ 1])
        head[2 &* pair] = x * cosines[pair] - y * sines[pair]
        head[2 &* pair &+ 1] = x * sines[pair] + y * cosines[pair]
        pair &+= 1
      }
    } else {
      while pair < pairs {
        let (x, y) = (head[pair], head[pair &+ pairs])
        head[pair] = x * cosines[pair] - y * sines[pair]
        head[pair &+ pairs] = x * sines[pair] + y * cosines[pair]
        pair &+= 1
      }
    }
  }

  /// eˣ, within two units of the last place; 0 below −87.
  ///
  /// x = n · ln 2 + r with |r| ≤ ln 2 / 2; eʳ is a polynomial, and 2ⁿ is added to the exponent.
  /// Coefficients: Cephes (Moshier), `expf`.
  @inline(__always)
  static func exponential(_ x: Lanes) -> Lanes {
    let magic = Lanes(repeating: 12_582_912)
    var bounded = x
    bounded.replace(with: 88, where: x .> 88)
    bounded.replace(with: -87, where: x .< -87)
    let shifted = bounded * 1.442_695_04 + magic
    let n = shifted - magic
    let r = bounded - n * 0.693_359_375 - n * -2.121_944_4e-4
    var p = r * 1.987_569_15e-4 + Lanes(repeating: 1.398_199_95e-3)
    p = p * r + Lanes(repeating: 8.333_452_0e-3)
    p = p * r + Lanes(repeating: 4.166_579_6e-2)
    p = p * r + Lanes(repeating: 1.666_666_55e-1)
    p = p * r + Lanes(repeating: 0.5)
    p = p * (r * r) + r + Lanes(repeating: 1)
    // The low bits of `shifted` are n.
    let power = (unsafeBitCast(shifted, to: Sums.self) &- Sums(repeating: 0x4B40_0000)) &<< 23
    var result = unsafeBitCast(unsafeBitCast(p, to: Sums.self) &+ power, to: Lanes.self)
    result.replace(with: 0, where: x .< -87)
    return result
  }

  /// The hyperbolic tangent, from eˣ.
  @inline(__always)
  static func tangent(_ x: Lanes) -> Lanes {
    Lanes(repeating: 1) - Lanes(repeating: 2) / (exponential(x * 2) + Lanes(repeating: 1))
  }
}
