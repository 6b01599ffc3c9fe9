// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Espalier
import EspalierLocal
import Foundation

// The code of "Building a real app" and of "Validating answers". The tests run it.

@Generable
struct Stay {
  var guest: String
  @Guide(.range(1...31)) var arrival: Int
  @Guide(.range(1...31)) var departure: Int
}

extension Stay: SemanticallyValidated {
  static let semanticRules: [SemanticRule<Stay>] = [
    SemanticRule("departure after arrival") { stay in
      stay.departure > stay.arrival
        ? nil : "Departure is on day \(stay.departure), arrival on day \(stay.arrival)."
    },
    SemanticRule("long stay", severity: .warning) { stay in
      stay.departure - stay.arrival > 14 ? "More than two weeks." : nil
    },
  ]
}

@Generable
enum Payment {
  case cash
  case card(number: String, months: Int)
  case voucher(String)
}

@Generable
struct Order {
  var guest: String
  var item: String
  var count: Int
}

/// The examples in the table of guides, one a line.
@Generable
struct GuideExamples {
  @Guide(.constant("v1")) var version: String
  @Guide(.anyOf(["dairy", "meat"])) var shelf: String
  @Guide(.pattern(/[A-Z]{3}/)) var currency: String
  @Guide(.pattern("[A-Z].*")) var surname: String
  @Guide(.length(2...40)) var title: String
  @Guide(.format(.email)) var contact: String
  @Guide(.range(1...8)) var hours: Int
  @Guide(.exclusiveMinimum(0)) var price: Double
  @Guide(.multiple(of: 5)) var minutes: Int
  @Guide(.count(3...12)) var steps: [String]
  @Guide(.element(.maximumLength(20))) var tags: [String]
  @Guide(.uniqueElements()) var seats: [Int]
}

extension GenerationGuide where Value == Int {
  static var even: GenerationGuide<Int> { .multiple(of: 2) }
}

@Generable
struct Crew {
  @Guide(.even, .range(2...8)) var count: Int
  @Guide(.format(StringFormat(rawValue: "iri"))) var home: String
}

struct FindPrice: Tool {
  let description = "Finds the price of an item in euros"

  @Generable
  struct Arguments {
    @Guide(.anyOf(["rye loaf", "roll"])) var item: String
  }

  func call(arguments: Arguments) async throws -> String {
    arguments.item == "roll" ? "0.60" : "4.20"
  }
}

struct RemoteTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema
  let send: @Sendable (GeneratedContent) async throws -> String

  func call(arguments: GeneratedContent) async throws -> String { try await send(arguments) }
}

/// What an app's own client for MCP gives.
struct RemoteServer {
  struct Listed {
    var name: String
    var description: String
    var inputSchema: String
  }

  func call(_ name: String, arguments: String) async throws -> String { "\(name) \(arguments)" }
}

struct ValidationSnippets {
  let session: LanguageModelSession
  let text = "Ann, 3 to 5 May"
  func show(_ problems: [String], of value: GeneratedContent) {}

  init(_ answers: [String]) {
    session = LanguageModelSession(model: ScriptedLanguageModel(answers.map { .text($0) }))
  }

  func asks() async throws -> Int {
    let answer = try await session.respond(to: "Ann, 3 to 5 May", validating: Stay.self)
    print(answer.content.guest, answer.attemptCount)
    return answer.attemptCount
  }

  func fails() async throws {
    do {
      _ = try await session.respond(to: text, validating: Stay.self, maximumRepairs: 1)
    } catch let error as LanguageModelSession.ValidationError {
      show(error.report.findings.map(\.problem), of: error.rawContent)
    }
  }

  func rules() async throws -> Int {
    let short = SemanticRule<Stay>("short stay") { stay in
      stay.departure - stay.arrival > 3 ? "Three nights at most." : nil
    }
    let visit = try await session.respond(to: text, generating: Stay.self, rules: [short])
    return visit.attemptCount
  }

  func measures() async throws -> [ValueProbability] {
    var options = GenerationOptions()
    options.measuresProbabilities = true
    let measured = try await session.respond(to: text, generating: Stay.self, options: options)
    let doubtful = measured.probabilities.filter { $0.probability < 0.5 }
    return doubtful
  }
}

struct GuideSnippets {
  let model = SamplingLanguageModel(seed: 5)

  func asks() async throws -> Order {
    let session = LanguageModelSession(model: model, instructions: "You take orders of a bakery.")
    session.examples = [
      GenerationExample("two rye loaves for Ann", Order(guest: "Ann", item: "rye loaf", count: 2)),
      GenerationExample("Tom takes a bun", Order(guest: "Tom", item: "bun", count: 1)),
    ]
    let order = try await session.respond(to: "Leo wants six rolls", generating: Order.self).content

    let brief = try await session.respond(
      to: "Leo wants six rolls", generating: Order.self, includeSchemaInPrompt: false)

    _ = brief
    return order
  }

  func chooses() async throws -> [GenerationOptions] {
    let session = LanguageModelSession(model: model)
    let precise = GenerationOptions(samplingMode: .greedy)
    let repeatable = GenerationOptions(samplingMode: .random(top: 40, seed: 7), temperature: 0.7)
    let short = GenerationOptions(maximumResponseTokens: 200)
    let answer = try await session.respond(to: "Leo wants six rolls", options: short).content

    _ = answer
    return [precise, repeatable, short]
  }

  /// Tools of "Building a real app": what the model answers, and how often it was asked.
  func callsTools() async throws -> (text: String, requestCount: Int) {
    let model = ScriptedLanguageModel([
      .toolCall("FindPrice", arguments: #"{"item": "roll"}"#),
      .text("A roll costs 0.60 euros."),
    ])
    let session = LanguageModelSession(model: model, tools: [FindPrice()])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 4, onFailure: .answerModel)
    let answer = try await session.respond(to: "What does a roll cost?").content

    return (answer, model.requests.count)
  }

  /// Tools of an MCP server: what the one that is called is sent.
  func callsRemoteTools() async throws -> Transcript {
    let client = RemoteServer()
    let listed = [
      RemoteServer.Listed(
        name: "item.price", description: "Finds a price",
        inputSchema: #"{"type": "object", "properties": {"item": {"type": "string"}}}"#),
      RemoteServer.Listed(
        name: "broken", description: "Has a schema that nobody can hold",
        inputSchema: #"{"type": "object", "required": null}"#),
    ]
    var tools: [any Tool] = []
    for tool in listed {
      do {
        _ = try Grammar(jsonSchema: tool.inputSchema)
        tools.append(
          RemoteTool(
            name: "shop_" + tool.name.replacing(/[^A-Za-z0-9_-]/, with: "_"),
            description: tool.description,
            parameters: try GenerationSchema(jsonSchema: tool.inputSchema).closed,
            send: { try await client.call(tool.name, arguments: $0.jsonString) }))
      } catch {
        print("\(tool.name) is left out: \(error)")
      }
    }

    let model = ScriptedLanguageModel([
      .toolCall("shop_item_price", arguments: #"{"item": "roll"}"#), .text("0.60 euros."),
    ])
    let session = LanguageModelSession(model: model, tools: tools)
    try await session.respond(to: "What does a roll cost?")
    return session.transcript
  }

  func offersSomeTools(_ session: LanguageModelSession) async throws -> String {
    var options = GenerationOptions()
    options.toolNames = ["git_status", "git_diff"]
    let answer = try await session.respond(to: "What has changed?", options: options).content
    return answer
  }

  func forcesATool(_ session: LanguageModelSession) async throws -> String {
    var options = GenerationOptions(toolCallingMode: .required)
    options.toolNames = ["git_status"]
    let answer = try await session.respond(to: "What has changed?", options: options)
    return answer.content
  }

  /// A schema that is read while the app runs: what was written, and what the engine warns of.
  func readsSchemas(_ text: String) async throws -> (greeting: String, warnings: [String]) {
    let session = LanguageModelSession(model: model)
    let schema = try GenerationSchema(jsonSchema: text)
    let content = try await session.respond(to: "Greet the player", schema: schema).content
    let greeting = try content.value(String.self, forProperty: "greeting")

    var options = CompilationOptions.generation
    options.warnsOfMisspellings = true
    let grammar = try Grammar(jsonSchema: text, options: options)
    for warning in grammar.warnings { print(warning) }

    return (greeting, grammar.warnings.map { "\($0)" })
  }

  func capsMemory(path: String) throws -> some LanguageModel {
    GuidedLanguageModel(
      try GGUFTokenModel(path: path, options: .init(contextSize: 2048, cachePrecision: .int16)),
      concurrency: GenerationConcurrency(threads: 1, sequences: 1))
  }

  func forgets(_ session: LanguageModelSession) {
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 512)
    session.contextPolicy = .summarizeOlderTurns()
  }

  func limitsRequests(_ file: String) throws -> some LanguageModel {
    let local = GuidedLanguageModel(
      try GGUFTokenModel(path: file), concurrency: GenerationConcurrency(threads: 2, sequences: 8))
    return local
  }

  func loads(path: String) throws -> LanguageModelSession {
    let file = try GGUFTokenModel(path: path)
    let model = GuidedLanguageModel(file)
    let session = LanguageModelSession(model: model)

    return session
  }

  func wraps(_ folder: URL) async throws -> Int {
    let metrics = GenerationMetrics()
    let cache = ResponseCache(capacity: 1_000, timeToLive: .seconds(3_600), folder: folder)
    let cached = CachingLanguageModel(model, cache: cache)
    let retried = RetryingLanguageModel(cached, policy: RetryPolicy(maximumAttempts: 4))
    let limited = TimeLimitedLanguageModel(retried, limit: .seconds(30))
    let careful = MeteredLanguageModel(limited, metrics: metrics)
    try await LanguageModelSession(model: careful).respond(to: "Hello")
    let figures = metrics.snapshot
    print(figures.requestCount, figures.failureCount)
    print(figures.latency.p95, figures.timeToFirstToken.p50)
    return figures.requestCount
  }

  func guides() -> DynamicGenerationSchema {
    DynamicGenerationSchema(type: Int.self, guides: [.range(1...8)])
  }

  func fillsIn(_ session: LanguageModelSession, show: (String) -> Void) async throws {
    for try await snapshot in session.streamResponse(to: "Six rolls", generating: Order.self) {
      let order = snapshot.content
      show("\(order.count ?? 0) × \(order.item ?? "…") for \(order.guest ?? "…")")
    }
  }
}
