// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  public import EspalierCore
  public import Foundation
  import FoundationModels

  /// The model that the system brings, Apple's, as a model of this package: for sessions with context
  /// policies, tool policies and rules, for wrappers and routes, beside GGUF files and servers.
  ///
  /// ```swift
  /// let session = LanguageModelSession(model: AppleLanguageModel())
  /// ```
  ///
  /// It has been compiled and run against a model of Apple's interface, not on Apple's systems.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  public struct AppleLanguageModel: EspalierCore.LanguageModel, SystemProvidedModel {
    /// What the model is used for.
    public var useCase: EspalierCore.SystemLanguageModel.UseCase
    /// What is checked.
    public var guardrails: EspalierCore.SystemLanguageModel.Guardrails

    /// Creates the model.
    public init(
      useCase: EspalierCore.SystemLanguageModel.UseCase = .general,
      guardrails: EspalierCore.SystemLanguageModel.Guardrails = .default
    ) {
      self.useCase = useCase
      self.guardrails = guardrails
    }

    var system: Apple.SystemLanguageModel {
      if useCase == .general, guardrails == .default { return .default }
      return Apple.SystemLanguageModel(
        useCase: useCase == .contentTagging ? .contentTagging : .general,
        guardrails: guardrails == .default ? .default : .permissiveContentTransformations)
    }

    public func model(
      for useCase: EspalierCore.SystemLanguageModel.UseCase,
      guardrails: EspalierCore.SystemLanguageModel.Guardrails
    ) -> AppleLanguageModel {
      AppleLanguageModel(useCase: useCase, guardrails: guardrails)
    }

    public var capabilities: EspalierCore.LanguageModelCapabilities {
      #if canImport(FoundationModels, _version: 2)
        if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
          return EspalierCore.LanguageModelCapabilities(system.capabilities)
        }
      #endif
      return EspalierCore.LanguageModelCapabilities([.guidedGeneration, .toolCalling])
    }

    public var executorConfiguration: Executor.Configuration {
      Executor.Configuration(
        tagsContent: useCase == .contentTagging, checksAll: guardrails == .default)
    }

    public var availability: EspalierCore.SystemLanguageModel.Availability {
      switch system.availability {
      case .available: .available
      case .unavailable(.deviceNotEligible): .unavailable(.deviceNotEligible)
      case .unavailable(.appleIntelligenceNotEnabled): .unavailable(.appleIntelligenceNotEnabled)
      case .unavailable(.modelNotReady): .unavailable(.modelNotReady)
      @unknown default: .unavailable(.modelNotReady)
      }
    }

    public var supportedLanguages: Set<Locale.Language> { system.supportedLanguages }

    public func supportsLocale(_ locale: Locale) -> Bool { system.supportsLocale(locale) }

    public var variant: EspalierCore.SystemLanguageModel.Variant {
      #if canImport(FoundationModels, _version: 2)
        if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
          let variant = system.variant
          if variant == .core3 { return .core3 }
          if variant == .coreAdvanced3 { return .coreAdvanced3 }
          return .init(displayName: variant.displayName)
        }
      #endif
      return .init(displayName: "Apple Foundation Model")
    }

    public var contextSize: Int { system.contextSize }

    /// The number of tokens of entries. Before 26.4 the system does not count; there it is taken to be
    /// one for each three bytes of what the entries say.
    public func tokenCount(for entries: [EspalierCore.Transcript.Entry]) async throws -> Int {
      if #available(macOS 26.4, iOS 26.4, visionOS 26.4, *) {
        return try await system.tokenCount(for: Array(Apple.Transcript(entries)))
      }
      return entries.reduce(0) { $0 + ($1.description.utf8.count + 2) / 3 }
    }
  }
#endif
