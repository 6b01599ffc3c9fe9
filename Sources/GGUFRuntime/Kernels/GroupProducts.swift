/// The inner loops: eight rows of weights times the activations of one position, or of four.
///
/// The sum of the two products of two pairs of 16-bit numbers is one instruction (`pmaddwd`,
/// `smlal`), four pairs at once. Lanes are rows: a vector of weights holds a pair of columns of four
/// rows, and the same pair of activations stands beside it four times. So the sums of a block are
/// never added up across lanes, and its scales are one vector too.
///
/// The compiler finds the instruction where the halves of a vector of eight products are added;
/// with vectors of sixteen it does not, and nibbles are cut out by signed shifts, because a mask of
/// four bits makes it fall back to bytes. Measured on the x86-64 baseline, one thread: 8.4 ms for
/// 110 million nibbles, against 23 ms with a row at a time.
///
/// Invariants: pointers are aligned to 16 bytes and have `blocks` blocks of the layout of
/// ``WeightMatrix`` and ``ActivationBlocks``; `output` has room for eight numbers a position.
enum GroupProducts {
  typealias Bytes = UnsafeRawPointer
  typealias Floats = UnsafePointer<Float>
  typealias Pairs = SIMD8<Int16>
  typealias Sums = SIMD4<Int32>
  typealias Lanes = SIMD4<Float>

  /// The activations of one position, or of the first of four.
  struct Position {
    let pairs: Bytes
    let scales: Floats
    let sums: Floats
    let halfSums: UnsafePointer<Int32>
  }

  @inline(__always)
  private static func pairSums(_ x: Pairs, _ y: Pairs) -> Sums {
    let products = SIMD8<Int32>(truncatingIfNeeded: x) &* SIMD8<Int32>(truncatingIfNeeded: y)
    return products.evenHalf &+ products.oddHalf
  }

  @inline(__always)
  private static func pairs(_ pointer: Bytes, _ offset: Int) -> Pairs {
    pointer.load(fromByteOffset: offset, as: Pairs.self)
  }

  @inline(__always)
  private static func lanes(_ pointer: Bytes, _ offset: Int) -> Lanes {
    pointer.load(fromByteOffset: offset, as: Lanes.self)
  }

  @inline(__always)
  private static func widened(_ pointer: Bytes, _ offset: Int) -> Pairs {
    Pairs(truncatingIfNeeded: pointer.load(fromByteOffset: offset, as: SIMD8<UInt8>.self))
  }

  @inline(__always)
  private static func write(_ first: Lanes, _ second: Lanes, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: first, as: Lanes.self)
    output.storeBytes(of: second, toByteOffset: 16, as: Lanes.self)
  }

  /// Signed nibbles times one position.
  static func nibbles(
    _ codes: Bytes, _ scales: Bytes, offset: Int32, _ blocks: Int, _ x: Position,
    _ output: UnsafeMutableRawPointer
  ) {
    let (xPairs, xScales) = (x.pairs, x.scales)
    var (first, second) = (Lanes(), Lanes())
    for b in 0..<blocks {
      var a = Sums(repeating: offset &* (x.halfSums[2 &* b] &+ x.halfSums[2 &* b &+ 1]))
      var e = a
      for q in 0..<4 {
        let w = pairs(codes, b &* 128 &+ q &* 32)
        let v = pairs(codes, b &* 128 &+ q &* 32 &+ 16)
        let place = b &* 256 &+ q &* 32
        let x0 = pairs(xPairs, place)
        let x1 = pairs(xPairs, place &+ 128)
        let x2 = pairs(xPairs, place &+ 16)
        let x3 = pairs(xPairs, place &+ 144)
        a &+= pairSums((w &<< 12) &>> 12, x0)
        e &+= pairSums((v &<< 12) &>> 12, x0)
        a &+= pairSums((w &<< 8) &>> 12, x1)
        e &+= pairSums((v &<< 8) &>> 12, x1)
        a &+= pairSums((w &<< 4) &>> 12, x2)
        e &+= pairSums((v &<< 4) &>> 12, x2)
        a &+= pairSums(w &>> 12, x3)
        e &+= pairSums(v &>> 12, x3)
      }
      first += Lanes(a) * (lanes(scales, b &* 32) * xScales[b])
      second += Lanes(e) * (lanes(scales, b &* 32 &+ 16) * xScales[b])
    }
    write(first, second, output)
  }

  /// Unsigned bytes times one position.
  static func bytes(
    _ codes: Bytes, _ scales: Bytes, offset: Int32, _ blocks: Int, _ x: Position,
    _ output: UnsafeMutableRawPointer
  ) {
    let (xPairs, xScales) = (x.pairs, x.scales)
    var (first, second) = (Lanes(), Lanes())
    for b in 0..<blocks {
      var a = Sums(repeating: offset &* (x.halfSums[2 &* b] &+ x.halfSums[2 &* b &+ 1]))
      var e = a
      for t in 0..<16 {
        let place = b &* 256 &+ t &* 16
        let pair = pairs(xPairs, place)
        a &+= pairSums(widened(codes, place), pair)
        e &+= pairSums(widened(codes, place &+ 8), pair)
      }
      first += Lanes(a) * (lanes(scales, b &* 32) * xScales[b])
      second += Lanes(e) * (lanes(scales, b &* 32 &+ 16) * xScales[b])
    }
    write(first, second, output)
  }

  /// Unsigned bytes with a scale for every 16 columns, times one position.
  static func bytesOf16(
    _ codes: Bytes, _ scales: Bytes, offset: Int32, _ blocks: Int, _ x: Position,
    _ output: UnsafeMutableRawPointer
  ) {
    let (xPairs, xScales) = (x.pairs, x.scales)
    var (first, second) = (Lanes(), Lanes())
    for h in 0..<(2 &* blocks) {
      var a = Sums(repeating: offset &* x.halfSums[h])
      var e = a
      for t in 0..<8 {
        let place = h &* 128 &+ t &* 16
        let pair = pairs(xPairs, place)
        a &+= pairSums(widened(codes, place), pair)
        e &+= pairSums(widened(codes, place &+ 8), pair)
      }
      first += Lanes(a) * (lanes(scales, h &* 32) * xScales[h &>> 1])
      second += Lanes(e) * (lanes(scales, h &* 32 &+ 16) * xScales[h &>> 1])
    }
    write(first, second, output)
  }

  /// Adds the minimums' share: the minimum of each block times the sum of its activations.
  static func addMinimums(
    _ minimums: Bytes, _ blocks: Int, _ xSums: Floats, _ output: UnsafeMutableRawPointer
  ) {
    var first = output.load(as: Lanes.self)
    var second = output.load(fromByteOffset: 16, as: Lanes.self)
    for b in 0..<blocks {
      first += lanes(minimums, b &* 32) * xSums[b]
      second += lanes(minimums, b &* 32 &+ 16) * xSums[b]
    }
    write(first, second, output)
  }
}

/// Batches: the codes of eight rows are unpacked to 16 bits once and multiplied with four positions
/// at a time. In this file, because a debug build inlines nothing from another one.
extension GroupProducts {
  /// Writes signed nibbles as 16-bit numbers, the offset added.
  static func unpackNibbles(
    _ codes: Bytes, offset: Int16, _ blocks: Int, to words: UnsafeMutableRawPointer
  ) {
    for b in 0..<blocks {
      for part in 0..<8 {
        let w = pairs(codes, b &* 128 &+ part &* 16)
        // Two vectors, for rows 0…3 and 4…7, hold the nibbles of four pairs of columns.
        let target = words + (b &* 512 &+ (part &>> 1) &* 64 &+ (part & 1) &* 16)
        target.storeBytes(of: (w &<< 12) &>> 12 &+ offset, as: Pairs.self)
        target.storeBytes(of: (w &<< 8) &>> 12 &+ offset, toByteOffset: 256, as: Pairs.self)
        target.storeBytes(of: (w &<< 4) &>> 12 &+ offset, toByteOffset: 32, as: Pairs.self)
        target.storeBytes(of: w &>> 12 &+ offset, toByteOffset: 288, as: Pairs.self)
      }
    }
  }

  /// Writes unsigned bytes as 16-bit numbers, the offset added.
  static func unpackBytes(
    _ codes: Bytes, offset: Int16, _ blocks: Int, to words: UnsafeMutableRawPointer
  ) {
    for part in 0..<(blocks &* 32) {
      words.storeBytes(
        of: widened(codes, part &* 8) &+ offset, toByteOffset: part &* 16, as: Pairs.self)
    }
  }

  /// Unpacked rows times four positions; a scale stands for `pairsPerScale` pairs of columns, 8 or 16.
  static func words(
    _ words: Bytes, _ scales: Bytes, pairsPerScale: Int, _ blocks: Int, _ x: Position,
    _ output: UnsafeMutableRawPointer
  ) {
    let stride = blocks &* 256
    var (t0, t1, t2, t3) = (Lanes(), Lanes(), Lanes(), Lanes())
    var (u0, u1, u2, u3) = (Lanes(), Lanes(), Lanes(), Lanes())
    let x0 = x.pairs
    let x1 = x0 + stride
    let x2 = x1 + stride
    let x3 = x2 + stride
    let xScales = x.scales
    let shift = pairsPerScale == 8 ? 1 : 0
    for s in 0..<(blocks &<< shift) {
      var (a0, a1, a2, a3) = (Sums(), Sums(), Sums(), Sums())
      var (e0, e1, e2, e3) = (Sums(), Sums(), Sums(), Sums())
      for t in (s &* pairsPerScale)..<((s &+ 1) &* pairsPerScale) {
        let w = pairs(words, t &* 32)
        let v = pairs(words, t &* 32 &+ 16)
        let p0 = pairs(x0, t &* 16)
        let p1 = pairs(x1, t &* 16)
        let p2 = pairs(x2, t &* 16)
        let p3 = pairs(x3, t &* 16)
        a0 &+= pairSums(w, p0)
        a1 &+= pairSums(w, p1)
        a2 &+= pairSums(w, p2)
        a3 &+= pairSums(w, p3)
        e0 &+= pairSums(v, p0)
        e1 &+= pairSums(v, p1)
        e2 &+= pairSums(v, p2)
        e3 &+= pairSums(v, p3)
      }
      let b = s &>> shift
      let first = lanes(scales, s &* 32)
      let second = lanes(scales, s &* 32 &+ 16)
      t0 += Lanes(a0) * (first * xScales[b])
      u0 += Lanes(e0) * (second * xScales[b])
      t1 += Lanes(a1) * (first * xScales[b &+ blocks])
      u1 += Lanes(e1) * (second * xScales[b &+ blocks])
      t2 += Lanes(a2) * (first * xScales[b &+ 2 &* blocks])
      u2 += Lanes(e2) * (second * xScales[b &+ 2 &* blocks])
      t3 += Lanes(a3) * (first * xScales[b &+ 3 &* blocks])
      u3 += Lanes(e3) * (second * xScales[b &+ 3 &* blocks])
    }
    write(t0, u0, output)
    write(t1, u1, output + 32)
    write(t2, u2, output + 64)
    write(t3, u3, output + 96)
  }

  /// A row of 32-bit numbers times another.
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
}
