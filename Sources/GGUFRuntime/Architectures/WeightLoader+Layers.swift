// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension WeightLoader {
  /// - Parameter recurrentBefore: How many layers before have a recurrence in the place of attention.
  mutating func layer(
    _ index: Int, _ p: ModelParameters, recurrentBefore: Int
  ) throws(GGUFError) -> TransformerWeights.Layer {
    let prefix = "blk.\(index)."
    let isGemma = p.architecture.isGemma
    let mixing: TransformerWeights.Mixing
    switch p.isRecurrent[index] ? p.recurrence : nil {
    case nil:
      mixing = .attention(try attention(prefix, p, index: index - recurrentBefore))
    case .convolution(let length):
      mixing = .convolution(
        TransformerWeights.Convolution(
          index: recurrentBefore,
          input: try matrix(prefix + "shortconv.in_proj.weight", p.width, 3 * p.width),
          taps: try numbers(prefix + "shortconv.conv.weight", [length, p.width]),
          output: try matrix(prefix + "shortconv.out_proj.weight", p.width, p.width)))
    case .deltaRule(let shape):
      mixing = .deltaRule(try deltaRule(prefix, p, shape, index: recurrentBefore))
    }
    let feedForward: TransformerWeights.FeedForward
    if let shape = p.mixture, p.isMixture(layer: index) {
      feedForward = .mixture(try mixture(prefix, p, shape))
    } else {
      feedForward = .dense(try dense(prefix, p))
    }
    return TransformerWeights.Layer(
      mixingNorm: try vector(prefix + "attn_norm.weight", p.width), mixing: mixing,
      afterMixingNorm: isGemma
        ? try vector(prefix + "post_attention_norm.weight", p.width) : nil,
      feedForwardNorm: try vector(prefix + p.architecture.feedForwardNorm, p.width),
      feedForward: feedForward,
      afterFeedForwardNorm: isGemma
        ? try vector(prefix + "post_ffw_norm.weight", p.width) : nil)
  }

  private mutating func attention(
    _ prefix: String, _ p: ModelParameters, index: Int
  ) throws(GGUFError) -> TransformerWeights.Attention {
    let (queries, keys) = (p.heads * p.headSize, p.keyValueHeads * p.headSize)
    let all = queries + 2 * keys
    let isFused = p.architecture.isFused
    // The rows of a matrix of its own, or of one that holds several.
    func rows(
      _ name: String, _ range: Range<Int>, _ loader: inout WeightLoader
    ) throws(GGUFError) -> WeightMatrix {
      isFused
        ? try loader.matrix(prefix + "attn_qkv.weight", p.width, all, taking: [range])
        : try loader.matrix(prefix + name, p.width, range.count)
    }
    func norm(_ name: String, _ loader: inout WeightLoader) throws(GGUFError) -> [Float]? {
      p.architecture.normsHeads ? try loader.vector(prefix + name, p.headSize) : nil
    }
    let query: WeightMatrix
    var gate: WeightMatrix?
    if p.architecture.gatesAttention {
      // Head by head: a query, and what the head's result is gated with.
      func heads(_ part: Int) -> [Range<Int>] {
        (0..<p.heads).map { head in
          (2 * head + part) * p.headSize..<(2 * head + part + 1) * p.headSize
        }
      }
      query = try matrix(prefix + "attn_q.weight", p.width, 2 * queries, taking: heads(0))
      gate = try matrix(prefix + "attn_q.weight", p.width, 2 * queries, taking: heads(1))
    } else {
      query = try rows("attn_q.weight", 0..<queries, &self)
    }
    return TransformerWeights.Attention(
      index: index, query: query,
      key: try rows("attn_k.weight", queries..<queries + keys, &self),
      value: try rows("attn_v.weight", queries + keys..<all, &self), gate: gate,
      queryBias: try optionalVector(prefix + "attn_q.bias", queries),
      keyBias: try optionalVector(prefix + "attn_k.bias", keys),
      valueBias: try optionalVector(prefix + "attn_v.bias", keys),
      queryNorm: try norm("attn_q_norm.weight", &self),
      keyNorm: try norm("attn_k_norm.weight", &self),
      sinks: p.architecture.hasSinks
        ? try vector(prefix + "attn_sinks.weight", p.heads) : nil,
      output: try matrix(prefix + "attn_output.weight", queries, p.width),
      outputBias: try optionalVector(prefix + "attn_output.bias", p.width))
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

  private mutating func dense(
    _ prefix: String, _ p: ModelParameters
  ) throws(GGUFError) -> TransformerWeights.GatedWeights {
    let width = p.feedForwardWidth
    guard p.architecture.isFused else { return try gated(prefix, "", p.width, width) }
    return TransformerWeights.GatedWeights(
      gate: try matrix(prefix + "ffn_up.weight", p.width, 2 * width, taking: [0..<width]),
      up: try matrix(prefix + "ffn_up.weight", p.width, 2 * width, taking: [width..<2 * width]),
      down: try matrix(prefix + "ffn_down.weight", width, p.width))
  }

  private mutating func gated(
    _ prefix: String, _ suffix: String, _ width: Int, _ inner: Int
  ) throws(GGUFError) -> TransformerWeights.GatedWeights {
    TransformerWeights.GatedWeights(
      gate: try matrix(prefix + "ffn_gate\(suffix).weight", width, inner),
      up: try matrix(prefix + "ffn_up\(suffix).weight", width, inner),
      down: try matrix(prefix + "ffn_down\(suffix).weight", inner, width))
  }

  private mutating func mixture(
    _ prefix: String, _ p: ModelParameters, _ m: ModelParameters.Mixture
  ) throws(GGUFError) -> TransformerWeights.Mixture {
    let gates = try matrices(prefix + "ffn_gate_exps.weight", p.width, m.width, m.experts)
    let ups = try matrices(prefix + "ffn_up_exps.weight", p.width, m.width, m.experts)
    let downs = try matrices(prefix + "ffn_down_exps.weight", m.width, p.width, m.experts)
    let gateBiases = try optionalVectors(prefix + "ffn_gate_exps.bias", m.width, m.experts)
    let upBiases = try optionalVectors(prefix + "ffn_up_exps.bias", m.width, m.experts)
    let downBiases = try optionalVectors(prefix + "ffn_down_exps.bias", p.width, m.experts)
    return TransformerWeights.Mixture(
      router: try matrix(prefix + "ffn_gate_inp.weight", p.width, m.experts),
      routerBias: try optionalVector(prefix + "ffn_gate_inp.bias", m.experts),
      choiceBias: try optionalVector(prefix + "exp_probs_b.bias", m.experts),
      experts: (0..<m.experts).map { index in
        TransformerWeights.GatedWeights(
          gate: gates[index], up: ups[index], down: downs[index],
          gateBias: gateBiases?[index], upBias: upBiases?[index], downBias: downBiases?[index])
      },
      shared: m.sharedWidth > 0 ? try gated(prefix, "_shexp", p.width, m.sharedWidth) : nil,
      sharedGate: try optionalVector(prefix + "ffn_gate_inp_shexp.weight", p.width))
  }
}
