// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The weights of a transformer.
struct TransformerWeights: Sendable {
  struct Layer: Sendable {
    var mixingNorm: [Float]?
    var mixing: Mixing?
    var afterMixingNorm: [Float]?
    var feedForwardNorm: [Float]?
    var feedForward: FeedForward?
    var afterFeedForwardNorm: [Float]?
    /// What is made of the token's numbers for this layer.
    var input: LayerInput?
    /// How the hidden rows beside the one of the products go on.
    var forecast: StreamForecast?
    /// A way around attention, of few numbers.
    var bypass: Bypass?
    /// What the layer's hidden numbers are multiplied with.
    var scale: Float?
  }

  /// How the tokens of a sequence learn of each other.
  enum Mixing: Sendable {
    case attention(Attention)
    case latent(LatentAttention)
    case convolution(Convolution)
    case deltaRule(DeltaRule)
    case scan(Scan)
  }

  struct Attention: Sendable {
    /// Which memory of the cache it reads.
    var memory: Int
    var query: WeightMatrix
    /// Nil where another layer's keys and values are read.
    var key: WeightMatrix?
    /// Nil where the values are made of the keys, too.
    var value: WeightMatrix?
    /// What each head's result is gated with.
    var gate: WeightMatrix?
    var queryBias: [Float]?
    var keyBias: [Float]?
    var valueBias: [Float]?
    var queryNorm: [Float]?
    var keyNorm: [Float]?
    var valueNorm: [Float]?
    var sinks: [Float]?
    var output: WeightMatrix
    var outputBias: [Float]?
  }

  /// Matrices of ``ModelParameters/LatentShape``.
  struct LatentAttention: Sendable {
    /// Which memory of the cache it reads.
    var memory: Int
    /// What queries are made of, and the norm of that.
    var queryInput: (matrix: WeightMatrix, norm: [Float])?
    var query: WeightMatrix
    /// What keys and values are made of, and what of keys is turned.
    var input: WeightMatrix
    var inputNorm: [Float]
    /// For each head: from what of a query is not turned to what it asks of those numbers.
    var keys: [WeightMatrix]
    /// For each head: from a sum of those numbers to a value.
    var values: [WeightMatrix]
    var output: WeightMatrix
  }

  struct Convolution: Sendable {
    /// Which of the layers without attention it is.
    var index: Int
    var input: WeightMatrix
    /// For each channel the factors of the tokens, the oldest first.
    var taps: [Float]
    var output: WeightMatrix
  }

  struct DeltaRule: Sendable {
    /// Which of the layers without attention it is.
    var index: Int
    var input: WeightMatrix
    var gate: WeightMatrix
    var taps: [Float]
    var strength: WeightMatrix
    var decay: WeightMatrix
    var decayBias: [Float]
    var decayFactor: [Float]
    var norm: [Float]
    var output: WeightMatrix
  }

  struct Scan: Sendable {
    /// Which of the layers without attention it is.
    var index: Int
    /// Values, keys and queries before the convolution.
    var input: WeightMatrix
    var gate: WeightMatrix
    var decay: WeightMatrix
    var taps: [Float]
    var tapBias: [Float]?
    var decayBias: [Float]
    var decayFactor: [Float]
    /// How much of a head's value goes past the memory.
    var passing: [Float]
    /// A part for each group.
    var norm: [Float]
    var output: WeightMatrix
  }

  enum FeedForward: Sendable {
    case dense(Perceptron)
    case mixture(Mixture)
    /// Both, each with norms of its own, added.
    case sum(Perceptron, Mixture, SumNorms)
  }

  /// The norms of a feed-forward part that is the sum of a dense one and a mixture.
  struct SumNorms: Sendable {
    var afterDense: [Float]
    /// Of what the experts are chosen by.
    var router: [Float]
    var mixture: [Float]
    var afterMixture: [Float]
  }

  /// `down(act(gate) · up)`, and without a gate `down(relu(up)²)`.
  struct Perceptron: Sendable {
    var gate: WeightMatrix?
    var up: WeightMatrix
    var down: WeightMatrix
    var gateBias: [Float]?
    var upBias: [Float]?
    var downBias: [Float]?
    /// How far above their mean, in standard deviations, gates count.
    var gateThreshold: Float?
  }

  struct Mixture: Sendable {
    var router: WeightMatrix
    var routerBias: [Float]?
    /// What is added to the scores that experts are chosen by, but not weighted with.
    var choiceBias: [Float]?
    var experts: [Perceptron]
    /// The expert that every token takes.
    var shared: Perceptron?
    /// What the shared expert's result is weighted by.
    var sharedGate: [Float]?
    /// What each expert's result is multiplied with.
    var expertScales: [Float]?
  }

  /// `norm(projection(act(gate · hidden) · input))`, for a layer that takes in numbers of the token.
  struct LayerInput: Sendable {
    var gate: WeightMatrix
    var projection: WeightMatrix
    var norm: [Float]
  }

  /// The numbers of a token that layers take in: a row of an embedding and a product of the hidden
  /// numbers, a part for each layer.
  struct LayerInputs: Sendable {
    var embedding: StoredRows
    var projection: WeightMatrix
    var norm: [Float]
  }

  /// How hidden rows become several, and one again.
  struct StreamEnds: Sendable {
    var spread: [WeightMatrix]
    var merge: [WeightMatrix]
  }

  /// How the hidden rows of a token go through a layer whose products change one of them.
  struct StreamForecast: Sendable {
    var routerNorm: [Float]
    /// For each row how much of it counts; row by row.
    var router: [Float]
    /// What each row takes of each, for each number of the router.
    var mixing: [Float]
    /// How much each row takes of what the products changed, for each number of the router.
    var correction: [Float]
    /// What the changed row is multiplied with before the token's numbers are taken in.
    var inputScale: [Float]
  }

  /// `input + norm(up(down(input)))`.
  struct Bypass: Sendable {
    var down: WeightMatrix
    var up: WeightMatrix
    var norm: [Float]
  }

  var embedding: WeightMatrix
  var layers: [Layer]
  var layerInputs: LayerInputs?
  var streamEnds: StreamEnds?
  var outputNorm: [Float]
  var output: WeightMatrix
  /// What the frequencies of rotations are divided by, one for each pair; Llama 3.1 has them.
  var ropeFactors: [Float]?
  var vocabularySize: Int { embedding.rows }

  init(_ loader: inout WeightLoader, parameters p: ModelParameters) throws(GGUFError) {
    let file = loader.file
    guard let tokens = file.tensors["token_embd.weight"], tokens.dimensions.count == 2 else {
      throw GGUFError(
        field: "token_embd.weight",
        message: file.tensors.isEmpty
          ? "the file has a vocabulary and no weights: take the file of the whole model."
          : "expected a matrix, found none.")
    }
    embedding = try loader.matrix("token_embd.weight", p.width, tokens.dimensions[1])
    outputNorm = try loader.vector(p.architecture.outputNorm, p.width)
    output =
      file.tensors["output.weight"] == nil
      ? embedding : try loader.matrix("output.weight", p.width, tokens.dimensions[1])
    ropeFactors = try loader.optionalVector("rope_freqs.weight", p.rope.size / 2)
    // Models for long sequences have two lists: one for sequences beyond the trained length, and one
    // for those within it.
    if ropeFactors == nil {
      let length = p.extendsContext ? "long" : "short"
      ropeFactors = try loader.optionalVector("rope_factors_\(length).weight", p.rope.size / 2)
    }
    if let width = p.layerInputWidth {
      let all = width * p.layers.count
      layerInputs = LayerInputs(
        embedding: try loader.rows("per_layer_token_embd.weight", all, tokens.dimensions[1]),
        projection: try loader.matrix("per_layer_model_proj.weight", p.width, all),
        norm: try loader.vector("per_layer_proj_norm.weight", width))
    }
    if let streams = p.streams {
      let others = streams.count - 1
      streamEnds = StreamEnds(
        spread: try loader.matrices("altup_proj.weight", p.width, p.width, others),
        merge: try loader.matrices("altup_unembd_proj.weight", p.width, p.width, others))
    }
    layers = []
    let memories = p.memories
    var recurrent = 0
    for index in p.layers.indices {
      layers.append(
        try loader.layer(index, p, memory: memories[index], recurrentBefore: recurrent))
      if p.layers[index].isRecurrent { recurrent += 1 }
    }
    try loader.checkBiases(p)
  }
}
