// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

extension SystemModelTests {
  @Test @MainActor func withoutAModelTheCloudSaysSo() async throws {
    let coach = CloudCoach()
    #expect(coach.tier == .none && coach.cloudStatus == "not on this device")
    #expect(coach.quotaStatus == "enough" && !coach.canAskForMore)
    coach.askForMore()
    #expect(await coach.contextSize() == nil)
    #expect(await !coach.speaks(Locale(identifier: "en_GB")))
    #expect(await coach.insist("Why?") == "no service")
    let route = RoutedLanguageModel([
      .init(PrivateCloudComputeLanguageModel(), name: "cloud"),
      .init(ScriptedLanguageModel([.text("Here.")]), name: "local"),
    ])
    let session = LanguageModelSession(model: route)
    #expect(try await session.respond(to: "Hi").content == "Here.")
  }

  @Test @MainActor func theAppSaysWhatStandsBehindTheCloud() async throws {
    defer { PrivateCloudComputeLanguageModel.setModel(nil) }
    let model = ScriptedLanguageModel(
      [.text("Because."), .text("Hm."), .text(#"{"place":"Nara","cost":3}"#)], contextSize: 99)
    PrivateCloudComputeLanguageModel.setModel(model)
    let coach = CloudCoach()
    #expect(coach.tier == .cloud && coach.cloudStatus == "ready")
    #expect(await coach.contextSize() == 99)
    #expect(await coach.speaks(Locale(identifier: "it_IT")))
    #expect(await coach.ask("Why?") == "Because.")
    #expect(coach.session?.transcript.count == 3)
    let profile = LanguageModelSession(profile: CloudProfile(isHard: true))
    #expect(try await profile.respond(to: "Why?").content == "Hm.")
    let session = LanguageModelSession(model: PrivateCloudComputeLanguageModel())
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 20)
    let day = try await session.respond(to: "A day", generating: DayPlan.self).content
    #expect(day == DayPlan(place: "Nara", cost: 3, note: nil))
    #expect(model.requests.map(\.contextOptions.reasoningLevel) == [.light, .deep, nil])
  }

  @Test @MainActor func failuresOfTheCloud() async {
    typealias Failure = PrivateCloudComputeLanguageModel.Error
    defer { PrivateCloudComputeLanguageModel.setModel(nil) }
    PrivateCloudComputeLanguageModel.setModel(
      ScriptedLanguageModel([
        .failure(Failure.networkFailure(.init(debugDescription: "No route"))),
        .failure(Failure.quotaLimitReached(.init(debugDescription: "100 of 100"))),
      ]))
    let coach = CloudCoach()
    #expect(await coach.ask("A") == "no network")
    #expect(await coach.ask("B") == "no more today")
    let error = Failure.quotaLimitReached(.init(debugDescription: "100 of 100"))
    #expect("\(error)".hasPrefix("quotaLimitReached: 100 of 100."))
  }
}
