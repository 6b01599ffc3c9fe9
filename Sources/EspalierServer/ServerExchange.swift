// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers one request of a session: as many requests to servers as that takes.
///
///     ask        the least busy server, with the strongest form of the schema that it takes
///     refused    the form is: the next form is sent; the server fails before it says anything: the
///                next server is asked
///     broken     the value breaks its schema: the connection is closed, and the policy decides
///     end        the usage of all attempts together is stated
struct ServerExchange {
  typealias Channel = LanguageModelExecutorGenerationChannel

  let runtime: ServerRuntime
  let options: ServerOptions
  let channel: Channel
  let facts: ServerFacts
  let schema: GenerationSchema?
  let grammar: Grammar?
  /// The schema in the notation of types, or what the model is told of the app's grammar.
  let notation: String
  /// Whether the grammar is one of the app, and the answer no value.
  let isText: Bool
  let toolGrammars: [String: Grammar]
  /// The JSON Schema of a value whose probabilities are measured.
  private var measuredSchema: GeneratedContent?
  let transcript: Transcript
  let includesSchema: Bool?
  let entries: AnswerReader.Entries
  var request: ServerRequest
  var constraints: [ServerConstraint]
  var usage = AnswerUsage()
  /// What has been handed on of a value that is gone on with.
  var prefix = ""
  var corrections: [ServerRequest.Message] = []
  /// The break that the next attempt makes up for.
  var lastBreak: SchemaBreak?
  /// The forms that a text without a call is asked for again with, where tools kept them back.
  var formsWithoutTools: [ServerConstraint] = []
  /// Forms that were refused, until another one of the schema is taken.
  var refusedForms: [ServerConstraint.Form] = []
  /// Forms that were taken, and broken all the same.
  var ignoredForms: [ServerConstraint.Form] = []
  var hasUsage = false
  /// Whether the server ended the answer at a limit.
  var isShortened = false
  /// What attempts before have handed on, which the next one takes back.
  var hasText = false
  var hasReasoning = false
  var brokenCallIDs: [String] = []

  /// How many tokens a server is asked to name beside each, so that the cases of an enumeration are
  /// among them: the most that OpenAI takes, and vLLM as it is started.
  private static let measuredRivalCount = 20

  init(
    request: LanguageModelExecutorGenerationRequest, runtime: ServerRuntime,
    options: ServerOptions, channel: Channel
  ) async throws {
    self.runtime = runtime
    self.options = options
    self.channel = channel
    facts = try await runtime.facts(options: options)
    entries = AnswerReader.Entries(id: request.id.uuidString)
    transcript = request.transcript
    schema = request.schema
    includesSchema = request.contextOptions.includeSchemaInPrompt
    let generation = request.generationOptions
    let mode = generation.toolCallingMode?.kind ?? .allowed
    let tools = mode == .disallowed ? [] : request.enabledToolDefinitions
    let profile = facts.profile
    var grammars: [String: Grammar] = [:]
    for tool in tools {
      grammars[tool.name] = try await runtime.argumentGrammar(of: tool)
    }
    toolGrammars = grammars
    isText = schema == nil && generation.grammar != nil
    if schema == nil, let source = generation.grammar {
      let entry = try await ConstraintCache.entry(for: source, profile: profile)
      grammar = entry.grammar
      notation = entry.notation
      constraints = entry.constraints
    } else if let schema {
      let entry = try await runtime.constraints.entry(for: schema, profile: profile)
      grammar = entry.grammar
      notation = entry.notation
      constraints = entry.constraints
      if profile.route != .chatCompletions {
        constraints.removeAll { if case .grammar = $0.form { true } else { false } }
      }
      // A constraint on the text would leave no room for a call.
      if !tools.isEmpty, !profile.combinesSchemaWithTools {
        formsWithoutTools = constraints
        constraints.removeFirst(constraints.count - 1)
      }
    } else {
      grammar = nil
      notation = ""
      constraints = []
    }
    self.request = ServerRequest(model: runtime.modelName(facts), messages: [])
    self.request.tools = try tools.map(ServerRequest.ToolDefinition.init)
    self.request.schemaName = schema?.name
    if mode == .required { self.request.toolChoice = .required }
    // Once the tool has been called, the model is free to answer.
    if let name = request.metadata["toolChoice"]?.asText, grammars[name] != nil,
      !request.transcript.endsInToolOutput
    {
      self.request.toolChoice = .named(name)
    }
    self.request.maximumTokens = generation.maximumResponseTokens
    self.request.topLogProbabilities = options.topLogProbabilities
    if generation.measuresProbabilities, let schema {
      measuredSchema = try GeneratedContent(json: schema.jsonSchema())
      self.request.topLogProbabilities = options.topLogProbabilities ?? Self.measuredRivalCount
    }
    self.request.extraFields = options.extraFields
    self.request.draw(generation)
    self.request.reasoningEffort = request.contextOptions.reasoningLevel?.effort
  }

  mutating func run() async throws {
    do {
      try await answer()
    } catch {
      // What failed was paid for, too.
      await sendUsage()
      throw error
    }
    await sendUsage()
  }

  private mutating func answer() async throws {
    var attempt = 0
    while true {
      do {
        try await ask()
        demoteIgnoredForms()
        return
      } catch let broken as SchemaBreak {
        guard attempt < options.onBrokenSchema.limit, broken.kind != .truncated else {
          throw broken.error(server: runtime.pool.addresses[0].name)
        }
        attempt += 1
        await prepareNext(after: broken)
      }
    }
  }

  // MARK: Asking

  /// Asks the servers until one answers, with the next form of the schema where one is refused.
  private mutating func ask() async throws {
    var tried: Set<Int> = []
    var failure: (any Error)?
    while let index = runtime.pool.take(besides: tried) {
      let address = runtime.pool.addresses[index]
      var isFailing: Bool?
      var pause: Duration?
      defer { runtime.pool.giveBack(index, isFailing: isFailing, pause: pause) }
      do {
        try await askUntilTaken(address)
        isFailing = false
        runtime.note(isAvailable: true)
        return
      } catch let begun as BegunAnswer {
        // A part of the answer is there: another server would begin anew.
        isFailing = !(begun.error is CancellationError || begun.error is SchemaBreak)
        throw begun.error
      } catch {
        guard Self.isOfServer(error) else { throw error }
        isFailing = true
        if case LanguageModelError.rateLimited(let limit) = error {
          pause = limit.resetDate.map { .seconds($0.timeIntervalSinceNow) }
        }
        failure = failure ?? error
        tried.insert(index)
      }
    }
    if case .unreachable? = (failure as? ServerError)?.kind { runtime.note(isAvailable: false) }
    throw failure ?? CancellationError()
  }

  /// Whether another server might do what this one did not.
  private static func isOfServer(_ error: any Error) -> Bool {
    switch error {
    case LanguageModelError.rateLimited, LanguageModelError.timeout: true
    case let error as ServerError:
      switch error.kind {
      case .unreachable, .serverFailure, .malformedAnswer, .endedEarly, .emptyAnswer: true
      default: false
      }
    default: false
    }
  }

  mutating func askOnce(_ address: ServerAddress) async throws {
    request.constraint = prefix.isEmpty ? constraints.first : nil
    request.messages = try messages()
    request.continuesLastMessage = !prefix.isEmpty
    let profile = facts.profile
    let (body, route, framing): (GeneratedContent, String, EventStreamParser.Framing) =
      switch profile.route {
      case .chatCompletions:
        (ChatRoute.body(request, profile: profile), "chat/completions", .serverSentEvents)
      case .responses:
        (ResponsesRoute.body(request, profile: profile), "responses", .serverSentEvents)
      case .ollamaChat:
        (OllamaRoute.body(request, contextSize: options.contextSize), "/api/chat", .lines)
      }
    let taken = body.leavingOut(runtime.refusedFields)
    let (http, secret) = try await runtime.request(
      address.url(route), body: taken, options: options)
    let telemetry = RequestTelemetry(
      options.telemetry, request: request, address: address, provider: profile.name)
    var reader = AnswerReader(
      entries: entries, channel: channel, server: address.name, grammar: grammar, prefix: prefix,
      isText: isText, toolGrammars: toolGrammars, whiteSpaceLimit: options.whiteSpaceLimit)
    reader.requiresCall = request.requiresCall
    reader.tellsLogProbabilities = options.topLogProbabilities != nil
    reader.measuredSchema = measuredSchema
    if prefix.isEmpty, constraints.first?.isWrapped == true { reader.unwrap() }
    let hadText = hasText
    do {
      try await read(http, framing, secret, address, into: &reader)
      try await finish(&reader, bodySize: http.httpBody?.count ?? 0, address)
      add(reader.usage)
      isShortened = reader.finishReason == .length
      telemetry.end(reader, error: nil)
    } catch {
      add(reader.usage)
      var error = Task.isCancelled ? CancellationError() : error
      error = ServerFailure.error(error, server: address.name)
      telemetry.end(reader, error: error)
      if let broken = error as? SchemaBreak {
        telemetry.log("A value broke its schema: \(broken.kind).")
        brokenCallIDs = reader.begunCallIDs
      }
      hasText = hadText || reader.hasText
      hasReasoning = hasReasoning || reader.hasReasoning
      // What is gone on with is there before anything of this answer.
      let hasBegun =
        reader.deltaCount > 0
        && (reader.hasText || reader.hasReasoning || !reader.begunCallIDs.isEmpty)
      throw hasBegun || error is SchemaBreak ? BegunAnswer(error: error) : error
    }
  }

  /// Reads an answer until it ends, or nothing more of it is wanted.
  private func read(
    _ http: URLRequest, _ framing: EventStreamParser.Framing, _ secret: String?,
    _ address: ServerAddress, into reader: inout AnswerReader
  ) async throws {
    var parser = EventStreamParser(framing)
    var failure = ServerFailure(
      server: address.name, status: 0, model: request.model,
      contextSize: options.contextSize ?? facts.contextSize,
      requestSize: http.httpBody?.count ?? 0, secret: secret)
    var refusal: [UInt8] = []
    var size = 0
    let exchange = await runtime.send(http, to: address, facts: facts, options: options)
    for try await part in exchange.parts {
      switch part {
      case .head(let head):
        failure.status = head.status
        failure.head = head
      case .body(let bytes):
        size += bytes.count
        guard size <= options.answerSizeLimit else {
          throw ServerError(
            .malformedAnswer, server: address.name,
            problem: "The answer has more than \(options.answerSizeLimit) bytes.",
            suggestion: "Limit the tokens of the response, or raise 'answerSizeLimit'.")
        }
        guard failure.status == 200 else {
          if refusal.count < 1 << 20 { refusal += bytes }
          continue
        }
        let events: [EventStreamParser.Event]
        do {
          events = try parser.append(bytes)
        } catch {
          throw ServerError(
            .malformedAnswer, server: address.name,
            problem: "An event of the answer has more than \(error.limit) bytes.",
            suggestion: "Look at what the server sends.")
        }
        for event in events { try await take(event, failure, into: &reader) }
        if reader.wantsNoMore {
          if reader.isDone { exchange.letEnd() }
          return
        }
      }
    }
    try Task.checkCancellation()
    guard failure.status == 200 else { throw failure.error(body: refusal) }
    if let event = parser.finish() { try await take(event, failure, into: &reader) }
  }

  private func take(
    _ event: EventStreamParser.Event, _ failure: ServerFailure, into reader: inout AnswerReader
  ) async throws {
    let read: [AnswerEvent]
    do {
      read =
        switch facts.profile.route {
        case .chatCompletions: try ChatRoute.read(event)
        case .responses: try ResponsesRoute.read(event)
        case .ollamaChat: try OllamaRoute.read(event)
        }
    } catch {
      throw ServerError(
        .malformedAnswer, server: failure.server,
        problem: "An event of the answer is no JSON: "
          + ServerFailure.line(event.data, without: failure.secret),
        suggestion: "Check that the address is that of a server of models.")
    }
    for event in read {
      if case .failure(let content) = event { throw failure.error(event: content) }
      try await reader.take(event)
    }
  }

  private func finish(
    _ reader: inout AnswerReader, bodySize: Int, _ address: ServerAddress
  ) async throws {
    do {
      try await reader.finish()
    } catch let error as ServerError where error.kind == .emptyAnswer {
      let size = options.contextSize ?? facts.contextSize ?? .max
      guard facts.profile.emptyAnswerMeansOverflow, bodySize / 3 > size / 2 else { throw error }
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: size, tokenCount: max(size + 1, bodySize / 3),
          debugDescription:
            "\(address.name) sent an answer without anything in it, as it does where "
            + "the context is full."))
    }
  }
}

/// An error after a part of the answer was handed on: another server cannot make up for it.
struct BegunAnswer: Error { var error: any Error }
