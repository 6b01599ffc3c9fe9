// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The shape of a transformer, read from a file's metadata.
package struct ModelParameters: Sendable, Equatable {
  var architecture: Architecture
  var layers: [Layer]
  package var width: Int
  /// How many heads of queries a layer with attention has.
  var heads: Int
  package var contextSize: Int
  /// How many positions the model was trained on before it was made to read more.
  var trainedContextSize: Int
  /// Whether sequences may become longer than those that the model was trained on at first.
  package var extendsContext: Bool { contextSize > trainedContextSize }
  var normEpsilon: Float
  var rope: Rotations.Shape
  /// How the layers turn that see a window only.
  var localRope: Rotations.Shape
  /// How many positions a layer with a window sees.
  var window: Int?
  /// What embeddings are multiplied with.
  var embeddingScale: Float = 1
  /// What a layer's results are multiplied with before they are added.
  var residualScale: Float = 1
  /// What scores are multiplied with.
  var attentionScale: Float
  /// How queries grow with their positions.
  var queryTemperature: QueryTemperature?
  /// What logits are divided by.
  var logitScale: Float = 1
  /// Scores are kept between plus and minus this number, smoothly.
  var attentionSoftCap: Float?
  /// Logits are kept between plus and minus this number, smoothly.
  var logitSoftCap: Float?
  /// The experts, where layers are mixtures of them.
  var mixture: Mixture?
  /// What layers without attention remember.
  var recurrence: Recurrence?
  /// The sizes of attention to few numbers, where the family has that.
  var latent: LatentShape?
  /// The numbers of a token that each layer takes in, where layers take some.
  var layerInputWidth: Int?
  /// The hidden numbers of a token that go through the layers side by side, where there are several.
  var streams: Streams?
  /// How exactly what was read is remembered; not the file's to say.
  package var cachePrecision = CachePrecision.float32

  /// What a layer may have otherwise than the one before.
  struct Layer: Sendable, Equatable {
    /// How many numbers a head of queries, keys or values has.
    var headSize: Int
    /// How many heads keys and values have.
    var keyValueHeads: Int
    var feedForwardWidth: Int
    /// Whether it sees a window of the positions only.
    var hasWindow = false
    /// Whether it turns queries and keys by their positions.
    var turns = true
    /// Whether it has a recurrence in the place of attention.
    var isRecurrent = false
    /// Whether its tokens learn of each other, and whether it has a feed-forward part.
    var mixesTokens = true
    var hasFeedForward = true
    /// Whether it is a mixture of experts.
    var isMixture = false
    /// The layer whose keys and values it reads, where these are not its own.
    var source: Int?
    /// How far above their mean, in standard deviations, gates of the feed-forward part count.
    var gateThreshold: Float?

    var keyWidth: Int { keyValueHeads * headSize }
  }

  /// Several hidden rows of a token, of which each layer changes one by its products and the others by
  /// a forecast.
  struct Streams: Sendable, Equatable {
    var count: Int
    /// The one that goes through a layer's products.
    var active: Int
  }

  /// How many numbers the way around attention has, beside several streams.
  var bypassWidth: Int { 64 }

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

  /// Attention whose keys and values are made of a few numbers that all heads share (multi-head latent
  /// attention). Only these are kept, beside the few that are turned by positions.
  ///
  /// Source: DeepSeek-AI 2024 (DeepSeek-V2).
  struct LatentShape: Sendable, Equatable {
    /// How many numbers queries are made of; nil where they are made of the hidden ones.
    var queryRank: Int?
    /// How many numbers keys and values are made of.
    var rank: Int
    /// How many numbers of a query and of a key are turned, and how many are not.
    var turned: Int
    var plain: Int
    /// How many numbers a head's result has.
    var valueSize: Int

    var querySize: Int { plain + turned }
  }

  /// A layer that remembers a state of one size, however many tokens were read.
  enum Recurrence: Sendable, Equatable {
    /// A convolution of each channel over so many tokens.
    case convolution(length: Int)
    case deltaRule(DeltaShape)
    case scan(ScanShape)
  }

  /// The shape of a selective state space (Mamba 2): heads of values with a matrix each, in groups that
  /// share keys and queries, after a convolution.
  struct ScanShape: Sendable, Equatable {
    var length: Int
    var heads: Int
    /// How many numbers a head of values has.
    var headSize: Int
    var groups: Int
    /// How many numbers keys and queries have.
    var size: Int

    var valueWidth: Int { heads * headSize }
    /// How many channels the convolution has: values, keys and queries.
    var channels: Int { valueWidth + 2 * groups * size }
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

  /// The layers that remember keys and values of their own.
  private var rememberingLayers: [Int] {
    layers.indices.filter {
      layers[$0].mixesTokens && !layers[$0].isRecurrent && layers[$0].source == nil
    }
  }

  /// For each layer which memory of the cache its attention reads; nil where it has none.
  var memories: [Int?] {
    let own = Dictionary(
      uniqueKeysWithValues: rememberingLayers.enumerated().map { ($1, $0) })
    return layers.indices.map { own[layers[$0].source ?? $0] }
  }

  /// Where the keys and values of a position are, and how much the recurrences remember.
  var cacheShape: CacheShape {
    CacheShape(
      rememberingLayers.map { (heads: layers[$0].keyValueHeads, size: layers[$0].headSize) },
      stateCount: (layers.filter(\.isRecurrent).count) * stateCount, precision: cachePrecision)
  }

  /// How many numbers the recurrence of a layer remembers.
  var stateCount: Int {
    switch recurrence {
    case nil: 0
    case .convolution(let length): (length - 1) * width
    case .deltaRule(let delta):
      (delta.length - 1) * delta.channels + delta.valueHeads * delta.size * delta.size
    case .scan(let scan): (scan.length - 1) * scan.channels + scan.valueWidth * scan.size
    }
  }

  /// Whether a sequence can go back to every place: a recurrence cannot.
  package var forgets: Bool { recurrence == nil }

  /// Whether a tree of tokens can be read in one pass: each layer with attention has keys and values
  /// of its own.
  package var readsTrees: Bool { forgets && layers.allSatisfy { $0.source == nil } }

  /// How many heads a recurrence has.
  var recurrentHeads: Int {
    switch recurrence {
    case nil, .convolution: 0
    case .deltaRule(let delta): delta.valueHeads
    case .scan(let scan): scan.heads
    }
  }

  /// How many numbers of a row there are at most between the products of a recurrence, or of latent
  /// attention.
  var mixedWidth: Int {
    switch recurrence {
    case nil:
      latent.map {
        max($0.queryRank ?? 0, heads * $0.querySize, heads * $0.valueSize)
      } ?? 0
    case .convolution: 3 * width
    case .deltaRule(let delta): delta.channels
    case .scan(let scan): scan.channels
    }
  }

  /// The widest row that an attention or recurrence gives to its last product.
  var attendedWidth: Int {
    switch recurrence {
    case nil: max(queryWidth, mixedWidth)
    case .convolution: max(width, queryWidth)
    case .deltaRule(let delta): max(delta.valueWidth, queryWidth)
    case .scan(let scan): max(scan.valueWidth, queryWidth)
    }
  }

  /// The widest row of queries, of keys, and between the products of a feed-forward part.
  var queryWidth: Int { heads * (layers.map(\.headSize).max() ?? 0) }
  var keyWidth: Int { layers.map(\.keyWidth).max() ?? 0 }
  var feedForwardWidth: Int { layers.map(\.feedForwardWidth).max() ?? 0 }
}
