// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import GGUFRuntime

extension GGUFTokenModel {
  /// What it takes to run a model file.
  public struct Requirements: Sendable, Hashable {
    /// How many bytes of memory the weights take.
    public var weightBytes: Int
    /// How many bytes each token of a sequence takes.
    public var bytesPerToken: Int
    /// How many bytes a sequence takes beside its tokens.
    public var bytesPerSequence: Int
    /// The greatest number of tokens in a sequence.
    public var contextSize: Int

    /// Reads what a file says of itself, and finds all of its tensors, but reads none.
    ///
    /// ```swift
    /// let needed = try GGUFTokenModel.Requirements(path: "model.gguf").bytes(forTokens: 4096)
    /// ```
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - cachePrecision: How exactly what was read is remembered.
    /// - Throws: `GGUFError` where the file cannot be run here, with what it needs and is not known.
    /// - Complexity: Linear in the size of the header.
    public init(
      path: String, cachePrecision: CachePrecision = .float32
    ) throws(GGUFError) {
      let file = try GGUFFile(path: path)
      var parameters = try ModelParameters(metadata: file.metadata)
      parameters.cachePrecision = cachePrecision
      _ = try Tokenizer(metadata: file.metadata)
      let need = try MemoryNeed(file: file, parameters: parameters)
      (weightBytes, bytesPerToken, bytesPerSequence) = (need.weights, need.token, need.sequence)
      contextSize = parameters.contextSize
    }

    /// The memory of the weights and of one sequence of so many tokens.
    public func bytes(forTokens count: Int) -> Int {
      let (tokens, overflow) = bytesPerToken.multipliedReportingOverflow(by: max(0, count))
      return overflow ? .max : weightBytes + bytesPerSequence + tokens
    }
  }
}
