// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The families of transformers that are read, and what sets each apart.
enum Architecture: String, Sendable, CaseIterable {
  case llama, smollm3, granite, granitemoe, phi3, internlm2, lfm2, lfm2moe
  case gemma2, gemma3, gemma3n, gemma4
  case qwen2, qwen2vl, qwen2moe, qwen3, qwen3vl, qwen3moe, qwen3vlmoe, qwen35, qwen35moe
  case ernie45 = "ernie4_5"
  case seedOSS = "seed_oss"
  case gptOSS = "gpt-oss"

  /// Whether rotations turn neighbouring numbers, rather than those half a head apart.
  var rotatesNeighbours: Bool {
    switch self {
    case .llama, .smollm3, .granite, .granitemoe, .internlm2, .ernie45: true
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

  /// Whether queries and keys are normed head by head.
  var normsHeads: Bool {
    switch self {
    case .qwen3, .qwen3vl, .qwen3moe, .qwen3vlmoe, .qwen35, .qwen35moe, .gemma3, .gemma3n, .gemma4,
      .lfm2, .lfm2moe:
      true
    default: false
    }
  }

  /// Whether values are normed head by head, without weights.
  var normsValues: Bool { self == .gemma3n || self == .gemma4 }

  /// Whether the divisors of rotations are for layers that see all positions only.
  var dividesGlobalTurnsOnly: Bool { self == .gemma4 }

  /// Whether the queries, keys and values of a layer are one matrix, and gate and up another.
  var isFused: Bool { self == .phi3 }

  /// Whether each head of queries has a gate for what attention gives it.
  var gatesAttention: Bool { self == .qwen35 || self == .qwen35moe }

  /// Whether scores have one more place, which takes part in no sum.
  var hasSinks: Bool { self == .gptOSS }

  /// Whether layers are mixtures of experts; a file of llama or gemma4 says so itself.
  var isMixture: Bool {
    switch self {
    case .granitemoe, .qwen2moe, .qwen3moe, .qwen3vlmoe, .qwen35moe, .lfm2moe, .gptOSS: true
    default: false
    }
  }

  /// The name of the norm before the feed-forward part of a layer.
  var feedForwardNorm: String {
    switch self {
    case .gptOSS, .seedOSS, .qwen35, .qwen35moe: "post_attention_norm.weight"
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
