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

  var isGemma: Bool { architecture.hasPrefix("gemma") }
  /// Families that norm what parts of a layer take in, and families that norm what they give.
  var normsInputs: Bool { !["olmo2", "exaone4"].contains(architecture) }
  var normsResults: Bool { isGemma || !normsInputs || architecture == "glm4" }
  var isMixture: Bool { shape.experts > 0 }
  var hasDelta: Bool { architecture.hasPrefix("qwen35") }
  /// Layers of gemma4 differ: which see a window, of what size their heads are, and how many of keys
  /// and values there are.
  static let gemma4Windows = [true, true, false, true, false, true, false]

  func headSize(_ layer: Int) -> Int {
    architecture == "gemma4" && !Self.gemma4Windows[layer] ? 2 * shape.size : shape.size
  }

  func keyHeads(_ layer: Int) -> Int {
    architecture == "gemma4" && !Self.gemma4Windows[layer] ? 1 : shape.keyHeads
  }

  func feed(_ layer: Int) -> Int {
    architecture == "gemma4" && isShared(layer) ? 2 * shape.feed : shape.feed
  }

  /// Whether a layer reads the keys and values of an earlier one.
  func isShared(_ layer: Int) -> Bool {
    switch architecture {
    case "gemma4": layer >= 5
    case "gemma3n": layer >= 20
    default: false
    }
  }

  /// Files of gemma3n have matrices that nobody uses.
  func hasKeys(_ layer: Int) -> Bool { !isShared(layer) || architecture == "gemma3n" }

  /// How many numbers of a token a layer takes in.
  var inputWidth: Int {
    switch architecture {
    case "gemma3n": shape.inputWidth
    case "gemma4": isMixture ? 0 : 32
    default: 0
    }
  }

  // The delta rule: two heads of keys, four of values, a convolution over four tokens.
  static let delta = (size: 16, keyHeads: 2, valueHeads: 4, length: 4)

  /// A selective state space: four heads of 16 numbers in two groups, over three tokens.
  static let scan = (heads: 4, headSize: 16, groups: 2, size: 8, length: 3)
  var hasScan: Bool { architecture == "granitehybrid" || splitsLayers }

  /// Whether a layer has either attention or a recurrence, or a feed-forward part.
  var splitsLayers: Bool { architecture.hasPrefix("nemotron") }
  func mixesTokens(_ layer: Int) -> Bool { !splitsLayers || layer % 3 != 1 }
  func hasFeedForward(_ layer: Int) -> Bool { !splitsLayers || layer % 3 == 1 }

  /// Latent attention: what queries, and what keys and values, are made of; what of a head's query is not
  /// turned, and how long its value is.
  static let latent = (queryRank: 32, rank: 64, plain: 32, valueSize: 64)
  var hasLatent: Bool { architecture == "deepseek2" }
  /// llama.cpp tells by the number of layers whether queries are made of few numbers.
  var hasQueryRank: Bool { shape.layers != 26 }

  /// Whether a layer has a recurrence in the place of attention.
  func isRecurrent(_ layer: Int) -> Bool {
    if splitsLayers { return layer % 3 == 0 }
    return hasDelta || hasScan ? layer % 4 != 3 : architecture.hasPrefix("lfm2") && layer % 2 == 0
  }

  mutating func set(_ key: String, _ value: Int) {
    writer.set("\(architecture).\(key)", UInt32(value))
  }

  mutating func set(_ key: String, _ value: Float) {
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
      set("attention.head_count_kv", hasLatent ? 1 : shape.keyHeads)
    }
    let size = architecture == "gemma4" ? 2 * shape.size : shape.size
    if hasLatent {
      let latent = Self.latent
      set("attention.key_length", latent.rank + size)
      set("attention.value_length", latent.rank)
      set("attention.key_length_mla", latent.plain + size)
      set("attention.value_length_mla", latent.valueSize)
      set("attention.kv_lora_rank", latent.rank)
      if hasQueryRank { set("attention.q_lora_rank", latent.queryRank) }
      set("leading_dense_block_count", 1)
      set("expert_shared_count", 2)
    } else {
      set("attention.key_length", size)
      set("attention.value_length", size)
    }
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
      if hasLatent { set("expert_gating_func", hasQueryRank ? 2 : 1) }
      if splitsLayers || (hasLatent && hasQueryRank) {
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
  var expertWidth: Int {
    ["llama", "granitemoe", "granitehybrid"].contains(architecture) ? shape.feed : shape.feed / 2
  }

  var hasSharedExpert: Bool { ["qwen2moe", "qwen35moe"].contains(architecture) }

  mutating func random(_ count: Int, _ spread: Float = 0.2) -> [Float] {
    // What the standard library does for any type takes ten times as long where nothing is optimised.
    var result = [Float](repeating: 0, count: count)
    for place in 0..<count {
      result[place] = (Float(generator.next() >> 40) * 0x1p-23 - 1) * spread
    }
    return result
  }

  mutating func numbers(_ name: String, _ dimensions: [Int], _ spread: Float = 0.2) {
    writer.add(name, dimensions, random(dimensions.reduce(1, *), spread))
  }

  mutating func norm(_ name: String, _ count: Int) {
    writer.add(name, [count], random(count).map { $0 + 1 })
  }

  mutating func matrix(_ name: String, _ dimensions: Int..., spread: Float = 0.2) {
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
      if hasLatent {
        writeLatentAttention(prefix)
      } else if !mixesTokens(layer) {
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
      if isMixture, layer >= (architecture == "lfm2moe" ? 2 : hasLatent ? 1 : 0) {
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
  mutating func writeModelInputs() {
    guard inputWidth > 0 else { return }
    let all = inputWidth * shape.layers
    matrix("per_layer_token_embd.weight", all, 259, spread: 1)
    matrix("per_layer_model_proj.weight", shape.width, all)
    norm("per_layer_proj_norm.weight", inputWidth)
    guard architecture == "gemma3n" else { return }
    matrix("altup_proj.weight", shape.width, shape.width, 3)
    matrix("altup_unembd_proj.weight", shape.width, shape.width, 3)
  }

  mutating func writeLayerInputs(_ prefix: String) {
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
}
