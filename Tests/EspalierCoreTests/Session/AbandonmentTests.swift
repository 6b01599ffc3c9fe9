// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import TestSupport
import Testing

private struct SlowTool: Tool {
  let name = "wait"
  let description = "Waits."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String {
    for _ in 0..<20 { await Task.yield() }
    return "waited"
  }
}

/// Many sessions at once, whose requests are left in every way at moments drawn from a seed. Run with
/// the thread sanitizer by `Tests/Sanitizers/run thread EspalierCoreTests.AbandonmentTests`.
@Suite struct AbandonmentTests {
  private static let model = ScriptedLanguageModel(chunking: .characters) { request, _ in
    let hasOutput = request.transcript.contains { if case .toolOutput = $0 { true } else { false } }
    return hasOutput || request.enabledToolDefinitions.isEmpty
      ? .init([.reasoning("Hm."), .text("one two three four five six")])
      : .init([
        .text("So "), .toolCall(name: "wait", arguments: "{}"),
        .toolCall(name: "wait", arguments: "{}"),
      ])
  }

  private func leave(_ session: LanguageModelSession, _ random: inout SeededGenerator) async {
    let steps = Int.random(in: 0..<40, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      // A loop that is left.
      var count = 0
      do {
        for try await _ in session.streamResponse(to: "Go") {
          count += 1
          if count > steps / 4 { break }
        }
      } catch {
        Issue.record(error)
      }
    case 1:
      // A stream that nobody looks at.
      let stream = session.streamResponse(to: "Go")
      for _ in 0..<steps { await Task.yield() }
      _ = stream
    case 2:
      let task = Task { try await session.respond(to: "Go").content }
      for _ in 0..<steps { await Task.yield() }
      task.cancel()
      _ = await task.result
    case 3:
      let task = Task { try await session.streamResponse(to: "Go").collect().content }
      for _ in 0..<steps { await Task.yield() }
      task.cancel()
      _ = await task.result
    case 4:
      // A second request while the first is being answered, and others that look.
      async let first = session.respond(to: "Go").content
      async let second = session.respond(to: "Go, too").content
      async let looked = Task { (session.transcript.count, session.usage.totalTokenCount) }.value
      _ = (try? await first, try? await second, await looked)
    default:
      // The transcript is changed below the request.
      let task = Task { try await session.respond(to: "Go").content }
      for _ in 0..<steps { await Task.yield() }
      session.transcript = Transcript()
      _ = await task.result
    }
  }

  @Test(arguments: UInt64(0)..<5) func hundredSessions(seed: UInt64) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in UInt64(0)..<100 {
        group.addTask {
          var random = SeededGenerator(seed: seed &* 1_000 &+ number)
          let session = LanguageModelSession(model: Self.model, tools: [SlowTool()])
          if Bool.random(using: &random) {
            session.transcriptErrorHandlingPolicy = .preserveTranscript
          }
          for _ in 0..<6 { await leave(session, &random) }
          #expect(!session.isResponding, "seed \(seed), session \(number)")
          session.transcript = Transcript()
          let answer = try await session.respond(to: "Still there?").content
          #expect(answer == "one two three four five six", "seed \(seed), session \(number)")
          #expect(!session.isResponding)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Whoever watches the session sees each change, from whatever thread it comes.
  @Test func observedFromOtherTasks() async throws {
    let session = LanguageModelSession(model: Self.model, tools: [SlowTool()])
    let isDone = Mutex(false)
    let watching = Task {
      var seen: Set<Int> = []
      while !isDone.withLock({ $0 }) {
        seen.insert(session.transcript.count)
        _ = (session.isResponding, session.usage, session.properties.history.count)
        await Task.yield()
      }
      return seen
    }
    for _ in 0..<50 {
      for try await _ in session.streamResponse(to: "Go") {}
    }
    isDone.withLock { $0 = true }
    let seen = await watching.value
    #expect(seen.allSatisfy { (0...session.transcript.count).contains($0) })
  }
}
