// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// An encoder: the tokens of a text in, one vector out. Every token sees all tokens of its text.
///
/// A pass takes several texts through the layers together, row by row, so that each row of weights is
/// read once for all of them; a text's vector does not depend on the others. A layer is
///
///     hidden = norm(hidden + output(attention(hidden))); hidden = norm(hidden + down(act(up)))
package struct EncoderTransformer: Sendable {
  package let parameters: EncoderParameters
  let weights: EncoderWeights
  let compute: Compute

  /// How many tokens there are numbers for.
  package var vocabularySize: Int { weights.embedding.rows }

  /// Reads the weights of a file.
  ///
  /// - Throws: ``GGUFError`` with the tensor that is missing or wrong.
  package init(
    file: GGUFFile, parameters: EncoderParameters, _ compute: Compute = Compute()
  ) throws(GGUFError) {
    self.parameters = parameters
    self.compute = compute
    weights = try EncoderWeights(file, parameters)
  }

  /// The vectors of texts, each of the length one.
  ///
  /// - Parameter texts: The tokens of each, within the vocabulary, at least one and at most as many as
  ///   the context has.
  package func vectors(of texts: [[Int]]) -> [[Float]] {
    let count = texts.reduce(0) { $0 + $1.count }
    guard count > 0 else { return [] }
    let space = EncoderWorkspace(parameters, capacity: count)
    embed(texts, space)
    compute.team.step {
      for layer in weights.layers { run(layer, texts, count, space) }
    }
    var row = 0
    return texts.map { text in
      defer { row += text.count }
      return pooled(space.hidden + row * parameters.width, count: text.count)
    }
  }

  private func embed(_ texts: [[Int]], _ space: EncoderWorkspace) {
    let width = parameters.width
    var row = space.hidden
    for text in texts {
      for (position, token) in text.enumerated() {
        weights.embedding.copyRow(token, to: row)
        if let type = weights.type { compute.kernels.add(type, width, to: row) }
        weights.positions?.withUnsafeBufferPointer { positions in
          if let base = positions.baseAddress {
            compute.kernels.add(base + position * width, width, to: row)
          }
        }
        normalize(row, weights.embeddingNorm)
        row += width
      }
    }
  }

  private func run(
    _ layer: EncoderWeights.Layer, _ texts: [[Int]], _ count: Int, _ space: EncoderWorkspace
  ) {
    let p = parameters
    space.narrow.fill(from: space.hidden, positions: count, width: p.width, compute)
    WeightMatrix.multiply(
      space.narrow,
      [
        (layer.query.matrix, space.query), (layer.key.matrix, space.key),
        (layer.value.matrix, space.value),
      ], compute)
    addBiases([layer.query, layer.key, layer.value], [space.query, space.key, space.value], count)
    if p.architecture == .nomicBert { turn(texts, space) }
    attend(texts, space)
    space.narrow.fill(from: space.attended, positions: count, width: p.width, compute)
    add(layer.output, to: layer.outputNorm, space.narrow, count, space)
    space.narrow.fill(from: space.hidden, positions: count, width: p.width, compute)
    feedForward(layer, count, space)
    space.wide.fill(from: space.up, positions: count, width: p.feedForwardWidth, compute)
    add(layer.down, to: layer.norm, space.wide, count, space)
  }

  /// `act(up)` or `act(gate) · up`, in the place of `space.up`.
  private func feedForward(
    _ layer: EncoderWeights.Layer, _ count: Int, _ space: EncoderWorkspace
  ) {
    let width = parameters.feedForwardWidth
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let (up, gate, ones) = (space.up, space.gate, space.ones)
    if let weights = layer.gate {
      WeightMatrix.multiply(
        space.narrow, [(weights.matrix, gate), (layer.up.matrix, up)], compute)
      addBiases([weights, layer.up], [gate, up], count)
    } else {
      WeightMatrix.multiply(space.narrow, [(layer.up.matrix, up)], compute)
      addBiases([layer.up], [up], count)
    }
    let isGated = layer.gate != nil
    compute.team.forEachRange(of: count, costOfOne: 16 * width) { rows in
      for row in rows {
        if isGated {
          compute.kernels.swiGLU(gate + row * width, up + row * width, width)
          (up + row * width).update(from: gate + row * width, count: width)
        } else {
          // GELU by the tanh formula, as llama.cpp has it: the models were trained with the error
          // function, which differs by less than 0.001.
          compute.kernels.geGLU(up + row * width, ones, width)
        }
      }
    }
  }

  /// Adds the products of rows to the hidden rows, and norms these.
  private func add(
    _ linear: EncoderWeights.Linear, to norm: EncoderWeights.Norm, _ input: ActivationBlocks,
    _ count: Int, _ space: EncoderWorkspace
  ) {
    WeightMatrix.multiply(input, [(linear.matrix, space.projected)], compute)
    addBiases([linear], [space.projected], count)
    let width = parameters.width
    for row in 0..<count {
      compute.kernels.add(space.projected + row * width, width, to: space.hidden + row * width)
      normalize(space.hidden + row * width, norm)
    }
  }

  private func addBiases(
    _ linears: [EncoderWeights.Linear], _ outputs: [EncoderWorkspace.Rows], _ count: Int
  ) {
    for (linear, output) in zip(linears, outputs) {
      guard let bias = linear.bias else { continue }
      for row in 0..<count { compute.kernels.add(bias, bias.count, to: output + row * bias.count) }
    }
  }

  /// Brings a row to the mean zero and the variance one, then scales and shifts it.
  private func normalize(_ row: EncoderWorkspace.Rows, _ norm: EncoderWeights.Norm) {
    let width = parameters.width
    var sum: Float = 0
    for i in 0..<width { sum += row[i] }
    let mean = sum / Float(width)
    var squares: Float = 0
    for i in 0..<width { squares += (row[i] - mean) * (row[i] - mean) }
    let factor = 1 / (squares / Float(width) + parameters.normEpsilon).squareRoot()
    norm.weight.withUnsafeBufferPointer { weight in
      norm.bias.withUnsafeBufferPointer { bias in
        for i in 0..<width { row[i] = (row[i] - mean) * factor * weight[i] + bias[i] }
      }
    }
  }

  private func pooled(_ rows: EncoderWorkspace.Rows, count: Int) -> [Float] {
    let width = parameters.width
    var vector = [Float](repeating: 0, count: width)
    switch parameters.pooling {
    case .mean:
      for row in 0..<count { compute.kernels.add(rows + row * width, width, to: &vector) }
    case .first: compute.kernels.add(rows, width, to: &vector)
    case .last: compute.kernels.add(rows + (count - 1) * width, width, to: &vector)
    }
    var squares: Float = 0
    for number in vector { squares += number * number }
    // A vector that no number can scale stays as it is.
    guard squares > 0, squares.isFinite else { return vector }
    let factor = 1 / squares.squareRoot()
    for i in 0..<width { vector[i] *= factor }
    return vector
  }
}
