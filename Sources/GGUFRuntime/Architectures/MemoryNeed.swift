// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How much memory a model takes, said before its weights are read.
package struct MemoryNeed: Sendable, Equatable {
  /// The weights, in the layout that the kernels read.
  package var weights: Int
  /// What is remembered of each token of a sequence.
  package var token: Int
  /// What is remembered of a sequence, however long it is.
  package var sequence: Int

  /// Finds every tensor of a file and checks its extents.
  ///
  /// - Throws: ``GGUFError`` with what is missing or not known.
  package init(file: GGUFFile, parameters: ModelParameters) throws(GGUFError) {
    var loader = WeightLoader(file: file, measuresOnly: true)
    _ = try TransformerWeights(&loader, parameters: parameters)
    let shape = parameters.cacheShape
    weights = loader.byteCount
    token = shape.pageCount * 4 / CachePage.positions
    sequence = shape.stateCount * 4
  }
}
