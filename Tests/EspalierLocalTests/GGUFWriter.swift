// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes tiny model files for tests.
struct GGUFWriter {
  var version: UInt32 = 3
  private var header: [UInt8] = []
  private var keyCount: UInt64 = 0
  private var tensors: [(name: String, dimensions: [Int], type: UInt32, data: [UInt8])] = []

  init() {}

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  static func text(_ text: String) -> [UInt8] { bytes(UInt64(text.utf8.count)) + text.utf8 }

  private mutating func key(_ key: String, _ type: UInt32, _ payload: [UInt8]) {
    keyCount += 1
    header += Self.text(key) + Self.bytes(type) + payload
  }

  mutating func set(_ name: String, _ value: String) { key(name, 8, Self.text(value)) }
  mutating func set(_ name: String, _ value: UInt32) { key(name, 4, Self.bytes(value)) }
  mutating func set(_ name: String, _ value: Float) { key(name, 6, Self.bytes(value.bitPattern)) }
  mutating func set(_ name: String, _ value: Bool) { key(name, 7, [value ? 1 : 0]) }
  mutating func set(_ name: String, _ values: [String]) {
    key(
      name, 9, Self.bytes(UInt32(8)) + Self.bytes(UInt64(values.count)) + values.flatMap(Self.text))
  }
  mutating func set(_ name: String, _ values: [Int32]) {
    key(
      name, 9, Self.bytes(UInt32(5)) + Self.bytes(UInt64(values.count)) + values.flatMap(Self.bytes)
    )
  }
  mutating func set(_ name: String, _ values: [Bool]) {
    key(
      name, 9,
      Self.bytes(UInt32(7)) + Self.bytes(UInt64(values.count)) + values.map { $0 ? 1 : 0 })
  }
  mutating func set(_ name: String, _ values: [Float]) {
    key(
      name, 9,
      Self.bytes(UInt32(6)) + Self.bytes(UInt64(values.count))
        + values.flatMap { Self.bytes($0.bitPattern) })
  }

  mutating func add(_ name: String, _ dimensions: [Int], _ values: [Float]) {
    add(name, dimensions, type: 0, values.withUnsafeBytes { Array($0) })
  }

  mutating func add(_ name: String, _ dimensions: [Int], type: UInt32, _ data: [UInt8]) {
    tensors.append((name, dimensions, type, data))
  }

  /// The same model in several files: the metadata in the first, tensors in all.
  func split(into count: Int) -> [GGUFWriter] {
    (0..<count).map { index in
      var part = index == 0 ? self : GGUFWriter()
      part.set("split.no", UInt32(index))
      part.set("split.count", UInt32(count))
      part.set("split.tensors.count", UInt32(tensors.count))
      part.tensors = tensors.enumerated().filter { $0.offset % count == index }.map(\.element)
      return part
    }
  }

  func file() -> [UInt8] {
    var result = Array("GGUF".utf8) + Self.bytes(version)
    result += Self.bytes(UInt64(tensors.count)) + Self.bytes(keyCount) + header
    var offset = 0
    for tensor in tensors {
      result += Self.text(tensor.name) + Self.bytes(UInt32(tensor.dimensions.count))
      for extent in tensor.dimensions { result += Self.bytes(UInt64(extent)) }
      result += Self.bytes(tensor.type) + Self.bytes(UInt64(offset))
      offset += (tensor.data.count + 31) / 32 * 32
    }
    for tensor in tensors {
      result += repeatElement(0, count: (32 - result.count % 32) % 32)
      result += tensor.data
    }
    return result
  }
}

/// A file that is gone when the closure has ended.
@discardableResult
func withTemporaryFile<Result>(
  _ bytes: [UInt8], _ body: (String) throws -> Result
) throws -> Result {
  let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gguf")
  try Data(bytes).write(to: url)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url.path)
}
