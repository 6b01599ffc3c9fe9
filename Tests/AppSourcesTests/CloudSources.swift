// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

/// A coach that asks the larger model where it can, and the system's where it cannot.
@MainActor @Observable
final class CloudCoach {
  enum Tier: Equatable { case cloud, device, none }

  private let cloud = PrivateCloudComputeLanguageModel()
  private(set) var session: LanguageModelSession?

  var tier: Tier {
    if cloud.isAvailable && !cloud.quotaUsage.isLimitReached { return .cloud }
    return SystemLanguageModel.default.isAvailable ? .device : .none
  }

  var cloudStatus: String {
    switch cloud.availability {
    case .available: "ready"
    case .unavailable(.deviceNotEligible): "not on this device"
    case .unavailable(.systemNotReady): "not yet"
    }
  }

  var quotaStatus: String {
    let usage = cloud.quotaUsage
    let resets = usage.resetDate.map { " until \($0)" } ?? ""
    switch usage.status {
    case .belowLimit(let details):
      return details.isApproachingLimit ? "nearly used up" : "enough"
    case .limitReached: return "used up" + resets
    }
  }

  var canAskForMore: Bool { cloud.quotaUsage.limitIncreaseSuggestion != nil }

  func askForMore() { cloud.quotaUsage.limitIncreaseSuggestion?.show() }

  func contextSize() async -> Int? { try? await cloud.contextSize }

  func speaks(_ locale: Locale) async -> Bool {
    do {
      let languages = try await cloud.supportedLanguages
      let isSupported = try await cloud.supportsLocale(locale)
      return languages.contains(locale.language) || isSupported
    } catch {
      return false
    }
  }

  func ask(_ question: String) async -> String {
    let session =
      tier == .cloud
      ? LanguageModelSession(model: cloud, instructions: "You are a coach.")
      : LanguageModelSession(instructions: "You are a coach.")
    self.session = session
    return await answer(to: question, in: session)
  }

  /// Without a look at the availability first.
  func insist(_ question: String) async -> String {
    await answer(
      to: question, in: LanguageModelSession(model: PrivateCloudComputeLanguageModel()))
  }

  private func answer(to question: String, in session: LanguageModelSession) async -> String {
    do {
      return try await session.respond(
        to: question, contextOptions: ContextOptions(reasoningLevel: .light)
      ).content
    } catch let error as PrivateCloudComputeLanguageModel.Error {
      switch error {
      case .networkFailure: return "no network"
      case .quotaLimitReached(let limit):
        return limit.limitIncreaseSuggestion == nil ? "no more today" : "ask for more"
      case .serviceUnavailable: return "no service"
      }
    } catch {
      return error.localizedDescription
    }
  }
}

struct CloudProfile: LanguageModelSession.DynamicProfile {
  let isHard: Bool

  var body: some DynamicProfile {
    if isHard {
      Profile { Instructions("Think.") }
        .model(PrivateCloudComputeLanguageModel())
        .reasoningLevel(.deep)
    } else {
      Profile { Instructions("Answer.") }
    }
  }
}
