// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// An embedding model behind a server: the route `/v1/embeddings` of OpenAI, llama-server, Ollama, vLLM
/// and others.
///
/// ```swift
/// let model = try ServerEmbeddingModel(
///   url: URL(string: "http://localhost:11434")!, model: "all-minilm", dimensions: 384)
/// let vectors = try await model.vectors(for: ["a temple of gold"], as: .document)
/// ```
///
/// Texts go to the server in batches, one after the other. Numbers come as text or as base64, as the
/// server has it. Errors are those of ``ServerLanguageModel``.
public struct ServerEmbeddingModel: EmbeddingModel {
  let runtime: ServerRuntime
  /// The name of the model.
  public let model: String
  public let dimensions: Int
  /// How many texts a request carries at most; at least one.
  public var batchSize = 64
  /// What is put before a question: some models were trained so (`"search_query: "`).
  public var queryPrefix = ""
  /// What is put before a text that is searched (`"search_document: "`).
  public var documentPrefix = ""
  /// Whether numbers are asked for in base64: a third of the bytes, where the server can.
  public var prefersBase64 = false
  /// How the server is asked.
  public var options: ServerOptions

  /// Creates a model behind a server.
  ///
  /// - Parameters:
  ///   - url: Where the server is, as for ``ServerLanguageModel``.
  ///   - model: The name of the model.
  ///   - dimensions: How many numbers its vectors have; every answer is held to it.
  ///   - apiKey: The key, asked for when it is needed; none where nil.
  ///   - options: How the server is asked.
  ///   - configure: Changes how connections are made, as for ``ServerLanguageModel``.
  /// - Throws: ``ServerError`` where the address is not one of HTTP.
  public init(
    url: URL, model: String, dimensions: Int, apiKey: ServerAPIKey? = nil,
    options: ServerOptions = ServerOptions(),
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    self.model = model
    self.dimensions = dimensions
    self.options = options
    runtime = ServerRuntime(
      addresses: [try ServerAddress(url)], model: model, profile: nil, route: nil, apiKey: apiKey,
      idleTimeout: options.idleTimeout, configure: configure)
  }

  /// The name of the model, its dimensions, and what is put before texts.
  public var identifier: String {
    "\(model)/\(dimensions)"
      + (documentPrefix.isEmpty && queryPrefix.isEmpty ? "" : "/\(documentPrefix)|\(queryPrefix)")
  }

  public func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
    let prefix = role == .query ? queryPrefix : documentPrefix
    var vectors: [[Float]] = []
    vectors.reserveCapacity(texts.count)
    var rest = texts[...]
    while !rest.isEmpty {
      let batch = rest.prefix(max(1, batchSize))
      vectors += try await ask(batch.map { prefix + $0 })
      rest = rest.dropFirst(batch.count)
    }
    return vectors
  }

  private func ask(_ texts: [String]) async throws -> [[Float]] {
    let address = runtime.pool.addresses[0]
    var body = GeneratedContent.members([
      "model": model, "input": GeneratedContent.items(texts.map(\.generatedContent)),
      "encoding_format": prefersBase64 ? "base64" : "float",
    ])
    if let members = options.extraFields?.asMembers {
      for (name, value) in members { body = body.adding([name: value]) }
    }
    let (request, secret) = try await runtime.request(
      address.url("embeddings"), body: body, options: options)
    let (head, answer): (HTTPHead, [UInt8])
    do {
      (head, answer) = try await runtime.client.collect(
        request, limit: options.answerSizeLimit)
    } catch {
      throw ServerFailure.error(error, server: address.name)
    }
    guard head.status == 200 else {
      throw ServerFailure(
        server: address.name, status: head.status, head: head, model: model, secret: secret
      ).error(body: answer)
    }
    let count = texts.count
    // Some hundred thousand numbers are read: not on a thread that other tasks need.
    return try await ComputeThreads.shared.run {
      try EmbeddingAnswer(server: address.name, dimensions: dimensions)
        .vectors(in: answer, count: count)
    }
  }
}
