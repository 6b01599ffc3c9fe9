// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import EspalierCore

@Suite struct FirstTokenTests {
  /// The time to the first token of a model that sends one event; nil where none counted.
  private func timeToFirstToken(
    _ event: LanguageModelExecutorGenerationChannel.Event
  ) async throws -> Duration? {
    let metrics = GenerationMetrics()
    let model = ClosureModel { _, channel in await channel.send(event) }
    _ = try? await LanguageModelSession(model: MeteredLanguageModel(model, metrics: metrics))
      .respond(to: "Hi")
    let time = metrics.snapshot.timeToFirstToken.p50
    return time > .zero ? time : nil
  }

  @Test func onlyTokensThatTheModelChoseCount() async throws {
    var forced = LanguageModelExecutorGenerationChannel.Event.response(
      action: .appendText("{\"name\":\"", tokenCount: 4))
    forced.isForced = true
    for event in [
      forced, .response(action: .updateMetadata(["model": "m"])),
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: 5), output: .init(totalTokenCount: 0))),
      .response(action: .appendText("", tokenCount: 0)),
      .reasoning(action: .updateMetadata(["effort": 3])),
      .toolCalls(action: .removeToolCall(id: "x")),
    ] {
      #expect(try await timeToFirstToken(event) == nil, "\(event)")
    }
    for event in [
      .response(action: .appendText("A", tokenCount: 1)),
      // The beginning of a character that is not whole yet.
      .response(action: .appendText("", tokenCount: 1)),
      .reasoning(action: .appendText("Hm", tokenCount: 1)),
    ] as [LanguageModelExecutorGenerationChannel.Event] {
      #expect(try await timeToFirstToken(event) != nil, "\(event)")
    }
  }
}
