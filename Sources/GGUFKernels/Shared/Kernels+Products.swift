// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  package import GGUFKernels
#endif

// Products of rows of weights with activations.
//
// Lanes are rows: a vector of weights holds a pair of columns of as many rows as it has lanes, and a
// pair of activations is spread beside all of them. So the sums of a block are never added up across
// lanes, and its scales are one vector too. Per block of 32 columns
//
//     result += (Σ (code + offset) · activation) · (scale · activations' scale)
//     result += minimum · Σ activations
//
// in this order for one position as for many, so that a batch gives the bits of each alone.
//
// One position: codes are cut out and multiplied at once. Many: see `multiplyMany`.
//
// Codes are cut out by signed shifts: of a mask the compiler makes products of bytes.

/// The kernels of this module.
package enum Kernels: KernelSet {}

extension Kernels {
  package static func multiply(
    _ weights: WeightRows, groups: Range<Int>, _ input: ActivationRows,
    into output: UnsafeMutablePointer<Float>
  ) {
    if input.positions == 1 {
      for group in groups { multiplyOne(weights, group, input, output) }
    } else {
      multiplyMany(weights, groups, input, output)
    }
  }

  private static func multiplyOne(
    _ weights: WeightRows, _ group: Int, _ input: ActivationRows,
    _ output: UnsafeMutablePointer<Float>
  ) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 64) { buffer in
      guard let results = buffer.baseAddress else { return }
      let blocks = weights.blocks + group &* weights.blockCount &* weights.layout.bytes
      // Two vectors of rows at a time.
      for part in 0..<(8 / shortLaneCount) {
        let first = part &* 2 &* shortLaneCount
        switch (weights.layout.codes, weights.layout.scales) {
        case (.nibbles, _): nibbles(blocks, first, weights, input, results)
        case (.bytes, 1): bytes(blocks, first, weights, input, results)
        case (.bytes, _): bytesOf16(blocks, first, weights, input, results)
        }
      }
      (output + group &* 16).update(
        from: results.assumingMemoryBound(to: Float.self), count: min(16, weights.rows - group * 16)
      )
    }
  }

  @inline(__always)
  private static func shortLanes(_ pointer: UnsafeRawPointer, _ offset: Int) -> ShortLanes {
    pointer.load(fromByteOffset: offset, as: ShortLanes.self)
  }

  @inline(__always)
  private static func write(
    _ a: ShortLanes, _ b: ShortLanes, _ first: Int, _ results: UnsafeMutableRawPointer
  ) {
    results.storeBytes(of: a, toByteOffset: 4 &* first, as: ShortLanes.self)
    results.storeBytes(of: b, toByteOffset: 4 &* (first &+ shortLaneCount), as: ShortLanes.self)
  }

  private static func nibbles(
    _ start: UnsafeRawPointer, _ firstRow: Int, _ weights: WeightRows, _ x: ActivationRows,
    _ results: UnsafeMutableRawPointer
  ) {
    let (pairs, xScales, xSums, halfSums) = (x.pairs, x.scales, x.sums, x.halfSums)
    let (offset, hasMinimums, step) = (
      weights.offset, weights.layout.hasMinimums, weights.layout.bytes
    )
    let width = 4 &* shortLaneCount
    // The four bytes of a row's codes stand as far apart as its scales.
    var block = start + firstRow &* 4
    var (first, second) = (ShortLanes(), ShortLanes())
    for b in 0..<weights.blockCount {
      var a = ShortSums(repeating: offset &* (halfSums[2 &* b] &+ halfSums[2 &* b &+ 1]))
      // Two sums of each, which do not wait for each other.
      var (e, c, g) = (a, ShortSums(), ShortSums())
      for q in 0..<4 {
        let w = block.load(fromByteOffset: q &* 64, as: ShortPairs.self)
        let v = block.load(fromByteOffset: q &* 64 &+ width, as: ShortPairs.self)
        let column = b &* 64 &+ q &* 8
        let x0 = pairs.spreadShortPair(column)
        let x1 = pairs.spreadShortPair(column &+ 32)
        let x2 = pairs.spreadShortPair(column &+ 4)
        let x3 = pairs.spreadShortPair(column &+ 36)
        a &+= pairSums((w &<< 12) &>> 12, x0)
        e &+= pairSums((v &<< 12) &>> 12, x0)
        c &+= pairSums((w &<< 8) &>> 12, x1)
        g &+= pairSums((v &<< 8) &>> 12, x1)
        a &+= pairSums((w &<< 4) &>> 12, x2)
        e &+= pairSums((v &<< 4) &>> 12, x2)
        c &+= pairSums(w &>> 12, x3)
        g &+= pairSums(v &>> 12, x3)
      }
      a &+= c
      e &+= g
      first += floats(a) * (shortLanes(block, 256) * xScales[b])
      second += floats(e) * (shortLanes(block, 256 &+ width) * xScales[b])
      if hasMinimums {
        let sum = xSums[2 &* b] + xSums[2 &* b &+ 1]
        first += shortLanes(block, 320) * sum
        second += shortLanes(block, 320 &+ width) * sum
      }
      block += step
    }
    write(first, second, firstRow, results)
  }

  private static func bytes(
    _ start: UnsafeRawPointer, _ firstRow: Int, _ weights: WeightRows, _ x: ActivationRows,
    _ results: UnsafeMutableRawPointer
  ) {
    let (pairs, xScales, xSums, halfSums) = (x.pairs, x.scales, x.sums, x.halfSums)
    let (offset, layout) = (weights.offset, weights.layout)
    let width = 4 &* shortLaneCount
    var block = start + firstRow &* 4
    var (first, second) = (ShortLanes(), ShortLanes())
    for b in 0..<weights.blockCount {
      var a = ShortSums(repeating: offset &* (halfSums[2 &* b] &+ halfSums[2 &* b &+ 1]))
      var e = a
      for j in 0..<8 {
        addBytes(block, j, pairs + b &* 64, &a, &e)
      }
      first += floats(a) * (shortLanes(block, 512) * xScales[b])
      second += floats(e) * (shortLanes(block, 512 &+ width) * xScales[b])
      if layout.hasMinimums {
        let sum = xSums[2 &* b] + xSums[2 &* b &+ 1]
        first += shortLanes(block, 576) * sum
        second += shortLanes(block, 576 &+ width) * sum
      }
      block += layout.bytes
    }
    write(first, second, firstRow, results)
  }

  /// Bytes with a scale for every 16 columns.
  private static func bytesOf16(
    _ start: UnsafeRawPointer, _ firstRow: Int, _ weights: WeightRows, _ x: ActivationRows,
    _ results: UnsafeMutableRawPointer
  ) {
    let (pairs, xScales, xSums, halfSums) = (x.pairs, x.scales, x.sums, x.halfSums)
    let (offset, layout) = (weights.offset, weights.layout)
    let width = 4 &* shortLaneCount
    var block = start + firstRow &* 4
    var (first, second) = (ShortLanes(), ShortLanes())
    for b in 0..<weights.blockCount {
      for half in 0..<2 {
        var a = ShortSums(repeating: offset &* halfSums[2 &* b &+ half])
        var e = a
        for j in (4 &* half)..<(4 &* half &+ 4) {
          addBytes(block, j, pairs + b &* 64, &a, &e)
        }
        let place = 512 &+ 64 &* half
        first += floats(a) * (shortLanes(block, place) * xScales[b])
        second += floats(e) * (shortLanes(block, place &+ width) * xScales[b])
        if layout.hasMinimums {
          first += shortLanes(block, place &+ 128) * xSums[2 &* b &+ half]
          second += shortLanes(block, place &+ 128 &+ width) * xSums[2 &* b &+ half]
        }
      }
      block += layout.bytes
    }
    write(first, second, firstRow, results)
  }

  /// Adds the products of the columns 4j…4j+3.
  @inline(__always)
  private static func addBytes(
    _ block: UnsafeRawPointer, _ j: Int, _ pairs: UnsafeRawPointer, _ a: inout ShortSums,
    _ e: inout ShortSums
  ) {
    let w = block.load(fromByteOffset: j &* 64, as: ShortPairs.self)
    let v = block.load(fromByteOffset: j &* 64 &+ 4 &* shortLaneCount, as: ShortPairs.self)
    let x0 = pairs.spreadShortPair(j &* 8)
    let x1 = pairs.spreadShortPair(j &* 8 &+ 4)
    a &+= pairSums((w &<< 8) &>> 8, x0)
    e &+= pairSums((v &<< 8) &>> 8, x0)
    a &+= pairSums(w &>> 8, x1)
    e &+= pairSums(v &>> 8, x1)
  }
}

// Rows of 32-bit numbers.
extension Kernels {
  package static func multiply(
    row: UnsafePointer<Float>, _ input: UnsafePointer<Float>, columns: Int, positions: Int,
    into output: UnsafeMutablePointer<Float>, stride: Int
  ) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 16) { buffer in
      guard let partial = buffer.baseAddress else { return }
      for position in 0..<positions {
        output[position &* stride] = product(
          row, input + position &* columns, columns, partial)
      }
    }
  }

  /// A row times another, in 16 sums.
  @inline(__always)
  private static func product(
    _ row: UnsafePointer<Float>, _ x: UnsafePointer<Float>, _ count: Int,
    _ partial: UnsafeMutablePointer<Float>
  ) -> Float {
    let (w, y) = (UnsafeRawPointer(row), UnsafeRawPointer(x))
    let end = count & ~15
    let size = laneCount &* 4
    #if ESPALIER_AVX512
      var a = Lanes()
      var i = 0
      while i < end &* 4 {
        a += w.lanes(i) * y.lanes(i)
        i &+= 64
      }
      UnsafeMutableRawPointer(partial).storeBytes(of: a, as: Lanes.self)
    #elseif ESPALIER_AVX2
      var (a, b) = (Lanes(), Lanes())
      var i = 0
      while i < end &* 4 {
        a += w.lanes(i) * y.lanes(i)
        b += w.lanes(i &+ 32) * y.lanes(i &+ 32)
        i &+= 64
      }
      UnsafeMutableRawPointer(partial).storeBytes(of: a, as: Lanes.self)
      UnsafeMutableRawPointer(partial).storeBytes(of: b, toByteOffset: size, as: Lanes.self)
    #else
      var (a, b, c, d) = (Lanes(), Lanes(), Lanes(), Lanes())
      var i = 0
      while i < end &* 4 {
        a += w.lanes(i) * y.lanes(i)
        b += w.lanes(i &+ 16) * y.lanes(i &+ 16)
        c += w.lanes(i &+ 32) * y.lanes(i &+ 32)
        d += w.lanes(i &+ 48) * y.lanes(i &+ 48)
        i &+= 64
      }
      let target = UnsafeMutableRawPointer(partial)
      target.storeBytes(of: a, as: Lanes.self)
      target.storeBytes(of: b, toByteOffset: size, as: Lanes.self)
      target.storeBytes(of: c, toByteOffset: 2 &* size, as: Lanes.self)
      target.storeBytes(of: d, toByteOffset: 3 &* size, as: Lanes.self)
    #endif
    var total = sum(partial)
    for i in end..<count { total += row[i] * x[i] }
    return total
  }
}
