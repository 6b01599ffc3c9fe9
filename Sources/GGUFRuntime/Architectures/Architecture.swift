// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The families of transformers that are read, and what sets each apart.
enum Architecture: String, Sendable, CaseIterable {
  case llama, mistral3, smollm3, granite, granitemoe, minicpm, phi3, internlm2, lfm2, lfm2moe
  case olmo2, exaone4, glm4
  case graniteHybrid = "granitehybrid"
  case gemma2, gemma3, gemma3n, gemma4
  case qwen2, qwen2vl, qwen2moe, qwen3, qwen3vl, qwen3moe, qwen3vlmoe, qwen35, qwen35moe
  case ernie45 = "ernie4_5"
  case deepseek2
  case nemotronH = "nemotron_h"
  case nemotronHMoE = "nemotron_h_moe"
  case seedOSS = "seed_oss"
  case gptOSS = "gpt-oss"

  /// Whether rotations turn neighbouring numbers, rather than those half a head apart.
  var rotatesNeighbours: Bool {
    switch self {
    case .llama, .mistral3, .smollm3, .granite, .granitemoe, .graniteHybrid, .minicpm, .internlm2,
      .ernie45, .glm4, .deepseek2:
      true
    default: false
    }
  }

  /// Whether the family is Gemma, with norms after attention and feed-forward, and GELU.
  var isGemma: Bool {
    switch self {
    case .gemma2, .gemma3, .gemma3n, .gemma4: true
    default: false
    }
  }

  /// Whether what attention and feed-forward take in is normed.
  var normsInputs: Bool { self != .olmo2 && self != .exaone4 }

  /// Whether what attention and feed-forward give is normed before it is added.
  var normsResults: Bool {
    isGemma || self == .olmo2 || self == .exaone4 || self == .glm4
  }

  /// Whether queries and keys are normed, head by head or all heads at once.
  var normsHeads: Bool {
    switch self {
    case .qwen3, .qwen3vl, .qwen3moe, .qwen3vlmoe, .qwen35, .qwen35moe, .gemma3, .gemma3n, .gemma4,
      .lfm2, .lfm2moe, .olmo2, .exaone4:
      true
    default: false
    }
  }

  /// Whether one norm goes over all heads of queries, and one over all of keys.
  var normsHeadsAtOnce: Bool { self == .olmo2 }

  /// Whether values are normed head by head, without weights.
  var normsValues: Bool { self == .gemma3n || self == .gemma4 }

  /// Whether the divisors of rotations are for layers that see all positions only.
  var dividesGlobalTurnsOnly: Bool { self == .gemma4 }

  /// Whether a layer either mixes tokens or has a feed-forward part, which is without gates.
  var splitsLayers: Bool { self == .nemotronH || self == .nemotronHMoE }

  /// Whether keys and values are kept as the few numbers that they are made of.
  var hasLatentAttention: Bool { self == .deepseek2 }

  /// Whether the queries, keys and values of a layer are one matrix.
  var fusesAttention: Bool { self == .phi3 }

  /// Whether the gates and ups of a feed-forward part are one matrix.
  var fusesGates: Bool { self == .phi3 || self == .glm4 }

  /// Whether each head of queries has a gate for what attention gives it.
  var gatesAttention: Bool { self == .qwen35 || self == .qwen35moe }

  /// Whether scores have one more place, which takes part in no sum.
  var hasSinks: Bool { self == .gptOSS }

  /// Whether layers are mixtures of experts; a file of llama or gemma4 says so itself.
  var isMixture: Bool {
    switch self {
    case .granitemoe, .qwen2moe, .qwen3moe, .qwen3vlmoe, .qwen35moe, .lfm2moe, .gptOSS,
      .nemotronHMoE, .deepseek2:
      true
    default: false
    }
  }

  /// The name of the norm before the feed-forward part of a layer.
  var feedForwardNorm: String {
    switch self {
    case .gptOSS, .seedOSS, .qwen35, .qwen35moe: "post_attention_norm.weight"
    case .nemotronH, .nemotronHMoE: "attn_norm.weight"
    default: "ffn_norm.weight"
    }
  }

  /// The name of the norm after the last layer.
  var outputNorm: String {
    switch self {
    case .lfm2, .lfm2moe: "token_embd_norm.weight"
    default: "output_norm.weight"
    }
  }
}
