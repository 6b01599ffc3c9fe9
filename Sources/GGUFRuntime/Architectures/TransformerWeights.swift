/// The weights of a transformer.
struct TransformerWeights: Sendable {
  struct Layer: Sendable {
    var attentionNorm: [Float]
    var query: WeightMatrix
    var key: WeightMatrix
    var value: WeightMatrix
    var queryBias: [Float]?
    var keyBias: [Float]?
    var valueBias: [Float]?
    var queryNorm: [Float]?
    var keyNorm: [Float]?
    var attentionOutput: WeightMatrix
    var afterAttentionNorm: [Float]?
    var feedForwardNorm: [Float]
    var gate: WeightMatrix
    var up: WeightMatrix
    var down: WeightMatrix
    var afterFeedForwardNorm: [Float]?
  }

  var embedding: WeightMatrix
  var layers: [Layer]
  var outputNorm: [Float]
  var output: WeightMatrix
  /// What the frequencies of rotations are divided by, one for each pair; Llama 3.1 has them.
  var ropeFactors: [Float]?
  var vocabularySize: Int { embedding.rows }

  init(file: GGUFFile, parameters p: ModelParameters) throws(GGUFError) {
    var loader = Loader(file: file)
    guard let tokens = file.tensors["token_embd.weight"], tokens.dimensions.count == 2 else {
      throw GGUFError(field: "token_embd.weight", message: "expected a matrix, found none.")
    }
    embedding = try loader.matrix("token_embd.weight", p.width, tokens.dimensions[1])
    outputNorm = try loader.vector("output_norm.weight", p.width)
    output =
      file.tensors["output.weight"] == nil
      ? embedding : try loader.matrix("output.weight", p.width, tokens.dimensions[1])
    ropeFactors = try loader.optionalVector("rope_freqs.weight", p.ropeSize / 2)
    // Models for long sequences have two lists: the one for sequences beyond the trained length is
    // meant for a model of the file's full context.
    if ropeFactors == nil {
      let length = p.contextSize > p.trainedContextSize ? "long" : "short"
      ropeFactors = try loader.optionalVector("rope_factors_\(length).weight", p.ropeSize / 2)
    }
    let queryWidth = p.heads * p.headSize
    let keyWidth = p.keyValueHeads * p.headSize
    var layers: [Layer] = []
    for index in 0..<p.layers {
      let prefix = "blk.\(index)."
      func headNorm(_ name: String) throws(GGUFError) -> [Float]? {
        p.normsHeads ? try loader.vector(prefix + name, p.headSize) : nil
      }
      // The rows of a matrix of its own, or of one that holds several.
      func rows(
        _ name: String, _ count: Int, of fused: String, from start: Int, total: Int
      ) throws(GGUFError) -> WeightMatrix {
        p.isFused
          ? try loader.matrix(
            prefix + fused, p.width, total, rows: start..<start + count)
          : try loader.matrix(prefix + name, p.width, count)
      }
      let all = queryWidth + 2 * keyWidth
      layers.append(
        Layer(
          attentionNorm: try loader.vector(prefix + "attn_norm.weight", p.width),
          query: try rows(
            "attn_q.weight", queryWidth, of: "attn_qkv.weight", from: 0, total: all),
          key: try rows(
            "attn_k.weight", keyWidth, of: "attn_qkv.weight", from: queryWidth, total: all),
          value: try rows(
            "attn_v.weight", keyWidth, of: "attn_qkv.weight", from: queryWidth + keyWidth,
            total: all),
          queryBias: try loader.optionalVector(prefix + "attn_q.bias", queryWidth),
          keyBias: try loader.optionalVector(prefix + "attn_k.bias", keyWidth),
          valueBias: try loader.optionalVector(prefix + "attn_v.bias", keyWidth),
          queryNorm: try headNorm("attn_q_norm.weight"),
          keyNorm: try headNorm("attn_k_norm.weight"),
          attentionOutput: try loader.matrix(
            prefix + "attn_output.weight", queryWidth, p.width),
          afterAttentionNorm: p.isGemma
            ? try loader.vector(prefix + "post_attention_norm.weight", p.width) : nil,
          feedForwardNorm: try loader.vector(prefix + "ffn_norm.weight", p.width),
          gate: try rows(
            "ffn_gate.weight", p.feedForwardWidth, of: "ffn_up.weight", from: 0,
            total: 2 * p.feedForwardWidth),
          up: try rows(
            "ffn_up.weight", p.feedForwardWidth, of: "ffn_up.weight", from: p.feedForwardWidth,
            total: 2 * p.feedForwardWidth),
          down: try loader.matrix(prefix + "ffn_down.weight", p.feedForwardWidth, p.width),
          afterFeedForwardNorm: p.isGemma
            ? try loader.vector(prefix + "post_ffw_norm.weight", p.width) : nil))
    }
    self.layers = layers
  }

  private struct Loader {
    let file: GGUFFile
    var memory: WeightMemory?

    func tensor(_ name: String, _ dimensions: [Int]) throws(GGUFError) -> GGUFTensor {
      guard let tensor = file.tensors[name] else {
        throw GGUFError(field: name, message: "expected \(dimensions), found no such tensor.")
      }
      guard tensor.dimensions == dimensions else {
        throw GGUFError(
          field: name, message: "expected \(dimensions), found \(tensor.dimensions).")
      }
      return tensor
    }

    mutating func matrix(
      _ name: String, _ columns: Int, _ rows: Int
    ) throws(GGUFError) -> WeightMatrix {
      try WeightMatrix(try tensor(name, [columns, rows]), in: file, memory: &memory)
    }

    /// Some rows of a matrix.
    mutating func matrix(
      _ name: String, _ columns: Int, _ rows: Int, rows range: Range<Int>
    ) throws(GGUFError) -> WeightMatrix {
      var part = try tensor(name, [columns, rows])
      let rowBytes = part.range.count / rows
      part.dimensions = [columns, range.count]
      let start = part.range.lowerBound + range.lowerBound * rowBytes
      part.range = start..<start + range.count * rowBytes
      return try WeightMatrix(part, in: file, memory: &memory)
    }

    mutating func vector(_ name: String, _ count: Int) throws(GGUFError) -> [Float] {
      let matrix = try WeightMatrix(try tensor(name, [count]), in: file, memory: &memory)
      return [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
        if let base = buffer.baseAddress { matrix.copyRow(0, to: base) }
        initialized = count
      }
    }

    mutating func optionalVector(_ name: String, _ count: Int) throws(GGUFError) -> [Float]? {
      file.tensors[name] == nil ? nil : try vector(name, count)
    }
  }
}
