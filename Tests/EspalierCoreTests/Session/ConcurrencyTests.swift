// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization
import Testing

@testable import EspalierCore

@Suite struct ConcurrencyTests {
  @Test func hundredSessionsOnOneModel() async throws {
    let model = SamplingLanguageModel(seed: 3)
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let session = LanguageModelSession(model: model)
          var last = GeneratedContent(.null)
          for try await snapshot in session.streamResponse(
            to: "Who?", schema: Person.generationSchema)
          {
            last = snapshot.rawContent
          }
          return last.jsonString
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(values.count == 1)
  }

  /// A model that goes on whatever happens does not hold the session up.
  @Test func deafModel() async throws {
    let stop = Flag()
    let model = ClosureModel { _, channel in
      while !stop.isRaised {
        await channel.send(.response(action: .appendText("x", tokenCount: 1)))
        await Task.yield()
      }
      await channel.send(.response(action: .replaceTextSegment("done", tokenCount: 1)))
    }
    let session = LanguageModelSession(model: model)
    for try await _ in session.streamResponse(to: "Go") { break }
    #expect(!session.isResponding)
    #expect(session.transcript.isEmpty)
    stop.raise()
    #expect(try await session.respond(to: "Go").content == "done")
    #expect(session.transcript.count == 2)
  }

  @Test func observation() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text("x")]))
    let changes = Mutex(0)
    withObservationTracking {
      _ = session.isResponding
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    try await session.respond(to: "Hi")
    #expect(changes.withLock { $0 } == 1)
  }

  @Test func viewsAreToldOnceThatARequestIsLetGo() throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text("x")]))
    let active = try session.claim(stream: nil)
    session.release(active)
    let isTold = Flag()
    withObservationTracking {
      _ = (session.isResponding, session.transcript)
    } onChange: {
      isTold.raise()
    }
    session.release(active)
    #expect(!isTold.isRaised)
  }
}
