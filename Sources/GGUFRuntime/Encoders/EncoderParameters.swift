// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The families of encoders that are read.
enum EncoderArchitecture: String, Sendable, CaseIterable {
  /// Positions are learnt, and the feed-forward part is GELU.
  case bert
  /// Positions are rotations, and the feed-forward part is gated.
  case nomicBert = "nomic-bert"
}

/// The shape of an encoder, read from a file's metadata.
package struct EncoderParameters: Sendable, Equatable {
  /// How the numbers of a text's tokens become one vector.
  enum Pooling: Int, Sendable {
    case mean = 1
    /// Those of the first token.
    case first
    /// Those of the last token.
    case last
  }

  var architecture: EncoderArchitecture
  var layers: Int
  package var width: Int
  var feedForwardWidth: Int
  var heads: Int
  /// The greatest number of tokens of a text.
  package var contextSize: Int
  var normEpsilon: Float
  var pooling: Pooling
  var rope: Rotations.Shape

  var headSize: Int { width / heads }

  /// Whether a file is of an encoder.
  package static func describes(_ metadata: [String: GGUFValue]) -> Bool {
    metadata["general.architecture"]?.string.flatMap(EncoderArchitecture.init) != nil
  }

  /// - Throws: ``GGUFError`` with the key that is missing or wrong.
  package init(metadata: [String: GGUFValue]) throws(GGUFError) {
    let name = metadata["general.architecture"]?.string ?? ""
    guard let architecture = EncoderArchitecture(rawValue: name) else {
      let known = EncoderArchitecture.allCases.map(\.rawValue).joined(separator: ", ")
      throw GGUFError(
        .otherContent, field: "general.architecture",
        message: "expected an embedding model (\(known)), found '\(name)'.")
    }
    self.architecture = architecture
    let reader = MetadataReader(metadata: metadata, architecture: name)
    layers = try reader.integer("block_count", in: 1...1024)
    width = try reader.integer("embedding_length", in: 32...(1 << 16))
    heads = try reader.integer("attention.head_count", in: 1...4096)
    contextSize = try reader.integer("context_length", in: 2...(1 << 20))
    feedForwardWidth = try reader.integer("feed_forward_length", in: 32...(1 << 20))
    normEpsilon = try reader.number("attention.layer_norm_epsilon", default: 1e-12)
    let code = try reader.integer("pooling_type", in: 0...4, default: 1)
    guard let pooling = Pooling(rawValue: code) else {
      throw reader.error("pooling_type", "expected 1 (mean), 2 (first) or 3 (last), found \(code).")
    }
    self.pooling = pooling
    guard width % heads == 0, width / heads % 2 == 0, width % 32 == 0, feedForwardWidth % 32 == 0
    else {
      throw reader.error(
        "embedding_length",
        "\(heads) heads of \(width), and \(feedForwardWidth), are not all multiples of 32.")
    }
    rope = Rotations.Shape(
      base: try reader.number("rope.freq_base", default: 10000), size: width / heads)
    guard !reader.boolean("attention.causal", default: false) else {
      throw reader.error("attention.causal", "expected attention in both directions.")
    }
  }
}
