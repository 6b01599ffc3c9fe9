// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  import GGUFKernels
#endif

// Products with several positions, for processors with vectors of up to 32 bytes: the codes of 16 rows are
// unpacked to 16 bits once, and multiplied with four positions at a time, which read each of them once.

extension Kernels {
  static func multiplyMany(
    _ weights: WeightRows, _ groups: Range<Int>, _ input: ActivationRows,
    _ output: UnsafeMutablePointer<Float>
  ) {
    // How many blocks are unpacked at a time. Of few, products go on while the next ones come from memory:
    // with eight positions, two blocks took seven eighths of the time of eight. With many positions the
    // results are read and written less often.
    let chunk = input.positions > 8 ? 8 : 2
    let padded = (input.positions &+ 3) & ~3
    withUnsafeTemporaryAllocation(
      byteCount: chunk &* 1024 &+ padded &* 64, alignment: 64
    ) { buffer in
      guard let words = buffer.baseAddress else { return }
      let results = words + chunk &* 1024
      for group in groups {
        results.initializeMemory(as: Float.self, repeating: 0, count: padded &* 16)
        var block = 0
        while block < weights.blockCount {
          let range = block..<min(weights.blockCount, block &+ chunk)
          multiplyBlocks(weights, group, range, input, words, results)
          block &+= chunk
        }
        let rows = min(16, weights.rows &- group &* 16)
        for place in 0..<input.positions {
          (output + (place &* weights.rows &+ group &* 16)).update(
            from: (results + place &* 64).assumingMemoryBound(to: Float.self), count: rows)
        }
      }
    }
  }

  /// Some blocks of a group times all positions, added to the results.
  private static func multiplyBlocks(
    _ weights: WeightRows, _ group: Int, _ range: Range<Int>, _ input: ActivationRows,
    _ words: UnsafeMutableRawPointer, _ results: UnsafeMutableRawPointer
  ) {
    let layout = weights.layout
    let start = weights.blocks + group &* weights.blockCount &* layout.bytes
    for b in range {
      let target = words + (b &- range.lowerBound) &* 1024
      switch layout.codes {
      case .nibbles: unpackNibbles(start + b &* layout.bytes, weights.offset, target)
      case .bytes: unpackBytes(start + b &* layout.bytes, weights.offset, target)
      }
    }
    var first = 0
    while first < input.positions {
      for part in 0..<(16 / tileLaneCount) {
        let skip = part &* tileLaneCount &* 4
        multiplyFour(
          UnsafeRawPointer(words) + skip, start + (layout.codeBytes &+ skip), range,
          weights, input, first, results + (first &* 64 &+ skip))
      }
      first &+= 4
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

  /// Unpacked blocks of rows, as many as a vector has, times four positions, added to the results.
  private static func multiplyFour(
    _ words: UnsafeRawPointer, _ scales: UnsafeRawPointer, _ range: Range<Int>,
    _ weights: WeightRows, _ x: ActivationRows, _ first: Int, _ results: UnsafeMutableRawPointer
  ) {
    let (blocks, step) = (weights.blockCount, weights.layout.bytes)
    let x0 = x.pairs + first &* blocks &* 64
    let (x1, x2, x3) = (x0 + blocks &* 64, x0 + blocks &* 128, x0 + blocks &* 192)
    let (scale0, sum0) = (x.scales + first &* blocks, x.sums + 2 &* first &* blocks)
    var t0 = results.load(as: TileLanes.self)
    var t1 = results.load(fromByteOffset: 64, as: TileLanes.self)
    var t2 = results.load(fromByteOffset: 128, as: TileLanes.self)
    var t3 = results.load(fromByteOffset: 192, as: TileLanes.self)
    let isHalved = weights.layout.scales == 2
    let shift = isHalved ? 1 : 0
    let pairs = isHalved ? 8 : 16
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
      t0 += floats(a0) * (scale * scale0[b])
      t1 += floats(a1) * (scale * scale0[b &+ blocks])
      t2 += floats(a2) * (scale * scale0[b &+ 2 &* blocks])
      t3 += floats(a3) * (scale * scale0[b &+ 3 &* blocks])
      guard weights.layout.hasMinimums else { continue }
      if isHalved {
        let minimum = own.tileLanes(128)
        t0 += minimum * sum0[s]
        t1 += minimum * sum0[s &+ 2 &* blocks]
        t2 += minimum * sum0[s &+ 4 &* blocks]
        t3 += minimum * sum0[s &+ 6 &* blocks]
      } else {
        let (minimum, place) = (own.tileLanes(64), 2 &* b)
        t0 += minimum * (sum0[place] + sum0[place &+ 1])
        t1 += minimum * (sum0[place &+ 2 &* blocks] + sum0[place &+ 2 &* blocks &+ 1])
        t2 += minimum * (sum0[place &+ 4 &* blocks] + sum0[place &+ 4 &* blocks &+ 1])
        t3 += minimum * (sum0[place &+ 6 &* blocks] + sum0[place &+ 6 &* blocks &+ 1])
      }
    }
    results.storeBytes(of: t0, as: TileLanes.self)
    results.storeBytes(of: t1, toByteOffset: 64, as: TileLanes.self)
    results.storeBytes(of: t2, toByteOffset: 128, as: TileLanes.self)
    results.storeBytes(of: t3, toByteOffset: 192, as: TileLanes.self)
  }
}
