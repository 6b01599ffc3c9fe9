// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  import GGUFKernels
#endif

// Products with several positions, for processors with vectors of up to 32 bytes: a block of 16 rows is
// unpacked to 16 bits once, and multiplied with four positions at a time, which read each number once.
// Block by block, so that the weights that come from memory are waited for while products go on: eight
// blocks at a time took a sixth more time with eight positions.

extension Kernels {
  static func multiplyMany(
    _ weights: WeightRows, _ group: Int, _ input: ActivationRows,
    _ output: UnsafeMutablePointer<Float>
  ) {
    let step = weights.layout.bytes
    let rows = min(16, weights.rows &- group &* 16)
    let positions = input.positions
    let padded = (positions &+ 3) & ~3
    withUnsafeTemporaryAllocation(byteCount: 1024 &+ padded &* 64, alignment: 64) { buffer in
      guard let words = buffer.baseAddress else { return }
      let results = words + 1024
      results.initializeMemory(as: Float.self, repeating: 0, count: padded &* 16)
      var block = weights.blocks + group &* weights.blockCount &* step
      for b in 0..<weights.blockCount {
        switch weights.layout.codes {
        case .nibbles: unpackNibbles(block, weights.offset, words)
        case .bytes: unpackBytes(block, weights.offset, words)
        }
        var first = 0
        while first < positions {
          for part in 0..<(16 / tileLaneCount) {
            let skip = part &* tileLaneCount &* 4
            multiplyFour(
              UnsafeRawPointer(words) + skip, block + (weights.layout.codeBytes &+ skip), b,
              weights, input, first, results + (first &* 64 &+ skip))
          }
          first &+= 4
        }
        block += step
      }
      for place in 0..<positions {
        (output + (place &* weights.rows &+ group &* 16)).update(
          from: (results + place &* 64).assumingMemoryBound(to: Float.self), count: rows)
      }
    }
  }

  /// Writes a block's signed nibbles as 16-bit numbers, the offset added.
  private static func unpackNibbles(
    _ codes: UnsafeRawPointer, _ offset: Int32, _ target: UnsafeMutableRawPointer
  ) {
    let width = 4 &* shortLaneCount
    let offset = Int16(truncatingIfNeeded: offset)
    for q in 0..<4 {
      let words = target + q &* 128
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

  /// Writes a block's signed bytes as 16-bit numbers, the offset added.
  private static func unpackBytes(
    _ codes: UnsafeRawPointer, _ offset: Int32, _ target: UnsafeMutableRawPointer
  ) {
    let width = 4 &* shortLaneCount
    let offset = Int16(truncatingIfNeeded: offset)
    for j in 0..<8 {
      let words = target + j &* 128
      var place = 0
      while place < 64 {
        let w = codes.load(fromByteOffset: j &* 64 &+ place, as: ShortPairs.self)
        words.storeBytes(of: (w &<< 8) &>> 8 &+ offset, toByteOffset: place, as: ShortPairs.self)
        words.storeBytes(of: w &>> 8 &+ offset, toByteOffset: place &+ 64, as: ShortPairs.self)
        place &+= width
      }
    }
  }

  /// A block of rows, as many as a vector has, times four positions, added to the results.
  private static func multiplyFour(
    _ words: UnsafeRawPointer, _ scales: UnsafeRawPointer, _ block: Int, _ weights: WeightRows,
    _ x: ActivationRows, _ first: Int, _ results: UnsafeMutableRawPointer
  ) {
    let blocks = weights.blockCount
    let place = first &* blocks &+ block
    let x0 = x.pairs + place &* 64
    let (x1, x2, x3) = (x0 + blocks &* 64, x0 + blocks &* 128, x0 + blocks &* 192)
    let (s, m) = (x.scales + place, x.sums + 2 &* place)
    var t0 = results.load(as: TileLanes.self)
    var t1 = results.load(fromByteOffset: 64, as: TileLanes.self)
    var t2 = results.load(fromByteOffset: 128, as: TileLanes.self)
    var t3 = results.load(fromByteOffset: 192, as: TileLanes.self)
    let halves = weights.layout.scales
    let pairs = 16 / halves
    for half in 0..<halves {
      var (a0, a1, a2, a3) = (TileSums(), TileSums(), TileSums(), TileSums())
      for t in (half &* pairs)..<((half &+ 1) &* pairs) {
        let w = words.load(fromByteOffset: t &* 64, as: TilePairs.self)
        a0 &+= pairSums(w, x0.spreadTilePair(t &* 4))
        a1 &+= pairSums(w, x1.spreadTilePair(t &* 4))
        a2 &+= pairSums(w, x2.spreadTilePair(t &* 4))
        a3 &+= pairSums(w, x3.spreadTilePair(t &* 4))
      }
      let own = scales + half &* 64
      let scale = own.tileLanes(0)
      t0 += floats(a0) * (scale * s[0])
      t1 += floats(a1) * (scale * s[blocks])
      t2 += floats(a2) * (scale * s[2 &* blocks])
      t3 += floats(a3) * (scale * s[3 &* blocks])
      guard weights.layout.hasMinimums else { continue }
      let minimum = own.tileLanes(64 &* halves)
      if halves == 2 {
        t0 += minimum * m[half]
        t1 += minimum * m[2 &* blocks &+ half]
        t2 += minimum * m[4 &* blocks &+ half]
        t3 += minimum * m[6 &* blocks &+ half]
      } else {
        t0 += minimum * (m[0] + m[1])
        t1 += minimum * (m[2 &* blocks] + m[2 &* blocks &+ 1])
        t2 += minimum * (m[4 &* blocks] + m[4 &* blocks &+ 1])
        t3 += minimum * (m[6 &* blocks] + m[6 &* blocks &+ 1])
      }
    }
    results.storeBytes(of: t0, as: TileLanes.self)
    results.storeBytes(of: t1, toByteOffset: 64, as: TileLanes.self)
    results.storeBytes(of: t2, toByteOffset: 128, as: TileLanes.self)
    results.storeBytes(of: t3, toByteOffset: 192, as: TileLanes.self)
  }
}
