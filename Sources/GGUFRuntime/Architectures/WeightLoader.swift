// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Finds the tensors of a file by name, checks their extents and brings them into the kernels' layout.
struct WeightLoader {
  let file: GGUFFile
  /// Whether matrices are only measured: nothing of them is read, and they have no rows.
  let measuresOnly: Bool
  /// How many bytes all matrices take.
  private(set) var byteCount = 0
  /// The tensors that were asked for.
  private var known: Set<String> = []
  private var memory: WeightMemory?

  init(file: GGUFFile, measuresOnly: Bool = false) {
    self.file = file
    self.measuresOnly = measuresOnly
  }

  private mutating func tensor(
    _ name: String, _ dimensions: [Int]
  ) throws(GGUFError) -> GGUFTensor {
    known.insert(name)
    guard let tensor = file.tensors[name] else {
      throw GGUFError(field: name, message: "expected \(dimensions), found no such tensor.")
    }
    guard tensor.dimensions == dimensions else {
      throw GGUFError(
        field: name, message: "expected \(dimensions), found \(tensor.dimensions).")
    }
    return tensor
  }

  /// A matrix that stays in the file.
  mutating func rows(_ name: String, _ columns: Int, _ rows: Int) throws(GGUFError) -> StoredRows {
    StoredRows(try tensor(name, [columns, rows]), of: file)
  }

  /// A matrix, or some rows of one.
  ///
  /// - Parameter ranges: Which rows, one behind the other; all where nil.
  mutating func matrix(
    _ name: String, _ columns: Int, _ rows: Int, taking ranges: [Range<Int>]? = nil
  ) throws(GGUFError) -> WeightMatrix {
    try matrix(try tensor(name, [columns, rows]), taking: ranges ?? [0..<rows])
  }

  private mutating func matrix(
    _ tensor: GGUFTensor, taking ranges: [Range<Int>]
  ) throws(GGUFError) -> WeightMatrix {
    let columns = tensor.dimensions[0]
    byteCount += WeightMatrix.byteCount(
      rows: ranges.reduce(0) { $0 + $1.count }, columns: columns, type: tensor.type)
    if measuresOnly {
      return WeightMatrix([], columns: columns, type: tensor.type, memory: &memory)
    }
    return try read(tensor, taking: ranges)
  }

  private mutating func read(
    _ tensor: GGUFTensor, taking ranges: [Range<Int>]
  ) throws(GGUFError) -> WeightMatrix {
    let columns = tensor.dimensions[0]
    let rowBytes = columns / tensor.type.blockSize * tensor.type.blockBytes
    var stored: [UInt8] = []
    for range in ranges {
      let part = try file.bytes(
        range.lowerBound * rowBytes..<range.upperBound * rowBytes, of: tensor)
      if ranges.count == 1 { stored = part } else { stored += part }
    }
    return WeightMatrix(stored, columns: columns, type: tensor.type, memory: &memory)
  }

  /// Matrices that one tensor holds, or some rows of each.
  mutating func matrices(
    _ name: String, _ columns: Int, _ rows: Int, _ count: Int, taking range: Range<Int>? = nil
  ) throws(GGUFError) -> [WeightMatrix] {
    let tensor = try tensor(name, [columns, rows, count])
    let range = range ?? 0..<rows
    var matrices: [WeightMatrix] = []
    for index in 0..<count {
      let first = index * rows
      matrices.append(
        try matrix(tensor, taking: [first + range.lowerBound..<first + range.upperBound]))
    }
    return matrices
  }

  mutating func vector(_ name: String, _ count: Int) throws(GGUFError) -> [Float] {
    try numbers(name, [count])
  }

  mutating func optionalVector(_ name: String, _ count: Int) throws(GGUFError) -> [Float]? {
    file.tensors[name] == nil ? nil : try vector(name, count)
  }

  /// Makes sure that no bias was left out: without it every answer would be wrong.
  func checkBiases(_ p: ModelParameters) throws(GGUFError) {
    let unread = file.tensors.keys.filter { name in
      // Layers beyond the model's own guess tokens ahead.
      let layer = name.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0
      return name.hasSuffix(".bias") && layer < p.layers.count && !known.contains(name)
    }
    guard let name = unread.min() else { return }
    throw GGUFError(
      .unsupported, field: name,
      message: "models of the family '\(p.architecture.rawValue)' are read without this bias, and "
        + "would answer wrong.")
  }

  /// All numbers of a tensor, row by row.
  mutating func numbers(_ name: String, _ dimensions: [Int]) throws(GGUFError) -> [Float] {
    let tensor = try tensor(name, dimensions)
    let matrix = try read(tensor, taking: [0..<tensor.count / dimensions[0]])
    let count = tensor.count
    return [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let base = buffer.baseAddress {
        for row in 0..<matrix.rows { matrix.copyRow(row, to: base + row * matrix.columns) }
      }
      initialized = count
    }
  }

  /// A vector for each expert; nil where the file has none.
  mutating func optionalVectors(
    _ name: String, _ length: Int, _ count: Int
  ) throws(GGUFError) -> [[Float]]? {
    guard file.tensors[name] != nil else { return nil }
    let all = try numbers(name, [length, count])
    return (0..<count).map { Array(all[$0 * length..<($0 + 1) * length]) }
  }
}
