// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Forms with less than four bits, and with codes that stand for listed numbers.
//
// Layouts: ggml's `block_q2_K`, `block_q3_K`, `block_iq4_nl`, `block_iq4_xs` and `block_mxfp4`.

extension WeightMatrix.Place {
  /// 256 numbers: 16 bytes with a scale and a minimum of four bits each, 64 bytes of codes of two bits,
  /// what scales and minimums are multiplied with.
  func twoBitSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
    let scale = HalfPrecision.float(source.half(80))
    let minimum = HalfPrecision.float(source.half(82))
    for j in 0..<8 {
      for half in 0..<2 {
        let byte = (source + 2 * j + half).load(as: UInt8.self)
        writeScale(scale * Float(byte & 15), block * 8 + j, half: half)
        writeMinimum(-minimum * Float(byte >> 4), block * 8 + j, half: half)
      }
      for k in 0..<8 {
        let codes = source.word(16 + j / 4 * 32 + k * 4) >> UInt32(j % 4 * 2)
        writeBytes(codes & 0x0303_0303, block * 8 + j, k)
      }
    }
  }

  /// 256 numbers: 32 bytes of upper bits, 64 of lower pairs of bits, 16 scales of six bits in 12
  /// bytes, what they are multiplied with.
  func threeBitSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
    let scale = HalfPrecision.float(source.half(108))
    func byte(_ i: Int) -> UInt8 { (source + 96 + i).load(as: UInt8.self) }
    for j in 0..<16 {
      let low = j < 8 ? byte(j) & 15 : byte(j - 8) >> 4
      let high = byte(8 + j % 4) >> UInt8(j / 4 * 2) & 3
      writeScale(scale * Float(Int(low | high << 4) - 32), block * 8 + j / 2, half: j % 2)
    }
    for j in 0..<8 {
      for k in 0..<8 {
        let low = source.word(32 + j / 4 * 32 + k * 4) >> UInt32(j % 4 * 2) & 0x0303_0303
        let high = source.word(k * 4) >> UInt32(j) & 0x0101_0101
        writeBytes(low | high << 2, block * 8 + j, k)
      }
    }
  }

  /// 32 codes of four bits for listed numbers.
  func listedBlock(_ source: UnsafeRawPointer, _ block: Int) {
    writeScale(HalfPrecision.float(source.half(0)), block)
    writeListed(Self.unevenSteps, source + 2, block)
  }

  /// The same in blocks of 256, with a scale of six bits for every 32.
  func listedSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
    let scale = HalfPrecision.float(source.half(0))
    let high = source.half(2)
    for j in 0..<8 {
      let low = (source + 4 + j / 2).load(as: UInt8.self) >> UInt8(j % 2 * 4) & 15
      let code = Int(low) | Int(high >> UInt16(j * 2) & 3) << 4
      writeScale(scale * Float(code - 32), block * 8 + j)
      writeListed(Self.unevenSteps, source + 8 + j * 16, block * 8 + j)
    }
  }

  /// 32 numbers with a sign, two bits of exponent and one of mantissa, and a power of two.
  func smallFloats(_ source: UnsafeRawPointer, _ block: Int) {
    // Half of 2^(e − 127), for the list has twice the numbers.
    let exponent = UInt32(source.load(as: UInt8.self))
    let bits = exponent < 2 ? 0x0020_0000 << exponent : (exponent - 1) << 23
    writeScale(Float(bitPattern: bits), block)
    writeListed(Self.smallFloats, source + 1, block)
  }

  /// Writes what codes stand for: those of the columns 0…15 are the low halves of 16 bytes.
  private func writeListed(_ list: [UInt8], _ source: UnsafeRawPointer, _ block: Int) {
    for j in 0..<8 {
      var word: UInt32 = 0
      for i in 0..<4 {
        let byte = (source + j % 4 * 4 + i).load(as: UInt8.self)
        word |= UInt32(list[Int(j < 4 ? byte & 15 : byte >> 4)]) << UInt32(8 * i)
      }
      writeBytes(word, block, j)
    }
  }

  /// −127, −104, … 113, and 128 more.
  private static let unevenSteps: [UInt8] = [
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
  ].map { UInt8($0 + 128) }

  /// Twice 0, ½, 1, 1½, 2, 3, 4 and 6 and the same below zero, and 128 more.
  private static let smallFloats: [UInt8] = [
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12,
  ].map { UInt8($0 + 128) }
}
