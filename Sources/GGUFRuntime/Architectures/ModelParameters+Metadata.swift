// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ModelParameters {
  /// - Throws: ``GGUFError`` with the key that is missing or wrong.
  package init(metadata: [String: GGUFValue]) throws(GGUFError) {
    let name = metadata["general.architecture"]?.string ?? ""
    if let message = Self.reasonOfNoModel(metadata) {
      throw GGUFError(.otherContent, field: "general.type", message: message)
    }
    guard let architecture = Architecture(rawValue: name) else {
      guard !EncoderParameters.describes(metadata) else {
        throw GGUFError(
          .otherContent, field: "general.architecture",
          message: "'\(name)' makes vectors of texts and writes none: open it with "
            + "LocalEmbeddingModel.")
      }
      let known = Architecture.allCases.map(\.rawValue).joined(separator: ", ")
      throw GGUFError(
        .unsupported, field: "general.architecture",
        message: "expected one of \(known), found '\(name)'.")
    }
    self.architecture = architecture
    let reader = MetadataReader(metadata: metadata, architecture: name)
    // The last layers of some files only guess tokens ahead.
    let guessing = try reader.integer("nextn_predict_layers", in: 0...64, default: 0)
    let layerCount = try reader.integer("block_count", in: (1 + guessing)...1024) - guessing
    width = try reader.integer("embedding_length", in: 1...(1 << 20))
    heads = try reader.integer("attention.head_count", in: 1...4096)
    let headSize = try reader.integer(
      "attention.key_length", in: 2...65536, default: max(2, width / heads))
    contextSize = try reader.integer("context_length", in: 1...(1 << 30))
    trainedContextSize = try reader.integer(
      "rope.scaling.original_context_length", in: 1...(1 << 30), default: contextSize)
    normEpsilon = try reader.number("attention.layer_norm_rms_epsilon", default: 1e-5)
    rope = try Self.rope(reader, headSize: headSize, trainedContext: trainedContextSize)
    localRope = Rotations.Shape(
      base: try reader.number("rope.freq_base_swa", default: 10000),
      size: try reader.integer(
        "rope.dimension_count_swa", in: 2...65536, default: rope.size))
    attentionScale = 1 / Float(headSize).squareRoot()
    mixture = try Self.mixture(reader, architecture, layers: layerCount)
    let isRecurrent: [Bool]
    (recurrence, isRecurrent) = try Self.recurrence(reader, architecture, layers: layerCount)
    layers = try Self.layers(
      reader, architecture, isRecurrent, heads: heads, headSize: headSize, mixture)
    if architecture.hasLatentAttention { latent = try Self.latent(reader, headSize, rope) }
    try readFamily(reader, headSize: headSize)
    try check(reader)
  }

  /// Why a file is no language model, where it says so itself.
  private static func reasonOfNoModel(_ metadata: [String: GGUFValue]) -> String? {
    switch metadata["general.type"]?.string {
    case "adapter":
      "the file is an adapter (LoRA), which only changes a model: adapters are not read. Take a "
        + "file of the model into which it was merged."
    case "mmproj":
      "the file is the part of a model that sees or hears, which is not read. Give the file of the "
        + "language model beside it."
    case "imatrix":
      "the file has figures for those who quantise a model. Give the file of the model itself."
    case _ where metadata["general.architecture"]?.string == "clip":
      "the file is the part of a model that sees, which is not read. Give the file of the language "
        + "model beside it."
    default: nil
    }
  }

  private static func rope(
    _ reader: MetadataReader, headSize: Int, trainedContext: Int
  ) throws(GGUFError) -> Rotations.Shape {
    var rope = Rotations.Shape(
      base: try reader.number("rope.freq_base", default: 10000),
      size: try reader.integer("rope.dimension_count", in: 2...headSize, default: headSize))
    // A factor without a kind is linear, and old files have it under a name of its own.
    let key = reader.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear"
    let factor = reader.isZero(key) ? 1 : try reader.number(key, default: 1)
    let scaling = reader.string("rope.scaling.type") ?? "linear"
    switch scaling {
    case "none": break
    // What longrope divides each pair by is a tensor (``TransformerWeights``).
    case "linear", "longrope": rope.scaling.factor = factor
    case "yarn":
      rope.scaling = .yarn(
        factor: factor, base: rope.base, size: rope.size, trainedContext: trainedContext,
        fast: try reader.number("rope.scaling.yarn_beta_fast", default: 32),
        slow: try reader.number("rope.scaling.yarn_beta_slow", default: 1),
        lengthShare: reader.isZero("rope.scaling.yarn_log_multiplier")
          ? 0 : try reader.optionalNumber("rope.scaling.yarn_log_multiplier") ?? 0)
    default:
      throw reader.error(
        "rope.scaling.type", "expected none, linear, yarn or longrope, found '\(scaling)'.")
    }
    rope.scaling.length *= try reader.number("rope.scaling.attn_factor", default: 1)
    return rope
  }

  private static func mixture(
    _ reader: MetadataReader, _ architecture: Architecture, layers: Int
  ) throws(GGUFError) -> Mixture? {
    let experts = try reader.integer("expert_count", in: 0...4096, default: 0)
    guard experts > 0 else {
      if architecture.isMixture { throw reader.error("expert_count", "expected experts.") }
      return nil
    }
    guard architecture.isMixture || [.llama, .gemma4, .graniteHybrid].contains(architecture) else {
      throw reader.error(
        "expert_count", "\(experts) experts, and no mixture of experts is known of this family.")
    }
    let chosen = try reader.integer("expert_used_count", in: 1...experts)
    let width =
      try reader.integers(
        "feed_forward_length", layers: layers, in: 0...(1 << 22), default: 32
      ).max() ?? 32
    let groups = try reader.integer("expert_group_count", in: 0...experts, default: 1)
    guard groups < 2 else {
      throw reader.error(
        "expert_group_count", "\(groups) groups of experts are not read: take another model.")
    }
    let codes: [Int: Mixture.Weighting] = [1: .softmax, 2: .sigmoid, 3: .softmaxOfChosen]
    let usual = architecture == .gptOSS ? 3 : architecture == .nemotronHMoE ? 2 : 1
    let code = try reader.integer("expert_gating_func", in: 1...3, default: usual)
    let latent = try reader.integer("moe_latent_size", in: 0...(1 << 20), default: 0)
    guard latent == 0 else {
      throw reader.error(
        "moe_latent_size",
        "experts that see \(latent) numbers of a token's own are not read: take another model.")
    }
    let expertWidth = try reader.integer(
      "expert_feed_forward_length", in: 1...(1 << 22),
      default: architecture == .qwen2moe ? width / chosen : width)
    let shared = try reader.integer("expert_shared_count", in: 0...1024, default: 0)
    return Mixture(
      experts: experts, chosen: chosen, width: expertWidth,
      sharedWidth: try reader.integer(
        "expert_shared_feed_forward_length", in: 0...(1 << 22),
        default: architecture == .qwen2moe
          ? width : architecture == .deepseek2 ? shared * expertWidth : 0),
      weighting: codes[code] ?? .softmax,
      normsWeights: architecture == .nemotronHMoE || architecture == .deepseek2
        ? reader.boolean("expert_weights_norm", default: false)
        : architecture != .qwen2moe && architecture != .gptOSS,
      scale: try reader.number("expert_weights_scale", default: 1),
      denseLayers: try reader.integer("leading_dense_block_count", in: 0...layers, default: 0))
  }

  private mutating func readFamily(
    _ reader: MetadataReader, headSize: Int
  ) throws(GGUFError) {
    switch architecture {
    case .llama, .internlm2, .ernie45, .seedOSS, .qwen2, .qwen2vl, .qwen2moe, .qwen3, .qwen3vl,
      .qwen3moe, .qwen3vlmoe, .qwen35, .qwen35moe, .smollm3, .phi3:
      break
    case .mistral3:
      if reader.has("attention.temperature_scale"), !reader.isZero("attention.temperature_scale") {
        queryTemperature = QueryTemperature(
          scale: try reader.number("attention.temperature_scale", default: 1),
          period: trainedContextSize)
      }
    case .glm4:
      // With pictures, pairs of numbers are those half a head apart, not neighbours.
      let sections = try reader.integers(
        "rope.dimension_sections", layers: 1, in: 0...65536, default: 0)
      guard sections == [0] else {
        throw reader.error(
          "rope.dimension_sections", "models of this family that see are not read.")
      }
    case .olmo2:
      let size = try reader.integer("attention.sliding_window", in: 0...(1 << 30), default: 0)
      window = size > 0 ? size : nil
      localRope = Rotations.Shape(base: rope.base, size: rope.size)
    case .exaone4:
      guard layers.contains(where: \.hasWindow) else { break }
      window = try reader.integer("attention.sliding_window", in: 1...(1 << 30), default: 4096)
      localRope = rope
    case .minicpm:
      embeddingScale = try reader.number("embedding_scale", default: 12)
      residualScale = try reader.number(
        "residual_scale", default: 1.4 / Double(layers.count).squareRoot())
      logitScale = try reader.number("logit_scale", default: Double(width) / 256)
    case .deepseek2:
      guard let latent else { break }
      attentionScale = 1 / Float(latent.querySize).squareRoot()
      guard rope.scaling.blend != nil else { break }
      // Scores grow with the length of sequences, not what is turned.
      let key = "rope.scaling.yarn_log_multiplier"
      guard let share = try reader.optionalNumber(key) else {
        throw reader.error(
          key, "expected how scores grow with the length of sequences, found none.")
      }
      attentionScale *= rope.scaling.growthOfScores(share)
      rope.scaling.length = 1
    case .nemotronH, .nemotronHMoE:
      attentionScale = try reader.optionalNumber("attention.scale") ?? attentionScale
    case .granite, .granitemoe, .graniteHybrid:
      embeddingScale = try reader.number("embedding_scale", default: 1)
      residualScale = try reader.number("residual_scale", default: 1)
      attentionScale = try reader.optionalNumber("attention.scale") ?? attentionScale
      logitScale = try reader.number("logit_scale", default: 1)
    case .gemma2:
      window = try reader.integer("attention.sliding_window", in: 1...(1 << 30), default: 4096)
      attentionSoftCap = try reader.number("attn_logit_softcapping", default: 50)
      logitSoftCap = try reader.number("final_logit_softcapping", default: 30)
      localRope.base = rope.base
      // The largest model of the family scales by what a head would have of the width.
      if layers.count == 46 { attentionScale = 1 / Float(width / heads).squareRoot() }
    case .gemma3:
      window = try reader.integer("attention.sliding_window", in: 1...(1 << 30), default: 1024)
    case .gemma3n, .gemma4:
      window = try reader.integer("attention.sliding_window", in: 1...(1 << 30))
      attentionScale = 1
      logitSoftCap = try reader.number("final_logit_softcapping", default: 30)
      let inputWidth = try reader.integer(
        "embedding_length_per_layer_input", in: 0...(1 << 16),
        default: architecture == .gemma3n ? 256 : 0)
      layerInputWidth = inputWidth > 0 ? inputWidth : nil
      if architecture == .gemma3n {
        let count = try reader.integer("altup.num_inputs", in: 2...16, default: 4)
        streams = Streams(
          count: count,
          active: try reader.integer("altup.active_idx", in: 0...(count - 1), default: 0))
      }
    case .gptOSS:
      window = try reader.integer("attention.sliding_window", in: 1...(1 << 30))
      localRope = rope
    case .lfm2, .lfm2moe:
      let size = try reader.integer("attention.sliding_window", in: 0...(1 << 30), default: 0)
      window = size > 0 ? size : nil
      localRope = rope
    }
    if architecture.isGemma { embeddingScale = Float(width).squareRoot() }
  }

  private func check(_ reader: MetadataReader) throws(GGUFError) {
    for layer in layers where layer.mixesTokens && !layer.isRecurrent {
      let turned = (layer.hasWindow ? localRope : rope).size
      guard layer.keyValueHeads > 0, heads % layer.keyValueHeads == 0, turned % 2 == 0,
        turned <= layer.headSize
      else {
        throw reader.error(
          "attention",
          "\(heads) heads of \(layer.headSize) with \(layer.keyValueHeads) heads of keys and "
            + "values, of which \(turned) numbers are turned, do not fit together.")
      }
    }
    var widths = [width]
    for layer in layers { widths += [layer.feedForwardWidth, heads * layer.headSize] }
    if let mixture { widths += [mixture.width, mixture.sharedWidth] }
    switch recurrence {
    case nil, .convolution: break
    case .deltaRule(let delta): widths.append(delta.valueWidth)
    case .scan(let scan): widths.append(scan.valueWidth)
    }
    if let layerInputWidth { widths.append(layerInputWidth) }
    guard widths.allSatisfy({ $0 % 32 == 0 }) else {
      let list = Set(widths).sorted().map(String.init).joined(separator: ", ")
      throw reader.error(
        "embedding_length", "widths of \(list) are not all multiples of 32.")
    }
  }
}
