/// The shape of a transformer, read from a file's metadata.
package struct ModelParameters: Sendable, Equatable {
  enum Architecture: String, Sendable, CaseIterable {
    case llama, smollm3, granite, phi3, qwen2, qwen3, gemma2, gemma3
  }

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
  var ropeBase: Float
  var ropeSize: Int
  /// How positions are changed for long sequences.
  var ropeScaling: Rotations.Scaling
  /// The base of the layers that see a window only.
  var localRopeBase: Float
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

  /// Where the keys and values of a position are.
  var cacheShape: CacheShape { CacheShape(layers: layers, heads: keyValueHeads, size: headSize) }

  /// Whether rotations turn neighbouring numbers, rather than those half a head apart.
  var rotatesNeighbours: Bool {
    switch architecture {
    case .llama, .smollm3, .granite: true
    case .phi3, .qwen2, .qwen3, .gemma2, .gemma3: false
    }
  }

  /// Whether the family is Gemma, with norms after attention and feed-forward, and GELU.
  var isGemma: Bool { architecture == .gemma2 || architecture == .gemma3 }

  /// Whether queries and keys are normed head by head.
  var normsHeads: Bool { architecture == .qwen3 || architecture == .gemma3 }

  /// Whether the queries, keys and values of a layer are one matrix, and gate and up another.
  var isFused: Bool { architecture == .phi3 }

  package init(metadata: [String: GGUFValue]) throws(GGUFError) {
    let name = metadata["general.architecture"]?.string ?? ""
    guard let architecture = Architecture(rawValue: name) else {
      let known = Architecture.allCases.map(\.rawValue).joined(separator: ", ")
      throw GGUFError(
        field: "general.architecture", message: "expected one of \(known), found '\(name)'.")
    }
    self.architecture = architecture
    func integer(
      _ key: String, in range: ClosedRange<Int>, default fallback: Int? = nil
    ) throws(GGUFError) -> Int {
      let key = "\(name).\(key)"
      guard let value = metadata[key]?.integer ?? fallback else {
        throw GGUFError(field: key, message: "expected a whole number, found none.")
      }
      guard range.contains(value) else {
        throw GGUFError(field: key, message: "expected \(range), found \(value).")
      }
      return value
    }
    func optionalNumber(_ key: String) throws(GGUFError) -> Float? {
      metadata["\(name).\(key)"] == nil ? nil : try number(key, default: 1)
    }
    func number(_ key: String, default fallback: Double) throws(GGUFError) -> Float {
      let value = metadata["\(name).\(key)"]?.number ?? fallback
      guard value.isFinite, value > 0, value < 1e12 else {
        throw GGUFError(field: "\(name).\(key)", message: "expected a number above 0.")
      }
      return Float(value)
    }
    layers = try integer("block_count", in: 1...1024)
    width = try integer("embedding_length", in: 1...(1 << 20))
    feedForwardWidth = try integer("feed_forward_length", in: 1...(1 << 22))
    heads = try integer("attention.head_count", in: 1...4096)
    keyValueHeads = try integer("attention.head_count_kv", in: 1...heads, default: heads)
    headSize = try integer(
      "attention.key_length", in: 2...65536, default: max(2, width / heads))
    let valueSize = try integer("attention.value_length", in: 2...65536, default: headSize)
    contextSize = try integer("context_length", in: 1...(1 << 30))
    trainedContextSize = try integer(
      "rope.scaling.original_context_length", in: 1...(1 << 30), default: contextSize)
    normEpsilon = try number("attention.layer_norm_rms_epsilon", default: 1e-5)
    ropeBase = try number("rope.freq_base", default: 10000)
    ropeSize = try integer("rope.dimension_count", in: 2...headSize, default: headSize)
    localRopeBase = try number("rope.freq_base_swa", default: 10000)
    let scaling = metadata["\(name).rope.scaling.type"]?.string ?? "none"
    switch scaling {
    case "none": ropeScaling = Rotations.Scaling()
    case "linear":
      ropeScaling = Rotations.Scaling(factor: try number("rope.scaling.factor", default: 1))
    case "yarn":
      ropeScaling = .yarn(
        factor: try number("rope.scaling.factor", default: 1), base: ropeBase, size: ropeSize,
        trainedContext: trainedContextSize,
        fast: try number("rope.scaling.yarn_beta_fast", default: 32),
        slow: try number("rope.scaling.yarn_beta_slow", default: 1))
    default:
      throw GGUFError(
        field: "\(name).rope.scaling.type",
        message: "'\(scaling)' is not none, linear or yarn.")
    }
    switch architecture {
    case .gemma2, .gemma3:
      window = try integer(
        "attention.sliding_window", in: 1...(1 << 30),
        default: architecture == .gemma2 ? 4096 : 1024)
    default: window = nil
    }
    windowPeriod = architecture == .gemma2 ? 2 : 6
    attentionScale = 1 / Float(headSize).squareRoot()
    switch architecture {
    case .llama, .qwen2, .qwen3: break
    case .smollm3: plainPeriod = 4
    case .granite:
      embeddingScale = try number("embedding_scale", default: 1)
      residualScale = try number("residual_scale", default: 1)
      attentionScale = try optionalNumber("attention.scale") ?? attentionScale
      logitScale = try number("logit_scale", default: 1)
    case .phi3:
      ropeScaling.length *= try number("rope.scaling.attn_factor", default: 1)
    case .gemma2:
      embeddingScale = Float(width).squareRoot()
      attentionSoftCap = try number("attn_logit_softcapping", default: 50)
      logitSoftCap = try number("final_logit_softcapping", default: 30)
      localRopeBase = ropeBase
      // The largest model of the family scales by what a head would have of the width.
      if layers == 46 { attentionScale = 1 / Float(width / heads).squareRoot() }
    case .gemma3:
      embeddingScale = Float(width).squareRoot()
    }
    guard heads % keyValueHeads == 0, valueSize == headSize, ropeSize % 2 == 0 else {
      throw GGUFError(
        field: "\(name).attention",
        message: "\(heads) heads of \(headSize) with \(keyValueHeads) key and value heads of "
          + "\(valueSize) do not fit together.")
    }
    guard width % 32 == 0, feedForwardWidth % 32 == 0, heads * headSize % 32 == 0 else {
      throw GGUFError(
        field: "\(name).embedding_length",
        message: "widths of \(width), \(feedForwardWidth) and \(heads * headSize) are not all "
          + "multiples of 32.")
    }
  }

  /// Whether a layer sees a window of the positions only.
  func hasWindow(layer: Int) -> Bool { window != nil && (layer + 1) % windowPeriod != 0 }

  /// Whether a layer turns queries and keys by their positions.
  func turns(layer: Int) -> Bool { plainPeriod.map { (layer + 1) % $0 != 0 } ?? true }
}
