// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Testing

@Suite struct ScenarioTests {
  @Test func thereAreManyScenarios() {
    #expect(Scenario.all.count >= 40)
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
  }

  @Test(arguments: Scenario.all) func playedWhole(_ scenario: Scenario) async throws {
    try await play(scenario, bytewise: false)
  }

  @Test(arguments: Scenario.all) func playedByteByByte(_ scenario: Scenario) async throws {
    try await play(scenario, bytewise: true)
  }

  /// What comes over the network may be split anywhere: the events are the same.
  @Test(arguments: Scenario.all) func splitAtEveryPlace(_ scenario: Scenario) throws {
    let framing: EventStreamParser.Framing =
      scenario.profile.route == .ollamaChat ? .lines : .serverSentEvents
    func events(_ pieces: [[UInt8]]) throws -> [EventStreamParser.Event] {
      var parser = EventStreamParser(framing)
      var events: [EventStreamParser.Event] = []
      for piece in pieces { events += try parser.append(piece) }
      return events + [parser.finish()].compactMap(\.self)
    }
    let bytes = Array(scenario.body.utf8)
    let whole = try events([bytes])
    for place in bytes.indices {
      #expect(try events([Array(bytes[..<place]), Array(bytes[place...])]) == whole)
    }
    #expect(try events(bytes.map { [$0] }) == whole)
  }

  private func play(_ scenario: Scenario, bytewise: Bool) async throws {
    let server = try StubServer { _ in
      var actions: [StubServer.Action] = [.head(scenario.status, scenario.headers)]
      actions.append(bytewise ? .sendBytewise(scenario.body) : .send(scenario.body))
      actions.append(scenario.endless.map { .repeatForever($0) } ?? .close)
      return actions
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.onBrokenSchema = .fail
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: scenario.profile, options: options)
    let outcome = await Result {
      try await ask(model, schema: scenario.schema, tools: scenario.tools)
    }
    let problem = check(outcome, scenario.outcome)
    #expect(problem == nil, "\(problem ?? "")")
    #expect(server.requests.count == 1)
    // The connection is closed as soon as nothing more is wanted.
    if scenario.endless != nil {
      try await eventually { server.abandoned == 1 }
    }
    try await eventually { model.openConnectionCount == 0 }
  }

  /// What is other than expected, in words.
  private func check(_ result: Result<Collected, any Error>, _ expected: Scenario.Outcome)
    -> String?
  {
    switch (result, expected) {
    case (.success(let answer), .text(let text)):
      answer.text == text && answer.calls.isEmpty ? nil : "\(answer)"
    case (.success(let answer), .reasoning(let reasoning, let text)):
      answer.text == text && answer.reasoning == reasoning ? nil : "\(answer)"
    case (.success(let answer), .calls(let calls)):
      answer.calls.map { "\($0.name)(\($0.arguments))" } == calls
        && Set(answer.calls.map(\.id)).count == calls.count ? nil : "\(answer)"
    case (.failure(let error as ServerError), .error(let kind)):
      error.kind == kind ? nil : "\(error)"
    case (
      .failure(LanguageModelError.contextSizeExceeded(let payload)), .overflow(let size, let count)
    ):
      payload.contextSize == size && payload.tokenCount == count ? nil : "\(payload)"
    case (.failure(LanguageModelError.rateLimited(let payload)), .rateLimited):
      payload.resetDate.map { (5.0...7.5).contains($0.timeIntervalSinceNow) } == true
        ? nil : "\(payload)"
    case (.failure(LanguageModelError.refusal), .refusal),
      (.failure(LanguageModelError.guardrailViolation), .guardrail),
      (.failure(LanguageModelError.timeout), .timeout):
      nil
    default: "expected \(expected), found \(result)"
    }
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// Waits until a condition holds; fails where it does not within ten seconds.
func eventually(
  _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  for _ in 0..<1000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("The condition does not hold.", sourceLocation: sourceLocation)
}
