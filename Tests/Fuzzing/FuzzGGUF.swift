// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz target of model files.
//
// A file made of chance alone ends at its first field. So an input is a list of changes of a file that
// is right, five bytes each: where, and which bits of which byte there, or that the file ends there.
// Whatever comes of it is an error, or a model that reads a token.

import Foundation

@testable import GGUFRuntime

/// A model of llama, whose layers are alike.
private func llama() -> [UInt8] {
  var writer = header("llama", layers: 1)
  writer.set("llama.attention.head_count_kv", UInt32(1))
  addTensors(&writer, layer: 0, hasKeys: true)
  return writer.file()
}

/// A model of gemma4: layers that differ, that share keys, and that take in numbers of the token.
private func gemma4() -> [UInt8] {
  var writer = header("gemma4", layers: 4)
  for (key, value) in [
    ("attention.key_length", 16), ("attention.key_length_swa", 16),
    ("attention.sliding_window", 4), ("attention.shared_kv_layers", 2),
    ("embedding_length_per_layer_input", 32),
  ] { writer.set("gemma4.\(key)", UInt32(value)) }
  writer.set("gemma4.attention.head_count_kv", [1, 1, 1, 1] as [Int32])
  writer.set("gemma4.attention.sliding_window_pattern", [true, false, true, false])
  writer.set("tokenizer.ggml.merges", ["a b"])
  add(&writer, "rope_freqs.weight", 8)
  add(&writer, "per_layer_token_embd.weight", 128, 8)
  add(&writer, "per_layer_model_proj.weight", 32, 128)
  add(&writer, "per_layer_proj_norm.weight", 32)
  for layer in 0..<4 {
    addTensors(&writer, layer: layer, hasKeys: layer < 2)
    add(&writer, "blk.\(layer).attn_q_norm.weight", 16)
    if layer < 2 { add(&writer, "blk.\(layer).attn_k_norm.weight", 16) }
    for name in ["post_attention_norm", "post_ffw_norm", "post_norm"] {
      add(&writer, "blk.\(layer).\(name).weight", 32)
    }
    add(&writer, "blk.\(layer).inp_gate.weight", 32, 32)
    add(&writer, "blk.\(layer).proj.weight", 32, 32)
    add(&writer, "blk.\(layer).layer_output_scale.weight", 1)
  }
  return writer.file()
}

private func header(_ architecture: String, layers: Int) -> GGUFWriter {
  var writer = GGUFWriter()
  writer.set("general.architecture", architecture)
  for (key, value) in [
    ("block_count", layers), ("context_length", 64), ("embedding_length", 32),
    ("feed_forward_length", 32), ("attention.head_count", 2), ("rope.dimension_count", 16),
  ] { writer.set("\(architecture).\(key)", UInt32(value)) }
  writer.set("\(architecture).attention.layer_norm_rms_epsilon", Float(1e-5))
  writer.set("tokenizer.ggml.model", architecture)
  writer.set("tokenizer.ggml.tokens", ["<unk>", "<s>", "</s>", "a", "b", "ab", "<0x0A>", "▁"])
  writer.set("tokenizer.ggml.scores", [0, 0, 0, -1, -2, -3, 0, -4] as [Float])
  writer.set("tokenizer.ggml.token_type", [2, 3, 3, 1, 1, 1, 6, 1] as [Int32])
  writer.set("tokenizer.ggml.eos_token_id", UInt32(2))
  add(&writer, "token_embd.weight", 32, 8)
  add(&writer, "output_norm.weight", 32)
  return writer
}

private func add(_ writer: inout GGUFWriter, _ name: String, _ dimensions: Int...) {
  writer.add(name, dimensions, (0..<dimensions.reduce(1, *)).map { Float($0 % 7) / 7 })
}

private func addTensors(_ writer: inout GGUFWriter, layer: Int, hasKeys: Bool) {
  for (name, columns, rows) in [
    ("attn_q", 32, 32), ("attn_k", 32, 16), ("attn_v", 32, 16), ("attn_output", 32, 32),
    ("ffn_gate", 32, 32), ("ffn_up", 32, 32), ("ffn_down", 32, 32),
  ] where hasKeys || !["attn_k", "attn_v"].contains(name) {
    add(&writer, "blk.\(layer).\(name).weight", columns, rows)
  }
  add(&writer, "blk.\(layer).attn_norm.weight", 32)
  add(&writer, "blk.\(layer).ffn_norm.weight", 32)
}

/// The files that are changed, and where the header with its counts ends: nine changes in ten are there.
private let right = [(file: llama(), headerCount: 1_600), (file: gemma4(), headerCount: 5_000)]
private let longest = right.map(\.file.count).max() ?? 0

private func changed(by input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  let (unchanged, headerCount) = right[Int(input.first ?? 0) & 1]
  var file = unchanged
  for start in stride(from: 0, to: input.count - 4, by: 5) where !file.isEmpty {
    let place = Int(input[start]) | Int(input[start + 1]) << 8
    let index = place % (input[start + 2] % 10 == 0 ? file.count : min(headerCount, file.count))
    switch input[start + 2] % 8 {
    case 0: file[index] = input[start + 3]
    case 1: file[index] ^= 1 << (input[start + 3] & 7)
    case 2: file[index] = [0, 0x7F, 0x80, 0xFF][Int(input[start + 3] & 3)]
    case 3: file.insert(contentsOf: [input[start + 3], input[start + 4]], at: index)
    case 4: file.remove(at: index)
    case 5 where index > 0: file.removeSubrange(index...)
    default:
      for next in index..<min(index + 8, file.count) { file[next] = input[start + 4] }
    }
  }
  return file
}

/// Whether a file is a model, of which a token was read.
private func read(_ path: String) -> Bool {
  guard let file = try? GGUFFile(path: path),
    let parameters = try? ModelParameters(metadata: file.metadata),
    let tables = try? TokenizerTables(metadata: file.metadata),
    let encoder = try? TokenEncoder(tables),
    let transformer = try? Transformer(file: file, parameters: parameters)
  else { return false }
  let tokens = encoder.encode("ab\n <s> c", parsesSpecialTokens: true)
  let texts = tables.texts().bytes
  precondition(tokens.allSatisfy { texts[$0].count <= longest + 64 })
  var readings = [
    Transformer.Reading(
      [min(3, transformer.vocabularySize - 1)], after: KeyValueCache(parameters))
  ]
  return (try? transformer.read(&readings)) != nil
}

func fuzzGGUF(_ input: UnsafeBufferPointer<UInt8>) {
  let file = changed(by: input)
  do {
    let isModel = try withTemporaryFile(file) { read($0) }
    // Without changes each of the files is one.
    precondition(isModel || input.count >= 5)
  } catch {
    fatalError("no temporary file: \(error)")
  }
}
