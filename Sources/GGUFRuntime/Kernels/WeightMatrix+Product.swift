// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

extension WeightMatrix {
  /// Multiplies the matrix with the activations of some positions.
  ///
  /// - Parameters:
  ///   - input: The activations.
  ///   - output: A row of `rows` numbers for each position.
  ///   - compute: The kernels, and who shares the rows.
  func multiply(
    _ input: ActivationBlocks, into output: UnsafeMutablePointer<Float>, _ compute: Compute
  ) {
    Self.multiply(input, [(self, output)], compute)
  }

  /// Multiplies several matrices with the same activations, as one piece of work.
  ///
  /// - Parameters:
  ///   - input: The activations.
  ///   - products: The matrices, and for each where a row of `rows` numbers for each position goes.
  ///   - compute: The kernels, and who shares the rows.
  static func multiply(
    _ input: ActivationBlocks,
    _ products: [(matrix: WeightMatrix, output: UnsafeMutablePointer<Float>)], _ compute: Compute
  ) {
    // Unsafe, for pointers are not sendable: the workers of this call only read the activations, and
    // each writes rows of its own to where the products go; the call waits for all of them.
    nonisolated(unsafe) let input = input
    nonisolated(unsafe) let products = products
    let groups = products.reduce(0) { $0 + $1.matrix.groups }
    let columns = products.first?.matrix.columns ?? 0
    compute.team.forEachRange(of: groups, costOfOne: 16 * columns * input.positions) { range in
      var first = 0
      for (matrix, output) in products {
        let own = range.clamped(to: first..<(first + matrix.groups))
        if !own.isEmpty {
          let groups = own.lowerBound - first..<own.upperBound - first
          matrix.multiply(groups, input, output, compute.kernels)
        }
        first += matrix.groups
      }
    }
  }

  private func multiply(
    _ range: Range<Int>, _ input: ActivationBlocks, _ output: UnsafeMutablePointer<Float>,
    _ kernels: any KernelSet.Type
  ) {
    if form == .floats {
      for row in range.lowerBound * 16..<min(range.upperBound * 16, rows) {
        kernels.multiply(
          row: floats + row * columns, input.floats, columns: columns, positions: input.positions,
          into: output + row, stride: rows)
      }
      return
    }
    kernels.multiply(weightRows, groups: range, input.rows, into: output)
  }

  /// The products of some rows with the activations of one position.
  ///
  /// - Complexity: Linear in the number of groups of 16 rows that the rows lie in, where they come in
  ///   order.
  func products(
    ofRows chosen: [Int], _ input: ActivationBlocks, into output: inout [Float], _ compute: Compute
  ) {
    output.removeAll(keepingCapacity: true)
    output.reserveCapacity(chosen.count)
    if form == .floats {
      var result: Float = 0
      for row in chosen {
        compute.kernels.multiply(
          row: floats + row * columns, input.floats, columns: columns, positions: 1,
          into: &result, stride: 0)
        output.append(result)
      }
      return
    }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 16) { buffer in
      guard let lanes = buffer.baseAddress else { return }
      // The group alone, as a matrix of 16 rows.
      var weights = weightRows
      var known = -1
      for row in chosen {
        if row / 16 != known {
          known = row / 16
          weights.blocks = UnsafeRawPointer(codes + known * groupBytes)
          weights.rows = min(16, rows - known * 16)
          compute.kernels.multiply(weights, groups: 0..<1, input.rows, into: lanes)
        }
        output.append(lanes[row % 16])
      }
    }
  }

  /// The matrix as the kernels read it; not for `floats`.
  var weightRows: WeightRows {
    WeightRows(
      layout: layout, rows: rows, blockCount: columns / 32, offset: offset,
      blocks: UnsafeRawPointer(codes))
  }
}
