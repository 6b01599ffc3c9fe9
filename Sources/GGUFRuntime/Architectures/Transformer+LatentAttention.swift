// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

// Keys and values of all heads are made of a few numbers of a position: of `n`, head h has the key
// `K(h) n` and the value `V(h) n`. A query's product with a key is `q · K(h) n = (K(h)ᵀ q) · n`, and the sum
// of values is V(h) times the sum of the `n`. So only `n` is kept, and all heads attend to it as to one key
// and value. Beside it the key has numbers that are turned by its position, the same for all heads.
extension Transformer {
  /// From the normed rows to those that a layer's latent attention adds.
  func attend(
    _ weights: TransformerWeights.LatentAttention, layer: Int, _ space: Workspace, _ pass: Pass,
    _ readings: [Reading]
  ) {
    let p = parameters
    guard let shape = p.latent else { return }
    let (count, keyWidth) = (pass.count, shape.rank + shape.turned)
    let queryWidth = p.heads * keyWidth
    weights.input.multiply(space.wide, into: space.key, compute)
    makeQueries(weights, shape, space, count)
    forEachRow(count, cost: 4 * (keyWidth + p.heads * shape.turned)) { row in
      let key = space.key + row * keyWidth
      compute.kernels.normalize(
        key, weights.inputNorm, shape.rank, epsilon: p.normEpsilon, into: key)
      pass.global.turn(
        key + shape.rank, count: 1, headSize: shape.turned, row: row, compute.kernels)
      pass.global.turn(
        space.mixed + row * p.heads * shape.querySize + shape.plain, count: p.heads,
        headSize: shape.querySize, row: row, compute.kernels)
      // A value is as long as a key, for the cache's sake.
      let value = space.value + row * keyWidth
      value.update(from: key, count: shape.rank)
      (value + shape.rank).update(repeating: 0, count: shape.turned)
    }
    for head in 0..<p.heads {
      multiply(
        weights.keys[head], space.mixed + head * shape.querySize, p.heads * shape.querySize,
        into: space.query + head * keyWidth, queryWidth, space, count)
      for row in 0..<count {
        let turned =
          space.mixed + (row * p.heads + head) * shape.querySize + shape.plain
        (space.query + row * queryWidth + head * keyWidth + shape.rank).update(
          from: turned, count: shape.turned)
      }
    }
    store(space, keyWidth, in: weights.memory, pass, readings)
    run(
      Attention(
        parameters: p, memory: pass.cacheShape.layers[weights.memory], window: nil, sinks: nil),
      space, pass)
    let valueWidth = p.heads * shape.valueSize
    for head in 0..<p.heads {
      multiply(
        weights.values[head], space.attended + head * keyWidth, queryWidth,
        into: space.mixed + head * shape.valueSize, valueWidth, space, count)
    }
    space.attention.fill(from: space.mixed, positions: count, width: valueWidth, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
  }

  /// Puts the queries of all heads into `space.mixed`.
  private func makeQueries(
    _ weights: TransformerWeights.LatentAttention, _ shape: ModelParameters.LatentShape,
    _ space: Workspace, _ count: Int
  ) {
    guard let input = weights.queryInput else {
      return weights.query.multiply(space.wide, into: space.mixed, compute)
    }
    let rank = input.norm.count
    input.matrix.multiply(space.wide, into: space.mixed, compute)
    forEachRow(count, cost: 4 * rank) { row in
      let row = space.mixed + row * rank
      compute.kernels.normalize(
        row, input.norm, rank, epsilon: parameters.normEpsilon, into: row)
    }
    space.attention.fill(from: space.mixed, positions: count, width: rank, compute)
    weights.query.multiply(space.attention, into: space.mixed, compute)
  }

  /// The product of one head's matrix with that head's numbers of each row.
  private func multiply(
    _ matrix: WeightMatrix, _ input: Workspace.Rows, _ inputStride: Int,
    into output: Workspace.Rows, _ outputStride: Int, _ space: Workspace, _ count: Int
  ) {
    for row in 0..<count {
      (space.headInput + row * matrix.columns).update(
        from: input + row * inputStride, count: matrix.columns)
    }
    space.narrow.fill(
      from: space.headInput, positions: count, width: matrix.columns, compute)
    matrix.multiply(space.narrow, into: space.headOutput, compute)
    for row in 0..<count {
      (output + row * outputStride).update(
        from: space.headOutput + row * matrix.rows, count: matrix.rows)
    }
  }
}
