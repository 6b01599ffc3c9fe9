// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import GGUFKernels

extension Transformer {
  /// From the normed rows to those that a layer's feed-forward part adds.
  func feedForward(
    _ part: TransformerWeights.FeedForward, _ count: Int, _ space: Workspace
  ) {
    switch part {
    case .dense(let dense): apply(dense, to: space.wide, count, space, into: space.projected)
    case .mixture(let mixture):
      mixture.router.multiply(space.wide, into: space.scores, compute)
      mix(mixture, count, space)
    case .sum(let dense, let mixture, let norms):
      apply(dense, to: space.wide, count, space, into: space.denseResult)
      normalize(space.denseResult, norms.afterDense, count, into: space.denseResult)
      normalize(space.hidden, norms.router, count, into: space.normalized)
      space.wide.fill(from: space.normalized, positions: count, width: parameters.width, compute)
      mixture.router.multiply(space.wide, into: space.scores, compute)
      normalize(space.hidden, norms.mixture, count, into: space.normalized)
      mix(mixture, count, space)
      normalize(space.projected, norms.afterMixture, count, into: space.projected)
      compute.kernels.add(space.denseResult, count * parameters.width, to: space.projected)
    }
  }

  /// `down(act(gate) · up)` of some rows, or `down(relu(up)²)`.
  func apply(
    _ weights: TransformerWeights.Perceptron, to input: ActivationBlocks, _ count: Int,
    _ space: Workspace, into output: Workspace.Rows
  ) {
    var products = [(weights.up, space.up)]
    if let gate = weights.gate { products.insert((gate, space.gate), at: 0) }
    WeightMatrix.multiply(input, products, compute)
    let (width, outputWidth) = (weights.up.rows, parameters.width)
    forEachRow(count, cost: 16 * width) { row in
      let (gate, up) = (space.gate + row * width, space.up + row * width)
      addBias(weights.upBias, to: up)
      guard weights.gate != nil else {
        for i in 0..<width { gate[i] = max(0, up[i]) * max(0, up[i]) }
        return
      }
      addBias(weights.gateBias, to: gate)
      if let threshold = weights.gateThreshold { keepGreatest(gate, width, above: threshold) }
      if parameters.architecture.isGemma {
        compute.kernels.geGLU(gate, up, width)
      } else if parameters.architecture == .gptOSS {
        compute.kernels.boundedSwiGLU(gate, up, width)
      } else {
        compute.kernels.swiGLU(gate, up, width)
      }
    }
    space.feedForward.fill(from: space.gate, positions: count, width: width, compute)
    weights.down.multiply(space.feedForward, into: output, compute)
    for row in 0..<count { addBias(weights.downBias, to: output + row * outputWidth) }
  }

  /// Takes from the gates of a row what lies below a number of standard deviations above their mean.
  private func keepGreatest(_ gate: Workspace.Rows, _ width: Int, above threshold: Float) {
    var sum: Float = 0
    for i in 0..<width { sum += gate[i] }
    let mean = sum / Float(width)
    var squares: Float = 0
    for i in 0..<width { squares += (gate[i] - mean) * (gate[i] - mean) }
    let least = mean + threshold * (squares / Float(width - 1)).squareRoot()
    for i in 0..<width { gate[i] = max(0, gate[i] - least) }
  }

  /// Each normed row goes to the few experts that fit it best, by the scores of the router.
  ///
  /// The experts come one after the other, each with the rows that chose it. A row's results are added
  /// in the order of the experts, so that they do not depend on the other rows.
  func mix(_ mixture: TransformerWeights.Mixture, _ count: Int, _ space: Workspace) {
    guard let shape = parameters.mixture else { return }
    let width = parameters.width
    var choices: [ExpertChoice] = []
    choices.reserveCapacity(count * shape.chosen)
    for row in 0..<count {
      let scores = UnsafeMutableBufferPointer(
        start: space.scores + row * shape.experts, count: shape.experts)
      choices += ExpertChoice.best(of: scores, mixture, shape, row: row)
    }
    choices.sort { ($0.expert, $0.row) < ($1.expert, $1.row) }
    space.projected.update(repeating: 0, count: count * width)
    if let shared = mixture.shared {
      apply(shared, to: space.wide, count, space, into: space.expertResult)
      for row in 0..<count {
        let share = mixture.sharedGate.map { sigmoid(of: $0, space.normalized + row * width) }
        add(space.expertResult + row * width, times: share ?? 1, to: space.projected + row * width)
      }
    }
    var rest = choices[...]
    while let expert = rest.first?.expert {
      let own = rest.prefix { $0.expert == expert }
      for (place, choice) in own.enumerated() {
        (space.gathered + place * width).update(
          from: space.normalized + choice.row * width, count: width)
      }
      space.wide.fill(from: space.gathered, positions: own.count, width: width, compute)
      apply(mixture.experts[expert], to: space.wide, own.count, space, into: space.expertResult)
      for (place, choice) in own.enumerated() {
        add(
          space.expertResult + place * width, times: choice.weight,
          to: space.projected + choice.row * width)
      }
      rest = rest.dropFirst(own.count)
    }
  }

  private func add(_ row: Workspace.Rows, times factor: Float, to target: Workspace.Rows) {
    for i in 0..<parameters.width { target[i] += row[i] * factor }
  }

  private func sigmoid(of weights: [Float], _ row: Workspace.Rows) -> Float {
    var product: Float = 0
    compute.kernels.multiply(
      row: weights, row, columns: weights.count, positions: 1, into: &product, stride: 0)
    return 1 / (1 + expf(-product))
  }
}

/// An expert that a row takes, and the weight of its result.
struct ExpertChoice {
  var expert: Int
  var row: Int
  var weight: Float

  /// The best experts of a row; of equal ones the first.
  ///
  /// - Parameter scores: A score for each expert; written to.
  static func best(
    of scores: UnsafeMutableBufferPointer<Float>, _ mixture: TransformerWeights.Mixture,
    _ shape: ModelParameters.Mixture, row: Int
  ) -> [ExpertChoice] {
    if let bias = mixture.routerBias {
      for i in scores.indices { scores[i] += bias[i] }
    }
    switch shape.weighting {
    case .softmax: softmax(scores)
    case .sigmoid: for i in scores.indices { scores[i] = 1 / (1 + expf(-scores[i])) }
    case .softmaxOfChosen: break
    }
    var choices: [ExpertChoice] = []
    for _ in 0..<shape.chosen {
      var (best, greatest) = (0, -Float.infinity)
      for i in scores.indices where !choices.contains(where: { $0.expert == i }) {
        let score = scores[i] + (mixture.choiceBias?[i] ?? 0)
        if score > greatest { (best, greatest) = (i, score) }
      }
      choices.append(ExpertChoice(expert: best, row: row, weight: scores[best]))
    }
    var weights = choices.map(\.weight)
    if shape.weighting == .softmaxOfChosen {
      weights.withUnsafeMutableBufferPointer { softmax($0) }
    }
    // The smallest number of half precision, where all weights are almost zero.
    let sum = shape.normsWeights ? max(weights.reduce(0, +), 6.103_515_625e-5) : 1
    for i in choices.indices {
      let scale = mixture.expertScales?[choices[i].expert] ?? 1
      choices[i].weight = weights[i] / sum * shape.scale * scale
    }
    return choices
  }

  private static func softmax(_ scores: UnsafeMutableBufferPointer<Float>) {
    let greatest = scores.max() ?? 0
    for i in scores.indices { scores[i] = expf(scores[i] - greatest) }
    let sum = scores.reduce(0, +)
    for i in scores.indices { scores[i] /= sum }
  }
}
