// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

// Products with several positions, for processors with 32 vectors of 64 bytes: 16 rows with eight
// positions at a time, whose sums stay in registers. A code is cut out where it is multiplied, again for
// each eight positions: with eight, a sketch of this in C that wrote what was cut out to memory and read it
// back took a seventh more time.

extension Kernels {
  static func multiplyMany(
    _ weights: WeightRows, _ groups: Range<Int>, _ input: ActivationRows,
    _ output: UnsafeMutablePointer<Float>
  ) {
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 64) { buffer in
      guard let results = buffer.baseAddress else { return }
      for group in groups {
        let rows = min(16, weights.rows &- group &* 16)
        var first = 0
        while first < input.positions {
          let count = min(8, input.positions &- first)
          if count > 4 {
            multiplyTile(weights, group, input, first, isWide: true, results)
          } else {
            multiplyTile(weights, group, input, first, isWide: false, results)
          }
          for place in 0..<count {
            (output + ((first &+ place) &* weights.rows &+ group &* 16)).update(
              from: (results + place &* 64).assumingMemoryBound(to: Float.self), count: rows)
          }
          first &+= 8
        }
      }
    }
  }

  /// 16 rows times four positions, or eight.
  @inline(__always)
  private static func multiplyTile(
    _ weights: WeightRows, _ group: Int, _ x: ActivationRows, _ first: Int, isWide: Bool,
    _ results: UnsafeMutableRawPointer
  ) {
    let (layout, blockCount) = (weights.layout, weights.blockCount)
    // Once: a call in the loop would write the totals to memory.
    let (step, codeBytes) = (layout.bytes, layout.codeBytes)
    let offset = Int16(truncatingIfNeeded: weights.offset)
    // How far apart the pairs of two positions are.
    let stride = blockCount &* 64
    var block = weights.blocks + group &* blockCount &* step
    var pairs = x.pairs + first &* stride
    var totals = TileTotals()
    for b in 0..<blockCount {
      for half in 0..<layout.scales {
        var sums = TilePositions()
        switch layout.codes {
        case .nibbles:
          for q in 0..<4 {
            let w = block.load(fromByteOffset: q &* 64, as: TilePairs.self)
            // Nibbles 0 and 2 are beside each other in the activations, 1 and 3 half a block on. Written
            // out in the place of a loop they were a twentieth faster, and took 14 seconds more to compile.
            for nibble in 0..<4 {
              let column = pairs + (q &* 8 &+ (nibble &>> 1) &* 4 &+ (nibble & 1) &* 32)
              let left = Int16(truncatingIfNeeded: 12 &- 4 &* nibble)
              sums.add(unpacked(w, left, 12, offset), column, stride, isWide)
            }
          }
        case .bytes:
          let count = 8 / layout.scales
          for j in (half &* count)..<(half &* count &+ count) {
            let w = block.load(fromByteOffset: j &* 64, as: TilePairs.self)
            for byte in 0..<2 {
              let left = Int16(truncatingIfNeeded: 8 &- 8 &* byte)
              sums.add(unpacked(w, left, 8, offset), pairs + (j &* 8 &+ byte &* 4), stride, isWide)
            }
          }
        }
        let own = block + (codeBytes &+ half &* 64)
        totals.add(
          sums, own.tileLanes(0), x.scales + (first &* blockCount &+ b), blockCount, isWide)
        if layout.hasMinimums {
          totals.add(
            own.tileLanes(64 &* layout.scales),
            x.sums + (2 &* (first &* blockCount &+ b) &+ half), areWhole: layout.scales == 1,
            2 &* blockCount, isWide)
        }
      }
      block += step
      pairs += 64
    }
    totals.write(results)
  }
}

/// Signed codes of 16 rows, cut out by shifts, with their offset; in halves, for the standard library takes
/// vectors of 32 lane by lane.
@inline(__always)
private func unpacked(_ w: TilePairs, _ left: Int16, _ right: Int16, _ offset: Int16) -> TilePairs {
  let (low, high) = unsafeBitCast(w, to: (ShortPairs, ShortPairs).self)
  return unsafeBitCast(
    ((low &<< left) &>> right &+ offset, (high &<< left) &>> right &+ offset), to: TilePairs.self)
}

/// The whole sums of a block of 16 rows, for each of eight positions.
private struct TilePositions {
  var (a, b, c, d) = (TileSums(), TileSums(), TileSums(), TileSums())
  var (e, f, g, h) = (TileSums(), TileSums(), TileSums(), TileSums())

  /// Adds a pair of columns: the codes of 16 rows, and where the first position's activations are.
  @inline(__always)
  mutating func add(_ w: TilePairs, _ x: UnsafeRawPointer, _ stride: Int, _ isWide: Bool) {
    a &+= pairSums(w, x.spreadTilePair(0))
    b &+= pairSums(w, x.spreadTilePair(stride))
    c &+= pairSums(w, x.spreadTilePair(2 &* stride))
    d &+= pairSums(w, x.spreadTilePair(3 &* stride))
    guard isWide else { return }
    e &+= pairSums(w, x.spreadTilePair(4 &* stride))
    f &+= pairSums(w, x.spreadTilePair(5 &* stride))
    g &+= pairSums(w, x.spreadTilePair(6 &* stride))
    h &+= pairSums(w, x.spreadTilePair(7 &* stride))
  }
}

/// The products of 16 rows, for each of eight positions.
private struct TileTotals {
  var (a, b, c, d) = (TileLanes(), TileLanes(), TileLanes(), TileLanes())
  var (e, f, g, h) = (TileLanes(), TileLanes(), TileLanes(), TileLanes())

  /// Adds a block's sums times its scales.
  @inline(__always)
  mutating func add(
    _ sums: TilePositions, _ scale: TileLanes, _ x: UnsafePointer<Float>, _ stride: Int,
    _ isWide: Bool
  ) {
    a += floats(sums.a) * (scale * x[0])
    b += floats(sums.b) * (scale * x[stride])
    c += floats(sums.c) * (scale * x[2 &* stride])
    d += floats(sums.d) * (scale * x[3 &* stride])
    guard isWide else { return }
    e += floats(sums.e) * (scale * x[4 &* stride])
    f += floats(sums.f) * (scale * x[5 &* stride])
    g += floats(sums.g) * (scale * x[6 &* stride])
    h += floats(sums.h) * (scale * x[7 &* stride])
  }

  /// Adds a block's minimums times the sums of its activations, of which there are two, or those of a half.
  @inline(__always)
  mutating func add(
    _ minimum: TileLanes, _ x: UnsafePointer<Float>, areWhole: Bool, _ stride: Int, _ isWide: Bool
  ) {
    @inline(__always)
    func sum(_ place: Int) -> Float { areWhole ? x[place] + x[place &+ 1] : x[place] }
    a += minimum * sum(0)
    b += minimum * sum(stride)
    c += minimum * sum(2 &* stride)
    d += minimum * sum(3 &* stride)
    guard isWide else { return }
    e += minimum * sum(4 &* stride)
    f += minimum * sum(5 &* stride)
    g += minimum * sum(6 &* stride)
    h += minimum * sum(7 &* stride)
  }

  @inline(__always)
  func write(_ results: UnsafeMutableRawPointer) {
    results.storeBytes(of: a, as: TileLanes.self)
    results.storeBytes(of: b, toByteOffset: 64, as: TileLanes.self)
    results.storeBytes(of: c, toByteOffset: 128, as: TileLanes.self)
    results.storeBytes(of: d, toByteOffset: 192, as: TileLanes.self)
    results.storeBytes(of: e, toByteOffset: 256, as: TileLanes.self)
    results.storeBytes(of: f, toByteOffset: 320, as: TileLanes.self)
    results.storeBytes(of: g, toByteOffset: 384, as: TileLanes.self)
    results.storeBytes(of: h, toByteOffset: 448, as: TileLanes.self)
  }
}
