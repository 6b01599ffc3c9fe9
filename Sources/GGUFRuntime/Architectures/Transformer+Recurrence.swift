// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import GGUFKernels

// Layers that remember a state of one size in the place of keys and values.
//
// A convolution remembers the last numbers of each channel:
//
//     out = Σ taps[j] · (this and the last numbers of the channel)
//
// The gated delta rule has, for each head, a square matrix of what is remembered. With a key, a value
// and a query of the token, all of one length:
//
//     remembered = decay · matrix
//     matrix = remembered + key ⊗ (strength · (value − key · remembered))
//     out = query · matrix
//
// so that a value that the key already leads to changes nothing. Rows of a sequence go one after the
// other, whatever is read with them: the numbers are those of each token alone.
//
// A selective state space has, for each head, a matrix with a row for each number of a key:
//
//     matrix = decay · matrix + key ⊗ (strength · value)
//     out = query · matrix + passing · value
//
// where the token says the strength, which the decay follows.
//
// Sources: Yang et al. 2024 (gated delta networks); Dao and Gu 2024 (Mamba 2).

extension Transformer {
  /// The layers of lfm2: channels that are gated before and after a short convolution.
  func convolve(
    _ weights: TransformerWeights.Convolution, _ space: Workspace, _ pass: Pass
  ) {
    let width = parameters.width
    weights.input.multiply(space.wide, into: space.mixed, compute)
    forEachSequence(pass, parts: width / 32, cost: 300) { sequence, part in
      let channels = part * 32..<(part + 1) * 32
      guard let state = state(of: sequence, weights.index) else { return }
      for row in sequence.rows {
        let (before, after) = (space.mixed + row * 3 * width, space.attended + row * width)
        for channel in channels { after[channel] = before[channel] * before[2 * width + channel] }
        shift(after, weights.taps, state, width, channels)
        for channel in channels { after[channel] *= before[width + channel] }
      }
    }
    space.attention.fill(from: space.attended, positions: pass.count, width: width, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
  }

  /// The layers of qwen35 without attention.
  func applyDeltaRule(
    _ weights: TransformerWeights.DeltaRule, _ space: Workspace, _ pass: Pass
  ) {
    guard case .deltaRule(let shape)? = parameters.recurrence else { return }
    let (size, channels, heads) = (shape.size, shape.channels, shape.valueHeads)
    WeightMatrix.multiply(
      space.wide,
      [
        (weights.input, space.mixed), (weights.gate, space.mixingGate),
        (weights.strength, space.strengths), (weights.decay, space.decays),
      ], compute)
    convolveChannels(channels, weights.taps, bias: nil, weights.index, space, pass)
    forEachRow(pass.count, cost: 8 * size * shape.keyHeads) { row in
      let row = space.mixed + row * channels
      let scale = 1 / Float(size).squareRoot()
      for head in 0..<shape.keyHeads {
        makeUnit(row + head * size, size, scale)
        makeUnit(row + (shape.keyHeads + head) * size, size, 1)
      }
    }
    forEachSequence(pass, parts: heads, cost: 4 * size * size) { sequence, head in
      guard let state = state(of: sequence, weights.index) else { return }
      let matrix = state + (shape.length - 1) * channels + head * size * size
      for row in sequence.rows {
        let (mixed, place) = (space.mixed + row * channels, row * heads + head)
        let keyHead = head % shape.keyHeads
        let output = space.attended + place * size
        let softplus = softplus(space.decays[place] + weights.decayBias[head])
        compute.kernels.deltaStep(
          matrix, size: size, query: mixed + keyHead * size,
          key: mixed + (shape.keyHeads + keyHead) * size,
          value: mixed + (2 * shape.keyHeads + head) * size,
          decay: expf(softplus * weights.decayFactor[head]),
          strength: 1 / (1 + expf(-space.strengths[place])), into: output)
        compute.kernels.normalize(
          output, weights.norm, size, epsilon: parameters.normEpsilon, into: output)
        // silu(gate) · output, in the place of the gate.
        compute.kernels.swiGLU(space.mixingGate + place * size, output, size)
      }
    }
    space.attention.fill(
      from: space.mixingGate, positions: pass.count, width: shape.valueWidth, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
  }

  /// The layers of granitehybrid without attention.
  func scan(_ weights: TransformerWeights.Scan, _ space: Workspace, _ pass: Pass) {
    guard case .scan(let shape)? = parameters.recurrence else { return }
    let (inner, channels, heads) = (shape.valueWidth, shape.channels, shape.heads)
    let (width, size) = (shape.headSize, shape.size)
    WeightMatrix.multiply(
      space.wide,
      [
        (weights.input, space.mixed), (weights.gate, space.mixingGate),
        (weights.decay, space.decays),
      ], compute)
    convolveChannels(channels, weights.taps, bias: weights.tapBias, weights.index, space, pass)
    forEachSequence(pass, parts: heads, cost: 3 * size * width) { sequence, head in
      guard let state = state(of: sequence, weights.index) else { return }
      let matrix = state + (shape.length - 1) * channels + head * size * width
      let group = head / (heads / shape.groups)
      for row in sequence.rows {
        let mixed = space.mixed + row * channels
        let (value, output) = (mixed + head * width, space.attended + row * inner + head * width)
        let strength = softplus(space.decays[row * heads + head] + weights.decayBias[head])
        compute.kernels.scanStep(
          matrix, size: size, width: width,
          query: mixed + inner + (shape.groups + group) * size, key: mixed + inner + group * size,
          value: value, decay: expf(strength * weights.decayFactor[head]), strength: strength,
          into: output)
        for i in 0..<width { output[i] += weights.passing[head] * value[i] }
      }
    }
    forEachRow(pass.count, cost: 8 * inner) { row in
      let gate = space.mixingGate + row * inner
      compute.kernels.swiGLU(gate, space.attended + row * inner, inner)
      weights.norm.withUnsafeBufferPointer { norm in
        guard let norm = norm.baseAddress else { return }
        for start in stride(from: 0, to: inner, by: inner / shape.groups) {
          compute.kernels.normalize(
            gate + start, norm + start, inner / shape.groups, epsilon: parameters.normEpsilon,
            into: gate + start)
        }
      }
    }
    space.attention.fill(
      from: space.mixingGate, positions: pass.count, width: inner, compute)
    weights.output.multiply(space.attention, into: space.projected, compute)
  }

  private func softplus(_ x: Float) -> Float { x > 20 ? x : log1pf(expf(x)) }

  /// The convolution of all channels of the rows in `space.mixed`, each through SiLU.
  private func convolveChannels(
    _ channels: Int, _ taps: [Float], bias: [Float]?, _ index: Int, _ space: Workspace, _ pass: Pass
  ) {
    forEachSequence(pass, parts: (channels + 15) / 16, cost: 300) { sequence, part in
      let range = part * 16..<min(channels, (part + 1) * 16)
      guard let state = state(of: sequence, index) else { return }
      for row in sequence.rows {
        let row = space.mixed + row * channels
        shift(row, taps, state, channels, range)
        for channel in range {
          let x = row[channel] + (bias?[channel] ?? 0)
          row[channel] = x / (1 + expf(-x))
        }
      }
    }
  }

  /// The state of one layer.
  private func state(
    of sequence: Attention.Sequence, _ index: Int
  ) -> UnsafeMutablePointer<Float>? {
    sequence.state.map { $0 + index * parameters.stateCount }
  }

  /// Shares the parts of all sequences out; the rows of a sequence stay together.
  private func forEachSequence(
    _ pass: Pass, parts: Int, cost: Int, _ body: (Attention.Sequence, Int) -> Void
  ) {
    let rows = pass.count / max(1, pass.sequences.count)
    compute.team.forEachRange(of: pass.sequences.count * parts, costOfOne: cost * rows) { range in
      for index in range { body(pass.sequences[index / parts], index % parts) }
    }
  }

  /// Puts a row of channels into the state, and the convolution of both into the row.
  ///
  /// The state holds the last rows, the oldest first.
  private func shift(
    _ row: Workspace.Rows, _ taps: [Float], _ state: UnsafeMutablePointer<Float>, _ width: Int,
    _ channels: Range<Int>
  ) {
    let length = taps.count / width
    for channel in channels {
      let newest = row[channel]
      var sum: Float = 0
      for j in 0..<(length - 1) {
        let place = state + (j * width + channel)
        sum += place.pointee * taps[channel * length + j]
        place.pointee = j + 2 < length ? place[width] : newest
      }
      row[channel] = sum + newest * taps[channel * length + length - 1]
    }
  }

  /// Scales numbers to a length of one, times a factor.
  private func makeUnit(_ numbers: Workspace.Rows, _ count: Int, _ factor: Float) {
    var squares: Float = 0
    for i in 0..<count { squares += numbers[i] * numbers[i] }
    let scale = factor / max(squares.squareRoot(), parameters.normEpsilon)
    for i in 0..<count { numbers[i] *= scale }
  }
}
