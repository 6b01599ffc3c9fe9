/// From the blocks of a file to the layout of the kernels.
///
/// Layouts: ggml's `block_q4_0` … `block_q6_K`.
extension WeightMatrix {
  func unpack(_ bytes: UnsafeRawBufferPointer, type: GGUFTensorType) {
    guard let base = bytes.baseAddress else { return }
    let blocks = rows * columns / type.blockSize
    switch type {
    case .f32: codes.copyMemory(from: base, byteCount: bytes.count)
    case .f16:
      let floats = codes.assumingMemoryBound(to: Float.self)
      for i in 0..<blocks { floats[i] = HalfPrecision.float(base.half(i * 2)) }
    case .bf16:
      let floats = codes.assumingMemoryBound(to: Float.self)
      for i in 0..<blocks { floats[i] = Float(bitPattern: UInt32(base.half(i * 2)) << 16) }
    case .q4_0, .q4_1: unpackFourBits(base, blocks: blocks, type: type)
    case .q5_0, .q5_1: unpackFiveBits(base, blocks: blocks, type: type)
    case .q8_0:
      for i in 0..<blocks {
        scales[i] = HalfPrecision.float(base.half(i * 34))
        (codes + i * 32).copyMemory(from: base + i * 34 + 2, byteCount: 32)
      }
    case .q4_K, .q5_K: unpackFourOrFiveBitSuperBlocks(base, blocks: blocks, type: type)
    case .q6_K: unpackSixBitSuperBlocks(base, blocks: blocks)
    }
  }

  private func unpackFourBits(_ base: UnsafeRawPointer, blocks: Int, type: GGUFTensorType) {
    let size = type.blockBytes
    for i in 0..<blocks {
      let block = base + i * size
      let scale = HalfPrecision.float(block.half(0))
      scales[i] = scale
      minimums[i] = type == .q4_0 ? -8 * scale : HalfPrecision.float(block.half(2))
      (codes + i * 16).copyMemory(from: block + (size - 16), byteCount: 16)
    }
  }

  private func unpackFiveBits(_ base: UnsafeRawPointer, blocks: Int, type: GGUFTensorType) {
    let size = type.blockBytes
    let output = codes.assumingMemoryBound(to: Int8.self)
    for i in 0..<blocks {
      let block = base + i * size
      scales[i] = HalfPrecision.float(block.half(0))
      if type == .q5_1 { minimums[i] = HalfPrecision.float(block.half(2)) }
      let high = UInt32(
        littleEndian: block.loadUnaligned(fromByteOffset: size - 20, as: UInt32.self))
      let offset: Int8 = type == .q5_0 ? 16 : 0
      for j in 0..<16 {
        let byte = (block + (size - 16 + j)).load(as: UInt8.self)
        let low = Int8((byte & 15) | UInt8((high >> UInt32(j)) & 1) << 4)
        let upper = Int8((byte >> 4) | UInt8((high >> UInt32(j + 16)) & 1) << 4)
        output[i * 32 + j] = low - offset
        output[i * 32 + j + 16] = upper - offset
      }
    }
  }

  /// 256 numbers in 8 blocks of 32, whose scales and minimums have 6 bits each, packed in 12 bytes.
  private func unpackFourOrFiveBitSuperBlocks(
    _ base: UnsafeRawPointer, blocks: Int, type: GGUFTensorType
  ) {
    let size = type.blockBytes
    for i in 0..<blocks {
      let block = base + i * size
      let scale = HalfPrecision.float(block.half(0))
      let minimum = HalfPrecision.float(block.half(2))
      for j in 0..<8 {
        let (scaleCode, minimumCode) = Self.sixBitPair(block + 4, j)
        scales[i * 8 + j] = scale * Float(scaleCode)
        minimums[i * 8 + j] = -minimum * Float(minimumCode)
        let low = block + (size - 128) + j / 2 * 32
        let shift = UInt8(j % 2 * 4)
        if type == .q4_K {
          let output = (codes + (i * 8 + j) * 16).assumingMemoryBound(to: UInt8.self)
          for k in 0..<16 {
            let first = ((low + k).load(as: UInt8.self) >> shift) & 15
            let second = ((low + k + 16).load(as: UInt8.self) >> shift) & 15
            output[k] = first | second << 4
          }
        } else {
          let output = (codes + (i * 8 + j) * 32).assumingMemoryBound(to: Int8.self)
          for k in 0..<32 {
            let high = ((block + 16 + k).load(as: UInt8.self) >> UInt8(j)) & 1
            output[k] = Int8(((low + k).load(as: UInt8.self) >> shift) & 15 | high << 4)
          }
        }
      }
    }
  }

  private static func sixBitPair(_ packed: UnsafeRawPointer, _ j: Int) -> (UInt8, UInt8) {
    func byte(_ i: Int) -> UInt8 { (packed + i).load(as: UInt8.self) }
    if j < 4 { return (byte(j) & 63, byte(j + 4) & 63) }
    return (
      byte(j + 4) & 15 | (byte(j - 4) >> 6) << 4, byte(j + 4) >> 4 | (byte(j) >> 6) << 4
    )
  }

  /// 256 numbers: 128 bytes of low halves, 64 of upper pairs of bits, 16 signed scales, a scale.
  private func unpackSixBitSuperBlocks(_ base: UnsafeRawPointer, blocks: Int) {
    let output = codes.assumingMemoryBound(to: Int8.self)
    for i in 0..<blocks {
      let block = base + i * 210
      let scale = HalfPrecision.float(block.half(208))
      for j in 0..<16 {
        scales[i * 16 + j] = scale * Float((block + 192 + j).load(as: Int8.self))
      }
      for half in 0..<2 {
        for k in 0..<32 {
          let high = (block + 128 + half * 32 + k).load(as: UInt8.self)
          for quarter in 0..<4 {
            let byte = (block + half * 64 + quarter % 2 * 32 + k).load(as: UInt8.self)
            let low = quarter < 2 ? byte & 15 : byte >> 4
            let code = low | ((high >> UInt8(quarter * 2)) & 3) << 4
            output[i * 256 + half * 128 + quarter * 32 + k] = Int8(code) - 32
          }
        }
      }
    }
  }
}

extension UnsafeRawPointer {
  /// The 16 bits at a place.
  @inline(__always)
  fileprivate func half(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
}
