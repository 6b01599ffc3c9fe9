// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  import GGUFKernels
#endif

// Products with several positions: the codes of 16 rows are unpacked to 16 bits once, and multiplied with
// four positions at a time, which read each of them once.

extension Kernels {
  /// How many blocks are unpacked at a time: their words stay in the cache next to the processor.
  @inline(__always) private static var chunk: Int { 8 }

  static func multiplyMany(
    _ weights: WeightRows, _ group: Int, _ input: ActivationRows,
    _ scratch: UnsafeMutableRawPointer, _ output: UnsafeMutablePointer<Float>
  ) {
    let start = weights.blocks + group &* weights.blockCount &* weights.layout.bytes
    let rows = min(16, weights.rows &- group &* 16)
    let positions = input.positions
    withUnsafeTemporaryAllocation(
      byteCount: (positions &+ 3) & ~3 &* 64, alignment: 64
    ) { buffer in
      guard let results = buffer.baseAddress else { return }
      results.initializeMemory(
        as: Float.self, repeating: 0, count: (positions &+ 3) & ~3 &* 16)
      var block = 0
      while block < weights.blockCount {
        let range = block..<min(weights.blockCount, block &+ chunk)
        switch weights.layout.codes {
        case .nibbles: unpackNibbles(start, range, weights, scratch)
        case .bytes: unpackBytes(start, range, weights, scratch)
        }
        var first = 0
        while first < positions {
          // The last position stands in for those that are missing.
          let count = min(4, positions &- first)
          let places = (
            first, first &+ min(1, count &- 1), first &+ min(2, count &- 1), first &+ count &- 1
          )
          for part in 0..<(16 / tileLaneCount) {
            let skip = part &* tileLaneCount &* 4
            multiplyFour(
              UnsafeRawPointer(scratch) + skip, start + (weights.layout.codeBytes &+ skip), range,
              weights, input, places, results + (first &* 64 &+ skip))
          }
          first &+= 4
        }
        block &+= chunk
      }
      for place in 0..<positions {
        (output + (place &* weights.rows &+ group &* 16)).update(
          from: (results + place &* 64).assumingMemoryBound(to: Float.self), count: rows)
      }
    }
  }

  /// Writes signed nibbles as 16-bit numbers, the offset added.
  private static func unpackNibbles(
    _ start: UnsafeRawPointer, _ range: Range<Int>, _ weights: WeightRows,
    _ target: UnsafeMutableRawPointer
  ) {
    let width = 4 &* shortLaneCount
    let offset = Int16(truncatingIfNeeded: weights.offset)
    for b in range {
      let codes = start + b &* weights.layout.bytes
      for q in 0..<4 {
        let words = target + ((b &- range.lowerBound) &* 1024 &+ q &* 128)
        var place = 0
        while place < 64 {
          let w = codes.load(fromByteOffset: q &* 64 &+ place, as: ShortPairs.self)
          words.storeBytes(
            of: (w &<< 12) &>> 12 &+ offset, toByteOffset: place, as: ShortPairs.self)
          words.storeBytes(
            of: (w &<< 8) &>> 12 &+ offset, toByteOffset: place &+ 512, as: ShortPairs.self)
          words.storeBytes(
            of: (w &<< 4) &>> 12 &+ offset, toByteOffset: place &+ 64, as: ShortPairs.self)
          words.storeBytes(of: w &>> 12 &+ offset, toByteOffset: place &+ 576, as: ShortPairs.self)
          place &+= width
        }
      }
    }
  }

  /// Writes signed bytes as 16-bit numbers, the offset added.
  private static func unpackBytes(
    _ start: UnsafeRawPointer, _ range: Range<Int>, _ weights: WeightRows,
    _ target: UnsafeMutableRawPointer
  ) {
    let width = 4 &* shortLaneCount
    let offset = Int16(truncatingIfNeeded: weights.offset)
    for b in range {
      let codes = start + b &* weights.layout.bytes
      for j in 0..<8 {
        let words = target + ((b &- range.lowerBound) &* 1024 &+ j &* 128)
        var place = 0
        while place < 64 {
          let w = codes.load(fromByteOffset: j &* 64 &+ place, as: ShortPairs.self)
          words.storeBytes(
            of: (w &<< 8) &>> 8 &+ offset, toByteOffset: place, as: ShortPairs.self)
          words.storeBytes(
            of: w &>> 8 &+ offset, toByteOffset: place &+ 64, as: ShortPairs.self)
          place &+= width
        }
      }
    }
  }

  /// Unpacked blocks of rows, as many as a vector has, times four positions, added to the results.
  private static func multiplyFour(
    _ words: UnsafeRawPointer, _ scales: UnsafeRawPointer, _ range: Range<Int>,
    _ weights: WeightRows, _ x: ActivationRows, _ places: (Int, Int, Int, Int),
    _ results: UnsafeMutableRawPointer
  ) {
    let blocks = weights.blockCount
    let x0 = x.pairs + places.0 &* blocks &* 64
    let x1 = x.pairs + places.1 &* blocks &* 64
    let x2 = x.pairs + places.2 &* blocks &* 64
    let x3 = x.pairs + places.3 &* blocks &* 64
    let (s0, s1) = (x.scales + places.0 &* blocks, x.scales + places.1 &* blocks)
    let (s2, s3) = (x.scales + places.2 &* blocks, x.scales + places.3 &* blocks)
    let (m0, m1) = (x.sums + 2 &* places.0 &* blocks, x.sums + 2 &* places.1 &* blocks)
    let (m2, m3) = (x.sums + 2 &* places.2 &* blocks, x.sums + 2 &* places.3 &* blocks)
    var t0 = results.load(as: TileLanes.self)
    var t1 = results.load(fromByteOffset: 64, as: TileLanes.self)
    var t2 = results.load(fromByteOffset: 128, as: TileLanes.self)
    var t3 = results.load(fromByteOffset: 192, as: TileLanes.self)
    let isHalved = weights.layout.scales == 2
    let shift = isHalved ? 1 : 0
    let pairs = isHalved ? 8 : 16
    let step = weights.layout.bytes
    let firstPair = range.lowerBound &* 16
    for s in (range.lowerBound &<< shift)..<(range.upperBound &<< shift) {
      var (a0, a1, a2, a3) = (TileSums(), TileSums(), TileSums(), TileSums())
      for t in (s &* pairs)..<((s &+ 1) &* pairs) {
        let w = words.load(fromByteOffset: (t &- firstPair) &* 64, as: TilePairs.self)
        a0 &+= pairSums(w, x0.spreadTilePair(t &* 4))
        a1 &+= pairSums(w, x1.spreadTilePair(t &* 4))
        a2 &+= pairSums(w, x2.spreadTilePair(t &* 4))
        a3 &+= pairSums(w, x3.spreadTilePair(t &* 4))
      }
      let b = s &>> shift
      let own = scales + (b &* step &+ (isHalved ? s & 1 : 0) &* 64)
      let scale = own.tileLanes(0)
      t0 += floats(a0) * (scale * s0[b])
      t1 += floats(a1) * (scale * s1[b])
      t2 += floats(a2) * (scale * s2[b])
      t3 += floats(a3) * (scale * s3[b])
      if weights.layout.hasMinimums {
        if isHalved {
          let minimum = own.tileLanes(128)
          t0 += minimum * m0[s]
          t1 += minimum * m1[s]
          t2 += minimum * m2[s]
          t3 += minimum * m3[s]
        } else {
          let minimum = own.tileLanes(64)
          t0 += minimum * (m0[2 &* b] + m0[2 &* b &+ 1])
          t1 += minimum * (m1[2 &* b] + m1[2 &* b &+ 1])
          t2 += minimum * (m2[2 &* b] + m2[2 &* b &+ 1])
          t3 += minimum * (m3[2 &* b] + m3[2 &* b &+ 1])
        }
      }
    }
    results.storeBytes(of: t0, as: TileLanes.self)
    results.storeBytes(of: t1, toByteOffset: 64, as: TileLanes.self)
    results.storeBytes(of: t2, toByteOffset: 128, as: TileLanes.self)
    results.storeBytes(of: t3, toByteOffset: 192, as: TileLanes.self)
  }
}
