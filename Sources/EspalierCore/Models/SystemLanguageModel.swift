// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Observation
import Synchronization

/// The model that an app uses when it names none.
///
/// There is no model of the system everywhere; the app says what stands behind ``default``, once,
/// before it asks for the first time:
///
/// ```swift
/// SystemLanguageModel.setDefaultModel(GuidedLanguageModel(try GGUFTokenModel(path: path)))
/// ```
///
/// Until then the model is unavailable, and says so.
public final class SystemLanguageModel: Sendable, Observable, TokenCountingModel {
  /// What the app put behind every system model.
  private static let backing = Mutex<Backing?>(nil)

  struct Backing: Sendable {
    var model: any LanguageModel
    var supportedLanguages: Set<Locale.Language>
  }

  /// The model for general use.
  public static var `default`: SystemLanguageModel { shared }

  private static let shared = SystemLanguageModel()

  /// What the model is used for.
  public let useCase: UseCase

  /// What is checked.
  public let guardrails: Guardrails

  /// Creates a model.
  public init(useCase: UseCase = .general, guardrails: Guardrails = .default) {
    self.useCase = useCase
    self.guardrails = guardrails
  }

  /// Says which model stands behind every system model from now on.
  ///
  /// - Parameters:
  ///   - model: The model; nil makes system models unavailable.
  ///   - supportedLanguages: The languages that it knows.
  public static func setDefaultModel(
    _ model: (any LanguageModel)?, supportedLanguages: Set<Locale.Language> = []
  ) {
    backing.withLock {
      $0 = model.map { Backing(model: $0, supportedLanguages: supportedLanguages) }
    }
  }

  /// What stands behind this model: of a model that the system brings, the one for its use.
  var backing: Backing? {
    guard var backing = Self.backing.withLock({ $0 }) else { return nil }
    if let model = backing.model as? any SystemProvidedModel {
      backing.model = model.model(for: useCase, guardrails: guardrails)
    }
    return backing
  }

  private var provided: (any SystemProvidedModel)? { backing?.model as? any SystemProvidedModel }

  /// Whether the model can be asked, and if not, why.
  public var availability: Availability {
    backing?.model.reportedAvailability ?? .unavailable(.modelNotReady)
  }

  /// Whether the model can be asked.
  public var isAvailable: Bool { availability == .available }

  /// The languages that the model knows: every language where the app has not said which.
  public var supportedLanguages: Set<Locale.Language> {
    if let provided { return provided.supportedLanguages }
    guard let languages = backing?.supportedLanguages else { return [] }
    return languages.isEmpty ? Self.everyLanguage : languages
  }

  /// Every language, with and without script and region: apps look for that of the person in the set.
  static var everyLanguage: Set<Locale.Language> {
    listedLanguages.union([Locale.current.language])
  }

  private static let listedLanguages = Set(
    Locale.availableIdentifiers.map { Locale(identifier: $0).language })

  /// Whether the model knows the language of a locale. Where the app has not said which languages
  /// the model knows, it is taken to know all.
  public func supportsLocale(_ locale: Locale = .current) -> Bool {
    if let provided { return provided.supportsLocale(locale) }
    guard let languages = backing?.supportedLanguages else { return false }
    return languages.isEmpty
      || languages.contains { $0.languageCode == locale.language.languageCode }
  }

  public var capabilities: LanguageModelCapabilities {
    backing?.model.capabilities ?? LanguageModelCapabilities()
  }

  /// The greatest number of tokens of transcript and response together.
  public var contextSize: Int {
    (backing?.model as? any TokenCountingModel)?.contextSize ?? 4096
  }

  /// Which model of the system answers, for a person to read.
  ///
  /// Where a model of the app stands behind the system model, the variant bears the name of the
  /// model's type, and is none of those that the system brings.
  public var variant: Variant {
    provided?.variant ?? backing.map { Variant(displayName: "\(type(of: $0.model))") }
      ?? Variant(displayName: "none")
  }

  /// A model of the system.
  public struct Variant: Sendable, Hashable {
    /// The name of the model.
    public let displayName: String

    /// Creates a variant.
    public init(displayName: String) { self.displayName = displayName }

    /// The smaller model of the systems of 2027.
    public static let core3 = Variant(displayName: "AFM 3 Core")
    /// The larger model of the systems of 2027.
    public static let coreAdvanced3 = Variant(displayName: "AFM 3 Core Advanced")
  }

  /// What a model is used for.
  public struct UseCase: Sendable, Equatable {
    private let name: String
    /// Anything.
    public static let general = UseCase(name: "general")
    /// Finding the tags of a text.
    public static let contentTagging = UseCase(name: "contentTagging")
  }

  /// What is checked on prompts and responses.
  public struct Guardrails: Sendable, Equatable {
    private let name: String
    /// The usual.
    public static let `default` = Guardrails(name: "default")
    /// Texts of others may be rewritten whatever they say.
    public static let permissiveContentTransformations = Guardrails(name: "permissive")
  }

  /// Whether a model can be asked.
  @frozen public enum Availability: Equatable, Sendable {
    /// It can.
    case available
    /// It cannot, for a reason.
    case unavailable(UnavailableReason)

    /// Why a model cannot be asked.
    public enum UnavailableReason: Hashable, Sendable {
      /// The device cannot run the model.
      case deviceNotEligible
      /// A person has not turned it on.
      case appleIntelligenceNotEnabled
      /// The model is not there yet.
      case modelNotReady
    }
  }

  /// Why a system model does not answer.
  public enum Error: ExplainedError, Sendable, CustomDebugStringConvertible {
    /// The model is not there.
    case assetsUnavailable(AssetsUnavailable)

    /// The payload of ``assetsUnavailable(_:)``.
    public struct AssetsUnavailable: Sendable {
      /// The error in words for a developer.
      public var debugDescription: String

      /// Creates a payload.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    public var userMessage: ErrorMessage { ErrorMessage(.modelUnavailable) }

    public var problemDescription: String {
      switch self {
      case .assetsUnavailable(let payload): payload.debugDescription
      }
    }

    public var description: String { description(ofCase: nameOfCase) }

    public var debugDescription: String { description }

    public var recoverySuggestion: String? {
      "Check 'availability' first; say which model to use with "
        + "'SystemLanguageModel.setDefaultModel(_:)'."
    }
  }
}

/// A model that may not be there.
public protocol AvailabilityReporting: LanguageModel {
  /// Whether the model can be asked, and if not, why.
  var availability: SystemLanguageModel.Availability { get }
}

/// A model that a system brings, to stand behind ``SystemLanguageModel``: it knows for itself what an
/// app says of other models.
public protocol SystemProvidedModel: AvailabilityReporting, TokenCountingModel {
  /// The languages that the model knows.
  var supportedLanguages: Set<Locale.Language> { get }

  /// Which model of the system answers.
  var variant: SystemLanguageModel.Variant { get }

  /// Whether the model knows the language of a locale.
  func supportsLocale(_ locale: Locale) -> Bool

  /// The model for a use, with what is checked.
  func model(
    for useCase: SystemLanguageModel.UseCase, guardrails: SystemLanguageModel.Guardrails
  ) -> Self
}

extension SystemLanguageModel: AvailabilityReporting {}

extension LanguageModel {
  /// Whether the model can be asked: it can, unless it says that it cannot.
  var reportedAvailability: SystemLanguageModel.Availability {
    switch self {
    case let model as any AvailabilityReporting: model.availability
    case let model as PrivateCloudComputeLanguageModel:
      model.isAvailable ? .available : .unavailable(.modelNotReady)
    default: .available
    }
  }
}

extension SystemLanguageModel.Error: RetryAdvising {
  public var isWorthRetrying: Bool { false }
}
