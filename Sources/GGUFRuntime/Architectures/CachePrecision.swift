// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How exactly a model remembers the keys and values of the tokens that it has read.
///
/// With fewer bits a sequence takes less memory, and the model computes a little more to read it. A key
/// or value of a head is kept as whole numbers with a scale of its own.
public enum CachePrecision: Int, Sendable, Hashable, CaseIterable {
  /// Numbers of 32 bits, as they were computed.
  case float32 = 32
  /// Whole numbers of 16 bits: half of the memory.
  case int16 = 16
  /// Whole numbers of 8 bits: a quarter of the memory, and logits that differ.
  case int8 = 8

  /// How many bytes a number takes.
  var byteCount: Int { rawValue / 8 }
}

// The keys of a head in a page stand number by number, those of 16 positions side by side; the values
// stand position by position. Of whole numbers the scales of the 16 positions follow both:
//
//     keys     k₀ of positions 0…15, k₁ of positions 0…15, …    16 scales
//     values   v₀ v₁ … of position 0, v₀ v₁ … of position 1, …  16 scales
//
// Attention reads numbers of 32 bits: before it, the pages of a head are unpacked. That is one
// multiplication for each number, whoever asks, so batches and threads change no bit.

extension CacheShape.Layer {
  /// How many bytes the keys of a head in a page take, with their scales.
  private var keyBytes: Int {
    CachePage.positions * (size * precision.byteCount + MemoryLayout<Float>.size)
  }

  /// How many bytes a head takes in a page of whole numbers: a multiple of 64.
  var packedHeadBytes: Int {
    let values = CachePage.positions * (valueSize * precision.byteCount + MemoryLayout<Float>.size)
    return (keyBytes + values + 63) / 64 * 64
  }

  /// How many numbers a head has in a page that is unpacked.
  var unpackedHeadCount: Int { CachePage.positions * (size + valueSize) }

  /// Writes a key and a value of a position.
  func pack(
    _ key: UnsafePointer<Float>, _ value: UnsafePointer<Float>, position: Int,
    into head: UnsafeMutableRawPointer
  ) {
    let positions = CachePage.positions
    switch precision {
    case .float32: break
    case .int16:
      Self.pack(
        key, size, Int16.self, head, first: position, stride: positions,
        scale: positions * size, position)
      Self.pack(
        value, size, Int16.self, head + keyBytes, first: position * valueSize, stride: 1,
        scale: positions * valueSize, position)
    case .int8:
      Self.pack(
        key, size, Int8.self, head, first: position, stride: positions,
        scale: positions * size, position)
      Self.pack(
        value, size, Int8.self, head + keyBytes, first: position * valueSize, stride: 1,
        scale: positions * valueSize, position)
    }
  }

  /// Writes numbers as whole ones, the greatest as the greatest.
  @inline(__always)
  private static func pack<Code: FixedWidthInteger & SignedInteger>(
    _ numbers: UnsafePointer<Float>, _ count: Int, _: Code.Type, _ target: UnsafeMutableRawPointer,
    first: Int, stride: Int, scale scalePlace: Int, _ position: Int
  ) {
    var greatest: Float = 0
    for i in 0..<count { greatest = max(greatest, abs(numbers[i])) }
    let scale = greatest / Float(Code.max)
    let inverse = scale > 0 && scale.isFinite ? 1 / scale : 0
    let codes = target.assumingMemoryBound(to: Code.self)
    for i in 0..<count {
      let code = (numbers[i] * inverse).rounded(.toNearestOrEven)
      codes[first + i * stride] = Code(exactly: code) ?? 0
    }
    UnsafeMutableRawPointer(codes + scalePlace).storeBytes(
      of: scale, toByteOffset: position * MemoryLayout<Float>.size, as: Float.self)
  }

  /// Writes the keys and values of a head as attention reads them.
  func unpack(_ head: UnsafeRawPointer, into target: UnsafeMutablePointer<Float>) {
    switch precision {
    case .float32: break
    case .int16: unpack(head, Int16.self, into: target)
    case .int8: unpack(head, Int8.self, into: target)
    }
  }

  @inline(__always)
  private func unpack<Code: FixedWidthInteger & SignedInteger>(
    _ head: UnsafeRawPointer, _: Code.Type, into target: UnsafeMutablePointer<Float>
  ) {
    let positions = CachePage.positions
    let keys = head.assumingMemoryBound(to: Code.self)
    let keyScales = UnsafeRawPointer(keys + positions * size).assumingMemoryBound(to: Float.self)
    for i in 0..<size {
      let (row, output) = (keys + i &* positions, target + i &* positions)
      for position in 0..<positions {
        output[position] = Float(row[position]) * keyScales[position]
      }
    }
    let values = (head + keyBytes).assumingMemoryBound(to: Code.self)
    let valueScales = UnsafeRawPointer(values + positions * valueSize)
      .assumingMemoryBound(to: Float.self)
    for position in 0..<positions {
      let row = values + position &* valueSize
      let output = target + (positions &* size &+ position &* valueSize)
      let scale = valueScales[position]
      for i in 0..<valueSize { output[i] = Float(row[i]) * scale }
    }
  }
}
