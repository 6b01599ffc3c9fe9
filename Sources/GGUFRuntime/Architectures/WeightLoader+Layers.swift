// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension WeightLoader {
  /// - Parameters:
  ///   - memory: Which memory of the cache the layer's attention reads.
  ///   - recurrentBefore: How many layers before have a recurrence in the place of attention.
  mutating func layer(
    _ index: Int, _ p: ModelParameters, memory: Int?, recurrentBefore: Int
  ) throws(GGUFError) -> TransformerWeights.Layer {
    let prefix = "blk.\(index)."
    let architecture = p.architecture
    let shape = p.layers[index]
    let mixing: TransformerWeights.Mixing?
    switch shape.isRecurrent ? p.recurrence : nil {
    case nil where !shape.mixesTokens: mixing = nil
    case nil where p.latent != nil:
      mixing = try p.latent.map { latent throws(GGUFError) in
        .latent(try latentAttention(prefix, p, latent, memory: memory ?? 0))
      }
    case nil:
      mixing = .attention(try attention(prefix, p, shape, memory: memory ?? 0))
    case .convolution(let length):
      mixing = .convolution(
        TransformerWeights.Convolution(
          index: recurrentBefore,
          input: try matrix(prefix + "shortconv.in_proj.weight", p.width, 3 * p.width),
          taps: try numbers(prefix + "shortconv.conv.weight", [length, p.width]),
          output: try matrix(prefix + "shortconv.out_proj.weight", p.width, p.width)))
    case .deltaRule(let shape):
      mixing = .deltaRule(try deltaRule(prefix, p, shape, index: recurrentBefore))
    case .scan(let shape):
      mixing = .scan(try scan(prefix, p, shape, index: recurrentBefore))
    }
    return TransformerWeights.Layer(
      mixingNorm: architecture.normsInputs && shape.mixesTokens
        ? try vector(prefix + "attn_norm.weight", p.width) : nil,
      mixing: mixing,
      afterMixingNorm: architecture.normsResults
        ? try vector(prefix + "post_attention_norm.weight", p.width) : nil,
      feedForwardNorm: architecture.normsInputs && shape.hasFeedForward
        ? try vector(prefix + architecture.feedForwardNorm, p.width) : nil,
      feedForward: shape.hasFeedForward ? try feedForward(prefix, p, shape) : nil,
      afterFeedForwardNorm: architecture.normsResults
        ? try vector(prefix + "post_ffw_norm.weight", p.width) : nil,
      input: try p.layerInputWidth.map { width throws(GGUFError) in
        try layerInput(prefix, p, width)
      },
      forecast: try p.streams.map { streams throws(GGUFError) in
        try forecast(prefix, p, streams.count)
      },
      bypass: p.streams == nil ? nil : try bypass(prefix, p),
      scale: try optionalVector(prefix + "layer_output_scale.weight", 1)?.first)
  }

  private mutating func attention(
    _ prefix: String, _ p: ModelParameters, _ layer: ModelParameters.Layer, memory: Int
  ) throws(GGUFError) -> TransformerWeights.Attention {
    let size = layer.headSize
    let (queries, keys) = (p.heads * size, layer.keyWidth)
    let all = queries + 2 * keys
    let isFused = p.architecture.fusesAttention
    // The rows of a matrix of its own, or of one that holds several.
    func rows(
      _ name: String, _ range: Range<Int>, _ loader: inout WeightLoader
    ) throws(GGUFError) -> WeightMatrix {
      isFused
        ? try loader.matrix(prefix + "attn_qkv.weight", p.width, all, taking: [range])
        : try loader.matrix(prefix + name, p.width, range.count)
    }
    func norm(
      _ name: String, _ width: Int, _ loader: inout WeightLoader
    ) throws(GGUFError) -> [Float]? {
      guard p.architecture.normsHeads else { return nil }
      return try loader.vector(prefix + name, p.architecture.normsHeadsAtOnce ? width : size)
    }
    let query: WeightMatrix
    var gate: WeightMatrix?
    if p.architecture.gatesAttention {
      // Head by head: a query, and what the head's result is gated with.
      func heads(_ part: Int) -> [Range<Int>] {
        (0..<p.heads).map { head in
          (2 * head + part) * size..<(2 * head + part + 1) * size
        }
      }
      query = try matrix(prefix + "attn_q.weight", p.width, 2 * queries, taking: heads(0))
      gate = try matrix(prefix + "attn_q.weight", p.width, 2 * queries, taking: heads(1))
    } else {
      query = try rows("attn_q.weight", 0..<queries, &self)
    }
    let isOwn = layer.source == nil
    // Some layers of gemma4 make their values of the keys.
    let hasValues =
      isOwn && (p.architecture != .gemma4 || file.tensors[prefix + "attn_v.weight"] != nil)
    return TransformerWeights.Attention(
      memory: memory, query: query,
      key: isOwn ? try rows("attn_k.weight", queries..<queries + keys, &self) : nil,
      value: hasValues ? try rows("attn_v.weight", queries + keys..<all, &self) : nil, gate: gate,
      queryBias: try optionalVector(prefix + "attn_q.bias", queries),
      keyBias: try optionalVector(prefix + "attn_k.bias", keys),
      valueBias: try optionalVector(prefix + "attn_v.bias", keys),
      queryNorm: try norm("attn_q_norm.weight", queries, &self),
      keyNorm: isOwn ? try norm("attn_k_norm.weight", keys, &self) : nil,
      valueNorm: p.architecture.normsValues ? Array(repeating: 1, count: size) : nil,
      sinks: p.architecture.hasSinks
        ? try vector(prefix + "attn_sinks.weight", p.heads) : nil,
      output: try matrix(prefix + "attn_output.weight", queries, p.width),
      outputBias: try optionalVector(prefix + "attn_output.bias", p.width))
  }

  private mutating func latentAttention(
    _ prefix: String, _ p: ModelParameters, _ shape: ModelParameters.LatentShape, memory: Int
  ) throws(GGUFError) -> TransformerWeights.LatentAttention {
    let queries = p.heads * shape.querySize
    return TransformerWeights.LatentAttention(
      memory: memory,
      queryInput: try shape.queryRank.map { rank throws(GGUFError) in
        (
          try matrix(prefix + "attn_q_a.weight", p.width, rank),
          try vector(prefix + "attn_q_a_norm.weight", rank)
        )
      },
      query: try matrix(
        prefix + (shape.queryRank == nil ? "attn_q.weight" : "attn_q_b.weight"),
        shape.queryRank ?? p.width, queries),
      input: try matrix(prefix + "attn_kv_a_mqa.weight", p.width, shape.rank + shape.turned),
      inputNorm: try vector(prefix + "attn_kv_a_norm.weight", shape.rank),
      keys: try matrices(prefix + "attn_k_b.weight", shape.plain, shape.rank, p.heads),
      values: try matrices(prefix + "attn_v_b.weight", shape.rank, shape.valueSize, p.heads),
      output: try matrix(prefix + "attn_output.weight", p.heads * shape.valueSize, p.width))
  }

  private mutating func deltaRule(
    _ prefix: String, _ p: ModelParameters, _ shape: ModelParameters.DeltaShape, index: Int
  ) throws(GGUFError) -> TransformerWeights.DeltaRule {
    TransformerWeights.DeltaRule(
      index: index,
      input: try matrix(prefix + "attn_qkv.weight", p.width, shape.channels),
      gate: try matrix(prefix + "attn_gate.weight", p.width, shape.valueWidth),
      taps: try numbers(prefix + "ssm_conv1d.weight", [shape.length, shape.channels]),
      strength: try matrix(prefix + "ssm_beta.weight", p.width, shape.valueHeads),
      decay: try matrix(prefix + "ssm_alpha.weight", p.width, shape.valueHeads),
      decayBias: try vector(prefix + "ssm_dt.bias", shape.valueHeads),
      decayFactor: try vector(prefix + "ssm_a", shape.valueHeads),
      norm: try vector(prefix + "ssm_norm.weight", shape.size),
      output: try matrix(prefix + "ssm_out.weight", shape.valueWidth, p.width))
  }

  private mutating func scan(
    _ prefix: String, _ p: ModelParameters, _ shape: ModelParameters.ScanShape, index: Int
  ) throws(GGUFError) -> TransformerWeights.Scan {
    // One matrix: gates; values, keys and queries; decays.
    let (inner, channels) = (shape.valueWidth, shape.channels)
    let all = inner + channels + shape.heads
    func rows(
      _ range: Range<Int>, _ loader: inout WeightLoader
    ) throws(GGUFError) -> WeightMatrix {
      try loader.matrix(prefix + "ssm_in.weight", p.width, all, taking: [range])
    }
    return TransformerWeights.Scan(
      index: index, input: try rows(inner..<inner + channels, &self),
      gate: try rows(0..<inner, &self), decay: try rows(inner + channels..<all, &self),
      taps: try numbers(prefix + "ssm_conv1d.weight", [shape.length, channels]),
      tapBias: try optionalVector(prefix + "ssm_conv1d.bias", channels),
      decayBias: try vector(prefix + "ssm_dt.bias", shape.heads),
      decayFactor: try numbers(prefix + "ssm_a", [1, shape.heads]),
      passing: try numbers(prefix + "ssm_d", [1, shape.heads]),
      norm: try numbers(prefix + "ssm_norm.weight", [inner / shape.groups, shape.groups]),
      output: try matrix(prefix + "ssm_out.weight", inner, p.width))
  }

  private mutating func feedForward(
    _ prefix: String, _ p: ModelParameters, _ layer: ModelParameters.Layer
  ) throws(GGUFError) -> TransformerWeights.FeedForward {
    guard let shape = p.mixture, layer.isMixture else {
      return .dense(try dense(prefix, p, layer))
    }
    let mixture = try mixture(prefix, p, shape)
    guard p.architecture == .gemma4 else { return .mixture(mixture) }
    let scale = 1 / Float(p.width).squareRoot()
    return .sum(
      try dense(prefix, p, layer), mixture,
      TransformerWeights.SumNorms(
        afterDense: try vector(prefix + "post_ffw_norm_1.weight", p.width),
        router: try vector(prefix + "ffn_gate_inp.scale", p.width).map { $0 * scale },
        mixture: try vector(prefix + "pre_ffw_norm_2.weight", p.width),
        afterMixture: try vector(prefix + "post_ffw_norm_2.weight", p.width)))
  }

  private mutating func dense(
    _ prefix: String, _ p: ModelParameters, _ layer: ModelParameters.Layer
  ) throws(GGUFError) -> TransformerWeights.Perceptron {
    let width = layer.feedForwardWidth
    guard p.architecture.fusesGates else {
      var weights = try perceptron(prefix, "", p, width)
      weights.gateThreshold = layer.gateThreshold
      return weights
    }
    return TransformerWeights.Perceptron(
      gate: try matrix(prefix + "ffn_up.weight", p.width, 2 * width, taking: [0..<width]),
      up: try matrix(prefix + "ffn_up.weight", p.width, 2 * width, taking: [width..<2 * width]),
      down: try matrix(prefix + "ffn_down.weight", width, p.width))
  }

  private mutating func perceptron(
    _ prefix: String, _ suffix: String, _ p: ModelParameters, _ inner: Int
  ) throws(GGUFError) -> TransformerWeights.Perceptron {
    TransformerWeights.Perceptron(
      gate: p.architecture.splitsLayers
        ? nil : try matrix(prefix + "ffn_gate\(suffix).weight", p.width, inner),
      up: try matrix(prefix + "ffn_up\(suffix).weight", p.width, inner),
      down: try matrix(prefix + "ffn_down\(suffix).weight", inner, p.width),
      gateBias: try optionalVector(prefix + "ffn_gate\(suffix).bias", inner),
      upBias: try optionalVector(prefix + "ffn_up\(suffix).bias", inner),
      downBias: try optionalVector(prefix + "ffn_down\(suffix).bias", p.width))
  }

  private mutating func mixture(
    _ prefix: String, _ p: ModelParameters, _ m: ModelParameters.Mixture
  ) throws(GGUFError) -> TransformerWeights.Mixture {
    // Gates and ups may be one tensor, the gates of an expert before its ups.
    let both = prefix + "ffn_gate_up_exps.weight"
    let isFused = file.tensors[both] != nil
    let (first, second) = (0..<m.width, m.width..<2 * m.width)
    let gates: [WeightMatrix]? =
      isFused
      ? try matrices(both, p.width, 2 * m.width, m.experts, taking: first)
      : p.architecture.splitsLayers
        ? nil
        : try matrices(prefix + "ffn_gate_exps.weight", p.width, m.width, m.experts)
    let ups =
      isFused
      ? try matrices(both, p.width, 2 * m.width, m.experts, taking: second)
      : try matrices(prefix + "ffn_up_exps.weight", p.width, m.width, m.experts)
    let downs = try matrices(prefix + "ffn_down_exps.weight", m.width, p.width, m.experts)
    let gateBiases = try optionalVectors(prefix + "ffn_gate_exps.bias", m.width, m.experts)
    let upBiases = try optionalVectors(prefix + "ffn_up_exps.bias", m.width, m.experts)
    let downBiases = try optionalVectors(prefix + "ffn_down_exps.bias", p.width, m.experts)
    return TransformerWeights.Mixture(
      router: try matrix(prefix + "ffn_gate_inp.weight", p.width, m.experts),
      routerBias: try optionalVector(prefix + "ffn_gate_inp.bias", m.experts),
      choiceBias: try optionalVector(prefix + "exp_probs_b.bias", m.experts),
      experts: (0..<m.experts).map { index in
        TransformerWeights.Perceptron(
          gate: gates?[index], up: ups[index], down: downs[index],
          gateBias: gateBiases?[index], upBias: upBiases?[index], downBias: downBiases?[index])
      },
      shared: m.sharedWidth > 0 ? try perceptron(prefix, "_shexp", p, m.sharedWidth) : nil,
      sharedGate: try optionalVector(prefix + "ffn_gate_inp_shexp.weight", p.width),
      expertScales: try optionalVector(prefix + "ffn_down_exps.scale", m.experts))
  }

  private mutating func layerInput(
    _ prefix: String, _ p: ModelParameters, _ width: Int
  ) throws(GGUFError) -> TransformerWeights.LayerInput {
    TransformerWeights.LayerInput(
      gate: try matrix(prefix + "inp_gate.weight", p.width, width),
      projection: try matrix(prefix + "proj.weight", width, p.width),
      norm: try vector(prefix + "post_norm.weight", p.width))
  }

  private mutating func forecast(
    _ prefix: String, _ p: ModelParameters, _ streams: Int
  ) throws(GGUFError) -> TransformerWeights.StreamForecast {
    TransformerWeights.StreamForecast(
      routerNorm: try vector(prefix + "altup_router_norm.weight", p.width),
      router: try numbers(prefix + "altup_router.weight", [p.width, streams]),
      mixing: try numbers(
        prefix + "altup_predict_coef.weight", [streams, streams * streams]),
      correction: try numbers(prefix + "altup_correct_coef.weight", [streams, streams]),
      inputScale: try vector(prefix + "altup_correct_scale.weight", p.width))
  }

  private mutating func bypass(
    _ prefix: String, _ p: ModelParameters
  ) throws(GGUFError) -> TransformerWeights.Bypass {
    TransformerWeights.Bypass(
      down: try matrix(prefix + "laurel_l.weight", p.width, p.bypassWidth),
      up: try matrix(prefix + "laurel_r.weight", p.bypassWidth, p.width),
      norm: try vector(prefix + "laurel_post_norm.weight", p.width))
  }
}
