/// A row times four positions at once: the codes are unpacked once for all four.
extension BlockProducts {
  static func nibblesTimesFour(
    _ codes: Codes, _ scales: Floats, _ minimums: Floats, _ blocks: Int, _ x: Values,
    _ xScales: Floats, _ xSums: Floats
  ) -> SIMD4<Float> {
    var t0 = SIMD4<Float>()
    var t1 = SIMD4<Float>()
    var t2 = SIMD4<Float>()
    var t3 = SIMD4<Float>()
    for b in 0..<blocks {
      let low = widenedUnsigned(codes, b &* 16)
      let high = widenedUnsigned(codes, b &* 16 &+ 8)
      let w0 = low & 15
      let w1 = high & 15
      let w2 = low &>> 4
      let w3 = high &>> 4
      let scale = scales[b]
      t0 += scaled(w0, w1, w2, w3, x + b &* 32, scale * xScales[b])
      t1 += scaled(w0, w1, w2, w3, x + (blocks &+ b) &* 32, scale * xScales[blocks &+ b])
      t2 += scaled(
        w0, w1, w2, w3, x + (2 &* blocks &+ b) &* 32, scale * xScales[2 &* blocks &+ b])
      t3 += scaled(
        w0, w1, w2, w3, x + (3 &* blocks &+ b) &* 32, scale * xScales[3 &* blocks &+ b])
    }
    return SIMD4(t0.sum(), t1.sum(), t2.sum(), t3.sum())
      + restOfFour(minimums, xSums, blocks)
  }

  static func bytesTimesFour(
    _ codes: Codes, _ scales: Floats, _ minimums: Floats?, _ blocks: Int, _ x: Values,
    _ xScales: Floats, _ xSums: Floats
  ) -> SIMD4<Float> {
    var t0 = SIMD4<Float>()
    var t1 = SIMD4<Float>()
    var t2 = SIMD4<Float>()
    var t3 = SIMD4<Float>()
    for b in 0..<blocks {
      let c = codes + b &* 32
      let w0 = widened(c, 0)
      let w1 = widened(c, 8)
      let w2 = widened(c, 16)
      let w3 = widened(c, 24)
      let scale = scales[b]
      t0 += scaled(w0, w1, w2, w3, x + b &* 32, scale * xScales[b])
      t1 += scaled(w0, w1, w2, w3, x + (blocks &+ b) &* 32, scale * xScales[blocks &+ b])
      t2 += scaled(
        w0, w1, w2, w3, x + (2 &* blocks &+ b) &* 32, scale * xScales[2 &* blocks &+ b])
      t3 += scaled(
        w0, w1, w2, w3, x + (3 &* blocks &+ b) &* 32, scale * xScales[3 &* blocks &+ b])
    }
    return SIMD4(t0.sum(), t1.sum(), t2.sum(), t3.sum())
      + restOfFour(minimums, xSums, blocks)
  }

  @inline(__always)
  private static func scaled(
    _ w0: SIMD8<Int16>, _ w1: SIMD8<Int16>, _ w2: SIMD8<Int16>, _ w3: SIMD8<Int16>,
    _ p: Values, _ scale: Float
  ) -> SIMD4<Float> {
    let sum =
      pairSums(w0, values(p, 0)) &+ pairSums(w1, values(p, 16))
      &+ pairSums(w2, values(p, 32)) &+ pairSums(w3, values(p, 48))
    return SIMD4<Float>(sum) * scale
  }

  @inline(__always)
  private static func restOfFour(
    _ minimums: Floats?, _ sums: Floats, _ blocks: Int
  ) -> SIMD4<Float> {
    guard let minimums else { return SIMD4() }
    var total = SIMD4<Float>()
    for b in 0..<blocks {
      total +=
        SIMD4(
          sums[b], sums[blocks &+ b], sums[2 &* blocks &+ b], sums[3 &* blocks &+ b]) * minimums[b]
    }
    return total
  }
}
