// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The rows of a matrix that stays in its file and is read row by row: of the numbers that layers take
/// in of each token, a model of Gemma has more than of all else, and needs one row for a token.
struct StoredRows: Sendable {
  private let file: GGUFFile
  private let tensor: GGUFTensor
  private let rowBytes: Int

  /// How many numbers a row has.
  var columns: Int { tensor.dimensions[0] }

  /// - Parameter tensor: A matrix of the file.
  init(_ tensor: GGUFTensor, of file: GGUFFile) {
    (self.file, self.tensor) = (file, tensor)
    rowBytes = tensor.dimensions[0] / tensor.type.blockSize * tensor.type.blockBytes
  }

  /// Writes a row as numbers.
  ///
  /// - Throws: ``GGUFError`` where the file has become shorter, or cannot be read.
  func copyRow(_ row: Int, to output: UnsafeMutablePointer<Float>) throws(GGUFError) {
    let stored = try file.bytes(row * rowBytes..<(row + 1) * rowBytes, of: tensor)
    var memory: WeightMemory?
    WeightMatrix(stored, columns: columns, type: tensor.type, memory: &memory)
      .copyRow(0, to: output)
  }
}
