// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

/// The model of the system is one for the whole process: these tests run one after the other, and
/// no others touch it.
@Suite(.serialized) struct SystemModelTests {
  @Test func withoutAModelTheSystemSaysSo() async throws {
    #expect(SystemLanguageModel(useCase: .contentTagging).useCase == .contentTagging)
    #expect(SystemLanguageModel.default.availability == .unavailable(.modelNotReady))
    #expect(!SystemLanguageModel.default.isAvailable)
    #expect(!SystemLanguageModel.default.supportsLocale(Locale(identifier: "en")))
    let session = LanguageModelSession()
    await #expect(throws: SystemLanguageModel.Error.self) { try await session.respond(to: "Hi") }
    session.errorGeneration = .first
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "Hi")
    }
    await #expect(throws: SystemLanguageModel.Error.self) {
      _ = try await SystemLanguageModel.default.tokenCount(for: "some words")
    }
    #expect(!session.isResponding && session.transcript.isEmpty)
  }

  @Test func theAppSaysWhatStandsBehind() async throws {
    defer { SystemLanguageModel.setDefaultModel(nil) }
    let session = LanguageModelSession(instructions: "Be kind.")
    let model = ScriptedLanguageModel([.text("Hello."), .text("Again.")], contextSize: 99)
    SystemLanguageModel.setDefaultModel(
      model, supportedLanguages: [Locale.Language(identifier: "it")])
    let system = SystemLanguageModel.default
    #expect(system.availability == .available && system.isAvailable)
    #expect(system.capabilities.contains(.toolCalling))
    #expect(system.supportsLocale(Locale(identifier: "it_IT")))
    #expect(!system.supportsLocale(Locale(identifier: "am_ET")))
    #expect(system.contextSize == 99)
    #expect(try await system.tokenCount(for: "three little words") == 3)
    #expect(try await system.tokenCount(for: Instructions("two words")) == 2)
    #expect(try await system.tokenCount(for: session.transcript) == 2)
    // A session that was made before has the model too, and so has the system model by itself.
    #expect(try await session.respond(to: "Hi").content == "Hello.")
    #expect(
      try await LanguageModelSession(model: SystemLanguageModel(useCase: .general))
        .respond(to: "Hi").content == "Again.")
    #expect(model.requests.count == 2)
  }

  /// Apps ask nothing where the language of the person is not in the set.
  @Test func aModelOfWhichNothingWasSaidKnowsEveryLanguage() async throws {
    defer { SystemLanguageModel.setDefaultModel(nil) }
    let system = SystemLanguageModel.default
    #expect(system.supportedLanguages.isEmpty)
    SystemLanguageModel.setDefaultModel(ScriptedLanguageModel([]))
    #expect(system.supportedLanguages.contains(Locale.current.language))
    for identifier in ["en", "en-US", "pt-BR", "zh-Hans", "ja-JP"] {
      #expect(system.supportedLanguages.contains(Locale.Language(identifier: identifier)))
    }
    SystemLanguageModel.setDefaultModel(
      ScriptedLanguageModel([]), supportedLanguages: [Locale.Language(identifier: "it")])
    #expect(system.supportedLanguages == [Locale.Language(identifier: "it")])
    defer { PrivateCloudComputeLanguageModel.setModel(nil) }
    PrivateCloudComputeLanguageModel.setModel(ScriptedLanguageModel([]))
    let languages = try await PrivateCloudComputeLanguageModel().supportedLanguages
    #expect(languages.contains(Locale.current.language))
  }

  /// A model that is not there yet.
  private struct Pending: LanguageModel, AvailabilityReporting {
    typealias Executor = ScriptedPendingExecutor
    var capabilities: LanguageModelCapabilities { .init() }
    var executorConfiguration: Executor.Configuration { .init() }
    var availability: SystemLanguageModel.Availability { .unavailable(.deviceNotEligible) }

    struct ScriptedPendingExecutor: LanguageModelExecutor {
      struct Configuration: Hashable, Sendable {}
      init(configuration: Configuration) {}
      func respond(
        to request: LanguageModelExecutorGenerationRequest, model: Pending,
        streamingInto channel: LanguageModelExecutorGenerationChannel
      ) async throws {
        await channel.send(.response(action: .appendText("never", tokenCount: 1)))
      }
    }
  }

  @Test func aModelThatIsNotThereGivesItsReason() async throws {
    defer { SystemLanguageModel.setDefaultModel(nil) }
    SystemLanguageModel.setDefaultModel(Pending())
    #expect(SystemLanguageModel.default.availability == .unavailable(.deviceNotEligible))
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession().respond(to: "Hi")
    }
  }
}
