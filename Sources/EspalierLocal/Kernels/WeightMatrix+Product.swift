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
      if input.positions > 1, form == .nibbles || form == .bytes {
        multiplyBatch(range, input, output)
        return
      }
      for row in range {
        for position in 0..<input.positions {
          output[position * rows + row] = product(ofRow: row, input, position)
        }
      }
    }
  }

  private func multiplyBatch(
    _ range: Range<Int>, _ input: ActivationBlocks, _ output: UnsafeMutablePointer<Float>
  ) {
    let blocks = columns / 32
    let unpacked = UnsafeMutablePointer<Int16>.allocate(capacity: columns)
    defer { unpacked.deallocate() }
    for row in range {
      let c = UnsafeRawPointer(codes + row * rowBytes)
      if form == .nibbles {
        BlockProducts.unpackNibbles(c, blocks, to: unpacked)
      } else {
        BlockProducts.unpackBytes(c, blocks, to: unpacked)
      }
      let rowMinimums = hasMinimums ? UnsafePointer(minimums + row * blocks) : nil
      for position in 0..<input.positions {
        output[position * rows + row] = BlockProducts.words(
          unpacked, scales + row * blocks, rowMinimums, blocks,
          input.values + position * columns, input.scales + position * blocks,
          input.sums + position * blocks)
      }
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
