// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import EspalierLocal

/// The tensors of each kind of layer.
extension TinyModelWriter {
  mutating func writeAttention(_ prefix: String, _ layer: Int) {
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

  mutating func writeConvolution(_ prefix: String) {
    matrix(prefix + "shortconv.in_proj.weight", shape.width, 3 * shape.width, spread: 0.5)
    numbers(prefix + "shortconv.conv.weight", [3, shape.width], 1)
    matrix(prefix + "shortconv.out_proj.weight", shape.width, shape.width, spread: 0.5)
  }

  mutating func writeDelta(_ prefix: String) {
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

  mutating func writeLatentAttention(_ prefix: String) {
    let latent = Self.latent
    let (width, heads, size) = (shape.width, shape.heads, latent.plain + shape.size)
    if hasQueryRank {
      matrix(prefix + "attn_q_a.weight", width, latent.queryRank)
      norm(prefix + "attn_q_a_norm.weight", latent.queryRank)
      matrix(prefix + "attn_q_b.weight", latent.queryRank, heads * size)
    } else {
      matrix(prefix + "attn_q.weight", width, heads * size)
    }
    matrix(prefix + "attn_kv_a_mqa.weight", width, latent.rank + shape.size)
    norm(prefix + "attn_kv_a_norm.weight", latent.rank)
    matrix(prefix + "attn_k_b.weight", latent.plain, latent.rank, heads)
    matrix(prefix + "attn_v_b.weight", latent.rank, latent.valueSize, heads)
    matrix(prefix + "attn_output.weight", heads * latent.valueSize, width)
  }

  mutating func writeScan(_ prefix: String) {
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

  mutating func writeFeedForward(_ prefix: String, _ layer: Int) {
    let isFused = ["phi3", "glm4"].contains(architecture)
    let inner = feed(layer)
    if !isFused, !splitsLayers { matrix(prefix + "ffn_gate.weight", shape.width, inner) }
    matrix(prefix + "ffn_up.weight", shape.width, isFused ? 2 * inner : inner)
    matrix(prefix + "ffn_down.weight", inner, shape.width)
  }

  mutating func writeMixture(_ prefix: String) {
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
    if architecture == "lfm2moe" || splitsLayers || (hasLatent && hasQueryRank) {
      numbers(prefix + "exp_probs_b.bias", [experts])
    }
    if hasSharedExpert || hasScan || hasLatent {
      if hasSharedExpert { numbers(prefix + "ffn_gate_inp_shexp.weight", [width]) }
      if !splitsLayers { matrix(prefix + "ffn_gate_shexp.weight", width, shape.feed) }
      matrix(prefix + "ffn_up_shexp.weight", width, shape.feed)
      matrix(prefix + "ffn_down_shexp.weight", shape.feed, width)
    }
  }
}
