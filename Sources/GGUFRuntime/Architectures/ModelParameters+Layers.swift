// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ModelParameters {
  /// What each layer has of its own.
  ///
  /// - Throws: ``GGUFError`` with the key that is missing or wrong.
  static func layers(
    _ reader: MetadataReader, _ architecture: Architecture, _ isRecurrent: [Bool], heads: Int,
    headSize: Int, _ mixture: Mixture?
  ) throws(GGUFError) -> [Layer] {
    let count = isRecurrent.count
    let hasWindow = try windows(reader, architecture, layers: count)
    let sizes = (
      all: headSize,
      window: try reader.integer("attention.key_length_swa", in: 2...65536, default: headSize)
    )
    if !architecture.hasLatentAttention { try checkValues(reader, sizes) }
    let keyValueHeads = try reader.integers(
      "attention.head_count_kv", layers: count, in: 0...heads, default: heads)
    let feedForwardWidths = try reader.integers(
      "feed_forward_length", layers: count, in: (architecture.splitsLayers ? 0 : 1)...(1 << 22),
      default: mixture?.width)
    // Families of granite say so themselves where positions turn nothing.
    let turnsAny =
      !architecture.rawValue.hasPrefix("granite")
      || reader.boolean("rope.scaling.finetuned", default: true)
    let thresholds = try gateThresholds(reader, architecture, layers: count)
    var layers = (0..<count).map { index in
      Layer(
        headSize: hasWindow[index] ? sizes.window : sizes.all,
        keyValueHeads: keyValueHeads[index], feedForwardWidth: feedForwardWidths[index],
        hasWindow: hasWindow[index],
        turns: turnsAny && turns(architecture, index, hasWindow), isRecurrent: isRecurrent[index],
        mixesTokens: !architecture.splitsLayers || feedForwardWidths[index] == 0,
        hasFeedForward: !architecture.splitsLayers || feedForwardWidths[index] > 0,
        isMixture: mixture.map { index >= $0.denseLayers } ?? false,
        gateThreshold: thresholds[index])
    }
    try share(reader, architecture, &layers)
    return layers
  }

  /// Every fourth layer of smollm3 turns nothing, nor do layers of exaone4 that see all positions
  /// beside others that see a window, nor any of nemotron_h.
  private static func turns(_ architecture: Architecture, _ layer: Int, _ hasWindow: [Bool]) -> Bool
  {
    switch architecture {
    case .smollm3: layer % 4 != 3
    case .exaone4: hasWindow[layer] || !hasWindow.contains(true)
    case .nemotronH, .nemotronHMoE: false
    default: true
    }
  }

  /// Which layers see a window only.
  private static func windows(
    _ reader: MetadataReader, _ architecture: Architecture, layers: Int
  ) throws(GGUFError) -> [Bool] {
    // Of so many layers one sees all positions: the last.
    var period: Int?
    switch architecture {
    case .gemma2, .gptOSS: period = 2
    case .gemma3: period = 6
    case .gemma3n, .gemma4:
      return try pattern(reader, layers, period: architecture == .gemma3n ? 5 : nil)
    case .olmo2 where try hasWindows(reader): return try pattern(reader, layers, period: 4)
    // The smaller models of the family name a window, and have none.
    case .exaone4 where layers == 64: return try pattern(reader, layers, period: 4)
    case .lfm2, .lfm2moe:
      return Array(repeating: try hasWindows(reader), count: layers)
    default: break
    }
    return (1...layers).map { layer in period.map { layer % $0 != 0 } ?? false }
  }

  /// The layers with windows as a list of the file says, or by its period.
  private static func pattern(
    _ reader: MetadataReader, _ layers: Int, period: Int?
  ) throws(GGUFError) -> [Bool] {
    let key = "attention.sliding_window_pattern"
    if let list = try reader.booleans(key, layers: layers) { return list }
    let period = try reader.integer(key, in: 1...1024, default: period)
    return (1...layers).map { $0 % period != 0 }
  }

  private static func hasWindows(_ reader: MetadataReader) throws(GGUFError) -> Bool {
    try reader.integer("attention.sliding_window", in: 0...(1 << 30), default: 0) > 0
  }

  private static func checkValues(
    _ reader: MetadataReader, _ sizes: (all: Int, window: Int)
  ) throws(GGUFError) {
    for (key, size) in [("value_length", sizes.all), ("value_length_swa", sizes.window)] {
      let found = try reader.integer("attention.\(key)", in: 2...65536, default: size)
      guard found == size else {
        throw reader.error(
          "attention.\(key)", "\(found) numbers of a value, and \(size) of a key, are not the same."
        )
      }
    }
  }

  /// The last layers may read the keys and values of the last one of their kind that has its own.
  private static func share(
    _ reader: MetadataReader, _ architecture: Architecture, _ layers: inout [Layer]
  ) throws(GGUFError) {
    guard architecture == .gemma3n || architecture == .gemma4 else { return }
    let count = try reader.integer(
      "attention.shared_kv_layers", in: 0...(layers.count - 1),
      default: architecture == .gemma3n ? max(0, layers.count - 20) : 0)
    let own = 0..<layers.count - count
    for index in own.upperBound..<layers.count {
      let source = own.last { layers[$0].hasWindow == layers[index].hasWindow }
      guard let source else {
        throw reader.error(
          "attention.shared_kv_layers",
          "layer \(index) reads keys and values of a layer of its kind, and there is none.")
      }
      layers[index].source = source
      layers[index].keyValueHeads = layers[source].keyValueHeads
    }
  }

  /// Where gates of the feed-forward part begin to count: in gemma3n's first layers, for those of the
  /// greatest twentieth.
  private static func gateThresholds(
    _ reader: MetadataReader, _ architecture: Architecture, layers: Int
  ) throws(GGUFError) -> [Float?] {
    guard architecture == .gemma3n else { return Array(repeating: nil, count: layers) }
    let deviations: Float = 1.644_853_6
    let list = try reader.numbers("activation_sparsity_scale", layers: layers)
    return list?.map { $0.isFinite && $0 > 0 ? $0 : nil }
      ?? (0..<layers).map { $0 < 10 ? deviations : nil }
  }
}
