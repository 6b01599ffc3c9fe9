// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The weights of a transformer.
struct TransformerWeights: Sendable {
  struct Layer: Sendable {
    var mixingNorm: [Float]
    var mixing: Mixing
    var afterMixingNorm: [Float]?
    var feedForwardNorm: [Float]
    var feedForward: FeedForward
    var afterFeedForwardNorm: [Float]?
  }

  /// How the tokens of a sequence learn of each other.
  enum Mixing: Sendable {
    case attention(Attention)
    case convolution(Convolution)
    case deltaRule(DeltaRule)
  }

  struct Attention: Sendable {
    /// Which of the layers with attention it is.
    var index: Int
    var query: WeightMatrix
    var key: WeightMatrix
    var value: WeightMatrix
    /// What each head's result is gated with.
    var gate: WeightMatrix?
    var queryBias: [Float]?
    var keyBias: [Float]?
    var valueBias: [Float]?
    var queryNorm: [Float]?
    var keyNorm: [Float]?
    var sinks: [Float]?
    var output: WeightMatrix
    var outputBias: [Float]?
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

  enum FeedForward: Sendable {
    case dense(GatedWeights)
    case mixture(Mixture)
  }

  /// `down(act(gate) · up)`.
  struct GatedWeights: Sendable {
    var gate: WeightMatrix
    var up: WeightMatrix
    var down: WeightMatrix
    var gateBias: [Float]?
    var upBias: [Float]?
    var downBias: [Float]?
  }

  struct Mixture: Sendable {
    var router: WeightMatrix
    var routerBias: [Float]?
    /// What is added to the scores that experts are chosen by, but not weighted with.
    var choiceBias: [Float]?
    var experts: [GatedWeights]
    /// The expert that every token takes.
    var shared: GatedWeights?
    /// What the shared expert's result is weighted by.
    var sharedGate: [Float]?
  }

  var embedding: WeightMatrix
  var layers: [Layer]
  var outputNorm: [Float]
  var output: WeightMatrix
  /// What the frequencies of rotations are divided by, one for each pair; Llama 3.1 has them.
  var ropeFactors: [Float]?
  var vocabularySize: Int { embedding.rows }

  init(_ loader: inout WeightLoader, parameters p: ModelParameters) throws(GGUFError) {
    let file = loader.file
    guard let tokens = file.tensors["token_embd.weight"], tokens.dimensions.count == 2 else {
      throw GGUFError(field: "token_embd.weight", message: "expected a matrix, found none.")
    }
    embedding = try loader.matrix("token_embd.weight", p.width, tokens.dimensions[1])
    outputNorm = try loader.vector(p.architecture.outputNorm, p.width)
    output =
      file.tensors["output.weight"] == nil
      ? embedding : try loader.matrix("output.weight", p.width, tokens.dimensions[1])
    ropeFactors = try loader.optionalVector("rope_freqs.weight", p.rope.size / 2)
    // Models for long sequences have two lists: the one for sequences beyond the trained length is
    // meant for a model of the file's full context.
    if ropeFactors == nil {
      let length = p.contextSize > p.trainedContextSize ? "long" : "short"
      ropeFactors = try loader.optionalVector("rope_factors_\(length).weight", p.rope.size / 2)
    }
    layers = []
    var recurrent = 0
    for index in 0..<p.layers {
      layers.append(try loader.layer(index, p, recurrentBefore: recurrent))
      if p.isRecurrent[index] { recurrent += 1 }
    }
  }
}
