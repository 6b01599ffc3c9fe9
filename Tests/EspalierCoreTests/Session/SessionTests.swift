// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

/// What goes wrong in these tests.
struct EndlessError: Error {}

@Suite struct SessionTests {
  @Test func textAndTranscript() async throws {
    let model = ScriptedLanguageModel([.text("Hello there, traveller."), .text("Again.")])
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    let response = try await session.respond(to: "Hi")
    #expect(response.content == "Hello there, traveller.")
    #expect(response.transcriptEntries.count == 1)
    try await session.respond(to: "And?")
    #expect(
      session.transcript.description == """
        Instructions: Be kind.

        Prompt: Hi

        Response: Hello there, traveller.

        Prompt: And?

        Response: Again.
        """)
    #expect(!session.isResponding)
    #expect(model.requests.count == 2)
    #expect(model.requests[1].transcript.count == 4)
    #expect(session.usage.output.totalTokenCount == 4)
  }

  @Test func structured() async throws {
    let model = ScriptedLanguageModel([.text(#"{"name":"Ada","children":[],"age":36}"#)])
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Who?", generating: Person.self)
    #expect(response.content.name == "Ada")
    #expect(response.content.age == 36)
    #expect(model.requests[0].schema?.name == "Person")
    #expect(model.requests[0].contextOptions.includeSchemaInPrompt == true)
    guard case .response(let entry) = session.transcript.last,
      case .structure(let segment) = entry.segments[0]
    else {
      Issue.record("no structure")
      return
    }
    #expect(segment.schemaName == "Person")
  }

  @Test func streamedText() async throws {
    let model = ScriptedLanguageModel([.text("one two three")])
    let session = LanguageModelSession(model: model)
    var seen: [String] = []
    let stream = session.streamResponse(to: "Count")
    var completeness: [Bool] = []
    for try await snapshot in stream {
      seen.append(snapshot.content)
      completeness.append(snapshot.rawContent.isComplete)
    }
    #expect(seen == ["one", "one two", "one two three", "one two three"])
    #expect(completeness == [false, false, false, true])
    let collected = try await stream.collect()
    #expect(collected.content == "one two three")
    #expect(!session.isResponding)
    #expect(session.transcript.count == 2)
  }

  @Test func streamedStructure() async throws {
    let json = #"{"age":36,"children":[{"name":"B","children":[]}],"name":"Ada"}"#
    let model = ScriptedLanguageModel([.text(json)], chunking: .characters)
    let session = LanguageModelSession(model: model)
    var ages: [Int?] = []
    var last: GeneratedContent?
    let stream = session.streamResponse(
      to: "Who?", schema: Person.generationSchema, includeSchemaInPrompt: false)
    for try await snapshot in stream {
      ages.append(try snapshot.content.value(Int?.self, forProperty: "age"))
      last = snapshot.rawContent
    }
    #expect(ages.contains(nil) && ages.last == 36)
    #expect(last?.jsonString == json)
    #expect(last?.isComplete == true)
  }

  @Test func failureTakesTheTranscriptBack() async throws {
    let model = ScriptedLanguageModel([
      .init([.text("Half of "), .failure(EndlessError())]), .text("Fine."),
    ])
    let session = LanguageModelSession(model: model, instructions: "I")
    await #expect(throws: EndlessError.self) { try await session.respond(to: "A") }
    #expect(session.transcript.count == 1)
    #expect(!session.isResponding)
    #expect(try await session.respond(to: "B").content == "Fine.")
  }

  @Test func failureKeepsTheTranscriptWhereAsked() async throws {
    let model = ScriptedLanguageModel([.init([.text("Half of "), .failure(EndlessError())])])
    let session = LanguageModelSession(model: model, instructions: "I")
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: EndlessError.self) { try await session.respond(to: "A") }
    #expect(session.transcript.map(\.description).suffix(2) == ["Prompt: A", "Response: Half of "])
  }

  @Test func concurrentRequestsAreRefused() async throws {
    let model = ScriptedLanguageModel([
      .init([.delay(.seconds(600))]), .text("After."),
    ])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "Slow")
    #expect(session.isResponding)
    while model.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "Too soon")
    }
    session.errorGeneration = .first
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "Too soon")
    }
    _ = consume stream
    // Letting go of the stream ends its request.
    #expect(!session.isResponding)
    #expect(try await session.respond(to: "Now").content == "After.")
  }

  @Test func leavingALoopFreesTheSession() async throws {
    let model = ScriptedLanguageModel([
      .init([.text("one "), .delay(.seconds(600)), .text("two")]), .text("After."),
    ])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "Slow")
    for try await snapshot in stream {
      #expect(snapshot.content == "one")
      break
    }
    #expect(!session.isResponding)
    #expect(session.transcript.isEmpty)
    #expect(try await session.respond(to: "Now").content == "After.")
    withExtendedLifetime(stream) {}
  }

  @Test func cancellationFreesTheSession() async throws {
    let model = ScriptedLanguageModel([.init([.delay(.seconds(600))]), .text("After.")])
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "Slow").content }
    while model.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!session.isResponding)
    #expect(session.transcript.isEmpty)
    #expect(try await session.respond(to: "Now").content == "After.")
  }

  /// A script can wait for the test in the middle of an answer: nothing looks at the clock.
  @Test func scriptsWaitForTheTest() async throws {
    let (reached, reaches) = AsyncStream.makeStream(of: Void.self)
    let (opened, opens) = AsyncStream.makeStream(of: Void.self)
    let model = ScriptedLanguageModel([
      .init([
        .text("One "),
        .wait {
          reaches.yield()
          for await _ in opened { break }
        },
        .text("two"),
      ]),
      .init([.wait { throw EndlessError() }]),
      .init([
        .wait {
          reaches.yield()
          for await _ in opened { break }
        }, .text("never"),
      ]),
    ])
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "Count").content }
    for await _ in reached { break }
    #expect(session.isResponding)
    opens.yield()
    #expect(try await task.value == "One two")
    await #expect(throws: EndlessError.self) { try await session.respond(to: "Fail") }
    let stopped = Task { try await session.respond(to: "Stop").content }
    for await _ in reached { break }
    stopped.cancel()
    await #expect(throws: CancellationError.self) { try await stopped.value }
    #expect(session.transcript.count == 2)
  }

  @Test func changingTheTranscriptWhileResponding() async throws {
    let asked = Flag()
    let changed = Flag()
    let model = ClosureModel { _, channel in
      asked.raise()
      while !changed.isRaised { try await Task.sleep(for: .milliseconds(1)) }
      await channel.send(.response(action: .appendText("x", tokenCount: 1)))
    }
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "Slow") }
    while !asked.isRaised { try await Task.sleep(for: .milliseconds(1)) }
    session.transcript = Transcript()
    changed.raise()
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await task.value
    }
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }
}
