// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization
import Testing

/// Holds whoever passes at one step, until their task is cancelled.
private final class StepGate: Sendable {
  private struct State {
    var names: [String] = []
    var hasStopped = false
  }

  private let state = Mutex(State())
  private let stop: Int?

  init(stoppingAt stop: Int?) { self.stop = stop }

  var names: [String] { state.withLock { $0.names } }
  var hasStopped: Bool { state.withLock { $0.hasStopped } }

  func pass(_ name: String) async {
    let stops = state.withLock { state in
      defer { state.names.append(name) }
      // Who comes later is not held: the request has been given up by then.
      guard state.names.count == stop else { return false }
      state.hasStopped = true
      return true
    }
    if stops { try? await Task.sleep(for: .seconds(600)) }
  }
}

/// Passes the gate before and after each part of the answer.
private struct SteppedModel: WrappingLanguageModel {
  typealias Executor = WrappingExecutor<Self>
  let base: ScriptedLanguageModel
  let gate: StepGate

  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    await gate.pass("request")
    try await next.respond(
      to: request,
      streamingInto: LanguageModelExecutorGenerationChannel { [gate] event in
        await gate.pass("before part")
        await channel.send(event)
        await gate.pass("after part")
      })
    await gate.pass("answered")
  }
}

private struct SteppedTool: Tool {
  let gate: StepGate
  let name = "wait"
  let description = "Waits."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String {
    await gate.pass("tool")
    return "waited"
  }
}

private struct SteppedProfile: LanguageModelSession.DynamicProfile {
  let model: SteppedModel
  let gate: StepGate

  var body: some LanguageModelSession.DynamicProfile {
    LanguageModelSession.Profile {
      "Be kind."
      SteppedTool(gate: gate)
    }
    .model(model)
    .onActivate { [gate] in await gate.pass("activation") }
    .onPrompt { [gate] _ in await gate.pass("prompt") }
    .onReasoning { [gate] _ in await gate.pass("reasoning") }
    .onToolCall { [gate] _ in await gate.pass("call") }
    .onToolOutput { [gate] _, _ in await gate.pass("output") }
    .onResponse { [gate] _ in await gate.pass("response") }
  }
}

/// A request is cancelled at every point at which it can be suspended, one after the other.
@Suite struct CancellationTests {
  private static let turns: [ScriptedLanguageModel.Turn] = [
    .init([
      .reasoning("Hm"), .toolCall(name: "wait", arguments: "{}"),
      .toolCall(name: "wait", arguments: "{}"),
    ]),
    .init([.text("one two")]),
  ]

  private func session(_ gate: StepGate) -> LanguageModelSession {
    let model = SteppedModel(
      base: ScriptedLanguageModel(Self.turns, repeats: true), gate: gate)
    let session = LanguageModelSession(profile: SteppedProfile(model: model, gate: gate))
    session.toolCallPolicy = ToolCallPolicy { [gate] _ in
      await gate.pass("decision")
      return .allow
    }
    session.contextPolicy = .custom(reservedResponseTokens: (1 << 20) - 1) { [gate] overflow in
      await gate.pass("context")
      return Array(overflow.entries.suffix(0))
    }
    return session
  }

  private enum Way: CaseIterable { case respond, stream, collect }

  private func ask(_ session: LanguageModelSession, _ way: Way) async throws -> String {
    switch way {
    case .respond: return try await session.respond(to: "Go").content
    case .collect: return try await session.streamResponse(to: "Go").collect().content
    case .stream:
      var last = ""
      for try await snapshot in session.streamResponse(to: "Go") { last = snapshot.content }
      return last
    }
  }

  @Test func everySuspensionPoint() async throws {
    let free = StepGate(stoppingAt: nil)
    _ = try await ask(session(free), .respond)
    let names = free.names
    #expect(
      Set(names) == [
        "activation", "prompt", "context", "request", "before part", "after part", "answered",
        "reasoning", "call", "decision", "tool", "output", "response",
      ])
    for way in Way.allCases {
      for step in names.indices {
        for preserves in [false, true] {
          try await cancel(at: step, way: way, preserves: preserves, name: names[step])
        }
      }
    }
  }

  private func cancel(at step: Int, way: Way, preserves: Bool, name: String) async throws {
    let gate = StepGate(stoppingAt: step)
    let session = session(gate)
    if preserves { session.transcriptErrorHandlingPolicy = .preserveTranscript }
    let task = Task { try await ask(session, way) }
    while !gate.hasStopped { await Task.yield() }
    #expect(session.isResponding, "step \(step), \(name), \(way)")
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self, "step \(step), \(name), \(way)") {
      try result.get()
    }
    // A stream's request runs in a task of its own, but the session is free at once.
    #expect(!session.isResponding, "step \(step), \(name), \(way)")
    // The instructions of a profile stay.
    let said = session.transcript.history.map(\.description)
    if preserves {
      #expect(said.isEmpty || said[0] == "Prompt: Go", "step \(step), \(name), \(way)")
    } else {
      #expect(said.isEmpty, "step \(step), \(name), \(way)")
    }
    session.transcript = Transcript()
    _ = try? await ask(session, .respond)
    let answer = try await ask(session, .respond)
    #expect(answer == "one two", "step \(step), \(name), \(way)")
    #expect(!session.isResponding)
  }
}
