// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import EspalierLocal

/// Writes the metadata and the random tensors of a ``TinyModel``.
struct TinyModelWriter {
  let architecture: String
  let shape: TinyModel.Shape
  let type: GGUFTensorType
  var generator: SeededGenerator
  var writer = GGUFWriter()

  private var isGemma: Bool { architecture.hasPrefix("gemma") }
  /// Families that norm what parts of a layer take in, and families that norm what they give.
  private var normsInputs: Bool { !["olmo2", "exaone4"].contains(architecture) }
  private var normsResults: Bool { isGemma || !normsInputs || architecture == "glm4" }
  private var isMixture: Bool { shape.experts > 0 }
  private var hasDelta: Bool { architecture.hasPrefix("qwen35") }
  /// Layers of gemma4 differ: which see a window, of what size their heads are, and how many of keys
  /// and values there are.
  private static let gemma4Windows = [true, true, false, true, false, true, false]

  private func headSize(_ layer: Int) -> Int {
    architecture == "gemma4" && !Self.gemma4Windows[layer] ? 2 * shape.size : shape.size
  }

  private func keyHeads(_ layer: Int) -> Int {
    architecture == "gemma4" && !Self.gemma4Windows[layer] ? 1 : shape.keyHeads
  }

  private func feed(_ layer: Int) -> Int {
    architecture == "gemma4" && isShared(layer) ? 2 * shape.feed : shape.feed
  }

  /// Whether a layer reads the keys and values of an earlier one.
  private func isShared(_ layer: Int) -> Bool {
    switch architecture {
    case "gemma4": layer >= 5
    case "gemma3n": layer >= 20
    default: false
    }
  }

  /// Files of gemma3n have matrices that nobody uses.
  private func hasKeys(_ layer: Int) -> Bool { !isShared(layer) || architecture == "gemma3n" }

  /// How many numbers of a token a layer takes in.
  private var inputWidth: Int {
    switch architecture {
    case "gemma3n": shape.inputWidth
    case "gemma4": isMixture ? 0 : 32
    default: 0
    }
  }

  // The delta rule: two heads of keys, four of values, a convolution over four tokens.
  private static let delta = (size: 16, keyHeads: 2, valueHeads: 4, length: 4)

  /// A selective state space: four heads of 16 numbers in two groups, over three tokens.
  private static let scan = (heads: 4, headSize: 16, groups: 2, size: 8, length: 3)
  private var hasScan: Bool { architecture == "granitehybrid" || splitsLayers }

  /// Whether a layer has either attention or a recurrence, or a feed-forward part.
  private var splitsLayers: Bool { architecture.hasPrefix("nemotron") }
  private func mixesTokens(_ layer: Int) -> Bool { !splitsLayers || layer % 3 != 1 }
  private func hasFeedForward(_ layer: Int) -> Bool { !splitsLayers || layer % 3 == 1 }

  /// Whether a layer has a recurrence in the place of attention.
  private func isRecurrent(_ layer: Int) -> Bool {
    if splitsLayers { return layer % 3 == 0 }
    return hasDelta || hasScan ? layer % 4 != 3 : architecture.hasPrefix("lfm2") && layer % 2 == 0
  }

  private mutating func set(_ key: String, _ value: Int) {
    writer.set("\(architecture).\(key)", UInt32(value))
  }

  private mutating func set(_ key: String, _ value: Float) {
    writer.set("\(architecture).\(key)", value)
  }

  mutating func writeMetadata(_ settings: (inout GGUFWriter) -> Void) {
    writer.set("general.architecture", architecture)
    set("block_count", shape.layers)
    set("context_length", 512)
    set("embedding_length", shape.width)
    if architecture == "gemma4" || splitsLayers {
      writer.set(
        "\(architecture).feed_forward_length",
        (0..<shape.layers).map { hasFeedForward($0) ? Int32(feed($0)) : 0 })
    } else {
      set("feed_forward_length", shape.feed)
    }
    set("attention.head_count", shape.heads)
    if architecture.hasPrefix("lfm2") || hasScan {
      writer.set(
        "\(architecture).attention.head_count_kv",
        (0..<shape.layers).map {
          isRecurrent($0) || !mixesTokens($0) ? Int32(0) : Int32(shape.keyHeads)
        })
      if !hasScan { set("shortconv.l_cache", 3) }
    } else if architecture == "gemma4" {
      writer.set(
        "gemma4.attention.head_count_kv", (0..<shape.layers).map { Int32(keyHeads($0)) })
    } else {
      set("attention.head_count_kv", shape.keyHeads)
    }
    let size = architecture == "gemma4" ? 2 * shape.size : shape.size
    set("attention.key_length", size)
    set("attention.value_length", size)
    set("rope.dimension_count", hasDelta || architecture == "glm4" ? size / 2 : size)
    if inputWidth > 0 { set("embedding_length_per_layer_input", inputWidth) }
    if architecture == "gemma4" {
      set("attention.key_length_swa", shape.size)
      set("attention.value_length_swa", shape.size)
      set("rope.dimension_count_swa", shape.size)
      set("rope.freq_base", Float(1e6))
      set("rope.freq_base_swa", Float(1e4))
      set("attention.shared_kv_layers", 2)
      if inputWidth == 0 { set("embedding_length_per_layer_input", 0) }
      set("final_logit_softcapping", Float(3))
      writer.set("gemma4.attention.sliding_window_pattern", Self.gemma4Windows)
    }
    set("attention.layer_norm_rms_epsilon", Float(1e-5))
    // llama.cpp asks for one that only layers beyond the model's own use.
    if splitsLayers { set("attention.layer_norm_epsilon", Float(1e-5)) }
    if isGemma || architecture == "gpt-oss" { set("attention.sliding_window", 4) }
    if isMixture {
      set("expert_count", shape.experts)
      set("expert_used_count", 2)
      if expertWidth != shape.feed { set("expert_feed_forward_length", expertWidth) }
      if hasSharedExpert { set("expert_shared_feed_forward_length", shape.feed) }
      if architecture == "lfm2moe" {
        set("expert_gating_func", 2)
        set("leading_dense_block_count", 2)
      }
      if splitsLayers {
        writer.set("\(architecture).expert_weights_norm", true)
        set("expert_weights_scale", Float(2.5))
      }
    }
    if architecture == "gemma2" {
      set("attn_logit_softcapping", Float(5))
      set("final_logit_softcapping", Float(3))
    }
    if architecture.hasPrefix("granite") || architecture == "minicpm" {
      set("embedding_scale", Float(3))
      set("residual_scale", Float(0.4))
      set("attention.scale", Float(0.2))
      set("logit_scale", Float(2))
    }
    if hasDelta {
      let delta = Self.delta
      set("ssm.conv_kernel", delta.length)
      set("ssm.state_size", delta.size)
      set("ssm.group_count", delta.keyHeads)
      set("ssm.time_step_rank", delta.valueHeads)
      set("ssm.inner_size", delta.size * delta.valueHeads)
      set("full_attention_interval", 4)
    }
    if hasScan {
      let scan = Self.scan
      set("ssm.conv_kernel", scan.length)
      set("ssm.state_size", scan.size)
      set("ssm.group_count", scan.groups)
      set("ssm.time_step_rank", scan.heads)
      set("ssm.inner_size", scan.heads * scan.headSize)
      // Files that turn nothing say so; those with experts here turn.
      if !splitsLayers { writer.set("granitehybrid.rope.scaling.finetuned", isMixture) }
      if isMixture { set("expert_shared_feed_forward_length", shape.feed) }
    }
    if hasDelta || architecture.contains("vl") {
      // The pairs that are turned by a place in time, by a row and by a column of a picture, in turn.
      let pairs = Int32(shape.size / (hasDelta ? 4 : 2))
      writer.set(
        "\(architecture).rope.dimension_sections",
        [(pairs + 2) / 3, (pairs + 1) / 3, pairs / 3, 0])
    }
    settings(&writer)
  }

  /// Older families have one width for all.
  private var expertWidth: Int {
    ["llama", "granitemoe", "granitehybrid"].contains(architecture) ? shape.feed : shape.feed / 2
  }

  private var hasSharedExpert: Bool { ["qwen2moe", "qwen35moe"].contains(architecture) }

  private mutating func random(_ count: Int, _ spread: Float = 0.2) -> [Float] {
    // What the standard library does for any type takes ten times as long where nothing is optimised.
    var result = [Float](repeating: 0, count: count)
    for place in 0..<count {
      result[place] = (Float(generator.next() >> 40) * 0x1p-23 - 1) * spread
    }
    return result
  }

  private mutating func numbers(_ name: String, _ dimensions: [Int], _ spread: Float = 0.2) {
    writer.add(name, dimensions, random(dimensions.reduce(1, *), spread))
  }

  private mutating func norm(_ name: String, _ count: Int) {
    writer.add(name, [count], random(count).map { $0 + 1 })
  }

  private mutating func matrix(_ name: String, _ dimensions: Int..., spread: Float = 0.2) {
    guard type != .f32 else { return numbers(name, dimensions, spread) }
    writer.add(
      name, dimensions, type: type.rawValue,
      QuantisedNumbers.random(dimensions.reduce(1, *), type, &generator))
  }

  mutating func writeTensors(_ ropeFactors: [Float]?) {
    matrix("token_embd.weight", shape.width, 259, spread: 1)
    // llama.cpp ties the head to the embedding in most families, but not in these.
    if ["qwen2moe", "gpt-oss", "internlm2", "olmo2"].contains(architecture) {
      matrix("output.weight", shape.width, 259, spread: 1)
    }
    norm(
      architecture.hasPrefix("lfm2") ? "token_embd_norm.weight" : "output_norm.weight",
      shape.width)
    if let ropeFactors { writer.add("rope_freqs.weight", [ropeFactors.count], ropeFactors) }
    if architecture == "gemma4" {
      // Of the pairs of a head that sees all positions, some turn and the others do not.
      writer.add(
        "rope_freqs.weight", [shape.size], (0..<shape.size).map { $0 < shape.size / 4 ? 1 : 1e30 })
    }
    writeModelInputs()
    for layer in 0..<shape.layers {
      let prefix = "blk.\(layer)."
      if normsInputs { norm(prefix + "attn_norm.weight", shape.width) }
      if !mixesTokens(layer) {
        // Its one norm is written.
      } else if !isRecurrent(layer) {
        writeAttention(prefix, layer)
      } else if hasDelta {
        writeDelta(prefix)
      } else if hasScan {
        writeScan(prefix)
      } else {
        writeConvolution(prefix)
      }
      let isFollowedByNorm = hasDelta || ["gpt-oss", "seed_oss"].contains(architecture)
      if normsInputs, !splitsLayers {
        norm(
          prefix + (isFollowedByNorm ? "post_attention_norm" : "ffn_norm") + ".weight",
          shape.width)
      }
      if !hasFeedForward(layer) { continue }
      if isMixture, architecture != "lfm2moe" || layer >= 2 {
        writeMixture(prefix)
      } else {
        writeFeedForward(prefix, layer)
      }
      if architecture == "gemma4", isMixture { writeFeedForward(prefix, layer) }
      writeLayerInputs(prefix)
      if normsResults {
        norm(prefix + "post_attention_norm.weight", shape.width)
        norm(prefix + "post_ffw_norm.weight", shape.width)
      }
    }
  }

  /// What layers take in of each token, and the hidden rows beside the first.
  private mutating func writeModelInputs() {
    guard inputWidth > 0 else { return }
    let all = inputWidth * shape.layers
    matrix("per_layer_token_embd.weight", all, 259, spread: 1)
    matrix("per_layer_model_proj.weight", shape.width, all)
    norm("per_layer_proj_norm.weight", inputWidth)
    guard architecture == "gemma3n" else { return }
    matrix("altup_proj.weight", shape.width, shape.width, 3)
    matrix("altup_unembd_proj.weight", shape.width, shape.width, 3)
  }

  private mutating func writeLayerInputs(_ prefix: String) {
    if architecture == "gemma4" {
      writer.add(prefix + "layer_output_scale.weight", [1], [random(1)[0] + 1])
    }
    guard inputWidth > 0 else { return }
    matrix(prefix + "inp_gate.weight", shape.width, inputWidth)
    matrix(prefix + "proj.weight", inputWidth, shape.width)
    norm(prefix + "post_norm.weight", shape.width)
    guard architecture == "gemma3n" else { return }
    numbers(prefix + "altup_router.weight", [shape.width, 4], 4)
    norm(prefix + "altup_router_norm.weight", shape.width)
    numbers(prefix + "altup_predict_coef.weight", [4, 16])
    numbers(prefix + "altup_correct_coef.weight", [4, 4])
    norm(prefix + "altup_correct_scale.weight", shape.width)
    matrix(prefix + "laurel_l.weight", shape.width, 64)
    matrix(prefix + "laurel_r.weight", 64, shape.width)
    norm(prefix + "laurel_post_norm.weight", shape.width)
  }

  private mutating func writeAttention(_ prefix: String, _ layer: Int) {
    let (queryWidth, keyWidth) = (
      shape.heads * headSize(layer), keyHeads(layer) * headSize(layer)
    )
    if architecture == "phi3" {
      matrix(prefix + "attn_qkv.weight", shape.width, queryWidth + 2 * keyWidth)
    } else {
      matrix(prefix + "attn_q.weight", shape.width, hasDelta ? 2 * queryWidth : queryWidth)
      if hasKeys(layer) {
        matrix(prefix + "attn_k.weight", shape.width, keyWidth)
        // A layer of gemma4 makes its values of the keys.
        if architecture != "gemma4" || layer != 2 {
          matrix(prefix + "attn_v.weight", shape.width, keyWidth)
        }
      }
    }
    matrix(prefix + "attn_output.weight", queryWidth, shape.width)
    if ["qwen2", "qwen2vl", "qwen2moe", "seed_oss", "gpt-oss", "glm4"].contains(architecture) {
      numbers(prefix + "attn_q.bias", [queryWidth])
      numbers(prefix + "attn_k.bias", [keyWidth])
      numbers(prefix + "attn_v.bias", [keyWidth])
    }
    if architecture == "olmo2" {
      norm(prefix + "attn_q_norm.weight", queryWidth)
      norm(prefix + "attn_k_norm.weight", keyWidth)
    }
    if architecture == "gpt-oss" {
      numbers(prefix + "attn_output.bias", [shape.width])
      numbers(prefix + "attn_sinks.weight", [shape.heads], 2)
    }
    if architecture.hasPrefix("qwen3") || (isGemma && architecture != "gemma2")
      || architecture.hasPrefix("lfm2") || architecture == "exaone4"
    {
      norm(prefix + "attn_q_norm.weight", headSize(layer))
      if hasKeys(layer) { norm(prefix + "attn_k_norm.weight", headSize(layer)) }
    }
  }

  private mutating func writeConvolution(_ prefix: String) {
    matrix(prefix + "shortconv.in_proj.weight", shape.width, 3 * shape.width, spread: 0.5)
    numbers(prefix + "shortconv.conv.weight", [3, shape.width], 1)
    matrix(prefix + "shortconv.out_proj.weight", shape.width, shape.width, spread: 0.5)
  }

  private mutating func writeDelta(_ prefix: String) {
    let delta = Self.delta
    let values = delta.size * delta.valueHeads
    let channels = 2 * delta.size * delta.keyHeads + values
    matrix(prefix + "attn_qkv.weight", shape.width, channels, spread: 0.5)
    matrix(prefix + "attn_gate.weight", shape.width, values)
    numbers(prefix + "ssm_conv1d.weight", [delta.length, channels], 1)
    numbers(prefix + "ssm_dt.bias", [delta.valueHeads])
    writer.add(
      prefix + "ssm_a", [delta.valueHeads], random(delta.valueHeads).map { -abs($0) })
    matrix(prefix + "ssm_beta.weight", shape.width, delta.valueHeads)
    matrix(prefix + "ssm_alpha.weight", shape.width, delta.valueHeads)
    norm(prefix + "ssm_norm.weight", delta.size)
    matrix(prefix + "ssm_out.weight", values, shape.width)
  }

  private mutating func writeScan(_ prefix: String) {
    let scan = Self.scan
    let inner = scan.heads * scan.headSize
    let channels = inner + 2 * scan.groups * scan.size
    matrix(prefix + "ssm_in.weight", shape.width, inner + channels + scan.heads, spread: 0.5)
    numbers(prefix + "ssm_conv1d.weight", [scan.length, channels], 1)
    numbers(prefix + "ssm_conv1d.bias", [channels])
    numbers(prefix + "ssm_dt.bias", [scan.heads])
    writer.add(prefix + "ssm_a", [1, scan.heads], random(scan.heads).map { -abs($0) })
    numbers(prefix + "ssm_d", [1, scan.heads], 1)
    writer.add(
      prefix + "ssm_norm.weight", [inner / scan.groups, scan.groups], random(inner).map { $0 + 1 })
    matrix(prefix + "ssm_out.weight", inner, shape.width)
  }

  private mutating func writeFeedForward(_ prefix: String, _ layer: Int) {
    let isFused = ["phi3", "glm4"].contains(architecture)
    let inner = feed(layer)
    if !isFused, !splitsLayers { matrix(prefix + "ffn_gate.weight", shape.width, inner) }
    matrix(prefix + "ffn_up.weight", shape.width, isFused ? 2 * inner : inner)
    matrix(prefix + "ffn_down.weight", inner, shape.width)
  }

  private mutating func writeMixture(_ prefix: String) {
    let (width, inner, experts) = (shape.width, expertWidth, shape.experts)
    numbers(prefix + "ffn_gate_inp.weight", [width, experts])
    if architecture == "gemma4" {
      norm(prefix + "ffn_gate_inp.scale", width)
      matrix(prefix + "ffn_gate_up_exps.weight", width, 2 * inner, experts)
      norm(prefix + "ffn_down_exps.scale", experts)
      for name in ["post_ffw_norm_1", "pre_ffw_norm_2", "post_ffw_norm_2"] {
        norm(prefix + name + ".weight", width)
      }
    } else {
      if !splitsLayers { matrix(prefix + "ffn_gate_exps.weight", width, inner, experts) }
      matrix(prefix + "ffn_up_exps.weight", width, inner, experts)
    }
    matrix(prefix + "ffn_down_exps.weight", inner, width, experts)
    if architecture == "gpt-oss" {
      numbers(prefix + "ffn_gate_inp.bias", [experts])
      numbers(prefix + "ffn_gate_exps.bias", [inner, experts])
      numbers(prefix + "ffn_up_exps.bias", [inner, experts])
      numbers(prefix + "ffn_down_exps.bias", [width, experts])
    }
    if architecture == "lfm2moe" || splitsLayers {
      numbers(prefix + "exp_probs_b.bias", [experts])
    }
    if hasSharedExpert || hasScan {
      if !hasScan { numbers(prefix + "ffn_gate_inp_shexp.weight", [width]) }
      if !splitsLayers { matrix(prefix + "ffn_gate_shexp.weight", width, shape.feed) }
      matrix(prefix + "ffn_up_shexp.weight", width, shape.feed)
      matrix(prefix + "ffn_down_shexp.weight", shape.feed, width)
    }
  }
}
