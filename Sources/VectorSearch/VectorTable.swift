// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Vectors by number, rounded to 8 bits, in flat memory: which of them are closest to another vector.
///
/// Every vector is compared: 100,000 of 384 numbers are 38 MB, which one thread reads in a few
/// milliseconds, and nothing is missed. A number of a vector is `scale · code`, with a code from −127 to
/// 127, so that a cosine is wrong by a few thousandths at most.
///
/// A module of its own, for debug builds optimise it: there a search took 400 times as long.
package struct VectorTable: Sendable {
  /// A vector that was found.
  package struct Match: Sendable, Equatable {
    /// The number of the vector.
    package var number: Int64
    /// The cosine of the angle between the two.
    package var similarity: Float
  }

  /// How many numbers a vector has.
  package let dimensions: Int
  /// The numbers of the vectors, each greater than the one before.
  package private(set) var numbers: [Int64] = []
  private var scales: [Float] = []
  private var codes: [Int8] = []

  /// The greatest number of dimensions: sums of products stay within 32 bits.
  package static let dimensionLimit = 8192

  /// - Parameter dimensions: From 1 to ``dimensionLimit``; others become the nearest.
  package init(dimensions: Int) {
    self.dimensions = min(max(1, dimensions), Self.dimensionLimit)
  }

  /// How many vectors there are.
  package var count: Int { numbers.count }

  // MARK: Vectors as bytes

  /// A vector as it is stored: the scale as 32 bits, least significant byte first, and a byte for each
  /// number.
  package static func bytes(of vector: [Float]) -> [UInt8] {
    var greatest: Float = 0
    for number in vector { greatest = max(greatest, abs(number)) }
    let scale = greatest.isFinite ? greatest / 127 : 0
    let factor = scale > 0 ? 1 / scale : 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + vector.count)
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: scale.bitPattern >> shift))
    }
    for number in vector {
      let code = min(max((number * factor).rounded(), -127), 127)
      bytes.append(UInt8(bitPattern: Int8(code.isNaN ? 0 : code)))
    }
    return bytes
  }

  /// Adds a vector.
  ///
  /// - Parameters:
  ///   - number: Greater than all before.
  ///   - bytes: What ``bytes(of:)`` made.
  /// - Returns: Whether the bytes are a vector of the dimensions, and the number the greatest.
  package mutating func append(_ number: Int64, bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 + dimensions, number > numbers.last ?? .min else { return false }
    var pattern: UInt32 = 0
    for index in 0..<4 { pattern |= UInt32(bytes[index]) << UInt32(8 * index) }
    let scale = Float(bitPattern: pattern)
    guard scale.isFinite, scale >= 0 else { return false }
    numbers.append(number)
    scales.append(scale)
    for index in 4..<bytes.count { codes.append(Int8(bitPattern: bytes[index])) }
    return true
  }

  /// Removes vectors.
  ///
  /// - Complexity: Linear in the number of vectors.
  package mutating func remove(_ removed: Set<Int64>) {
    guard !removed.isEmpty else { return }
    var kept = 0
    for index in numbers.indices where !removed.contains(numbers[index]) {
      if kept != index {
        numbers[kept] = numbers[index]
        scales[kept] = scales[index]
        for place in 0..<dimensions {
          codes[kept * dimensions + place] = codes[index * dimensions + place]
        }
      }
      kept += 1
    }
    numbers.removeSubrange(kept...)
    scales.removeSubrange(kept...)
    codes.removeSubrange((kept * dimensions)...)
  }

  // MARK: Searching

  /// The vectors closest to another, the closest first; of equally close ones the first.
  ///
  /// - Parameters:
  ///   - query: A vector of the length one and of the dimensions.
  ///   - limit: How many are found at most.
  ///   - allowed: The numbers that may be found; all where nil.
  /// - Complexity: Linear in the number of vectors, plus `limit` for each that is among the best so
  ///   far.
  package func closest(
    to query: [Float], limit: Int, among allowed: Set<Int64>? = nil
  ) -> [Match] {
    guard query.count == dimensions, limit > 0 else { return [] }
    // Eleven bits, so that the sum of 8,192 products stays within 32.
    var greatest: Float = 0
    for number in query { greatest = max(greatest, abs(number)) }
    guard greatest > 0, greatest.isFinite, !query.contains(where: \.isNaN) else { return [] }
    let words = query.map { Int16(($0 / greatest * 1023).rounded()) }
    let queryScale = greatest / 1023
    var best = BestMatches(limit: limit)
    codes.withUnsafeBufferPointer { codes in
      words.withUnsafeBufferPointer { words in
        guard let row = codes.baseAddress, let words = words.baseAddress else { return }
        for index in 0..<numbers.count {
          if let allowed, !allowed.contains(numbers[index]) { continue }
          let sum = Self.product(row + index &* dimensions, words, dimensions)
          let similarity = Float(sum) * scales[index] * queryScale
          if similarity > best.least { best.insert(numbers[index], similarity) }
        }
      }
    }
    return best.matches
  }

  /// The sum of the products of two rows.
  ///
  /// Unsafe and in vectors of eight: bounds that are checked, and a loop that the compiler cuts into
  /// vectors itself, took 30 ms for 100,000 rows of 384, this takes 5 ms.
  @inline(__always)
  private static func product(
    _ codes: UnsafePointer<Int8>, _ words: UnsafePointer<Int16>, _ count: Int
  ) -> Int32 {
    let (codeBytes, wordBytes) = (UnsafeRawPointer(codes), UnsafeRawPointer(words))
    var (first, second) = (SIMD4<Int32>(), SIMD4<Int32>())
    var i = 0
    while i &+ 16 <= count {
      first &+= pairs(
        codeBytes.loadUnaligned(fromByteOffset: i, as: SIMD8<Int8>.self),
        wordBytes.loadUnaligned(fromByteOffset: 2 &* i, as: SIMD8<Int16>.self))
      second &+= pairs(
        codeBytes.loadUnaligned(fromByteOffset: i &+ 8, as: SIMD8<Int8>.self),
        wordBytes.loadUnaligned(fromByteOffset: 2 &* i &+ 16, as: SIMD8<Int16>.self))
      i &+= 16
    }
    var sum = (first &+ second).wrappedSum()
    while i < count {
      sum &+= Int32(codes[i]) &* Int32(words[i])
      i &+= 1
    }
    return sum
  }

  /// The sums of the products of pairs: one instruction (`pmaddwd`, `smlal`).
  @inline(__always)
  private static func pairs(_ codes: SIMD8<Int8>, _ words: SIMD8<Int16>) -> SIMD4<Int32> {
    var (first, second) = (SIMD8<Int32>(), SIMD8<Int32>())
    for lane in 0..<8 {
      first[lane] = Int32(Int16(codes[lane]))
      second[lane] = Int32(words[lane])
    }
    let products = first &* second
    return products.evenHalf &+ products.oddHalf
  }
}

/// The best of many, in order.
private struct BestMatches {
  let limit: Int
  private(set) var matches: [VectorTable.Match] = []
  /// What the next must be better than.
  private(set) var least = -Float.infinity

  init(limit: Int) { self.limit = limit }

  mutating func insert(_ number: Int64, _ similarity: Float) {
    var place = matches.count
    while place > 0, matches[place - 1].similarity < similarity { place -= 1 }
    matches.insert(VectorTable.Match(number: number, similarity: similarity), at: place)
    if matches.count > limit { matches.removeLast() }
    if matches.count == limit { least = matches[limit - 1].similarity }
  }
}
