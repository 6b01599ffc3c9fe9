// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import EspalierCore

/// Numbers that nobody means: an executor, a file or a caller says them all the same.
@Suite struct ExtremeNumberTests {
  /// Says that it has read and written so many tokens.
  private static func boaster(_ count: Int) -> ClosureModel {
    ClosureModel { _, channel in
      for _ in 0..<2 {
        await channel.send(.response(action: .appendText("Yes. ", tokenCount: count)))
        await channel.send(.reasoning(action: .appendText("Hm. ", tokenCount: count)))
      }
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: count, cachedTokenCount: count),
            output: .init(totalTokenCount: count, reasoningTokenCount: count))))
    }
  }

  @Test(arguments: [Int.max, .max - 1, .min])
  func countsOfTokensSaturate(count: Int) async throws {
    let metrics = GenerationMetrics()
    let session = LanguageModelSession(
      model: MeteredLanguageModel(Self.boaster(count), metrics: metrics))
    for _ in 0..<3 { try await session.respond(to: "Really?") }
    let bound = count > 0 ? Int.max : .min
    #expect(session.usage.input.totalTokenCount == bound)
    #expect(session.usage.output.reasoningTokenCount == bound)
    #expect(session.usage.totalTokenCount == bound)
    #expect(metrics.snapshot.outputTokenCount == bound)
  }

  /// Exponents as far out as integers go, and farther.
  @Test(arguments: [
    "1e-9223372036854775808", "1e9223372036854775807", "-1e-9223372036854775808",
    "1e99999999999999999999", "0e-9223372036854775808", "1e-1099511627777",
  ])
  func exponentsMayBeAnything(text: String) throws {
    let content = try GeneratedContent(json: text)
    #expect(content.jsonString == text)
    _ = try? content.value(Double.self)
    _ = try? content.value(Int8.self)
    #expect(content == (try GeneratedContent(json: text)))
    #expect(content != (try GeneratedContent(json: "2e99999999999999999999")))
  }

  /// One token a minute, and a response of more than all minutes have: the wait is long, not endless.
  @Test(arguments: [1, 0, -5, 1e-300, 1e300, .infinity, .nan])
  func limitsOfAnySize(limit: Double) async throws {
    let pauses = Mutex<[Duration]>([])
    let start = ContinuousClock.now
    let elapsed = Mutex(Duration.zero)
    let model = RateLimitedLanguageModel(
      Self.boaster(.max), requestsPerMinute: limit, tokensPerMinute: limit,
      now: { elapsed.withLock { start + $0 } },
      sleep: { pause in
        let count = pauses.withLock {
          $0.append(pause)
          return $0.count
        }
        elapsed.withLock { $0 += min(pause, .seconds(3600)) }
        if count > 20 { throw CancellationError() }
      })
    for _ in 0..<2 {
      _ = try? await LanguageModelSession(model: model).respond(to: "Hi")
    }
    for pause in pauses.withLock({ $0 }) {
      #expect(pause > .zero && pause <= .longestWait)
    }
  }

  @Test func aTimeLimitWithoutEnd() async throws {
    for limit in [Duration.seconds(Int64.max), .seconds(Int64.max) * 10, .longestWait] {
      let model = TimeLimitedLanguageModel(ScriptedLanguageModel([.text("Soon.")]), limit: limit)
      #expect(try await LanguageModelSession(model: model).respond(to: "Hi").content == "Soon.")
    }
    let never = TimeLimitedLanguageModel(
      SlowLanguageModel(ScriptedLanguageModel([.text("Late.")]), delay: .seconds(Int64.max)),
      limit: .seconds(-1))
    await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: never).respond(to: "Hi")
    }
  }

  @Test(arguments: [1e25, 1e300, .infinity, -.infinity, .nan, -1e25])
  func aResetDateWithoutEnd(seconds: Double) {
    let error = LanguageModelError.rateLimited(
      .init(resetDate: Date(timeIntervalSinceReferenceDate: seconds), debugDescription: "busy"))
    var generator = SplitMix64(seed: 1)
    for base in [Duration.zero, .seconds(1), .seconds(Int64.max) * 10] {
      let policy = RetryPolicy(baseDelay: base, maximumDelay: base)
      let pause = policy.pause(after: 64, error: error, using: &generator)
      #expect(pause >= .zero && pause <= .longestWait)
    }
    #expect(error.recoverySuggestion != nil)
  }

  /// A model says that it reads next to nothing, or everything; requests ask for any length.
  @Test(arguments: [1, 0, Int.max, .min], [1, 0, Int.max, .min])
  func windowsOfAnySize(size: Int, length: Int) async throws {
    let exceeding = ClosureModel { _, _ in
      throw LanguageModelError.contextSizeExceeded(
        .init(contextSize: size, tokenCount: length, debugDescription: "too long"))
    }
    let counting = ScriptedLanguageModel([.text("Fine."), .text("Fine.")], contextSize: size)
    for policy in [ContextPolicy.fail, .keepNewestTurns(), .dropToolOutputsFirst()] {
      for model in [exceeding, counting] as [any LanguageModel] {
        func session(_ model: some LanguageModel) -> LanguageModelSession {
          LanguageModelSession(model: model, instructions: "Be kind.")
        }
        let session = session(model)
        session.contextPolicy = policy
        for _ in 0..<2 {
          _ = try? await session.respond(
            to: "Hi", options: GenerationOptions(maximumResponseTokens: length))
        }
      }
    }
  }
}
