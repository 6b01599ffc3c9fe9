// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
    /// How many experts a mixture has, of which each token takes two.
    var experts = 0
    /// How many numbers of a token a layer takes in, where it takes some: so many has llama.cpp.
    var inputWidth = 256

    /// Rows of 256 numbers, as the forms with super blocks need them.
    static let wide = Shape(width: 256, feed: 512, heads: 4, keyHeads: 2, size: 64)

    /// The shape in which an architecture shows all of its kinds of layers.
    static func showing(_ architecture: String, _ shape: Shape = Shape()) -> Shape {
      var shape = shape
      // Every sixth layer of gemma3 sees all positions, and every fourth of smollm3 turns nothing.
      if ["gemma3", "smollm3"].contains(architecture) { shape.layers = 7 }
      if isRecurrent(architecture) { shape.layers = 5 }
      // The last layers of these read the keys and values of earlier ones, in gemma3n those after the
      // twentieth. So many are narrow, or writing them takes long.
      if ["gemma3n", "gemma4"].contains(architecture) {
        shape = Shape(layers: architecture == "gemma4" ? 7 : 22, inputWidth: shape.inputWidth)
      }
      if architecture.hasSuffix("moe") || architecture == "gpt-oss" || architecture == "deepseek2" {
        shape.experts = 5
      }
      return shape
    }

    static func isRecurrent(_ architecture: String) -> Bool {
      architecture.hasPrefix("qwen35") || architecture.hasPrefix("lfm2")
        || architecture == "granitehybrid" || architecture.hasPrefix("nemotron")
    }
  }

  /// - Parameters:
  ///   - type: The form of the matrices.
  ///   - settings: More metadata, before the tensors.
  static func writer(
    architecture: String = "llama", seed: UInt64 = 1, shape: Shape = Shape(),
    type: GGUFTensorType = .f32, ropeFactors: [Float]? = nil,
    settings: (inout GGUFWriter) -> Void = { _ in }
  ) -> GGUFWriter {
    var model = TinyModelWriter(
      architecture: architecture, shape: shape, type: type,
      generator: SeededGenerator(seed: seed))
    model.writeMetadata(settings)
    tokenizer(&model.writer)
    model.writeTensors(ropeFactors)
    return model.writer
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
