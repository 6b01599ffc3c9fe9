// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The vectors of the processor for which this module is compiled, and the operations that the
// compiler turns into single instructions.
//
// The sum of the products of two pairs of 16-bit numbers is one instruction (`pmaddwd`, `smlal`;
// with AVX-512 VNNI `vpdpwssd` adds it to a sum, too). The compiler finds it where the halves of a
// vector of products are added, and where vectors of more than eight elements are converted in
// halves of eight.
//
// Nothing here may be generic: a specialisation of a generic function has the same name in every
// module, and the linker keeps one of them, perhaps one that this processor does not have. The
// conversions of the standard library, and the halves of vectors of 32, are such functions, and a
// debug build calls them (an itinerary took 42 seconds, not 4). So they are written out here, lane by
// lane, which the compiler joins again; `Scripts/kernel-symbols` searches what was compiled.

#if ESPALIER_AVX512
  typealias Lanes = SIMD16<Float>
  typealias Sums = SIMD16<Int32>
#elseif ESPALIER_AVX2
  typealias Lanes = SIMD8<Float>
  typealias Sums = SIMD8<Int32>
#else
  typealias Lanes = SIMD4<Float>
  typealias Sums = SIMD4<Int32>
#endif

// What is cut out of bytes on the way to a product stays within 256 bits.
#if ESPALIER_AVX512 || ESPALIER_AVX2
  typealias ShortLanes = SIMD8<Float>
  typealias ShortSums = SIMD8<Int32>
  typealias ShortPairs = SIMD16<Int16>
#else
  typealias ShortLanes = SIMD4<Float>
  typealias ShortSums = SIMD4<Int32>
  typealias ShortPairs = SIMD8<Int16>
#endif

// Products with several positions take all 16 rows of a group at once, or eight: of shorter vectors two,
// so that a pair of activations is spread once for both. That took four fifths of the time.
#if ESPALIER_AVX512 || ESPALIER_AVX2
  typealias TileLanes = SIMD16<Float>
  typealias TileSums = SIMD16<Int32>
  typealias TilePairs = SIMD32<Int16>
#else
  typealias TileLanes = SIMD8<Float>
  typealias TileSums = SIMD8<Int32>
  typealias TilePairs = SIMD16<Int16>
#endif

/// How many numbers a vector has.
@inline(__always) var laneCount: Int { MemoryLayout<Lanes>.size / 4 }
@inline(__always) var tileLaneCount: Int { MemoryLayout<TileLanes>.size / 4 }
@inline(__always) var shortLaneCount: Int { MemoryLayout<ShortLanes>.size / 4 }

@inline(__always)
func widened(_ x: SIMD8<Int16>) -> SIMD8<Int32> {
  var wide = SIMD8<Int32>()
  for lane in 0..<8 { wide[lane] = Int32(x[lane]) }
  return wide
}

@inline(__always)
func widened(_ x: SIMD16<Int16>) -> SIMD16<Int32> {
  SIMD16<Int32>(lowHalf: widened(x.lowHalf), highHalf: widened(x.highHalf))
}

@inline(__always)
func widened(_ x: SIMD32<Int16>) -> SIMD32<Int32> {
  let (low, high) = unsafeBitCast(x, to: (SIMD16<Int16>, SIMD16<Int16>).self)
  return SIMD32(lowHalf: widened(low), highHalf: widened(high))
}

@inline(__always)
func pairSums(_ x: SIMD8<Int16>, _ y: SIMD8<Int16>) -> SIMD4<Int32> {
  let products = widened(x) &* widened(y)
  return products.evenHalf &+ products.oddHalf
}

@inline(__always)
func pairSums(_ x: SIMD16<Int16>, _ y: SIMD16<Int16>) -> SIMD8<Int32> {
  let products = widened(x) &* widened(y)
  return products.evenHalf &+ products.oddHalf
}

@inline(__always)
func pairSums(_ x: SIMD32<Int16>, _ y: SIMD32<Int16>) -> SIMD16<Int32> {
  let products = widened(x) &* widened(y)
  let (low, high) = unsafeBitCast(products, to: (SIMD16<Int32>, SIMD16<Int32>).self)
  return SIMD16(lowHalf: low.evenHalf, highHalf: high.evenHalf)
    &+ SIMD16(lowHalf: low.oddHalf, highHalf: high.oddHalf)
}

@inline(__always)
func floats(_ x: SIMD4<Int32>) -> SIMD4<Float> { SIMD4<Float>(x) }

@inline(__always)
func floats(_ x: SIMD8<Int32>) -> SIMD8<Float> {
  var floats = SIMD8<Float>()
  for lane in 0..<8 { floats[lane] = Float(x[lane]) }
  return floats
}

@inline(__always)
func floats(_ x: SIMD16<Int32>) -> SIMD16<Float> {
  SIMD16<Float>(lowHalf: floats(x.lowHalf), highHalf: floats(x.highHalf))
}

extension UnsafeRawPointer {
  @inline(__always)
  func lanes(_ offset: Int) -> Lanes { loadUnaligned(fromByteOffset: offset, as: Lanes.self) }

  @inline(__always)
  func tileLanes(_ offset: Int) -> TileLanes {
    loadUnaligned(fromByteOffset: offset, as: TileLanes.self)
  }

  /// One pair of activations, beside every row.
  @inline(__always)
  func spreadTilePair(_ offset: Int) -> TilePairs {
    unsafeBitCast(
      TileSums(repeating: load(fromByteOffset: offset, as: Int32.self)), to: TilePairs.self)
  }

  @inline(__always)
  func spreadShortPair(_ offset: Int) -> ShortPairs {
    unsafeBitCast(
      ShortSums(repeating: load(fromByteOffset: offset, as: Int32.self)), to: ShortPairs.self)
  }
}

/// The sum of 16 numbers, in one order for every width of vectors.
@inline(__always)
func sum(_ x: UnsafePointer<Float>) -> Float {
  let source = UnsafeRawPointer(x)
  let four =
    (source.loadUnaligned(as: SIMD4<Float>.self)
      + source.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self))
    + (source.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self)
      + source.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self))
  return (four[0] + four[2]) + (four[1] + four[3])
}
