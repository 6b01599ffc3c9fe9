// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore
public import GGUFRuntime

/// An embedding model that is run in this process, on the CPU.
///
/// ```swift
/// let model = try LocalEmbeddingModel(path: "all-MiniLM-L6-v2.gguf")
/// let vectors = try await model.vectors(for: ["a temple of gold"], as: .document)
/// ```
///
/// Architectures: bert (MiniLM, BGE, E5, GTE) and nomic-bert, with the pooling that the file names. It
/// computes on threads of its own kind, text by text in turns, as the other local models do. Copies
/// share the weights.
public struct LocalEmbeddingModel: EmbeddingModel {
  /// What the model's speed depends on.
  public struct Options: Sendable, Hashable {
    /// The greatest number of threads for one computation. One leaves the other cores to the app.
    public var threads: Int
    /// About how many tokens are read together.
    public var batchSize: Int
    /// For which kind of processor the kernels are compiled. All give the same numbers.
    public var kernels: ProcessorKernels

    /// Creates options.
    public init(threads: Int = 1, batchSize: Int = 256, kernels: ProcessorKernels = .best) {
      self.threads = threads
      self.batchSize = batchSize
      self.kernels = kernels
    }
  }

  public let dimensions: Int
  public let maximumTokenCount: Int?
  /// What is put before a question: some models were trained so (`"search_query: "`).
  public var queryPrefix = ""
  /// What is put before a text that is searched (`"search_document: "`).
  public var documentPrefix = ""

  private let encoder: EncoderTransformer
  private let name: String
  private let tokens: TokenEncoder
  private let beginning: Int?
  private let end: Int
  private let contextSize: Int
  private let batchSize: Int

  /// Opens a model file.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - options: What the speed depends on.
  /// - Throws: `GGUFError` with the field that is wrong, `general.architecture` where the model is none
  ///   for embeddings.
  public init(path: String, options: Options = Options()) throws(GGUFError) {
    let file = try GGUFFile(path: path)
    let parameters = try EncoderParameters(metadata: file.metadata)
    let tables = try TokenizerTables(metadata: file.metadata)
    tokens = try TokenEncoder(tables)
    (beginning, end) = (tables.addsBeginning ? tables.beginning : nil, tables.end)
    encoder = try EncoderTransformer(
      file: file, parameters: parameters, Compute(options.kernels, threads: options.threads))
    guard encoder.vocabularySize >= tables.tokenCount else {
      throw GGUFError(
        field: "token_embd.weight",
        message: "\(encoder.vocabularySize) rows for \(tables.tokenCount) tokens.")
    }
    dimensions = parameters.width
    contextSize = parameters.contextSize
    maximumTokenCount = parameters.contextSize
    batchSize = max(1, options.batchSize)
    // With what the file holds: many files of different models have the same name.
    name =
      (file.metadata["general.name"]?.string ?? "gguf") + "/"
      + String(try file.fingerprint(), radix: 16)
  }

  /// The name of the model, what its file holds, and what is put before texts: vectors that were made
  /// otherwise cannot be compared.
  public var identifier: String {
    documentPrefix.isEmpty && queryPrefix.isEmpty
      ? name : "\(name)/\(documentPrefix)|\(queryPrefix)"
  }

  public func tokenCount(of text: String) -> Int { tokens(of: text).count }

  public func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
    let prefix = role == .query ? queryPrefix : documentPrefix
    return try await ComputeThreads.shared.run {
      let all = try texts.map { try checkedTokens(of: prefix + $0) }
      var vectors: [[Float]] = []
      vectors.reserveCapacity(all.count)
      var rest = all[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        var count = 0
        let batch = rest.prefix { text in
          defer { count += text.count }
          return count == 0 || count + text.count <= batchSize
        }
        vectors += encoder.vectors(of: Array(batch))
        rest = rest.dropFirst(batch.count)
        await ComputeThreads.shared.turn()
      }
      return vectors
    }
  }

  /// The tokens of a text and those around it. Names of special tokens in it are text.
  private func tokens(of text: String) -> [Int] {
    (beginning.map { [$0] } ?? []) + tokens.encode(text, parsesSpecialTokens: false) + [end]
  }

  private func checkedTokens(of text: String) throws -> [Int] {
    let tokens = tokens(of: text)
    guard tokens.count <= contextSize else {
      throw EmbeddingError(
        .textTooLong, model: identifier,
        problem: "Expected at most \(contextSize) tokens, found \(tokens.count) in a text that "
          + "begins with '\(text.prefix(40))'.",
        suggestion: "Cut the text into chunks, as 'KnowledgeIndex' does.")
    }
    return tokens
  }
}
