// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The weights of an encoder.
struct EncoderWeights: Sendable {
  /// A layer norm.
  struct Norm: Sendable {
    var weight: [Float]
    var bias: [Float]
  }

  /// A matrix and what is added to its products.
  struct Linear: Sendable {
    var matrix: WeightMatrix
    var bias: [Float]?
  }

  struct Layer: Sendable {
    var query: Linear
    var key: Linear
    var value: Linear
    var output: Linear
    var outputNorm: Norm
    /// What the feed-forward part is gated with; nil where it is not.
    var gate: Linear?
    var up: Linear
    var down: Linear
    var norm: Norm
  }

  let embedding: WeightMatrix
  /// What is added to every token: that it is of the first text.
  let type: [Float]?
  /// What is added to the token of each position.
  let positions: [Float]?
  let embeddingNorm: Norm
  let layers: [Layer]

  init(_ file: GGUFFile, _ p: EncoderParameters) throws(GGUFError) {
    var loader = WeightLoader(file: file)
    let dimensions = file.tensors["token_embd.weight"]?.dimensions ?? []
    guard dimensions.count == 2, dimensions[0] == p.width else {
      throw GGUFError(
        field: "token_embd.weight", message: "expected rows of \(p.width), found \(dimensions).")
    }
    embedding = try loader.matrix("token_embd.weight", p.width, dimensions[1])
    if let types = file.tensors["token_types.weight"]?.dimensions, types.count == 2 {
      type = Array(try loader.numbers("token_types.weight", [p.width, types[1]]).prefix(p.width))
    } else {
      type = try loader.optionalVector("token_types.weight", p.width)
    }
    positions =
      p.architecture == .bert
      ? try loader.numbers("position_embd.weight", [p.width, p.contextSize]) : nil
    embeddingNorm = try Self.norm("token_embd_norm", p.width, &loader)
    var layers: [Layer] = []
    for index in 0..<p.layers { layers.append(try Self.layer("blk.\(index).", p, &loader)) }
    self.layers = layers
  }

  private static func norm(
    _ name: String, _ width: Int, _ loader: inout WeightLoader
  ) throws(GGUFError) -> Norm {
    Norm(
      weight: try loader.vector(name + ".weight", width),
      bias: try loader.vector(name + ".bias", width))
  }

  private static func linear(
    _ name: String, _ columns: Int, _ rows: Int, _ loader: inout WeightLoader
  ) throws(GGUFError) -> Linear {
    Linear(
      matrix: try loader.matrix(name + ".weight", columns, rows),
      bias: try loader.optionalVector(name + ".bias", rows))
  }

  private static func layer(
    _ prefix: String, _ p: EncoderParameters, _ loader: inout WeightLoader
  ) throws(GGUFError) -> Layer {
    let width = p.width
    let isFused = loader.file.tensors[prefix + "attn_qkv.weight"] != nil
    let fusedBias = try loader.optionalVector(prefix + "attn_qkv.bias", 3 * width)
    // Queries, keys and values: matrices of their own, or thirds of one.
    func part(_ index: Int, _ name: String, _ loader: inout WeightLoader) throws(GGUFError)
      -> Linear
    {
      guard isFused else { return try linear(prefix + name, width, width, &loader) }
      let rows = index * width..<(index + 1) * width
      return Linear(
        matrix: try loader.matrix(prefix + "attn_qkv.weight", width, 3 * width, taking: [rows]),
        bias: fusedBias.map { Array($0[rows]) })
    }
    return Layer(
      query: try part(0, "attn_q", &loader), key: try part(1, "attn_k", &loader),
      value: try part(2, "attn_v", &loader),
      output: try linear(prefix + "attn_output", width, width, &loader),
      outputNorm: try norm(prefix + "attn_output_norm", width, &loader),
      gate: p.architecture == .nomicBert
        ? try linear(prefix + "ffn_gate", width, p.feedForwardWidth, &loader) : nil,
      up: try linear(prefix + "ffn_up", width, p.feedForwardWidth, &loader),
      down: try linear(prefix + "ffn_down", p.feedForwardWidth, width, &loader),
      norm: try norm(prefix + "layer_output_norm", width, &loader))
  }
}
