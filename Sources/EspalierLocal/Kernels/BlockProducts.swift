/// The inner loops: a row of weights times the activations of one position.
///
/// The sum of the even and the odd products of eight 16-bit numbers is one instruction (`pmaddwd`,
/// `smlal`); written with the halves of a wide vector it is found by the compiler on the
/// x86-64 baseline, where it takes a third of the time of the plain loop (24 against 72 ms for
/// 135 million weights, one thread). Sums of a block stay whole numbers in four lanes, are scaled
/// as four lanes, and only the row's end adds the lanes up.
///
/// Invariants: a row has `blocks` blocks of codes and scales, and so has each position.
enum BlockProducts {
  typealias Codes = UnsafeRawPointer
  typealias Floats = UnsafePointer<Float>
  typealias Values = UnsafePointer<Int16>

  @inline(__always)
  static func pairSums(_ x: SIMD8<Int16>, _ y: SIMD8<Int16>) -> SIMD4<Int32> {
    let products = SIMD8<Int32>(truncatingIfNeeded: x) &* SIMD8<Int32>(truncatingIfNeeded: y)
    return products.evenHalf &+ products.oddHalf
  }

  @inline(__always)
  static func values(_ pointer: Values, _ offset: Int) -> SIMD8<Int16> {
    UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: offset, as: SIMD8<Int16>.self)
  }

  @inline(__always)
  static func widened(_ codes: Codes, _ offset: Int) -> SIMD8<Int16> {
    SIMD8<Int16>(
      truncatingIfNeeded: codes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int8>.self))
  }

  @inline(__always)
  static func widenedUnsigned(_ codes: Codes, _ offset: Int) -> SIMD8<Int16> {
    SIMD8<Int16>(
      truncatingIfNeeded: codes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt8>.self))
  }

  static func nibbles(
    _ codes: Codes, _ scales: Floats, _ minimums: Floats, _ blocks: Int, _ x: Values,
    _ xScales: Floats, _ xSums: Floats
  ) -> Float {
    var total = SIMD4<Float>()
    var rest: Float = 0
    for b in 0..<blocks {
      let low = widenedUnsigned(codes, b &* 16)
      let high = widenedUnsigned(codes, b &* 16 &+ 8)
      let p = x + b &* 32
      let sum =
        pairSums(low & 15, values(p, 0)) &+ pairSums(high & 15, values(p, 16))
        &+ pairSums(low &>> 4, values(p, 32)) &+ pairSums(high &>> 4, values(p, 48))
      total += SIMD4<Float>(sum) * (scales[b] * xScales[b])
      rest += minimums[b] * xSums[b]
    }
    return total.sum() + rest
  }

  static func bytes(
    _ codes: Codes, _ scales: Floats, _ minimums: Floats?, _ blocks: Int, _ x: Values,
    _ xScales: Floats, _ xSums: Floats
  ) -> Float {
    var total = SIMD4<Float>()
    for b in 0..<blocks {
      let p = x + b &* 32
      let c = codes + b &* 32
      let sum =
        pairSums(widened(c, 0), values(p, 0)) &+ pairSums(widened(c, 8), values(p, 16))
        &+ pairSums(widened(c, 16), values(p, 32)) &+ pairSums(widened(c, 24), values(p, 48))
      total += SIMD4<Float>(sum) * (scales[b] * xScales[b])
    }
    return total.sum() + rest(minimums, xSums, blocks)
  }

  static func bytesOf16(
    _ codes: Codes, _ scales: Floats, _ blocks: Int, _ x: Values, _ xScales: Floats
  ) -> Float {
    var total = SIMD4<Float>()
    for b in 0..<blocks {
      let p = x + b &* 32
      let c = codes + b &* 32
      let first = pairSums(widened(c, 0), values(p, 0)) &+ pairSums(widened(c, 8), values(p, 16))
      let second =
        pairSums(widened(c, 16), values(p, 32)) &+ pairSums(widened(c, 24), values(p, 48))
      total += SIMD4<Float>(first) * (scales[2 &* b] * xScales[b])
      total += SIMD4<Float>(second) * (scales[2 &* b &+ 1] * xScales[b])
    }
    return total.sum()
  }

  static func floats(_ row: Floats, _ x: Floats, _ count: Int) -> Float {
    var first = SIMD8<Float>()
    var second = SIMD8<Float>()
    let w = UnsafeRawPointer(row)
    let y = UnsafeRawPointer(x)
    var i = 0
    while i &+ 16 <= count {
      first +=
        w.loadUnaligned(fromByteOffset: i &* 4, as: SIMD8<Float>.self)
        * y.loadUnaligned(fromByteOffset: i &* 4, as: SIMD8<Float>.self)
      second +=
        w.loadUnaligned(fromByteOffset: i &* 4 &+ 32, as: SIMD8<Float>.self)
        * y.loadUnaligned(fromByteOffset: i &* 4 &+ 32, as: SIMD8<Float>.self)
      i &+= 16
    }
    var total = (first + second).sum()
    while i < count {
      total += row[i] * x[i]
      i &+= 1
    }
    return total
  }

  @inline(__always)
  static func rest(_ minimums: Floats?, _ sums: Floats, _ blocks: Int) -> Float {
    guard let minimums else { return 0 }
    var total: Float = 0
    for b in 0..<blocks { total += minimums[b] * sums[b] }
    return total
  }
}

/// Batches: a row is unpacked to 16 bits once, and then multiplied with each position. In this file,
/// because a debug build inlines nothing from another one.
extension BlockProducts {
  /// Writes the codes of a row as 16-bit numbers.
  static func unpackNibbles(_ codes: Codes, _ blocks: Int, to row: UnsafeMutablePointer<Int16>) {
    let target = UnsafeMutableRawPointer(row)
    for b in 0..<blocks {
      for part in 0..<2 {
        let both = widenedUnsigned(codes, b &* 16 &+ part &* 8)
        let place = b &* 64 &+ part &* 16
        target.storeBytes(of: both & 15, toByteOffset: place, as: SIMD8<Int16>.self)
        target.storeBytes(of: both &>> 4, toByteOffset: place &+ 32, as: SIMD8<Int16>.self)
      }
    }
  }

  /// Writes the codes of a row as 16-bit numbers.
  static func unpackBytes(_ codes: Codes, _ blocks: Int, to row: UnsafeMutablePointer<Int16>) {
    let target = UnsafeMutableRawPointer(row)
    for part in 0..<(blocks &* 4) {
      target.storeBytes(
        of: widened(codes, part &* 8), toByteOffset: part &* 16, as: SIMD8<Int16>.self)
    }
  }

  /// An unpacked row times one position.
  static func words(
    _ row: Values, _ scales: Floats, _ minimums: Floats?, _ blocks: Int, _ x: Values,
    _ xScales: Floats, _ xSums: Floats
  ) -> Float {
    var total = SIMD4<Float>()
    for b in 0..<blocks {
      let p = x + b &* 32
      let w = row + b &* 32
      let sum =
        pairSums(values(w, 0), values(p, 0)) &+ pairSums(values(w, 16), values(p, 16))
        &+ pairSums(values(w, 32), values(p, 32)) &+ pairSums(values(w, 48), values(p, 48))
      total += SIMD4<Float>(sum) * (scales[b] * xScales[b])
    }
    return total.sum() + rest(minimums, xSums, blocks)
  }
}
