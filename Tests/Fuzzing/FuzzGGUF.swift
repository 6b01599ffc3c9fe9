// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz target of model files.
//
// A file made of chance alone ends at its first field. So an input is a list of changes of a file that
// is right, five bytes each: where, and which bits of which byte there, or that the file ends there.
// Whatever comes of it is an error, or a model that reads a token.

import Foundation

@testable import GGUFRuntime

private func tinyModel() -> [UInt8] {
  var writer = GGUFWriter()
  writer.set("general.architecture", "llama")
  for (key, value) in [
    ("block_count", 1), ("context_length", 64), ("embedding_length", 32),
    ("feed_forward_length", 32), ("attention.head_count", 2), ("attention.head_count_kv", 1),
    ("rope.dimension_count", 16),
  ] { writer.set("llama.\(key)", UInt32(value)) }
  writer.set("llama.attention.layer_norm_rms_epsilon", Float(1e-5))
  writer.set("tokenizer.ggml.model", "llama")
  writer.set("tokenizer.ggml.tokens", ["<unk>", "<s>", "</s>", "a", "b", "ab", "<0x0A>", "▁"])
  writer.set("tokenizer.ggml.scores", [0, 0, 0, -1, -2, -3, 0, -4] as [Float])
  writer.set("tokenizer.ggml.token_type", [2, 3, 3, 1, 1, 1, 6, 1] as [Int32])
  writer.set("tokenizer.ggml.eos_token_id", UInt32(2))
  func add(_ name: String, _ dimensions: Int...) {
    writer.add(name, dimensions, (0..<dimensions.reduce(1, *)).map { Float($0 % 7) / 7 })
  }
  add("token_embd.weight", 32, 8)
  add("output_norm.weight", 32)
  for (name, columns, rows) in [
    ("attn_q", 32, 32), ("attn_k", 32, 16), ("attn_v", 32, 16), ("attn_output", 32, 32),
    ("ffn_gate", 32, 32), ("ffn_up", 32, 32), ("ffn_down", 32, 32),
  ] { add("blk.0.\(name).weight", columns, rows) }
  add("blk.0.attn_norm.weight", 32)
  add("blk.0.ffn_norm.weight", 32)
  return writer.file()
}

private let right = tinyModel()
/// Where the header with its counts ends: nine changes in ten are there.
private let headerCount = 1_600

private func changed(by input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  var file = right
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

private func read(_ path: String) {
  guard let file = try? GGUFFile(path: path),
    let parameters = try? ModelParameters(metadata: file.metadata),
    let tables = try? TokenizerTables(metadata: file.metadata),
    let encoder = try? TokenEncoder(tables),
    let transformer = try? Transformer(file: file, parameters: parameters)
  else { return }
  let tokens = encoder.encode("ab\n <s> c", parsesSpecialTokens: true)
  let texts = tables.texts().bytes
  precondition(tokens.allSatisfy { texts[$0].count <= right.count + 64 })
  var readings = [
    Transformer.Reading(
      [min(3, transformer.vocabularySize - 1)], after: KeyValueCache(parameters))
  ]
  try? transformer.read(&readings)
}

func fuzzGGUF(_ input: UnsafeBufferPointer<UInt8>) {
  let file = changed(by: input)
  do {
    try withTemporaryFile(file) { read($0) }
  } catch {
    fatalError("no temporary file: \(error)")
  }
}
