// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A model behind a server: Ollama, llama-server, LM Studio, vLLM, SGLang, OpenAI, and all that speak
/// like them.
///
/// ```swift
/// let model = try ServerLanguageModel(url: URL(string: "http://localhost:8080")!)
/// let session = LanguageModelSession(model: model)
/// let city = try await session.respond(to: "A city in Japan", generating: City.self).content
/// ```
///
/// What kind of server it is, which models it has and how much it reads is asked when the first
/// request is made, unless the app says so. A request carries the strongest thing that the server
/// keeps for its schema: a grammar of this package's engine, or the schema itself. Either way every
/// value is checked byte by byte while it streams (``ServerOptions/onBrokenSchema``).
///
/// Copies of a model share its connections and what is known of the server; so make one and keep it.
public struct ServerLanguageModel: TokenCountingModel, AvailabilityReporting {
  let runtime: ServerRuntime
  /// How the server is asked.
  public var options: ServerOptions

  /// Creates a model behind one server.
  ///
  /// - Parameters:
  ///   - url: Where the server is: `http://localhost:8080`, `https://api.openai.com/v1`.
  ///   - model: The name of the model; the first that the server has where nil.
  ///   - profile: What the server keeps of a schema; found by asking where nil.
  ///   - route: The route; that of the profile where nil.
  ///   - apiKey: The key, asked for when it is needed; none where nil.
  ///   - options: How the server is asked.
  ///   - configure: Changes how connections are made: proxies, header fields, classes that answer in
  ///     a test (`protocolClasses`). Called once, here. To limit the number of requests put a
  ///     `RateLimitedLanguageModel` around the model: a request that waits for a connection of
  ///     Foundation's runs into ``ServerOptions/idleTimeout``.
  /// - Throws: ``ServerError`` where the address is not one of HTTP.
  public init(
    url: URL, model: String? = nil, profile: ServerProfile? = nil,
    route: ServerProfile.Route? = nil, apiKey: ServerAPIKey? = nil,
    options: ServerOptions = ServerOptions(),
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      endpoints: [url], model: model, profile: profile, route: route, apiKey: apiKey,
      options: options, configure: configure)
  }

  /// Creates a model that several servers of one kind have. The least busy one is asked; one that
  /// fails is left out for a while, and another is asked in its place.
  ///
  /// - Parameters:
  ///   - endpoints: Where the servers are; at least one.
  ///   - model: The name of the model; the first that the first server has where nil.
  ///   - profile: What the servers keep of a schema; found by asking where nil.
  ///   - route: The route; that of the profile where nil.
  ///   - apiKey: The key, asked for when it is needed; none where nil.
  ///   - options: How the servers are asked.
  ///   - configure: Changes how connections are made, as for one server.
  /// - Throws: ``ServerError`` where an address is not one of HTTP, or there is none.
  public init(
    endpoints: [URL], model: String? = nil, profile: ServerProfile? = nil,
    route: ServerProfile.Route? = nil, apiKey: ServerAPIKey? = nil,
    options: ServerOptions = ServerOptions(),
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    guard !endpoints.isEmpty else {
      throw ServerError(
        .badRequest, server: "", problem: "A model needs the address of at least one server.",
        suggestion: "Give one.")
    }
    self.options = options
    runtime = ServerRuntime(
      addresses: try endpoints.map { try ServerAddress($0) }, model: model, profile: profile,
      route: route, apiKey: apiKey, idleTimeout: options.idleTimeout,
      configure: configure)
  }

  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .toolCalling, .reasoning, .vision])
  }

  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(runtime: runtime)
  }

  /// What the last answer of the server said: it can be asked until it could not.
  public var availability: SystemLanguageModel.Availability { runtime.availability }

  /// Asks the server whether it is there and has the model. Each that says nothing for ten
  /// seconds is taken not to be there.
  ///
  /// - Returns: Whether it can be asked; ``availability`` says the same from then on.
  public func checkAvailability() async -> SystemLanguageModel.Availability {
    await runtime.checkAvailability(options: options)
  }

  /// What the server says of itself.
  ///
  /// - Throws: ``ServerError`` where nobody answers, or the key is not taken.
  public func facts() async throws -> ServerFacts { try await runtime.facts(options: options) }

  /// What requests carry for a schema, and what the server cannot be trusted with.
  ///
  /// - Throws: ``ServerError`` where nobody answers, `LanguageModelError` where the schema cannot
  ///   be honoured.
  public func constraint(for schema: GenerationSchema) async throws -> ServerConstraint {
    let profile = try await runtime.facts(options: options).profile
    let entry = try await runtime.constraints.entry(for: schema, profile: profile)
    return entry.constraints[0]
  }

  /// The greatest number of tokens of transcript and response together; no limit while it is not
  /// known.
  public var contextSize: Int {
    options.contextSize ?? runtime.known?.contextSize ?? .max
  }

  /// The number of tokens of entries, as the server counts them; an upper bound where it does not
  /// count.
  ///
  /// Entries that are certain to fit, by their bytes, are not counted: that would cost a request each
  /// time.
  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    try await runtime.tokenCount(of: entries, options: options)
  }

  /// The number of answers that are under way.
  package var openConnectionCount: Int { runtime.openCount }
}

extension ServerLanguageModel: GrammarKeepingModel, GrammarGuidedModel {
  package var validationGrammars: GrammarCache { runtime.constraints.grammars }
}
