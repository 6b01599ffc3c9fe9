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
    Self.multiply(input, [(self, output)], team: team)
  }

  /// Multiplies several matrices with the same activations, as one piece of work: waking a thread
  /// takes as long as a small product.
  ///
  /// - Parameters:
  ///   - input: The activations.
  ///   - products: The matrices, and for each where a row of `rows` numbers for each position goes.
  ///   - team: Who shares the rows.
  static func multiply(
    _ input: ActivationBlocks,
    _ products: [(matrix: WeightMatrix, output: UnsafeMutablePointer<Float>)], team: ThreadTeam
  ) {
    // Unsafe, for pointers are not sendable: the workers of this call only read the activations, and
    // each writes rows of its own to where the products go; the call waits for all of them.
    nonisolated(unsafe) let input = input
    nonisolated(unsafe) let products = products
    let groups = products.reduce(0) { $0 + $1.matrix.groups }
    let columns = products.first?.matrix.columns ?? 0
    team.forEachRange(of: groups, costOfOne: 8 * columns * input.positions) { range in
      var first = 0
      for (matrix, output) in products {
        let own = range.clamped(to: first..<(first + matrix.groups))
        if !own.isEmpty {
          matrix.multiply(own.lowerBound - first..<own.upperBound - first, input, output)
        }
        first += matrix.groups
      }
    }
  }

  private func multiply(
    _ range: Range<Int>, _ input: ActivationBlocks, _ output: UnsafeMutablePointer<Float>
  ) {
    if form == .floats {
      for row in range.lowerBound * 8..<min(range.upperBound * 8, rows) {
        let weights = UnsafePointer(floats + row * columns)
        for position in 0..<input.positions {
          output[position * rows + row] = GroupProducts.floats(
            weights, input.floats + position * columns, columns)
        }
      }
      return
    }
    withTemporaryLanes { lanes in
      if input.positions > 1 {
        multiplyBatch(range, input, lanes, output)
      } else {
        for group in range {
          product(ofGroup: group, input, into: lanes)
          copy(lanes, group, to: output)
        }
      }
    }
  }

  /// The products of some rows with the activations of one position.
  ///
  /// - Complexity: Linear in the number of groups of eight rows that the rows lie in, where they
  ///   come in order.
  func products(ofRows chosen: [Int], _ input: ActivationBlocks, into output: inout [Float]) {
    output.removeAll(keepingCapacity: true)
    output.reserveCapacity(chosen.count)
    if form == .floats {
      for row in chosen {
        output.append(GroupProducts.floats(floats + row * columns, input.floats, columns))
      }
      return
    }
    withTemporaryLanes { lanes in
      var known = -1
      for row in chosen {
        if row / 8 != known {
          known = row / 8
          product(ofGroup: known, input, into: lanes)
        }
        output.append((lanes + row % 8 * 4).load(as: Float.self))
      }
    }
  }

  private func multiplyBatch(
    _ range: Range<Int>, _ input: ActivationBlocks, _ lanes: UnsafeMutableRawPointer,
    _ output: UnsafeMutablePointer<Float>
  ) {
    let blocks = columns / 32
    let words = UnsafeMutableRawPointer.allocate(byteCount: columns * 16, alignment: 64)
    defer { words.deallocate() }
    for group in range {
      let source = UnsafeRawPointer(codes + group * groupBytes)
      if form == .nibbles {
        GroupProducts.unpackNibbles(source, offset: Int16(offset), blocks, to: words)
      } else {
        GroupProducts.unpackBytes(source, offset: Int16(offset), blocks, to: words)
      }
      for first in stride(from: 0, to: input.positions, by: 4) {
        GroupProducts.words(
          words, scales + group * scalesPerGroup, pairsPerScale: form == .bytesOf16 ? 8 : 16,
          blocks, position(first, of: input), lanes)
        for place in first..<min(first + 4, input.positions) {
          let result = lanes + (place - first) * 32
          if hasMinimums {
            GroupProducts.addMinimums(
              minimums + group * scalesPerGroup, blocks, input.sums + place * blocks, result)
          }
          copy(result, group, to: output + place * rows)
        }
      }
    }
  }

  private func product(
    ofGroup group: Int, _ input: ActivationBlocks, into lanes: UnsafeMutableRawPointer
  ) {
    let blocks = columns / 32
    let x = position(0, of: input)
    let source = UnsafeRawPointer(codes + group * groupBytes)
    let scales = UnsafeRawPointer(scales + group * scalesPerGroup)
    switch form {
    case .nibbles: GroupProducts.nibbles(source, scales, offset: offset, blocks, x, lanes)
    case .bytes: GroupProducts.bytes(source, scales, offset: offset, blocks, x, lanes)
    case .bytesOf16: GroupProducts.bytesOf16(source, scales, offset: offset, blocks, x, lanes)
    case .floats: return
    }
    if hasMinimums {
      GroupProducts.addMinimums(minimums + group * scalesPerGroup, blocks, x.sums, lanes)
    }
  }

  private func position(_ index: Int, of input: ActivationBlocks) -> GroupProducts.Position {
    GroupProducts.Position(
      pairs: UnsafeRawPointer(input.pairs + index * input.pairStride),
      scales: UnsafePointer(input.scales + index * input.blocks),
      sums: UnsafePointer(input.sums + index * input.blocks),
      halfSums: UnsafePointer(input.halfSums + 2 * index * input.blocks))
  }

  /// Writes the results of a group; the last group may have fewer than eight rows.
  private func copy(
    _ lanes: UnsafeMutableRawPointer, _ group: Int, to output: UnsafeMutablePointer<Float>
  ) {
    (output + group * 8).update(
      from: lanes.assumingMemoryBound(to: Float.self), count: min(8, rows - group * 8))
  }

  /// Room for the results of eight rows at four positions.
  private func withTemporaryLanes(_ body: (UnsafeMutableRawPointer) -> Void) {
    let lanes = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 64)
    defer { lanes.deallocate() }
    lanes.initializeMemory(as: Float.self, repeating: 0, count: 32)
    body(lanes)
  }
}
