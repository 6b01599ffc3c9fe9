// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Observation
import Synchronization

/// The larger model of an app: on Apple's systems, the one that runs on Private Cloud Compute.
///
/// The type exists so that apps that ask it compile, and fall back as they do where it cannot be
/// reached: it is unavailable until the app says which model stands behind it. That may be a model
/// behind a server.
///
/// ```swift
/// PrivateCloudComputeLanguageModel.setModel(try ServerLanguageModel(url: url, model: "llama3.3"))
/// ```
///
/// There is no quota unless the model behind has one: ``quotaUsage`` is always below its limit.
public final class PrivateCloudComputeLanguageModel: Sendable, Observable, LanguageModel {
  /// What the app put behind every model of this type.
  private static let shared = Mutex<(any LanguageModel)?>(nil)

  /// Creates a model.
  public init() {}

  /// Says which model stands behind every model of this type from now on.
  ///
  /// - Parameter model: The model; nil makes models of this type unavailable.
  public static func setModel(_ model: (any LanguageModel)?) {
    shared.withLock { $0 = model }
  }

  /// The model behind.
  var backing: (any LanguageModel)? { Self.shared.withLock { $0 } }

  /// Whether the model can be asked, and if not, why.
  public var availability: Availability {
    guard let backing else { return .unavailable(.deviceNotEligible) }
    switch backing.reportedAvailability {
    case .available: return .available
    case .unavailable(.deviceNotEligible): return .unavailable(.deviceNotEligible)
    case .unavailable: return .unavailable(.systemNotReady)
    }
  }

  /// Whether the model can be asked.
  public var isAvailable: Bool { availability == .available }

  public var capabilities: LanguageModelCapabilities {
    backing?.capabilities ?? LanguageModelCapabilities()
  }

  /// How much of the requests that a person may make is used up: none.
  public var quotaUsage: QuotaUsage { QuotaUsage() }

  /// The greatest number of tokens of transcript and response together: 32,768 where the model
  /// behind does not say.
  ///
  /// - Throws: ``Error/serviceUnavailable(_:)`` where there is no model behind.
  public var contextSize: Int {
    get async throws { (try requireBacking() as? any TokenCountingModel)?.contextSize ?? 32_768 }
  }

  /// The languages that the model knows: every language where the model behind lists none.
  ///
  /// - Throws: ``Error/serviceUnavailable(_:)`` where there is no model behind.
  public var supportedLanguages: Set<Locale.Language> {
    get async throws {
      let backing = try requireBacking()
      return (backing as? any SystemProvidedModel)?.supportedLanguages
        ?? SystemLanguageModel.everyLanguage
    }
  }

  /// Whether the model knows the language of a locale. A model that does not say is taken to know
  /// all.
  ///
  /// - Throws: ``Error/serviceUnavailable(_:)`` where there is no model behind.
  public func supportsLocale(_ locale: Locale = .current) async throws -> Bool {
    let backing = try requireBacking()
    return (backing as? any SystemProvidedModel)?.supportsLocale(locale) ?? true
  }

  private func requireBacking() throws -> any LanguageModel {
    guard let backing else { throw Error.noModel }
    return backing
  }

  /// Whether a model can be asked.
  public enum Availability: Equatable, Sendable {
    /// It can.
    case available
    /// It cannot, for a reason.
    case unavailable(UnavailableReason)

    /// Why a model cannot be asked.
    public enum UnavailableReason: Hashable, Sendable {
      /// The device cannot ask the model.
      case deviceNotEligible
      /// The model is not there yet.
      case systemNotReady
    }
  }

  /// How much of the requests that a person may make is used up.
  public struct QuotaUsage: Sendable {
    /// Whether more requests can be made.
    public var status: Status = .belowLimit(Status.BelowLimit())

    /// When the count begins anew, where that is known.
    public var resetDate: Date?

    /// How a person can get more requests, where there is a way.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion?

    /// Whether no more requests can be made.
    public var isLimitReached: Bool {
      if case .limitReached = status { true } else { false }
    }

    /// Whether more requests can be made.
    public enum Status: Sendable {
      /// They can.
      case belowLimit(BelowLimit)
      /// They cannot.
      case limitReached

      /// How far from the limit a person is.
      public struct BelowLimit: Sendable {
        /// Whether the limit is near.
        public var isApproachingLimit = false
      }
    }

    /// How a person can get more requests: there is no way outside Apple's systems.
    public struct LimitIncreaseSuggestion: Sendable {
      /// Shows the way to a person.
      public func show() {}
    }
  }

  /// Hands requests to the model behind.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorStore()

    public init(configuration: Configuration) throws {}

    public func prewarm(model: PrivateCloudComputeLanguageModel, transcript: Transcript) {
      if let backing = model.backing { executors.prewarm(backing, transcript: transcript) }
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: PrivateCloudComputeLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executors.respond(
        to: request, model: model.requireBacking(), streamingInto: channel)
    }
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }
}
