// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing
import VectorSearch

/// Vectors in 8 bits, beside the same in full.
@Suite struct VectorTableTests {
  /// Numbers from −1 to 1, the same for each seed.
  struct Numbers {
    var state: UInt64

    mutating func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }

    mutating func vector(_ dimensions: Int) -> [Float] {
      let vector = (0..<dimensions).map { _ in next() }
      let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return vector.map { $0 / length }
    }
  }

  private func table(_ vectors: [[Float]], dimensions: Int) -> VectorTable {
    var table = VectorTable(dimensions: dimensions)
    for (index, vector) in vectors.enumerated() {
      let isAdded = table.append(Int64(index), bytes: VectorTable.bytes(of: vector))
      #expect(isAdded)
    }
    return table
  }

  @Test(arguments: [1, 7, 15, 16, 17, 31, 384, 385])
  func similaritiesAreCloseToCosines(dimensions: Int) {
    for seed in UInt64(1)...3 {
      var numbers = Numbers(state: seed)
      let vectors = (0..<60).map { _ in numbers.vector(dimensions) }
      let query = numbers.vector(dimensions)
      let found = table(vectors, dimensions: dimensions).closest(to: query, limit: 60)
      #expect(Set(found.map(\.number)).count == 60, "seed \(seed)")
      for match in found {
        let cosine = zip(vectors[Int(match.number)], query).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(cosine - match.similarity) < 0.01, "seed \(seed)")
      }
      #expect(found.map(\.similarity) == found.map(\.similarity).sorted(by: >), "seed \(seed)")
      // A few of them are the first of all.
      let best = table(vectors, dimensions: dimensions).closest(to: query, limit: 5)
      #expect(best == Array(found.prefix(5)), "seed \(seed)")
    }
  }

  @Test func removedVectorsAreNotFound() {
    var numbers = Numbers(state: 9)
    let vectors = (0..<20).map { _ in numbers.vector(16) }
    var table = table(vectors, dimensions: 16)
    table.remove([0, 7, 8, 19, 100])
    #expect(table.count == 16)
    let found = table.closest(to: vectors[7], limit: 99)
    #expect(Set(found.map(\.number)) == Set(0..<20).subtracting([0, 7, 8, 19]))
    #expect(table.closest(to: vectors[9], limit: 1).first?.number == 9)
    let some = table.closest(to: vectors[9], limit: 99, among: [3, 7, 12])
    #expect(Set(some.map(\.number)) == [3, 12])
  }

  @Test func whatIsNoVectorIsRefused() {
    var table = VectorTable(dimensions: 4)
    let bytes = VectorTable.bytes(of: [1, 0, 0, 0])
    let additions: [(Int64, [UInt8], Bool)] = [
      (5, bytes, true), (5, bytes, false), (4, bytes, false), (6, Array(bytes.dropLast()), false),
      (6, [0, 0, 0xC0, 0x7F, 1, 2, 3, 4], false),
      (6, VectorTable.bytes(of: [0, 0, 0, 0]), true),
      (7, VectorTable.bytes(of: [.nan, .infinity, 0, 0]), true),
    ]
    for (number, bytes, expected) in additions {
      let isAdded = table.append(number, bytes: bytes)
      #expect(isAdded == expected, "\(number) \(bytes)")
    }
    #expect(table.closest(to: [1, 0, 0], limit: 3).isEmpty)
    #expect(table.closest(to: [0, 0, 0, 0], limit: 3).isEmpty)
    #expect(table.closest(to: [.nan, 0, 0, 0], limit: 3).isEmpty)
    #expect(table.closest(to: [1, 0, 0, 0], limit: 0).isEmpty)
    #expect(table.closest(to: [1, 0, 0, 0], limit: 1).first?.number == 5)
  }

  /// The greatest products there can be stay within 32 bits.
  @Test func theLongestVectorsDoNotOverflow() {
    let dimensions = VectorTable.dimensionLimit
    let flat = [Float](repeating: 1 / Float(dimensions).squareRoot(), count: dimensions)
    let found = table([flat, flat.map(-)], dimensions: dimensions).closest(to: flat, limit: 2)
    #expect(abs(found[0].similarity - 1) < 0.01)
    #expect(abs(found[1].similarity + 1) < 0.01)
  }

  @Test func questionsThatAreNotFiniteFindNothing() {
    let table = table([[1, 0], [0, 1]], dimensions: 2)
    for query in [[Float.nan, 1], [1, .nan], [.infinity, 1], [0, 0]] {
      #expect(table.closest(to: query, limit: 2).isEmpty, "\(query)")
    }
  }
}
