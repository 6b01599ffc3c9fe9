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
    let queryWidth = p.heads * p.headSize
    let keyWidth = p.keyValueHeads * p.headSize
    var layers: [Layer] = []
    for index in 0..<p.layers {
      let prefix = "blk.\(index)."
      let isGemma = p.architecture == .gemma3
      let needsHeadNorms = isGemma || p.architecture == .qwen3
      func headNorm(_ name: String) throws(GGUFError) -> [Float]? {
        needsHeadNorms ? try loader.vector(prefix + name, p.headSize) : nil
      }
      layers.append(
        Layer(
          attentionNorm: try loader.vector(prefix + "attn_norm.weight", p.width),
          query: try loader.matrix(prefix + "attn_q.weight", p.width, queryWidth),
          key: try loader.matrix(prefix + "attn_k.weight", p.width, keyWidth),
          value: try loader.matrix(prefix + "attn_v.weight", p.width, keyWidth),
          queryBias: try loader.optionalVector(prefix + "attn_q.bias", queryWidth),
          keyBias: try loader.optionalVector(prefix + "attn_k.bias", keyWidth),
          valueBias: try loader.optionalVector(prefix + "attn_v.bias", keyWidth),
          queryNorm: try headNorm("attn_q_norm.weight"),
          keyNorm: try headNorm("attn_k_norm.weight"),
          attentionOutput: try loader.matrix(
            prefix + "attn_output.weight", queryWidth, p.width),
          afterAttentionNorm: isGemma
            ? try loader.vector(prefix + "post_attention_norm.weight", p.width) : nil,
          feedForwardNorm: try loader.vector(prefix + "ffn_norm.weight", p.width),
          gate: try loader.matrix(prefix + "ffn_gate.weight", p.width, p.feedForwardWidth),
          up: try loader.matrix(prefix + "ffn_up.weight", p.width, p.feedForwardWidth),
          down: try loader.matrix(prefix + "ffn_down.weight", p.feedForwardWidth, p.width),
          afterFeedForwardNorm: isGemma
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

    mutating func matrix(_ name: String, _ columns: Int, _ rows: Int) throws(GGUFError)
      -> WeightMatrix
    {
      try WeightMatrix(try tensor(name, [columns, rows]), in: file, memory: &memory)
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
