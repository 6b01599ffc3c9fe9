// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// From the blocks of a file to the layout of the kernels.
///
/// Layouts: ggml's `block_q4_0` … `block_q6_K`.
extension WeightMatrix {
  func unpack(_ bytes: UnsafeRawBufferPointer, type: GGUFTensorType) {
    guard let base = bytes.baseAddress else { return }
    switch type {
    case .f32: codes.copyMemory(from: base, byteCount: bytes.count)
    case .f16:
      for i in 0..<(rows * columns) { floats[i] = HalfPrecision.float(base.half(i * 2)) }
    case .bf16:
      for i in 0..<(rows * columns) {
        floats[i] = Float(bitPattern: UInt32(base.half(i * 2)) << 16)
      }
    default: unpackRows(base, type)
    }
  }

  private func unpackRows(_ base: UnsafeRawPointer, _ type: GGUFTensorType) {
    let blocks = columns / type.blockSize
    let groupBytes = groupBytes
    for row in 0..<rows {
      let place = Place(
        codes: codes + row / 16 * groupBytes, row: row % 16, blockBytes: layout.bytes,
        codeBytes: layout.codeBytes, scaleBytes: 64 * layout.scales)
      for block in 0..<blocks {
        let source = base + (row * blocks + block) * type.blockBytes
        switch type {
        case .q4_0: place.fourBits(source, block, hasMinimum: false)
        case .q4_1: place.fourBits(source, block, hasMinimum: true)
        case .q5_0: place.fiveBits(source, block, hasMinimum: false)
        case .q5_1: place.fiveBits(source, block, hasMinimum: true)
        case .q8_0: place.eightBits(source, block)
        case .q4_K: place.fourBitSuperBlock(source, block)
        case .q5_K: place.fiveBitSuperBlock(source, block)
        case .q6_K: place.sixBitSuperBlock(source, block)
        case .q2_K: place.twoBitSuperBlock(source, block)
        case .q3_K: place.threeBitSuperBlock(source, block)
        case .iq4_NL: place.listedBlock(source, block)
        case .iq4_XS: place.listedSuperBlock(source, block)
        case .mxfp4: place.smallFloats(source, block)
        case .f32, .f16, .bf16: return
        }
      }
    }
  }

  /// Where a row's numbers go.
  struct Place {
    let codes: UnsafeMutableRawPointer
    let row: Int
    let blockBytes: Int
    let codeBytes: Int
    let scaleBytes: Int

    /// Writes a block's scale, or that of one of its halves.
    @inline(__always)
    func writeScale(_ scale: Float, _ block: Int, half: Int = 0) {
      codes.storeBytes(
        of: scale, toByteOffset: block &* blockBytes &+ codeBytes &+ half &* 64 &+ row &* 4,
        as: Float.self)
    }

    /// Writes a block's minimum, or that of one of its halves.
    @inline(__always)
    func writeMinimum(_ minimum: Float, _ block: Int, half: Int = 0) {
      codes.storeBytes(
        of: minimum,
        toByteOffset: block &* blockBytes &+ codeBytes &+ scaleBytes &+ half &* 64 &+ row &* 4,
        as: Float.self)
    }

    /// Writes nibbles 0…15 of columns 4q…4q+3 in the low and of 4q+16…4q+19 in the high halves.
    @inline(__always)
    func writeNibbles(_ word: UInt32, _ block: Int, _ q: Int) {
      codes.storeBytes(
        of: (word ^ 0x8888_8888).littleEndian,
        toByteOffset: block &* blockBytes &+ q &* 64 &+ row &* 4, as: UInt32.self)
    }

    /// Writes codes 0…255 of columns 4j…4j+3, 128 less.
    @inline(__always)
    func writeBytes(_ word: UInt32, _ block: Int, _ j: Int) {
      codes.storeBytes(
        of: (word ^ 0x8080_8080).littleEndian,
        toByteOffset: block &* blockBytes &+ j &* 64 &+ row &* 4, as: UInt32.self)
    }

    func fourBits(_ source: UnsafeRawPointer, _ block: Int, hasMinimum: Bool) {
      writeScale(HalfPrecision.float(source.half(0)), block)
      if hasMinimum { writeMinimum(HalfPrecision.float(source.half(2)), block) }
      let data = source + (hasMinimum ? 4 : 2)
      for q in 0..<4 { writeNibbles(data.word(q * 4), block, q) }
    }

    func fiveBits(_ source: UnsafeRawPointer, _ block: Int, hasMinimum: Bool) {
      writeScale(HalfPrecision.float(source.half(0)), block)
      if hasMinimum { writeMinimum(HalfPrecision.float(source.half(2)), block) }
      let high = source.word(hasMinimum ? 4 : 2)
      let data = source + (hasMinimum ? 8 : 6)
      for j in 0..<8 {
        let nibbles = (data.word(j % 4 * 4) >> (j < 4 ? 0 : 4)) & 0x0F0F_0F0F
        writeBytes(nibbles | Self.spread(high >> UInt32(j * 4) & 15) << 4, block, j)
      }
    }

    func eightBits(_ source: UnsafeRawPointer, _ block: Int) {
      writeScale(HalfPrecision.float(source.half(0)), block)
      for j in 0..<8 { writeBytes(source.word(2 + j * 4) ^ 0x8080_8080, block, j) }
    }

    /// 256 numbers in 8 blocks of 32, whose scales and minimums have 6 bits each, in 12 bytes.
    private func superBlockScales(_ source: UnsafeRawPointer, _ block: Int) {
      let scale = HalfPrecision.float(source.half(0))
      let minimum = HalfPrecision.float(source.half(2))
      func byte(_ i: Int) -> UInt8 { (source + 4 + i).load(as: UInt8.self) }
      for j in 0..<8 {
        let scaleCode = j < 4 ? byte(j) & 63 : byte(j + 4) & 15 | (byte(j - 4) >> 6) << 4
        let minimumCode = j < 4 ? byte(j + 4) & 63 : byte(j + 4) >> 4 | (byte(j) >> 6) << 4
        writeScale(scale * Float(scaleCode), block * 8 + j)
        writeMinimum(-minimum * Float(minimumCode), block * 8 + j)
      }
    }

    func fourBitSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
      superBlockScales(source, block)
      for j in 0..<8 {
        let data = source + 16 + j / 2 * 32
        let shift = UInt32(j % 2 * 4)
        for q in 0..<4 {
          let low = (data.word(q * 4) >> shift) & 0x0F0F_0F0F
          let high = (data.word(q * 4 + 16) >> shift) & 0x0F0F_0F0F
          writeNibbles(low | high << 4, block * 8 + j, q)
        }
      }
    }

    func fiveBitSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
      superBlockScales(source, block)
      for j in 0..<8 {
        let data = source + 48 + j / 2 * 32
        for k in 0..<8 {
          let nibbles = (data.word(k * 4) >> UInt32(j % 2 * 4)) & 0x0F0F_0F0F
          let high = (source.word(16 + k * 4) >> UInt32(j)) & 0x0101_0101
          writeBytes(nibbles | high << 4, block * 8 + j, k)
        }
      }
    }

    /// 256 numbers: 128 bytes of low halves, 64 of upper pairs of bits, 16 signed scales, a scale.
    func sixBitSuperBlock(_ source: UnsafeRawPointer, _ block: Int) {
      let scale = HalfPrecision.float(source.half(208))
      for j in 0..<16 {
        writeScale(
          scale * Float((source + 192 + j).load(as: Int8.self)), block * 8 + j / 2, half: j % 2)
      }
      for j in 0..<8 {
        // Four blocks share 64 bytes of low halves and 32 of upper bits.
        let (half, quarter) = (j / 4, j % 4)
        for k in 0..<8 {
          let low = source.word(half * 64 + quarter % 2 * 32 + k * 4)
          let high = source.word(128 + half * 32 + k * 4)
          writeBytes(
            (low >> (quarter < 2 ? 0 : 4)) & 0x0F0F_0F0F
              | ((high >> UInt32(quarter * 2)) & 0x0303_0303) << 4, block * 8 + j, k)
        }
      }
    }

    /// Four bits as the lowest bits of four bytes.
    private static func spread(_ bits: UInt32) -> UInt32 {
      bits & 1 | (bits & 2) << 7 | (bits & 4) << 14 | (bits & 8) << 21
    }
  }
}

extension UnsafeRawPointer {
  /// The 16 bits at a place.
  @inline(__always)
  func half(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The 32 bits at a place.
  @inline(__always)
  func word(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// Half-precision numbers, by bits: not every platform's standard library has them.
/// In this file, because a debug build inlines nothing from another one.
enum HalfPrecision {
  /// The value of an IEEE 754 binary16.
  @inline(__always)
  static func float(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let magnitude = UInt32(bits & 0x7FFF)
    if magnitude >= 0x7C00 {
      return Float(bitPattern: sign | 0x7F80_0000 | (magnitude & 0x3FF) << 13)
    }
    // Moving the exponent by a product is exact for subnormal numbers too.
    let value = Float(bitPattern: magnitude << 13) * Float(bitPattern: 0x7780_0000)
    return Float(bitPattern: value.bitPattern | sign)
  }
}
