// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import GGUFKernels

/// A decoder-only transformer: tokens in, the last positions' hidden numbers out.
///
/// A pass takes tokens of one sequence or of several through the layers together, so that each row of
/// weights is read once for all of them. A row of the pass is a token; rows know each other only
/// through the keys and values of their own sequence, or its state. A layer is
///
///     hidden += output(attention(rotate(norm(hidden)))); hidden += down(act(gate) · up)
///
/// with what the families add: biases (qwen2), norms of each head (qwen3, gemma3), norms after
/// attention and feed-forward, windows and a scaled embedding (gemma2, gemma3), bounds of scores and
/// logits (gemma2), layers that turn nothing (smollm3), factors (granite), fused matrices (phi3),
/// mixtures of experts (qwen3moe), sinks (gpt-oss), layers with a state in the place of attention
/// (lfm2, qwen35), numbers of the token for each layer and layers that read the keys and values of an
/// earlier one (gemma4, gemma3n), several hidden rows of a token (gemma3n).
package struct Transformer: Sendable {
  package let parameters: ModelParameters
  let weights: TransformerWeights
  let compute: Compute
  let workspaces = WorkspaceStore()

  /// How many tokens there are numbers for.
  package var vocabularySize: Int { weights.vocabularySize }

  /// Reads the weights of a file.
  ///
  /// - Throws: ``GGUFError`` with the tensor that is missing or wrong.
  package init(
    file: GGUFFile, parameters: ModelParameters, _ compute: Compute = Compute()
  ) throws(GGUFError) {
    self.parameters = parameters
    var loader = WeightLoader(file: file)
    weights = try TransformerWeights(&loader, parameters: parameters)
    self.compute = compute
  }

  /// A sequence and the tokens that it reads in a pass.
  package struct Reading: Sendable {
    /// The tokens, each within the vocabulary; at least one.
    package var tokens: ArraySlice<Int>
    /// What is remembered of the tokens before; made longer.
    package var cache: KeyValueCache
    /// Of how many of the last positions the hidden numbers are kept; at least one.
    package var keptCount: Int
    /// These hidden numbers after the last norm, once the pass is over.
    package var states: [[Float]] = []

    package init(_ tokens: ArraySlice<Int>, after cache: KeyValueCache, keeping keptCount: Int = 1)
    {
      self.tokens = tokens
      self.cache = cache
      self.keptCount = keptCount
    }
  }

  /// What a pass needs to know of its rows.
  struct Pass {
    var count: Int
    var sequences: [Attention.Sequence]
    /// Where the rows are a tree that follows the one sequence.
    var tree: TokenTree?
    var cacheShape: CacheShape
    var global: Rotations
    var local: Rotations?
    /// What the queries of each row are multiplied with, where they are.
    var queryScales: [Float]?
  }

  /// Reads tokens of some sequences, which get the numbers that each would get alone.
  ///
  /// - Throws: ``GGUFError`` where rows that stayed in the file cannot be read; nothing is read then.
  package func read(_ readings: inout [Reading]) throws(GGUFError) {
    let p = parameters
    let count = readings.reduce(0) { $0 + $1.tokens.count }
    guard count > 0 else { return }
    let space = workspaces.take(p, capacity: count)
    defer { workspaces.giveBack(space) }
    var positions: [Int] = []
    for index in readings.indices {
      let start = readings[index].cache.count
      for (offset, token) in readings[index].tokens.enumerated() {
        try embed(token, row: positions.count, space)
        positions.append(start + offset)
      }
    }
    for index in readings.indices {
      readings[index].cache.extend(by: readings[index].tokens.count)
    }
    compute.team.step {
      withSequences(readings[...]) { run(pass(positions, $0), readings, space) }
    }
    var row = 0
    for index in readings.indices {
      row += readings[index].tokens.count
      let kept = min(readings[index].keptCount, readings[index].tokens.count)
      readings[index].states = states(after: row - kept..<row, space)
    }
  }

  /// Writes the numbers that a token begins with.
  func embed(_ token: Int, row: Int, _ space: Workspace) throws(GGUFError) {
    let hidden = space.hidden + row * parameters.width
    weights.embedding.copyRow(token, to: hidden)
    if let inputs = weights.layerInputs {
      try inputs.embedding.copyRow(token, to: space.layerInputs + row * inputs.embedding.columns)
    }
    guard parameters.embeddingScale != 1 else { return }
    for i in 0..<parameters.width { hidden[i] *= parameters.embeddingScale }
  }

  /// Calls a closure with the rows and the pages of some sequences.
  private func withSequences(
    _ readings: ArraySlice<Reading>, _ found: [Attention.Sequence] = [],
    _ body: ([Attention.Sequence]) -> Void
  ) {
    guard let reading = readings.first else { return body(found) }
    let row = found.last?.rows.upperBound ?? 0
    reading.cache.withPages { pages in
      withSequences(
        readings.dropFirst(),
        found + [
          Attention.Sequence(
            rows: row..<row + reading.tokens.count,
            start: reading.cache.count - reading.tokens.count, pages: pages,
            state: reading.cache.state)
        ], body)
    }
  }

  /// - Parameter positions: The position of each row.
  func pass(
    _ positions: [Int], _ sequences: [Attention.Sequence], tree: TokenTree? = nil
  ) -> Pass {
    Pass(
      count: positions.count, sequences: sequences, tree: tree, cacheShape: parameters.cacheShape,
      global: rotations(isWindowed: false, positions),
      local: parameters.window == nil ? nil : rotations(isWindowed: true, positions),
      queryScales: parameters.queryTemperature.map { positions.map($0.factor(at:)) })
  }

  /// Takes rows through the layers.
  func run(_ pass: Pass, _ readings: [Reading], _ space: Workspace) {
    let p = parameters
    finishLayerInputs(pass.count, space)
    spreadStreams(pass.count, space)
    for (index, layer) in weights.layers.enumerated() {
      // A tree can take long, and nothing is remembered of it.
      if pass.tree != nil, Task.isCancelled { return }
      if let forecast = layer.forecast { predict(forecast, pass.count, space) }
      if let mixing = layer.mixing {
        takeInput(layer.mixingNorm, pass.count, space)
        if let bypass = layer.bypass { prepare(bypass, pass.count, space) }
        switch mixing {
        case .attention(let attention): attend(attention, layer: index, space, pass, readings)
        case .latent(let attention): attend(attention, layer: index, space, pass, readings)
        case .convolution(let convolution): convolve(convolution, space, pass)
        case .deltaRule(let rule): applyDeltaRule(rule, space, pass)
        case .scan(let weights): scan(weights, space, pass)
        }
        addResult(of: space, layer.afterMixingNorm, pass.count)
        if layer.bypass != nil { addBypass(pass.count, space) }
      }
      if let part = layer.feedForward {
        takeInput(layer.feedForwardNorm, pass.count, space)
        feedForward(part, pass.count, space)
        addResult(of: space, layer.afterFeedForwardNorm, pass.count)
      }
      if let forecast = layer.forecast { correct(forecast, pass.count, space) }
      if let input = layer.input { takeIn(input, of: layer, index, pass.count, space) }
      if let scale = layer.scale {
        for i in 0..<pass.count * p.width { space.hidden[i] *= scale }
      }
    }
    mergeStreams(pass.count, space)
  }

  /// The hidden numbers of some rows after the last norm.
  func states(after rows: Range<Int>, _ space: Workspace) -> [[Float]] {
    let p = parameters
    return rows.map { row in
      [Float](unsafeUninitializedCapacity: p.width) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        compute.kernels.normalize(
          space.hidden + row * p.width, weights.outputNorm, p.width, epsilon: p.normEpsilon,
          into: base)
        count = p.width
      }
    }
  }

  /// Writes the logit of every token as the next one.
  ///
  /// - Parameters:
  ///   - last: The hidden numbers that ``read(_:)`` has written.
  ///   - logits: Made as long as the vocabulary.
  package func nextLogits(after last: [Float], into logits: inout [Float]) {
    var all = [[Float]()]
    swap(&all[0], &logits)
    nextLogits(after: [last], into: &all)
    swap(&all[0], &logits)
  }

  /// The same for several sequences at once, which get the logits that each would get alone.
  package func nextLogits(after lasts: [[Float]], into logits: inout [[Float]]) {
    let head = weights.output
    guard lasts.count > 1 else {
      if logits[0].count != head.rows { logits[0] = Array(repeating: 0, count: head.rows) }
      let input = headInput(lasts[0])
      logits[0].withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        compute.team.step { head.multiply(input, into: base, compute) }
        finishLogits(base, buffer.count)
      }
      return
    }
    let input = headInput(Array(lasts.joined()), positions: lasts.count)
    let rows = UnsafeMutablePointer<Float>.allocate(capacity: lasts.count * head.rows)
    defer { rows.deallocate() }
    compute.team.step { head.multiply(input, into: rows, compute) }
    finishLogits(rows, lasts.count * head.rows)
    for index in lasts.indices {
      logits[index] = Array(
        UnsafeBufferPointer(start: rows + index * head.rows, count: head.rows))
    }
  }

  /// Writes the logits of some tokens as the next one; of a token that there is not, −∞.
  ///
  /// - Parameters:
  ///   - tokens: The tokens.
  ///   - last: The hidden numbers that ``read(_:)`` has written.
  ///   - logits: Made as long as `tokens`.
  package func nextLogits(of tokens: [Int], after last: [Float], into logits: inout [Float]) {
    let head = weights.output
    let isKnown = tokens.allSatisfy { (0..<head.rows).contains($0) }
    head.products(
      ofRows: isKnown ? tokens : tokens.map { min(max($0, 0), head.rows - 1) },
      headInput(last), into: &logits, compute)
    logits.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { finishLogits(base, buffer.count) }
    }
    if !isKnown {
      for (i, token) in tokens.enumerated() where !(0..<head.rows).contains(token) {
        logits[i] = -.infinity
      }
    }
  }

  /// What families do to logits.
  private func finishLogits(_ logits: UnsafeMutablePointer<Float>, _ count: Int) {
    let p = parameters
    if p.logitScale != 1 { for i in 0..<count { logits[i] /= p.logitScale } }
    if let cap = p.logitSoftCap {
      for i in 0..<count { logits[i] = Float(tanh(Double(logits[i] / cap))) * cap }
    }
  }

  private func headInput(_ last: [Float], positions: Int = 1) -> ActivationBlocks {
    let input = ActivationBlocks(width: parameters.width, capacity: positions)
    input.fill(from: last, positions: positions, width: parameters.width, compute)
    return input
  }

  /// What a part of a layer takes in: the hidden rows, normed where the family norms them first.
  func takeInput(_ norm: [Float]?, _ count: Int, _ space: Workspace) {
    if let norm { normalize(space.hidden, norm, count, into: space.normalized) }
    space.wide.fill(
      from: norm == nil ? space.hidden : space.normalized, positions: count,
      width: parameters.width, compute)
  }

  private func addResult(of space: Workspace, _ norm: [Float]?, _ count: Int) {
    if let norm { normalize(space.projected, norm, count, into: space.projected) }
    if parameters.residualScale != 1 {
      for i in 0..<(count * parameters.width) { space.projected[i] *= parameters.residualScale }
    }
    compute.kernels.add(space.projected, count * parameters.width, to: space.hidden)
  }

  func normalize(
    _ input: Workspace.Rows, _ norm: [Float], _ count: Int, into output: Workspace.Rows
  ) {
    let width = parameters.width
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let (input, output) = (input, output)
    forEachRow(count, cost: 4 * width) { row in
      compute.kernels.normalize(
        input + row * width, norm, width, epsilon: parameters.normEpsilon,
        into: output + row * width)
    }
  }

  func forEachRow(_ count: Int, cost: Int, _ body: (Int) -> Void) {
    compute.team.forEachRange(of: count, costOfOne: cost) { for row in $0 { body(row) } }
  }

  func addBias(_ bias: [Float]?, to row: Workspace.Rows) {
    guard let bias else { return }
    compute.kernels.add(bias, bias.count, to: row)
  }

  private func rotations(isWindowed: Bool, _ positions: [Int]) -> Rotations {
    let p = parameters
    return Rotations(
      isWindowed ? p.localRope : p.rope,
      divisors: isWindowed && p.architecture.dividesGlobalTurnsOnly ? nil : weights.ropeFactors,
      rotatesNeighbours: p.architecture.rotatesNeighbours, positions: positions)
  }
}
