/// A decoder-only transformer: tokens in, the last position's hidden numbers out.
///
/// A pass takes the tokens of a batch through the layers together, so that each row of weights is
/// unpacked once for all of them. A layer is
///
///     hidden += output(attention(rotate(norm(hidden)))); hidden += down(act(gate) · up)
///
/// with what the families add: biases (qwen2), norms of each head (qwen3, gemma3), norms after
/// attention and feed-forward, windows and a scaled embedding (gemma3).
package struct Transformer: Sendable {
  package let parameters: ModelParameters
  private let weights: TransformerWeights
  private let team: ThreadTeam

  /// How many tokens there are numbers for.
  package var vocabularySize: Int { weights.vocabularySize }

  /// Reads the weights of a file.
  ///
  /// - Parameter threads: The greatest number of threads.
  /// - Throws: ``GGUFError`` with the tensor that is missing or wrong.
  package init(
    file: GGUFFile, parameters: ModelParameters, threads: Int
  ) throws(GGUFError) {
    self.parameters = parameters
    weights = try TransformerWeights(file: file, parameters: parameters)
    team = ThreadTeam(count: threads)
  }

  /// Reads tokens.
  ///
  /// - Parameters:
  ///   - tokens: The tokens, each within the vocabulary.
  ///   - cache: What is remembered of the tokens before; made longer.
  ///   - last: The last position's hidden numbers, after the last norm.
  package func read(_ tokens: ArraySlice<Int>, cache: inout KeyValueCache, last: inout [Float]) {
    let p = parameters
    let start = cache.count
    let space = Workspace(p, capacity: tokens.count, length: start + tokens.count)
    for (position, token) in tokens.enumerated() {
      weights.embedding.copyRow(token, to: space.hidden + position * p.width)
    }
    if p.architecture == .gemma3 {
      let scale = Float(p.width).squareRoot()
      for i in 0..<(tokens.count * p.width) { space.hidden[i] *= scale }
    }
    cache.reserve(start + tokens.count)
    let positions = start..<(start + tokens.count)
    let global = rotations(isWindowed: false, positions)
    let local = p.window == nil ? nil : rotations(isWindowed: true, positions)
    for index in 0..<p.layers {
      attend(index, space, tokens.count, start, global, local, &cache)
      feedForward(weights.layers[index], space, tokens.count)
    }
    cache.count = start + tokens.count
    last.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      VectorMath.normalize(
        space.hidden + (tokens.count - 1) * p.width, weights.outputNorm, p.width,
        epsilon: p.normEpsilon, into: base)
    }
  }

  /// Writes the logit of every token as the next one.
  ///
  /// - Parameters:
  ///   - last: The hidden numbers that ``read(_:cache:last:)`` has written.
  ///   - logits: Made as long as the vocabulary.
  package func nextLogits(after last: [Float], into logits: inout [Float]) {
    let head = weights.output
    if logits.count != head.rows { logits = Array(repeating: 0, count: head.rows) }
    let input = headInput(last)
    logits.withUnsafeMutableBufferPointer {
      if let base = $0.baseAddress { head.multiply(input, into: base, team: team) }
    }
  }

  /// Writes the logits of some tokens as the next one; of a token that there is not, −∞.
  ///
  /// - Parameters:
  ///   - tokens: The tokens.
  ///   - last: The hidden numbers that ``read(_:cache:last:)`` has written.
  ///   - logits: Made as long as `tokens`.
  package func nextLogits(of tokens: [Int], after last: [Float], into logits: inout [Float]) {
    let head = weights.output
    let isKnown = tokens.allSatisfy { (0..<head.rows).contains($0) }
    head.products(
      ofRows: isKnown ? tokens : tokens.map { min(max($0, 0), head.rows - 1) },
      headInput(last), into: &logits)
    if !isKnown {
      for (i, token) in tokens.enumerated() where !(0..<head.rows).contains(token) {
        logits[i] = -.infinity
      }
    }
  }

  private func headInput(_ last: [Float]) -> ActivationBlocks {
    let input = ActivationBlocks(width: last.count, capacity: 1)
    input.fill(from: last, positions: 1)
    return input
  }

  private func attend(
    _ index: Int, _ space: Workspace, _ count: Int, _ start: Int, _ global: Rotations,
    _ local: Rotations?, _ cache: inout KeyValueCache
  ) {
    let p = parameters
    let layer = weights.layers[index]
    normalize(space.hidden, layer.attentionNorm, count, into: space.normalized)
    space.wide.fill(from: space.normalized, positions: count)
    WeightMatrix.multiply(
      space.wide,
      [(layer.query, space.query), (layer.key, space.key), (layer.value, space.value)], team: team)
    addBias(layer.queryBias, to: space.query, count)
    addBias(layer.keyBias, to: space.key, count)
    addBias(layer.valueBias, to: space.value, count)
    normalizeHeads(space.query, layer.queryNorm, count * p.heads)
    normalizeHeads(space.key, layer.keyNorm, count * p.keyValueHeads)
    let isWindowed = p.hasWindow(layer: index)
    let rotations = isWindowed ? local ?? global : global
    for i in 0..<count {
      rotations.turn(
        space.query + i * p.heads * p.headSize, count: p.heads, headSize: p.headSize, position: i)
      rotations.turn(
        space.key + i * p.keyValueHeads * p.headSize, count: p.keyValueHeads,
        headSize: p.headSize, position: i)
    }
    cache.store(space.key, space.value, count, layer: index)
    cache.withLayer(index) { keys, values in
      Attention(
        parameters: p, keys: keys, values: values, window: isWindowed ? p.window : nil
      ).run(space, count, start, team)
    }
    space.attention.fill(from: space.attended, positions: count)
    layer.attentionOutput.multiply(space.attention, into: space.projected, team: team)
    addResult(of: space, layer.afterAttentionNorm, count)
  }

  private func feedForward(_ layer: TransformerWeights.Layer, _ space: Workspace, _ count: Int) {
    let p = parameters
    normalize(space.hidden, layer.feedForwardNorm, count, into: space.normalized)
    space.wide.fill(from: space.normalized, positions: count)
    WeightMatrix.multiply(
      space.wide, [(layer.gate, space.gate), (layer.up, space.up)], team: team)
    if p.architecture == .gemma3 {
      VectorMath.geGLU(space.gate, space.up, count * p.feedForwardWidth)
    } else {
      VectorMath.swiGLU(space.gate, space.up, count * p.feedForwardWidth)
    }
    space.feedForward.fill(from: space.gate, positions: count)
    layer.down.multiply(space.feedForward, into: space.projected, team: team)
    addResult(of: space, layer.afterFeedForwardNorm, count)
  }

  private func addResult(of space: Workspace, _ norm: [Float]?, _ count: Int) {
    if let norm { normalize(space.projected, norm, count, into: space.projected) }
    VectorMath.add(space.projected, count * parameters.width, to: space.hidden)
  }

  private func normalize(
    _ input: Workspace.Rows, _ norm: [Float], _ count: Int, into output: Workspace.Rows
  ) {
    let width = parameters.width
    for i in 0..<count {
      VectorMath.normalize(
        input + i * width, norm, width, epsilon: parameters.normEpsilon, into: output + i * width)
    }
  }

  private func normalizeHeads(_ rows: Workspace.Rows, _ norm: [Float]?, _ count: Int) {
    guard let norm else { return }
    let size = parameters.headSize
    for i in 0..<count {
      VectorMath.normalize(
        rows + i * size, norm, size, epsilon: parameters.normEpsilon, into: rows + i * size)
    }
  }

  private func addBias(_ bias: [Float]?, to rows: Workspace.Rows, _ count: Int) {
    guard let bias else { return }
    for i in 0..<count { VectorMath.add(bias, bias.count, to: rows + i * bias.count) }
  }

  private func rotations(isWindowed: Bool, _ positions: Range<Int>) -> Rotations {
    let p = parameters
    return Rotations(
      base: isWindowed ? p.localRopeBase : p.ropeBase, size: p.ropeSize,
      scaling: isWindowed ? Rotations.Scaling() : p.ropeScaling, divisors: weights.ropeFactors,
      rotatesNeighbours: p.rotatesNeighbours, positions: positions)
  }
}
