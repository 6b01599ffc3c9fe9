import TestSupport

/// A model of two layers with random weights, whose tokens are the 256 bytes, an end and a mark.
enum TinyModel {
  static func writer(architecture: String = "llama", seed: UInt64 = 1) -> GGUFWriter {
    var generator = SeededGenerator(seed: seed)
    var writer = GGUFWriter()
    let (width, feed, heads, keyHeads, size, vocabulary) = (32, 64, 4, 2, 8, 259)
    writer.set("general.architecture", architecture)
    writer.set("\(architecture).block_count", UInt32(2))
    writer.set("\(architecture).context_length", UInt32(512))
    writer.set("\(architecture).embedding_length", UInt32(width))
    writer.set("\(architecture).feed_forward_length", UInt32(feed))
    writer.set("\(architecture).attention.head_count", UInt32(heads))
    writer.set("\(architecture).attention.head_count_kv", UInt32(keyHeads))
    writer.set("\(architecture).attention.key_length", UInt32(size))
    writer.set("\(architecture).attention.value_length", UInt32(size))
    writer.set("\(architecture).attention.layer_norm_rms_epsilon", Float(1e-5))
    if architecture == "gemma3" {
      writer.set("\(architecture).attention.sliding_window", UInt32(4))
    }
    tokenizer(&writer)
    func random(_ count: Int, _ spread: Float = 0.2) -> [Float] {
      (0..<count).map { _ in Float.random(in: -spread...spread, using: &generator) }
    }
    func norm(_ count: Int) -> [Float] { random(count).map { $0 + 1 } }
    writer.add("token_embd.weight", [width, vocabulary], random(width * vocabulary, 1))
    writer.add("output_norm.weight", [width], norm(width))
    for layer in 0..<2 {
      let p = "blk.\(layer)."
      writer.add(p + "attn_norm.weight", [width], norm(width))
      writer.add(p + "attn_q.weight", [width, heads * size], random(width * heads * size))
      writer.add(p + "attn_k.weight", [width, keyHeads * size], random(width * keyHeads * size))
      writer.add(p + "attn_v.weight", [width, keyHeads * size], random(width * keyHeads * size))
      writer.add(p + "attn_output.weight", [heads * size, width], random(width * heads * size))
      writer.add(p + "ffn_norm.weight", [width], norm(width))
      writer.add(p + "ffn_gate.weight", [width, feed], random(width * feed))
      writer.add(p + "ffn_up.weight", [width, feed], random(width * feed))
      writer.add(p + "ffn_down.weight", [feed, width], random(width * feed))
      if architecture == "qwen2" {
        writer.add(p + "attn_q.bias", [heads * size], random(heads * size))
        writer.add(p + "attn_k.bias", [keyHeads * size], random(keyHeads * size))
        writer.add(p + "attn_v.bias", [keyHeads * size], random(keyHeads * size))
      }
      if architecture == "qwen3" || architecture == "gemma3" {
        writer.add(p + "attn_q_norm.weight", [size], norm(size))
        writer.add(p + "attn_k_norm.weight", [size], norm(size))
      }
      if architecture == "gemma3" {
        writer.add(p + "post_attention_norm.weight", [width], norm(width))
        writer.add(p + "post_ffw_norm.weight", [width], norm(width))
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
