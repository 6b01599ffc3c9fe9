// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the copies of a model share: connections, servers, and what is known of them.
final class ServerRuntime: Sendable {
  private struct State {
    var facts: ServerFacts?
    var availability = SystemLanguageModel.Availability.available
    var refusedFields: Set<RefusedField> = []
    var canContinue = true
  }

  /// How long a server may take to say that it is there.
  private static let availabilityTimeout = Duration.seconds(10)

  /// A body of more bytes is not sent in one go, and so opening a connection ahead does not help.
  private static let largestSingleWrite = 60_000

  let client: HTTPClient
  private let lanes: ClientLanes
  let pool: EndpointPool
  let constraints = ConstraintCache()
  private let model: String?
  private let profile: ServerProfile?
  private let route: ServerProfile.Route?
  private let apiKey: ServerAPIKey?
  private let state = Mutex(State())
  private let detection = SharedAttempt<ServerFacts>()
  private let argumentGrammars = Mutex<[String: Grammar]>([:])

  init(
    addresses: [ServerAddress], model: String?, profile: ServerProfile?,
    route: ServerProfile.Route?, apiKey: ServerAPIKey?, idleTimeout: Duration,
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) {
    client = HTTPClient(idleTimeout: max(1, idleTimeout.inSeconds), configure: configure)
    lanes = ClientLanes(like: client)
    pool = EndpointPool(addresses)
    self.model = model
    self.profile = profile
    self.route = route
    self.apiKey = apiKey
  }

  /// The number of answers that are under way.
  var openCount: Int { client.openCount + lanes.openCount }

  /// What is known already.
  var known: ServerFacts? { state.withLock { $0.facts } }
  var availability: SystemLanguageModel.Availability { state.withLock { $0.availability } }

  /// Sends a request with a prompt. The connection is opened ahead of it (``IdleConnections``), except
  /// to a server that the app alone describes: that may be made for one kind of request, as in tests.
  func send(
    _ request: URLRequest, to address: ServerAddress, facts: ServerFacts, options: ServerOptions
  ) async -> HTTPExchange {
    #if canImport(FoundationNetworking)
      if request.httpBody?.count ?? 0 <= Self.largestSingleWrite, let lane = lane(for: request) {
        if !lane.takeIdleConnection(request.url, afterStreams: facts.profile.keepsConnection),
          let (models, _) = try? await self.request(address.url("models"), options: options)
        {
          await lane.openConnection(with: models)
        }
        return lane.send(request, limit: options.answerSizeLimit) { [lanes] in
          lanes.putBack(lane)
        }
      }
    #endif
    return client.send(request, limit: options.answerSizeLimit)
  }

  /// The client whose connection is opened ahead of a request; nil where none is.
  private func lane(for request: URLRequest) -> HTTPClient? {
    #if canImport(FoundationNetworking)
      let wasAsked = profile == nil || model == nil
      return wasAsked || request.url?.scheme == "https" ? lanes.take() : nil
    #else
      return nil
    #endif
  }

  func note(isAvailable: Bool) {
    state.withLock { $0.availability = isAvailable ? .available : .unavailable(.modelNotReady) }
  }

  /// The fields that the servers have shown not to take.
  var refusedFields: Set<RefusedField> { state.withLock { $0.refusedFields } }
  /// Whether an answer that was begun can be gone on with, as far as is known.
  var canContinue: Bool { state.withLock { $0.canContinue } }

  /// Leaves a field out of requests from now on.
  ///
  /// - Returns: Whether it was in them.
  func leaveOut(_ field: RefusedField) -> Bool {
    state.withLock { state in
      // A name that took the place of a refused one is not renamed back.
      let isCircle = state.refusedFields.contains { $0.replacement == field.path }
      return isCircle ? false : state.refusedFields.insert(field).inserted
    }
  }

  func noteCannotContinue() { state.withLock { $0.canContinue = false } }

  /// The name of the model in requests.
  func modelName(_ facts: ServerFacts) -> String? { model ?? facts.models.first }

  /// What is known of the servers, which are asked where the app has not said it.
  func facts(options: ServerOptions) async throws -> ServerFacts {
    if let known { return known }
    var facts: ServerFacts
    if let profile, model != nil {
      facts = ServerFacts(profile: profile, models: [], contextSize: nil)
    } else {
      // Many first requests at once are no reason to ask many times.
      facts = try await detection.value { [self] in
        if let known { return known }
        return try await detect(options)
      }
      if let profile { facts.profile = profile }
    }
    if let route { facts.profile.route = route }
    let found = facts
    return state.withLock { state in
      state.facts = state.facts ?? found
      return state.facts ?? found
    }
  }

  /// Opens a connection, and finds out what the server is.
  func prewarm(options: ServerOptions) async {
    let isKnown = known != nil || profile != nil && model != nil
    _ = try? await facts(options: options)
    // What is known needs no request, and a connection does.
    if isKnown || known?.models.isEmpty == true, let address = pool.addresses.first {
      _ = try? await get("models", at: address, options: options)
    }
  }

  /// Asks the servers, one after the other until one answers.
  private func detect(_ options: ServerOptions) async throws -> ServerFacts {
    var failure: (any Error)?
    for address in pool.addresses {
      do {
        return try await ServerDetection(address: address, model: model) { route in
          try await self.get(route, at: address, options: options)
        }.facts()
      } catch {
        if error is CancellationError { throw error }
        failure = failure ?? error
      }
    }
    note(isAvailable: false)
    throw failure ?? CancellationError()
  }

  private func get(
    _ route: String, at address: ServerAddress, options: ServerOptions
  ) async throws -> (HTTPHead, [UInt8]) {
    let (request, secret) = try await request(address.url(route), options: options)
    do {
      // The next request finds the connection there.
      let lane = lane(for: request)
      defer { if let lane { lanes.putBack(lane) } }
      let (head, body) = try await (lane ?? client).collect(request)
      if head.status == 401 || head.status == 403 || head.status == 429 || head.status >= 500 {
        throw ServerFailure(
          server: address.name, status: head.status, head: head, secret: secret
        ).error(body: body)
      }
      return (head, body)
    } catch { throw ServerFailure.error(error, server: address.name) }
  }

  /// A request with its header fields, and the key in it, which must not be seen.
  func request(
    _ url: URL, body: GeneratedContent? = nil, options: ServerOptions
  ) async throws -> (URLRequest, secret: String?) {
    var request = URLRequest(url: url)
    request.timeoutInterval = max(1, options.idleTimeout.inSeconds)
    for (name, value) in options.headers { request.setValue(value, forHTTPHeaderField: name) }
    if let body {
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(body.jsonString.utf8)
    }
    guard let apiKey, let key = try await apiKey.value() else { return (request, nil) }
    request.setValue(
      apiKey.scheme.map { "\($0) \(key)" } ?? key, forHTTPHeaderField: apiKey.header)
    return (request, key)
  }

  /// What the arguments of a tool are held to. An optional argument may be `null`, as sessions have
  /// it.
  func argumentGrammar(of tool: Transcript.ToolDefinition) async throws -> Grammar {
    let text = try tool.parameters.grammarText()
    if let known = argumentGrammars.withLock({ $0[text] }) { return known }
    let grammar = try await ComputeThreads.shared.run {
      do {
        let schema = try GeneratedContent(json: text).allowingNullForOptionalMembers()
        return try Grammar(jsonSchema: schema.jsonString, options: .validation)
      } catch let error as GrammarError {
        throw tool.unusableParameters(error)
      }
    }
    argumentGrammars.withLock { grammars in
      // More than the tools of an agent: fewer would be compiled anew for each of its requests.
      if grammars.count >= 1024 { grammars.removeAll() }
      grammars[text] = grammar
    }
    return grammar
  }

  /// Asks whether a server is there and has the model.
  func checkAvailability(options: ServerOptions) async -> SystemLanguageModel.Availability {
    var isAvailable = false
    var options = options
    options.idleTimeout = min(options.idleTimeout, Self.availabilityTimeout)
    for address in pool.addresses {
      // A server that is still loading says so here; one without the route says nothing.
      if let (head, _) = try? await get("/health", at: address, options: options),
        head.status == 200 || head.status == 404,
        let (list, body) = try? await get("models", at: address, options: options)
      {
        let content = try? GeneratedContent(json: String(decoding: body, as: UTF8.self))
        let names = (content?["data"]?.asList ?? []).compactMap { $0["id"]?.asText }
        isAvailable =
          list.status == 404 || names.isEmpty || model == nil
          || names.contains { ServerDetection.isName(model, of: $0) }
        if isAvailable { break }
      }
    }
    note(isAvailable: isAvailable)
    return availability
  }
}

extension ServerRuntime {
  /// The number of tokens of entries: as the server counts, or more than they have.
  func tokenCount(of entries: [Transcript.Entry], options: ServerOptions) async throws -> Int {
    let facts = try await facts(options: options)
    var tools: [Transcript.ToolDefinition] = []
    for case .instructions(let entry) in entries { tools += entry.toolDefinitions }
    let formats = entries.compactMap { entry -> Transcript.ResponseFormat? in
      if case .prompt(let prompt) = entry { prompt.responseFormat } else { nil }
    }
    var schemaText: String?
    if let schema = formats.last?.schema {
      let entry = try await constraints.entry(for: schema, profile: facts.profile)
      schemaText = try SchemaWords.text(
        for: schema, notation: entry.notation, isWhole: false,
        contextSize: options.contextSize ?? facts.contextSize ?? .max)
    }
    var request = ServerRequest(
      model: modelName(facts),
      messages: try MessageWriter(schemaText: schemaText).messages(of: entries))
    request.tools = try tools.map(ServerRequest.ToolDefinition.init)
    let body = ChatRoute.body(request, profile: facts.profile, streams: false)
    // No token is less than a byte; what a template adds is far below a thousand.
    let bound = body.jsonString.utf8.count + 1024
    let size = options.contextSize ?? facts.contextSize ?? .max
    if bound <= size / 2 { return bound }
    for address in pool.addresses {
      if let count = try await count(body, facts.profile, at: address, options: options) {
        return count
      }
    }
    // About four bytes are a token; three are taken, so that too much is thought rather than too
    // little.
    return bound / 3
  }

  private func count(
    _ body: GeneratedContent, _ profile: ServerProfile, at address: ServerAddress,
    options: ServerOptions
  ) async throws -> Int? {
    let (route, field): (String, String)
    switch profile.tokenCounting {
    case .none: return nil
    case .inputTokens: (route, field) = ("chat/completions/input_tokens", "input_tokens")
    case .tokenize: (route, field) = ("/tokenize", "count")
    }
    let (request, _) = try await request(address.url(route), body: body, options: options)
    do {
      let (head, answer) = try await client.collect(request, limit: 64 << 20)
      guard head.status == 200 else { return nil }
      let content = try? GeneratedContent(json: String(decoding: answer, as: UTF8.self))
      return content?[field]?.asInteger
    } catch { throw ServerFailure.error(error, server: address.name) }
  }
}

extension ServerRequest.ToolDefinition {
  init(_ tool: Transcript.ToolDefinition) throws {
    self.init(
      name: tool.name, description: tool.description,
      parameters: try GeneratedContent(json: try tool.parameters.jsonSchema()))
  }
}

/// What the model is told of its schema.
enum SchemaWords {
  /// - Parameters:
  ///   - notation: The schema in the notation of types.
  ///   - isWhole: Whether nothing else holds the model to the schema, so that all of it is told.
  ///   - contextSize: The greatest number of tokens. A description that would take about a quarter of
  ///     it is left out where something else holds the model to the schema.
  /// - Throws: `LanguageModelError.unsupportedGenerationGuide` where all of the schema has to be told
  ///   and does not fit.
  static func text(
    for schema: GenerationSchema, notation: String, isWhole: Bool, contextSize: Int
  ) throws -> String? {
    if isWhole {
      let text = try schema.jsonSchema()
      // JSON has fewer than eight bytes a token: the context would be full of the schema alone.
      guard text.utf8.count / 8 <= contextSize else {
        throw LanguageModelError.unsupportedGenerationGuide(
          .init(
            schemaName: schema.name,
            debugDescription:
              "The server takes it neither as a grammar nor as a schema, and told to the model, its "
              + "\(text.utf8.count) bytes do not fit into a context of \(contextSize) tokens."))
      }
      return "Answer with a JSON value of this JSON Schema and nothing else: " + text
    }
    return notation.utf8.count / 3 > contextSize / 4 ? nil : "Answer with JSON: \(notation)"
  }

  /// What the model is told of a grammar that nothing else holds it to.
  static func text(for grammar: ResponseGrammar) -> String {
    switch grammar {
    case .gbnf(let text):
      "Answer with one text of this grammar and nothing else. The grammar is in GBNF, and its rule "
        + "`root` is the whole text:\n\(text)"
    case .regularExpression(let pattern):
      "Answer with one text that matches this regular expression as a whole, and nothing else: \(pattern)"
    case .choice(let texts):
      "Answer with one of these lines and nothing else:\n" + texts.joined(separator: "\n")
    }
  }
}
