// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A model file: metadata by key, and tensors by name.
///
/// A model in several files is opened by any of them, all in one folder. The first has the metadata;
/// each has tensors of its own:
///
///     model-00001-of-00003.gguf   metadata, split.count = 3
///     model-00002-of-00003.gguf   split.no = 1
///     model-00003-of-00003.gguf   split.no = 2
///
/// Tensors are read when they are asked for.
public struct GGUFFile: Sendable {
  /// The version of the format.
  public let version: Int
  /// The metadata by key.
  public let metadata: [String: GGUFValue]
  /// The tensors by name.
  public let tensors: [String: GGUFTensor]
  private let files: [ModelFile]

  /// Opens a file.
  ///
  /// - Parameter path: Where the file is; of a model in several files, where any of them is.
  /// - Throws: ``GGUFError`` with the field that is wrong, or with the part that is missing.
  /// - Complexity: Linear in the size of the headers.
  public init(path: String) throws(GGUFError) {
    let given = try GGUFPart(path: path)
    let count = given.metadata["split.count"]?.integer ?? 1
    let parts =
      count > 1 ? try Self.parts(of: given, path: path, count: count) : [given]
    version = parts[0].version
    metadata = parts[0].metadata
    files = parts.map(\.file)
    var tensors: [String: GGUFTensor] = [:]
    for (index, part) in parts.enumerated() {
      for var tensor in part.tensors.values {
        tensor.part = index
        guard tensors.updateValue(tensor, forKey: tensor.name) == nil else {
          throw GGUFError(field: tensor.name, message: "two parts of the model have the tensor.")
        }
      }
    }
    let expected = metadata["split.tensors.count"]?.integer
    guard parts.count == 1 || expected == nil || expected == tensors.count else {
      throw GGUFError(
        field: "split.tensors.count",
        message: "expected \(expected ?? 0) tensors, found \(tensors.count) in \(count) parts.")
    }
    self.tensors = tensors
  }

  /// How many numbers the tensors have in all; `Int.max` where there are more.
  public var weightCount: Int {
    tensors.values.reduce(0) { sum, tensor in
      let (total, overflow) = sum.addingReportingOverflow(tensor.count)
      return overflow ? .max : total
    }
  }

  /// Opens the other parts of a model, which lie beside the one that is open.
  private static func parts(
    of given: GGUFPart, path: String, count: Int
  ) throws(GGUFError) -> [GGUFPart] {
    func suffix(_ index: Int) -> String { String(format: "-%05d-of-%05d.gguf", index + 1, count) }
    let number = given.metadata["split.no"]?.integer ?? -1
    guard (0..<count).contains(number), count <= 99_999, path.hasSuffix(suffix(number)) else {
      throw GGUFError(
        field: "split.no",
        message: "'\(path)' is part \(number + 1) of \(count): parts are found by names that end "
          + "in '\(suffix(0))'. Give them back the names that they were published with.")
    }
    let stem = path.dropLast(suffix(number).count)
    var parts: [GGUFPart] = []
    for index in 0..<count {
      let part =
        index == number ? given : try Self.part(index, of: count, path: stem + suffix(index))
      guard part.metadata["split.no"]?.integer == index,
        part.metadata["split.count"]?.integer == count
      else {
        throw GGUFError(
          field: "split.no",
          message: "'\(stem + suffix(index))' does not say that it is part \(index + 1) of "
            + "\(count): it belongs to another model.")
      }
      parts.append(part)
    }
    return parts
  }

  private static func part(
    _ index: Int, of count: Int, path: String
  ) throws(GGUFError) -> GGUFPart {
    do {
      return try GGUFPart(path: path)
    } catch {
      throw GGUFError(
        error.kind, field: error.field, offset: error.offset,
        message: "part \(index + 1) of \(count), '\(path)': \(error.message) "
          + "All parts have to lie in one folder.")
    }
  }

  /// Some of the stored bytes of a tensor, counted from its first.
  ///
  /// - Throws: ``GGUFError`` where the file has become shorter since it was opened.
  func bytes(
    _ range: Range<Int>, of tensor: GGUFTensor
  ) throws(GGUFError) -> [UInt8] {
    let start = tensor.range.lowerBound
    return try files[tensor.part].bytes(
      in: start + range.lowerBound..<start + range.upperBound)
  }

  /// A number by which another model is told apart: of all that the headers say, and of the first
  /// numbers of each tensor.
  ///
  /// - Throws: ``GGUFError`` where the file has become shorter since it was opened.
  package func fingerprint() throws(GGUFError) -> UInt64 {
    var digest = NumbersDigest()
    for (index, file) in files.enumerated() {
      let first = tensors.values.filter { $0.part == index }.map(\.range.lowerBound).min()
      let header = try file.bytes(in: 0..<(first ?? file.size) / 4 * 4)
      header.withUnsafeBytes { digest.add($0) }
    }
    for tensor in tensors.values.sorted(by: { $0.name < $1.name }) {
      let beginning = try bytes(0..<min(64, tensor.range.count / 4 * 4), of: tensor)
      beginning.withUnsafeBytes { digest.add($0) }
    }
    return digest.value
  }
}
