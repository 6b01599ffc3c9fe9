// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierServer
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The page for those who come from Python.

@Generable
enum Priority: String, CaseIterable {
  case low, high
  case urgent = "URGENT"
}

@Generable
struct Ticket {
  @Guide(description: "In the customer's words", .length(3...200))
  var summary: String
  var priority: Priority
  @Guide(.range(0...10)) var score: Int?
  @Guide(.format(.date)) var dueOn: String?
  var refund: Decimal?
  var labels: [String: String]
}

@Generable
enum Action {
  case search(query: String, limit: Int)
  case reply(Ticket)
  case giveUp
}

struct PythonSnippets {
  let model: ServerLanguageModel
  let url: URL

  /// The address of the test, in the place of those that the page names.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private func URL(string: String) -> Foundation.URL? { url }

  func sorts() async throws {
    let model = try ServerLanguageModel(
      url: URL(string: "https://api.openai.com/v1")!, model: "gpt-5-mini",
      apiKey: .environment("OPENAI_API_KEY"))
    let session = LanguageModelSession(model: model, instructions: "You sort mail.")
    let response = try await session.respond(to: "My parcel is lost!", generating: Ticket.self)
    print(response.content.priority, response.usage)
  }

  func retries() async throws {
    var options = ServerOptions(onBrokenSchema: .retry(3))
    options.idleTimeout = .seconds(60)
    let server = try ServerLanguageModel(url: url, options: options)
    let model = RetryingLanguageModel(server, policy: RetryPolicy(maximumAttempts: 4))
    let session = LanguageModelSession(model: model)
    let rule = SemanticRule<Ticket>("score") { ticket in
      ticket.priority == .urgent && ticket.score ?? 0 < 5 ? "URGENT needs a score from 5 on." : nil
    }
    let answer = try await session.respond(
      to: "My parcel is lost!", generating: Ticket.self, rules: [rule], maximumRepairs: 2)
    print(answer.content, answer.attemptCount)
  }

  func service(cheap: ServerLanguageModel, dear: ServerLanguageModel) {
    let (small, large) = (GenerationMetrics(), GenerationMetrics())
    let routed = RoutedLanguageModel(
      [
        .init(MeteredLanguageModel(cheap, metrics: small), name: "cheap", cost: 1),
        .init(MeteredLanguageModel(dear, metrics: large), name: "dear", cost: 20),
      ], order: .byCost)
    let limited = RateLimitedLanguageModel(
      RetryingLanguageModel(routed), requestsPerMinute: 500, concurrentRequests: 50)
    let model = TimeLimitedLanguageModel(limited, limit: .seconds(120))
    print(model)
  }

  func costs(small: GenerationMetrics) {
    let figures = small.snapshot
    let fresh = figures.inputTokenCount - figures.cachedInputTokenCount
    let cost =
      Double(fresh) * 0.25e-6 + Double(figures.cachedInputTokenCount) * 0.025e-6
      + Double(figures.outputTokenCount) * 2e-6
    print(cost)
  }

  func iterable(session: LanguageModelSession, text: String, handle: (Ticket) -> Void) async throws
  {
    var count = 0
    for try await snapshot in session.streamResponse(to: text, generating: [Ticket].self) {
      let whole = try snapshot.rawContent.value([GeneratedContent].self).filter(\.isComplete)
      for ticket in whole.dropFirst(count) { handle(try Ticket(ticket)) }
      count = whole.count
    }
  }

  func web(session: LanguageModelSession, text: String, send: (String) async throws -> Void)
    async throws
  {
    let stream = session.streamResponse(to: text, generating: Ticket.self).bufferingNewest()
    for try await snapshot in stream {
      try await send("data: \(snapshot.rawContent.jsonString)\n\n")
    }
  }

  func truncated(session: LanguageModelSession, text: String) async throws -> Ticket
    .PartiallyGenerated?
  {
    do {
      return try await session.respond(to: text, generating: Ticket.self).content
        .asPartiallyGenerated()
    } catch let error as ServerError where error.kind == .truncated {
      return try Ticket.PartiallyGenerated(GeneratedContent(json: error.text ?? ""))
    }
  }

  func checked(session: LanguageModelSession, text: String, knows: (String) async -> Bool)
    async throws
  {
    var answer = try await session.respond(to: text, generating: Ticket.self).content
    for _ in 0..<2 {
      if await knows(answer.summary) { break }
      answer = try await session.respond(
        to: "There is no order '\(answer.summary)'. Answer again.", generating: Ticket.self
      ).content
    }
  }

  func extract(chunks: [String]) async throws -> [Ticket] {
    let limited = RateLimitedLanguageModel(model, concurrentRequests: 20)
    return try await withThrowingTaskGroup(of: (Int, [Ticket]).self) { group in
      for (index, chunk) in chunks.enumerated() {
        group.addTask {
          let session = LanguageModelSession(model: limited, instructions: "List the complaints.")
          return (index, try await session.respond(to: chunk, generating: [Ticket].self).content)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
        .sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
  }

  func quotes(session: LanguageModelSession, source: String) async throws {
    let quoted = SemanticRule<[String]>("quotes") { quotes in
      let wrong = quotes.filter { !source.contains($0) }
      return wrong.isEmpty ? nil : "Not word for word in the text: \(wrong)"
    }
    let quotes = try await session.respond(
      to: "Quote what is said about the price: \(source)", generating: [String].self,
      rules: [quoted])
    print(quotes.content)
  }

  func classify(session: LanguageModelSession, askAPerson: () -> Void) async throws {
    let priority = try await session.classify("My parcel is lost!", as: Priority.self)
    if priority.probability ?? 0 < 0.8 { askAPerson() }
  }

  func azure(resource: String, key: String) throws {
    let model = try ServerLanguageModel(
      url: URL(
        string: "https://\(resource).openai.azure.com/openai/deployments/gpt-5-mini"
          + "/chat/completions?api-version=2025-04-01-preview")!,
      model: "gpt-5-mini", profile: .openAI,
      apiKey: ServerAPIKey(header: "api-key", scheme: nil) { key })
    print(model)
  }

  func connections() throws {
    let model = try ServerLanguageModel(url: url) { connections in
      connections.httpAdditionalHeaders = ["User-Agent": "mail-sorter/1.0"]
    }
    print(model)
  }

  func oneRequest(tenant: String) throws {
    var model = model
    model.options.headers["X-Tenant"] = tenant
    model.options.extraFields = try GeneratedContent(
      json: #"{"prompt_cache_key": "mail", "service_tier": "flex"}"#)
  }
}
