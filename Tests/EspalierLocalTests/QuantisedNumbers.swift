// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFRuntime
import TestSupport

/// Random numbers in the forms of model files.
enum QuantisedNumbers {
  /// Blocks with random codes and scales of about 1/64.
  static func random(
    _ count: Int, _ type: GGUFTensorType, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    if type == .f16 || type == .bf16 || type == .f32 {
      return (0..<count).flatMap { _ -> [UInt8] in
        let bits = Float.random(in: -0.2...0.2, using: &generator).bitPattern
        switch type {
        case .bf16: return GGUFWriter.bytes(UInt16(truncatingIfNeeded: bits >> 16))
        case .f16:
          let exponent = Int(bits >> 23 & 255) - 127 + 15
          let magnitude = exponent > 0 ? UInt16(exponent) << 10 | UInt16(bits >> 13 & 0x3FF) : 0
          return GGUFWriter.bytes(UInt16(bits >> 16) & 0x8000 | magnitude)
        default: return GGUFWriter.bytes(bits)
        }
      }
    }
    var data = [UInt8](repeating: 0, count: count / type.blockSize * type.blockBytes)
    var bits: UInt64 = 0
    for place in data.indices {
      if place % 8 == 0 { bits = generator.next() }
      data[place] = UInt8(truncatingIfNeeded: bits)
      bits >>= 8
    }
    let places: [Int] =
      switch type {
      case .q4_1, .q5_1, .q4_K, .q5_K: [0, 2]
      case .q6_K: [208]
      case .q2_K: [80, 82]
      case .q3_K: [108]
      case .mxfp4: []
      default: [0]
      }
    for start in stride(from: 0, to: data.count, by: type.blockBytes) {
      for place in places {
        // Half precision: 2⁻⁸ to 2⁻⁶; for forms with factors of 6 or 8 bits 2⁻¹³ to 2⁻¹¹.
        let high: UInt8 = type.blockSize == 256 || type == .q8_0 || type == .iq4_NL ? 0x08 : 0x1C
        data[start + place + 1] = high | data[start + place + 1] & 3
      }
      // A power of two: 2⁻⁶ to 2⁻⁹.
      if type == .mxfp4 { data[start] = 119 + data[start] & 3 }
      // Minimums below zero, as where codes are 0…15 and numbers lie on both sides.
      if type == .q4_1 || type == .q5_1 { data[start + 3] |= 0x88 }
    }
    return data
  }
}
