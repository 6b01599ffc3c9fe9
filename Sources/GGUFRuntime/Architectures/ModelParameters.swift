// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The shape of a transformer, read from a file's metadata.
package struct ModelParameters: Sendable, Equatable {
  var architecture: Architecture
  var layers: Int
  package var width: Int
  var feedForwardWidth: Int
  var heads: Int
  var keyValueHeads: Int
  var headSize: Int
  package var contextSize: Int
  /// How many positions the model was trained on before it was made to read more.
  var trainedContextSize: Int
  var normEpsilon: Float
  var rope: Rotations.Shape
  /// How the layers turn that see a window only.
  var localRope: Rotations.Shape
  /// How many positions a layer with a window sees.
  var window: Int?
  /// Every one of so many layers sees all positions.
  var windowPeriod: Int
  /// What embeddings are multiplied with.
  var embeddingScale: Float = 1
  /// What a layer's results are multiplied with before they are added.
  var residualScale: Float = 1
  /// What scores are multiplied with.
  var attentionScale: Float
  /// What logits are divided by.
  var logitScale: Float = 1
  /// Scores are kept between plus and minus this number, smoothly.
  var attentionSoftCap: Float?
  /// Logits are kept between plus and minus this number, smoothly.
  var logitSoftCap: Float?
  /// Every one of so many layers turns nothing.
  var plainPeriod: Int?
  /// The experts, where layers are mixtures of them.
  var mixture: Mixture?
  /// What layers without attention remember.
  var recurrence: Recurrence?
  /// For each layer whether it has a recurrence in the place of attention.
  var isRecurrent: [Bool]
  /// How exactly what was read is remembered; not the file's to say.
  package var cachePrecision = CachePrecision.float32

  /// Experts of which each token takes a few.
  struct Mixture: Sendable, Equatable {
    /// What the scores of the experts become.
    enum Weighting: Sendable { case softmax, sigmoid, softmaxOfChosen }

    var experts: Int
    var chosen: Int
    var width: Int
    /// How wide the expert is that every token takes; 0 where there is none.
    var sharedWidth: Int
    var weighting: Weighting
    /// Whether the weights of the chosen experts are made to add up to one.
    var normsWeights: Bool
    var scale: Float
    /// How many layers come before the first mixture.
    var denseLayers: Int
  }

  /// A layer that remembers a state of one size, however many tokens were read.
  enum Recurrence: Sendable, Equatable {
    /// A convolution of each channel over so many tokens.
    case convolution(length: Int)
    case deltaRule(DeltaShape)
  }

  /// The shape of a gated delta rule: heads of values with a square matrix each, a few for each head
  /// of keys, after a convolution.
  struct DeltaShape: Sendable, Equatable {
    var length: Int
    var size: Int
    var keyHeads: Int
    var valueHeads: Int

    var valueWidth: Int { size * valueHeads }
    /// How many channels the convolution has: queries, keys and values.
    var channels: Int { 2 * size * keyHeads + valueWidth }
  }

  /// Where the keys and values of a position are, and how much the recurrences remember.
  var cacheShape: CacheShape {
    let recurrent = isRecurrent.filter { $0 }.count
    return CacheShape(
      layers: layers - recurrent, heads: keyValueHeads, size: headSize,
      stateCount: recurrent * stateCount, precision: cachePrecision)
  }

  /// How many numbers the recurrence of a layer remembers.
  var stateCount: Int {
    switch recurrence {
    case nil: 0
    case .convolution(let length): (length - 1) * width
    case .deltaRule(let delta):
      (delta.length - 1) * delta.channels + delta.valueHeads * delta.size * delta.size
    }
  }

  /// Whether a sequence can go back to every place: a recurrence cannot.
  package var forgets: Bool { recurrence == nil }

  /// How many heads a recurrence has.
  var recurrentHeads: Int {
    if case .deltaRule(let delta)? = recurrence { delta.valueHeads } else { 0 }
  }

  /// How many numbers of a row there are at most between the products of a recurrence.
  var mixedWidth: Int {
    switch recurrence {
    case nil: 0
    case .convolution: 3 * width
    case .deltaRule(let delta): delta.channels
    }
  }

  /// The widest row that an attention or recurrence gives to its last product.
  var attendedWidth: Int {
    switch recurrence {
    case nil: heads * headSize
    case .convolution: max(width, heads * headSize)
    case .deltaRule(let delta): max(delta.valueWidth, heads * headSize)
    }
  }

  /// Whether a layer sees a window of the positions only.
  func hasWindow(layer: Int) -> Bool { window != nil && (layer + 1) % windowPeriod != 0 }

  /// Whether a layer turns queries and keys by their positions.
  func turns(layer: Int) -> Bool { plainPeriod.map { (layer + 1) % $0 != 0 } ?? true }

  /// Whether a layer is a mixture of experts.
  func isMixture(layer: Int) -> Bool { mixture.map { layer >= $0.denseLayers } ?? false }
}
