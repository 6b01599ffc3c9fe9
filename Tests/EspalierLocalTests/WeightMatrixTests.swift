// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import GGUFRuntime

@Suite struct WeightMatrixTests {
  /// The kernels of every kind of processor against the plain sum over the expanded row; a batch, a
  /// row alone, and every kind of processor give the same bits.
  @Test(arguments: GGUFTensorType.allCases)
  func productsAreThoseOfTheExpandedRows(type: GGUFTensorType) throws {
    var generator = SeededGenerator(seed: UInt64(type.rawValue) + 1)
    // More than eight, which are read together, and three.
    let (columns, rows, positions) = (256, 27, 11)
    let data = QuantisedNumbers.random(rows * columns, type, &generator)
    let x = (0..<(columns * positions)).map { _ in Float.random(in: -2...2, using: &generator) }
    var writer = GGUFWriter()
    writer.add("w", [columns, rows], type: type.rawValue, data)
    var results: [[Float]] = []
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      var loader = WeightLoader(file: file)
      let matrix = try loader.matrix("w", columns, rows)
      for kernels in ProcessorKernels.available {
        let compute = Compute(kernels)
        let input = ActivationBlocks(width: columns, capacity: positions)
        input.fill(from: x, positions: positions, width: columns, compute)
        var output = [Float](repeating: 0, count: rows * positions)
        matrix.multiply(input, into: &output, compute)
        results.append(output)
        var single = [Float](repeating: 0, count: rows)
        for p in (0..<positions).reversed() {
          input.fill(
            from: Array(x[(p * columns)...].prefix(columns)), positions: 1, width: columns, compute)
          matrix.multiply(input, into: &single, compute)
          #expect(single[...] == output[(p * rows)...].prefix(rows))
        }
        var chosen: [Float] = []
        matrix.products(ofRows: [0, 3, 17, 26, 8], input, into: &chosen, compute)
        #expect(chosen == [single[0], single[3], single[17], single[26], single[8]])
      }
      var row = [Float](repeating: 0, count: columns)
      for r in 0..<rows {
        matrix.copyRow(r, to: &row)
        for p in 0..<positions {
          var expected = 0.0
          var magnitude = 0.0
          for c in 0..<columns {
            let product = Double(row[c]) * Double(x[p * columns + c])
            expected += product
            magnitude += product.magnitude
          }
          // Half a step of 1/32767 of the greatest, on each number, and the rounding of sums.
          #expect(abs(Double(results[0][p * rows + r]) - expected) <= magnitude * 1e-4 + 1e-4)
        }
      }
    }
    for other in results { #expect(other == results[0]) }
  }

  /// Several matrices at once, large enough for several threads, against each by itself on one.
  @Test(arguments: [GGUFTensorType.f32, .q4_1, .q6_K], [1, 32])
  func sharedProductsAreThoseOfEachAlone(type: GGUFTensorType, positions: Int) throws {
    var generator = SeededGenerator(seed: UInt64(positions))
    let columns = 256
    let rows = positions == 1 ? [2_003, 1_100, 9] : [130, 8, 75]
    var writer = GGUFWriter()
    for (index, rows) in rows.enumerated() {
      writer.add(
        "w\(index)", [columns, rows], type: type.rawValue,
        QuantisedNumbers.random(rows * columns, type, &generator))
    }
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      let input = ActivationBlocks(width: columns, capacity: positions)
      let (alone, together) = (Compute(), Compute(threads: 4))
      input.fill(
        from: (0..<(columns * positions)).map { _ in Float.random(in: -2...2, using: &generator) },
        positions: positions, width: columns, alone)
      var loader = WeightLoader(file: file)
      var expected: [[Float]] = []
      var products: [(matrix: WeightMatrix, output: UnsafeMutablePointer<Float>)] = []
      for index in rows.indices {
        let matrix = try loader.matrix("w\(index)", columns, rows[index])
        var output = [Float](repeating: 0, count: rows[index] * positions)
        matrix.multiply(input, into: &output, alone)
        expected.append(output)
        products.append((matrix, .allocate(capacity: output.count)))
      }
      defer { for product in products { product.output.deallocate() } }
      // Again and again, for helpers come late, or fall asleep in between.
      for round in 0..<50 {
        for product in products { product.output.update(repeating: 0, count: 9) }
        together.team.step { WeightMatrix.multiply(input, products, together) }
        if round % 20 == 19 { usleep(1_000) }
        for (product, expected) in zip(products, expected) {
          let output = UnsafeBufferPointer(start: product.output, count: expected.count)
          #expect(output.elementsEqual(expected))
        }
      }
    }
  }

  @Test func halvesAreExact() {
    #expect(HalfPrecision.float(0x3C00) == 1)
    #expect(HalfPrecision.float(0xC000) == -2)
    #expect(HalfPrecision.float(0x0001) == 0x1p-24)
    #expect(HalfPrecision.float(0x7C00) == .infinity)
    #expect(HalfPrecision.float(0x3555) == 0.333251953125)
  }
}
