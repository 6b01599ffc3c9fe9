import TestSupport

@testable import EspalierLocal

/// A model of two layers with random weights, whose tokens are the 256 bytes, an end and a mark.
enum TinyModel {
  /// Extents of a model.
  struct Shape {
    var width = 32
    var feed = 64
    var heads = 4
    var keyHeads = 2
    var size = 8
    var layers = 2

    /// Rows of 256 numbers, as the forms with super blocks need them.
    static let wide = Shape(width: 256, feed: 512, heads: 4, keyHeads: 2, size: 64)
  }

  /// - Parameters:
  ///   - type: The form of the matrices.
  ///   - settings: More metadata, before the tensors.
  static func writer(
    architecture: String = "llama", seed: UInt64 = 1, shape: Shape = Shape(),
    type: GGUFTensorType = .f32, ropeFactors: [Float]? = nil,
    settings: (inout GGUFWriter) -> Void = { _ in }
  ) -> GGUFWriter {
    var generator = SeededGenerator(seed: seed)
    var writer = GGUFWriter()
    let (width, feed, size, vocabulary) = (shape.width, shape.feed, shape.size, 259)
    let (heads, keyHeads) = (shape.heads * size, shape.keyHeads * size)
    writer.set("general.architecture", architecture)
    func set(_ key: String, _ value: Int) { writer.set("\(architecture).\(key)", UInt32(value)) }
    set("block_count", shape.layers)
    set("context_length", 512)
    set("embedding_length", width)
    set("feed_forward_length", feed)
    set("attention.head_count", shape.heads)
    set("attention.head_count_kv", shape.keyHeads)
    set("attention.key_length", size)
    set("attention.value_length", size)
    set("rope.dimension_count", size)
    writer.set("\(architecture).attention.layer_norm_rms_epsilon", Float(1e-5))
    let isGemma = architecture.hasPrefix("gemma")
    let isFused = architecture == "phi3"
    if isGemma { set("attention.sliding_window", 4) }
    if architecture == "gemma2" {
      writer.set("gemma2.attn_logit_softcapping", Float(5))
      writer.set("gemma2.final_logit_softcapping", Float(3))
    }
    if architecture == "granite" {
      writer.set("granite.embedding_scale", Float(3))
      writer.set("granite.residual_scale", Float(0.4))
      writer.set("granite.attention.scale", Float(0.2))
      writer.set("granite.logit_scale", Float(2))
    }
    settings(&writer)
    tokenizer(&writer)
    func random(_ count: Int, _ spread: Float = 0.2) -> [Float] {
      (0..<count).map { _ in Float.random(in: -spread...spread, using: &generator) }
    }
    func norm(_ name: String, _ count: Int) {
      writer.add(name, [count], random(count).map { $0 + 1 })
    }
    func matrix(_ name: String, _ columns: Int, _ rows: Int, _ spread: Float = 0.2) {
      if type == .f32 {
        writer.add(name, [columns, rows], random(columns * rows, spread))
      } else {
        writer.add(
          name, [columns, rows], type: type.rawValue,
          QuantisedNumbers.random(columns * rows, type, &generator))
      }
    }
    matrix("token_embd.weight", width, vocabulary, 1)
    norm("output_norm.weight", width)
    if let ropeFactors { writer.add("rope_freqs.weight", [ropeFactors.count], ropeFactors) }
    for layer in 0..<shape.layers {
      let p = "blk.\(layer)."
      norm(p + "attn_norm.weight", width)
      if isFused {
        matrix(p + "attn_qkv.weight", width, heads + 2 * keyHeads)
      } else {
        matrix(p + "attn_q.weight", width, heads)
        matrix(p + "attn_k.weight", width, keyHeads)
        matrix(p + "attn_v.weight", width, keyHeads)
      }
      matrix(p + "attn_output.weight", heads, width)
      norm(p + "ffn_norm.weight", width)
      if !isFused { matrix(p + "ffn_gate.weight", width, feed) }
      matrix(p + "ffn_up.weight", width, isFused ? 2 * feed : feed)
      matrix(p + "ffn_down.weight", feed, width)
      if architecture == "qwen2" {
        writer.add(p + "attn_q.bias", [heads], random(heads))
        writer.add(p + "attn_k.bias", [keyHeads], random(keyHeads))
        writer.add(p + "attn_v.bias", [keyHeads], random(keyHeads))
      }
      if architecture == "qwen3" || architecture == "gemma3" {
        norm(p + "attn_q_norm.weight", size)
        norm(p + "attn_k_norm.weight", size)
      }
      if isGemma {
        norm(p + "post_attention_norm.weight", width)
        norm(p + "post_ffw_norm.weight", width)
      }
    }
    return writer
  }

  private static func tokenizer(_ writer: inout GGUFWriter) {
    var next: UInt32 = 0x100
    var tokens: [String] = []
    for byte in UInt32(0)..<256 {
      var scalar = byte
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: break
      default:
        scalar = next
        next += 1
      }
      tokens.append(String(Unicode.Scalar(scalar).map(Character.init) ?? " "))
    }
    writer.set("tokenizer.ggml.model", "gpt2")
    writer.set("tokenizer.ggml.pre", "smollm")
    writer.set("tokenizer.ggml.tokens", tokens + ["<|im_end|>", "<|im_start|>", "he"])
    writer.set(
      "tokenizer.ggml.token_type", [Int32](repeating: 1, count: 256) + [3, 3, 1])
    writer.set("tokenizer.ggml.merges", ["h e"])
    writer.set("tokenizer.ggml.eos_token_id", UInt32(256))
    writer.set("tokenizer.chat_template", "<|im_start|>")
  }
}
