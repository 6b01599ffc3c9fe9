// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A file of the form GGUF: a whole model, or a part of one.
///
/// The header is read and checked in full: every count against the bytes that are left, every tensor
/// against the end of the file.
///
/// Source: the GGUF specification, versions 2 and 3 (little-endian).
struct GGUFPart: Sendable {
  let version: Int
  let metadata: [String: GGUFValue]
  let tensors: [String: GGUFTensor]
  let file: ModelFile

  /// - Complexity: Linear in the size of the header.
  init(path: String) throws(GGUFError) {
    file = try ModelFile(path: path)
    var cursor = GGUFCursor(file)
    let magic = try cursor.integer(UInt32.self, "magic")
    guard magic == 0x4655_4747 else {
      let head = try file.bytes(in: 0..<min(file.size, OtherFile.headCount))
      let found = OtherFile.description(of: head) ?? "other bytes: this is no model file."
      throw GGUFError(
        .otherContent, field: "magic", offset: 0, message: "expected 'GGUF', found \(found)")
    }
    let version = try cursor.integer(UInt32.self, "version")
    guard version == 2 || version == 3 else {
      let swapped = version.byteSwapped
      throw GGUFError(
        .unsupported, field: "version", offset: 4,
        message: swapped == 2 || swapped == 3
          ? "the file is big-endian: expected little-endian. Take the usual file of the model."
          : "expected 2 or 3, found \(version).")
    }
    self.version = Int(version)
    let tensorCount = try cursor.count("tensor count", minimumSize: 24)
    let keyCount = try cursor.count("metadata count", minimumSize: 13)
    var metadata: [String: GGUFValue] = [:]
    for index in 0..<keyCount {
      let key = try cursor.text("metadata key \(index)")
      let start = cursor.offset
      let type = try cursor.integer(UInt32.self, key)
      let value = try cursor.value(ofType: type, key)
      guard metadata.updateValue(value, forKey: key) == nil else {
        throw GGUFError(field: key, offset: start, message: "the key is there twice.")
      }
    }
    self.metadata = metadata
    tensors = try Self.readTensors(
      &cursor, count: tensorCount, metadata: metadata, fileSize: file.size)
  }

  private static func readTensors(
    _ cursor: inout GGUFCursor, count: Int, metadata: [String: GGUFValue], fileSize: Int
  ) throws(GGUFError) -> [String: GGUFTensor] {
    let alignment = metadata["general.alignment"]?.integer ?? 32
    guard alignment > 0, alignment <= 1 << 20, alignment & (alignment - 1) == 0 else {
      throw GGUFError(
        field: "general.alignment", message: "expected a power of two, found \(alignment).")
    }
    var tensors: [String: GGUFTensor] = [:]
    var list: [GGUFTensor] = []
    for index in 0..<count {
      let tensor = try readTensor(&cursor, index: index, alignment: alignment)
      list.append(tensor)
    }
    let dataStart = (cursor.offset + alignment - 1) & ~(alignment - 1)
    for var tensor in list {
      let (start, overflow) = tensor.range.lowerBound.addingReportingOverflow(dataStart)
      let size = tensor.range.count
      guard !overflow, start <= fileSize, size <= fileSize - start else {
        throw GGUFError(
          field: tensor.name,
          message:
            "its \(size) bytes do not lie within the file of \(fileSize) bytes: the file is cut.")
      }
      tensor.range = start..<(start + size)
      guard tensors.updateValue(tensor, forKey: tensor.name) == nil else {
        throw GGUFError(field: tensor.name, message: "the tensor is there twice.")
      }
    }
    return tensors
  }

  private static func readTensor(
    _ cursor: inout GGUFCursor, index: Int, alignment: Int
  ) throws(GGUFError) -> GGUFTensor {
    let name = try cursor.text("tensor name \(index)")
    let start = cursor.offset
    let rank = try cursor.integer(UInt32.self, name)
    guard (1...4).contains(rank) else {
      throw GGUFError(
        field: name, offset: start, message: "expected 1 to 4 dimensions, found \(rank).")
    }
    var dimensions: [Int] = []
    var count = 1
    for _ in 0..<rank {
      let extent = try cursor.integer(UInt64.self, name)
      guard let extent = Int(exactly: extent), extent > 0 else {
        throw GGUFError(field: name, offset: start, message: "an extent of \(extent).")
      }
      let (product, overflow) = count.multipliedReportingOverflow(by: extent)
      guard !overflow, UInt64(product) <= 1 << 48 else {
        throw GGUFError(field: name, offset: start, message: "the extents are too great.")
      }
      count = product
      dimensions.append(extent)
    }
    let typeStart = cursor.offset
    let code = try cursor.integer(UInt32.self, name)
    guard let type = GGUFTensorType(rawValue: code) else {
      let known = GGUFTensorType.allCases.map { "\($0)".uppercased() }.joined(separator: ", ")
      throw GGUFError(
        .unsupported, field: name, offset: typeStart,
        message: "the tensor's form is \(GGUFTensorType.unreadName(code)), which is not read. Take "
          + "another file of the model, such as Q4_K_M. These are read: \(known).")
    }
    guard dimensions[0] % type.blockSize == 0 else {
      throw GGUFError(
        field: name, offset: typeStart,
        message: "a row of \(dimensions[0]) numbers is no whole number of \(type) blocks.")
    }
    let offsetStart = cursor.offset
    let offset = try cursor.integer(UInt64.self, name)
    guard let offset = Int(exactly: offset), offset % alignment == 0 else {
      throw GGUFError(
        field: name, offset: offsetStart,
        message: "its offset \(offset) is no multiple of the alignment \(alignment).")
    }
    let size = count / type.blockSize * type.blockBytes
    guard offset <= Int.max - size else {
      throw GGUFError(field: name, offset: offsetStart, message: "its offset is too great.")
    }
    return GGUFTensor(
      name: name, dimensions: dimensions, type: type, range: offset..<(offset + size))
  }
}
