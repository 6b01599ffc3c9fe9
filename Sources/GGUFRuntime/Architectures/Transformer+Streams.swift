// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import GGUFKernels

// Several hidden rows of a token, of which a layer's products change one (gemma3n).
//
// Four rows cost little more than one: a layer forecasts them all from what they were, takes one of
// them, the active one, through its products, and lets the others follow what came of it:
//
//     weights = tanh(router · norm(active) / width)              one number for each stream
//     forecast[b] = stream[b] + Σ mixing[b, a](weights) · stream[a]
//     result = the layer's products of forecast[active]
//     stream[b] = forecast[b] + (1 + correction[b](weights of the result)) · (result − forecast[active])
//
// Before the first layer the other streams are products of the active one, brought to its length; after
// the last, the mean of all is what the model says.
//
// Source: Baykal et al. 2023 (alternating updates), and llama.cpp's graph of gemma3n.

extension Transformer {
  /// Writes the streams that the first layer begins with.
  func spreadStreams(_ count: Int, _ space: Workspace) {
    guard let ends = weights.streamEnds else { return }
    let size = count * parameters.width
    space.wide.fill(from: space.hidden, positions: count, width: parameters.width, compute)
    space.streams.update(from: space.hidden, count: size)
    for (index, matrix) in ends.spread.enumerated() {
      let stream = space.streams + (index + 1) * size
      matrix.multiply(space.wide, into: stream, compute)
      bringToLength(of: space.hidden, stream, count)
    }
  }

  /// Writes the mean of the streams as the hidden rows.
  func mergeStreams(_ count: Int, _ space: Workspace) {
    guard let ends = weights.streamEnds, let streams = parameters.streams else { return }
    let (width, size) = (parameters.width, count * parameters.width)
    space.hidden.update(from: space.streams, count: size)
    for (index, matrix) in ends.merge.enumerated() {
      space.wide.fill(
        from: space.streams + (index + 1) * size, positions: count, width: width, compute)
      matrix.multiply(space.wide, into: space.projected, compute)
      bringToLength(of: space.streams + streams.active * size, space.projected, count)
      compute.kernels.add(space.projected, size, to: space.hidden)
    }
    for i in 0..<size { space.hidden[i] /= Float(streams.count) }
  }

  /// Replaces the streams by their forecast, and the hidden rows by the active one's.
  func predict(
    _ forecast: TransformerWeights.StreamForecast, _ count: Int, _ space: Workspace
  ) {
    guard let shape = parameters.streams else { return }
    let (width, streams) = (parameters.width, shape.count)
    forEachRow(count, cost: 8 * streams * streams * width) { row in
      let rows = (0..<streams).map { space.streams + ($0 * count + row) * width }
      let weights = routerWeights(forecast, rows[shape.active], space.normalized + row * width)
      let mixing = (0..<streams * streams).map { product(forecast.mixing, $0, weights) }
      var old = [Float](repeating: 0, count: streams)
      for i in 0..<width {
        for a in 0..<streams { old[a] = rows[a][i] }
        for b in 0..<streams {
          var sum = old[b]
          for a in 0..<streams { sum += mixing[b * streams + a] * old[a] }
          rows[b][i] = sum
        }
      }
      (space.hidden + row * width).update(from: rows[shape.active], count: width)
    }
  }

  /// Lets the streams follow the hidden rows that the products gave.
  func correct(
    _ forecast: TransformerWeights.StreamForecast, _ count: Int, _ space: Workspace
  ) {
    guard let shape = parameters.streams else { return }
    let (width, streams) = (parameters.width, shape.count)
    forEachRow(count, cost: 8 * streams * width) { row in
      let result = space.hidden + row * width
      let rows = (0..<streams).map { space.streams + ($0 * count + row) * width }
      let weights = routerWeights(forecast, result, space.normalized + row * width)
      let shares = (0..<streams).map { 1 + product(forecast.correction, $0, weights) }
      for i in 0..<width {
        let change = result[i] - rows[shape.active][i]
        for b in 0..<streams { rows[b][i] += shares[b] * change }
      }
    }
  }

  /// Writes the active stream, scaled, where normed rows are.
  func scaleActiveStream(
    _ forecast: TransformerWeights.StreamForecast, _ count: Int, _ space: Workspace
  ) {
    guard let shape = parameters.streams else { return }
    let width = parameters.width
    let active = space.streams + shape.active * count * width
    for row in 0..<count {
      for i in 0..<width {
        let place = row * width + i
        space.normalized[place] = active[place] * forecast.inputScale[i]
      }
    }
  }

  /// Adds the projected rows to all streams but the first.
  func addToOtherStreams(_ count: Int, _ space: Workspace) {
    guard let shape = parameters.streams else { return }
    let size = count * parameters.width
    for stream in 1..<shape.count {
      compute.kernels.add(space.projected, size, to: space.streams + stream * size)
    }
  }

  /// What goes around attention: the normed rows, and a product of few numbers.
  func prepare(_ bypass: TransformerWeights.Bypass, _ count: Int, _ space: Workspace) {
    let width = parameters.width
    bypass.down.multiply(space.wide, into: space.narrowBypass, compute)
    space.narrow.fill(
      from: space.narrowBypass, positions: count, width: bypass.down.rows, compute)
    bypass.up.multiply(space.narrow, into: space.bypass, compute)
    normalize(space.bypass, bypass.norm, count, into: space.bypass)
    compute.kernels.add(space.normalized, count * width, to: space.bypass)
  }

  /// Adds what went around attention; both together are brought back to the size of one.
  func addBypass(_ count: Int, _ space: Workspace) {
    let half = Float(0.5).squareRoot()
    for i in 0..<count * parameters.width {
      space.hidden[i] = (space.hidden[i] + space.bypass[i]) * half
    }
  }

  /// How much of each stream counts.
  ///
  /// - Parameter scratch: Room for a row.
  private func routerWeights(
    _ forecast: TransformerWeights.StreamForecast, _ row: Workspace.Rows,
    _ scratch: Workspace.Rows
  ) -> [Float] {
    let width = parameters.width
    compute.kernels.normalize(
      row, forecast.routerNorm, width, epsilon: parameters.normEpsilon, into: scratch)
    return (0..<forecast.router.count / width).map { stream in
      let sum = forecast.router.withUnsafeBufferPointer { router in
        (0..<width).reduce(Float(0)) { $0 + router[stream * width + $1] * scratch[$1] }
      }
      return tanhf(sum / Float(width))
    }
  }

  /// A row of a small matrix times the weights.
  private func product(_ matrix: [Float], _ row: Int, _ weights: [Float]) -> Float {
    weights.indices.reduce(0) { $0 + matrix[row * weights.count + $1] * weights[$1] }
  }

  /// Scales rows so that each is as long as its counterpart.
  private func bringToLength(
    of model: Workspace.Rows, _ rows: Workspace.Rows, _ count: Int
  ) {
    let width = parameters.width
    func squares(_ row: Workspace.Rows) -> Float {
      var sum: Float = 0
      for i in 0..<width { sum += row[i] * row[i] }
      return sum
    }
    for row in 0..<count {
      let place = row * width
      let own = squares(rows + place)
      guard own > 0 else { continue }
      let scale = (squares(model + place) / own).squareRoot()
      for i in place..<place + width { rows[i] *= scale }
    }
  }
}
