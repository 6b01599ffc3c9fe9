// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A tiny encoder whose numbers `Tests/References/embeddings.py tiny` has too: at place i of tensor n
/// is ((i · 7919 + n · 104729) mod 2003 − 1001) / 4004, and one more in norms.
struct TinyEncoder {
  static let tokens = [
    "[PAD]", "[CLS]", "[SEP]", "[UNK]", "▁un", "aff", "able", "▁!", "▁a", "▁cafe", "▁\u{5BFA}",
    "▁unknown",
  ]
  private static let (width, feed, context) = (32, 64, 16)

  private var writer = GGUFWriter()
  private var number = 0

  static func writer(
    _ architecture: String = "bert", pooling: UInt32 = 1,
    _ settings: (inout GGUFWriter) -> Void = { _ in }
  ) -> GGUFWriter {
    var encoder = TinyEncoder()
    encoder.writeMetadata(architecture, pooling)
    encoder.writeTensors(isPlain: architecture == "bert")
    settings(&encoder.writer)
    return encoder.writer
  }

  private mutating func writeMetadata(_ architecture: String, _ pooling: UInt32) {
    writer.set("general.architecture", architecture)
    writer.set("general.name", "tiny")
    for (key, value) in [
      ("block_count", 2), ("context_length", Self.context), ("embedding_length", Self.width),
      ("feed_forward_length", Self.feed), ("attention.head_count", 2),
    ] {
      writer.set("\(architecture).\(key)", UInt32(value))
    }
    writer.set("\(architecture).attention.layer_norm_epsilon", Float(1e-12))
    writer.set("\(architecture).pooling_type", pooling)
    writer.set("tokenizer.ggml.model", "bert")
    writer.set("tokenizer.ggml.tokens", Self.tokens)
    writer.set(
      "tokenizer.ggml.token_type",
      Self.tokens.map { Int32($0.hasPrefix("[") ? 3 : 1) })
    writer.set("tokenizer.ggml.bos_token_id", UInt32(1))
    writer.set("tokenizer.ggml.seperator_token_id", UInt32(2))
    writer.set("tokenizer.ggml.unknown_token_id", UInt32(3))
  }

  private mutating func writeTensors(isPlain: Bool) {
    let (width, feed) = (Self.width, Self.feed)
    add("token_embd.weight", [width, Self.tokens.count])
    add("token_types.weight", [width, 2])
    addNorm("token_embd_norm")
    if isPlain { add("position_embd.weight", [width, Self.context]) }
    for layer in 0..<2 {
      let prefix = "blk.\(layer)."
      if isPlain {
        for name in ["attn_q", "attn_k", "attn_v"] { addLinear(prefix + name, width, width) }
        addLinear(prefix + "attn_output", width, width)
      } else {
        add(prefix + "attn_qkv.weight", [width, 3 * width])
        add(prefix + "attn_output.weight", [width, width])
      }
      addNorm(prefix + "attn_output_norm")
      if isPlain {
        addLinear(prefix + "ffn_up", width, feed)
        addLinear(prefix + "ffn_down", feed, width)
      } else {
        add(prefix + "ffn_gate.weight", [width, feed])
        add(prefix + "ffn_up.weight", [width, feed])
        add(prefix + "ffn_down.weight", [feed, width])
      }
      addNorm(prefix + "layer_output_norm")
    }
  }

  private mutating func addNorm(_ name: String) {
    add(name + ".weight", [Self.width])
    add(name + ".bias", [Self.width])
  }

  private mutating func addLinear(_ name: String, _ columns: Int, _ rows: Int) {
    add(name + ".weight", [columns, rows])
    add(name + ".bias", [rows])
  }

  private mutating func add(_ name: String, _ dimensions: [Int]) {
    let offset: Float = name.hasSuffix("norm.weight") ? 1 : 0
    let values = (0..<dimensions.reduce(1, *)).map { i in
      Float((i * 7919 + number * 104_729) % 2003 - 1001) / 4004 + offset
    }
    number += 1
    writer.add(name, dimensions, values)
  }
}
