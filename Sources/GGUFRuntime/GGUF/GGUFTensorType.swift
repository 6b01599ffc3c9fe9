// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The names are ggml's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// How the numbers of a tensor are stored.
///
/// Block sizes and layouts are those of ggml's `block_*` structures.
public enum GGUFTensorType: UInt32, Sendable, CaseIterable {
  case f32 = 0
  case f16 = 1
  case q4_0 = 2
  case q4_1 = 3
  case q5_0 = 6
  case q5_1 = 7
  case q8_0 = 8
  case q2_K = 10
  case q3_K = 11
  case q4_K = 12
  case q5_K = 13
  case q6_K = 14
  case iq4_NL = 20
  case iq4_XS = 23
  case bf16 = 30
  case mxfp4 = 39

  /// The name of a form that is not read, by its number.
  static func unreadName(_ code: UInt32) -> String {
    let names: [UInt32: String] = [
      9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 21: "IQ3_S",
      22: "IQ2_S", 29: "IQ1_M", 31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8", 34: "TQ1_0",
      35: "TQ2_0", 40: "NVFP4",
    ]
    return names[code] ?? "number \(code)"
  }

  /// How many numbers a block holds.
  public var blockSize: Int {
    switch self {
    case .f32, .f16, .bf16: 1
    case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4: 32
    case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq4_XS: 256
    }
  }

  /// How many bytes a block takes.
  public var blockBytes: Int {
    switch self {
    case .f32: 4
    case .f16, .bf16: 2
    case .q4_0: 2 + 16
    case .q4_1: 4 + 16
    case .q5_0: 2 + 4 + 16
    case .q5_1: 4 + 4 + 16
    case .q8_0: 2 + 32
    case .q2_K: 16 + 64 + 4
    case .q3_K: 32 + 64 + 12 + 2
    case .q4_K: 4 + 12 + 128
    case .q5_K: 4 + 12 + 32 + 128
    case .q6_K: 128 + 64 + 16 + 2
    case .iq4_NL: 2 + 16
    case .iq4_XS: 2 + 2 + 4 + 128
    case .mxfp4: 1 + 16
    }
  }
}

/// A tensor of a model file.
public struct GGUFTensor: Sendable, Equatable {
  /// The name, such as `blk.0.attn_q.weight`.
  public var name: String
  /// The extents, that of neighbouring numbers first.
  public var dimensions: [Int]
  /// How the numbers are stored.
  public var type: GGUFTensorType
  /// Where the tensor's bytes are in the file.
  public var range: Range<Int>
  /// Which file has them, of a model in several.
  public var part = 0

  /// How many numbers there are.
  public var count: Int { dimensions.reduce(1, *) }
}
