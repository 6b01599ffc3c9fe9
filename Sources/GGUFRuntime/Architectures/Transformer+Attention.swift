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
    var products = [
      (weights.query, space.query), (weights.key, space.key), (weights.value, space.value),
    ]
    if let gate = weights.gate { products.append((gate, space.mixingGate)) }
    WeightMatrix.multiply(space.wide, products, compute)
    let isWindowed = p.hasWindow(layer: layer)
    let rotations =
      !p.turns(layer: layer) ? nil : isWindowed ? pass.local ?? pass.global : pass.global
    let width = p.keyValueHeads * p.headSize
    forEachRow(count, cost: 4 * (p.heads + p.keyValueHeads) * p.headSize) { row in
      prepare(
        space.query + row * p.heads * p.headSize, weights.queryBias, weights.queryNorm, p.heads,
        rotations, row)
      prepare(
        space.key + row * width, weights.keyBias, weights.keyNorm, p.keyValueHeads, rotations, row)
      addBias(weights.valueBias, to: space.value + row * width)
    }
    for (reading, sequence) in zip(readings, pass.sequences) {
      let first = sequence.rows.lowerBound * width
      reading.cache.store(
        space.key + first, space.value + first,
        sequence.start..<sequence.start + sequence.rows.count, layer: weights.index)
    }
    let attention = Attention(
      parameters: p, shape: pass.cacheShape, layer: weights.index,
      window: isWindowed ? p.window : nil, sinks: weights.sinks)
    if let tree = pass.tree {
      attention.run(space, tree, after: pass.sequences[0], compute)
    } else {
      attention.run(space, pass.sequences, compute)
    }
    if weights.gate != nil {
      let width = p.heads * p.headSize
      forEachRow(count, cost: 16 * width) { row in
        compute.kernels.gateBySigmoid(
          space.attended + row * width, space.mixingGate + row * width, width)
      }
    }
    space.attention.fill(
      from: space.attended, positions: count, width: p.heads * p.headSize, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
    forEachRow(count, cost: p.width) { row in
      addBias(weights.outputBias, to: space.projected + row * p.width)
    }
  }

  /// What is done to the queries or the keys of a row before they meet.
  private func prepare(
    _ heads: Workspace.Rows, _ bias: [Float]?, _ norm: [Float]?, _ count: Int,
    _ rotations: Rotations?, _ row: Int
  ) {
    let size = parameters.headSize
    addBias(bias, to: heads)
    if let norm {
      for head in 0..<count {
        compute.kernels.normalize(
          heads + head * size, norm, size, epsilon: parameters.normEpsilon,
          into: heads + head * size)
      }
    }
    rotations?.turn(heads, count: count, headSize: size, row: row, compute.kernels)
  }
}
