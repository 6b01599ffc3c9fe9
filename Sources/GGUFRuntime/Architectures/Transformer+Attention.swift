// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

extension Transformer {
  /// From the normed rows to those that a layer's attention adds.
  func attend(
    _ weights: TransformerWeights.Attention, layer: Int, _ space: Workspace, _ pass: Pass,
    _ readings: [Reading]
  ) {
    let p = parameters
    let count = pass.count
    let shape = p.layers[layer]
    let (queryWidth, keyWidth) = (p.heads * shape.headSize, shape.keyWidth)
    var products = [(weights.query, space.query)]
    if let key = weights.key { products.append((key, space.key)) }
    if let value = weights.value { products.append((value, space.value)) }
    if let gate = weights.gate { products.append((gate, space.mixingGate)) }
    WeightMatrix.multiply(space.wide, products, compute)
    // Without a matrix of their own, values are the keys before these are normed and turned.
    if weights.value == nil, weights.key != nil {
      space.value.update(from: space.key, count: count * keyWidth)
    }
    let rotations = !shape.turns ? nil : shape.hasWindow ? pass.local ?? pass.global : pass.global
    forEachRow(count, cost: 4 * (queryWidth + keyWidth)) { row in
      prepare(
        space.query + row * queryWidth, weights.queryBias, weights.queryNorm, p.heads,
        shape.headSize, rotations, row)
      if let scale = pass.queryScales?[row] {
        for i in row * queryWidth..<(row + 1) * queryWidth { space.query[i] *= scale }
      }
      guard weights.key != nil else { return }
      prepare(
        space.key + row * keyWidth, weights.keyBias, weights.keyNorm, shape.keyValueHeads,
        shape.headSize, rotations, row)
      prepare(
        space.value + row * keyWidth, weights.valueBias, weights.valueNorm, shape.keyValueHeads,
        shape.headSize, nil, row)
    }
    if weights.key != nil { store(space, keyWidth, in: weights.memory, pass, readings) }
    run(
      Attention(
        parameters: p, memory: pass.cacheShape.layers[weights.memory],
        window: shape.hasWindow ? p.window : nil, sinks: weights.sinks), space, pass)
    if weights.gate != nil {
      forEachRow(count, cost: 16 * queryWidth) { row in
        compute.kernels.gateBySigmoid(
          space.attended + row * queryWidth, space.mixingGate + row * queryWidth, queryWidth)
      }
    }
    space.attention.fill(from: space.attended, positions: count, width: queryWidth, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
    forEachRow(count, cost: p.width) { row in
      addBias(weights.outputBias, to: space.projected + row * p.width)
    }
  }

  /// Puts the keys and values of all rows into a memory of the cache.
  func store(
    _ space: Workspace, _ keyWidth: Int, in memory: Int, _ pass: Pass, _ readings: [Reading]
  ) {
    for (reading, sequence) in zip(readings, pass.sequences) {
      let first = sequence.rows.lowerBound * keyWidth
      reading.cache.store(
        space.key + first, space.value + first,
        sequence.start..<sequence.start + sequence.rows.count, layer: memory)
    }
  }

  func run(_ attention: Attention, _ space: Workspace, _ pass: Pass) {
    if let tree = pass.tree {
      attention.run(space, tree, after: pass.sequences[0], pass.cacheShape, compute)
    } else {
      attention.run(space, pass.sequences, compute)
    }
  }

  /// What is done to the queries, the keys or the values of a row before they meet.
  private func prepare(
    _ heads: Workspace.Rows, _ bias: [Float]?, _ norm: [Float]?, _ count: Int, _ size: Int,
    _ rotations: Rotations?, _ row: Int
  ) {
    addBias(bias, to: heads)
    if let norm {
      for start in stride(from: 0, to: count * size, by: norm.count) {
        compute.kernels.normalize(
          heads + start, norm, norm.count, epsilon: parameters.normEpsilon, into: heads + start)
      }
    }
    rotations?.turn(heads, count: count, headSize: size, row: row, compute.kernels)
  }
}
