extension WeightMatrix {
  /// Multiplies the matrix with the activations of some positions.
  ///
  /// - Parameters:
  ///   - input: The activations.
  ///   - output: A row of `rows` numbers for each position.
  ///   - team: Who shares the rows.
  func multiply(
    _ input: ActivationBlocks, into output: UnsafeMutablePointer<Float>, team: ThreadTeam
  ) {
    // Read by the workers of this call only, and each writes rows of its own.
    nonisolated(unsafe) let input = input
    nonisolated(unsafe) let output = output
    team.forEachRange(of: rows, costOfOne: columns * input.positions) { range in
      var position = 0
      while position + 4 <= input.positions {
        multiplyFour(range, input, position, output)
        position += 4
      }
      while position < input.positions {
        for row in range {
          output[position * rows + row] = product(ofRow: row, input, position)
        }
        position += 1
      }
    }
  }

  private func multiplyFour(
    _ range: Range<Int>, _ input: ActivationBlocks, _ position: Int,
    _ output: UnsafeMutablePointer<Float>
  ) {
    let blocks = columns / 32
    let x = input.values + position * columns
    let xScales = input.scales + position * blocks
    let xSums = input.sums + position * blocks
    for row in range {
      let result: SIMD4<Float>
      let c = UnsafeRawPointer(codes + row * rowBytes)
      switch form {
      case .nibbles:
        result = BlockProducts.nibblesTimesFour(
          c, scales + row * blocks, minimums + row * blocks, blocks, x, xScales, xSums)
      case .bytes:
        result = BlockProducts.bytesTimesFour(
          c, scales + row * blocks, hasMinimums ? UnsafePointer(minimums + row * blocks) : nil,
          blocks, x, xScales, xSums)
      case .bytesOf16, .floats:
        result = SIMD4(
          product(ofRow: row, input, position), product(ofRow: row, input, position + 1),
          product(ofRow: row, input, position + 2), product(ofRow: row, input, position + 3))
      }
      for i in 0..<4 { output[(position + i) * rows + row] = result[i] }
    }
  }

  /// One row times one position.
  @inline(__always)
  func product(ofRow row: Int, _ input: ActivationBlocks, _ position: Int) -> Float {
    let blocks = columns / 32
    let c = UnsafeRawPointer(codes + row * rowBytes)
    let x = input.values + position * columns
    let xScales = input.scales + position * blocks
    let xSums = input.sums + position * blocks
    switch form {
    case .nibbles:
      return BlockProducts.nibbles(
        c, scales + row * blocks, minimums + row * blocks, blocks, x, xScales, xSums)
    case .bytes:
      return BlockProducts.bytes(
        c, scales + row * blocks, hasMinimums ? UnsafePointer(minimums + row * blocks) : nil,
        blocks, x, xScales, xSums)
    case .bytesOf16:
      return BlockProducts.bytesOf16(c, scales + row * blocks * 2, blocks, x, xScales)
    case .floats:
      return BlockProducts.floats(
        c.assumingMemoryBound(to: Float.self), input.floats + position * columns, columns)
    }
  }
}
