// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Synchronization

public struct GenerationOptions: Sendable, Equatable {
  public var samplingMode: SamplingMode?
  public var temperature: Double?
  public var maximumResponseTokens: Int?
  public var toolCallingMode: ToolCallingMode?

  public init(
    sampling: SamplingMode? = nil, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    samplingMode = sampling
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }

  public struct SamplingMode: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
      case greedy
      case randomTopK(Int, seed: UInt64?)
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }
    public let kind: Kind
    public static var greedy: SamplingMode { .init(kind: .greedy) }
    public static func random(top: Int, seed: UInt64? = nil) -> SamplingMode {
      .init(kind: .randomTopK(top, seed: seed))
    }
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      .init(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }
  }

  public struct ToolCallingMode: Sendable, Equatable {
    public enum Kind: Sendable, Equatable { case allowed, required, disallowed }
    public var kind: Kind
    public static let allowed = ToolCallingMode(kind: .allowed)
    public static let required = ToolCallingMode(kind: .required)
    public static let disallowed = ToolCallingMode(kind: .disallowed)
  }
}

public struct ContextOptions: Sendable, Equatable {
  public var includeSchemaInPrompt: Bool?
  public var reasoningLevel: ReasoningLevel?
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }
  public enum ReasoningLevel: Sendable, Equatable {
    case light, moderate, deep
    case custom(String)
  }
}

public struct LanguageModelCapabilities: Sendable {
  private let capabilities: Set<Capability>
  public init(_ capabilities: [Capability]) { self.capabilities = Set(capabilities) }
  public func contains(_ capability: Capability) -> Bool { capabilities.contains(capability) }
  public struct Capability: Sendable, Hashable {
    let name: String
    public static let vision = Capability(name: "vision")
    public static let guidedGeneration = Capability(name: "guidedGeneration")
    public static let reasoning = Capability(name: "reasoning")
    public static let toolCalling = Capability(name: "toolCalling")
  }
}

public protocol Tool<Arguments, Output>: Sendable {
  associatedtype Output: PromptRepresentable
  associatedtype Arguments: ConvertibleFromGeneratedContent
  var name: String { get }
  var description: String { get }
  var parameters: GenerationSchema { get }
  @concurrent func call(arguments: Arguments) async throws -> Output
}

/// The system's model, which answers from a script.
public final class SystemLanguageModel: Sendable {
  public static let `default` = SystemLanguageModel()
  public let useCase: UseCase
  public let guardrails: Guardrails

  public init(useCase: UseCase = .general, guardrails: Guardrails = .default) {
    self.useCase = useCase
    self.guardrails = guardrails
  }

  public var availability: Availability { Script.current.withLock { $0.availability } }
  public var supportedLanguages: Set<Locale.Language> { [Locale.Language(identifier: "ja")] }
  public func supportsLocale(_ locale: Locale = .current) -> Bool {
    locale.language.languageCode == "ja"
  }
  public var contextSize: Int { 4096 }
  public func tokenCount(for entries: some Collection<Transcript.Entry>) async throws -> Int {
    entries.count * 10
  }
  public var capabilities: LanguageModelCapabilities {
    .init([.guidedGeneration, .toolCalling, .vision])
  }
  public var variant: Variant { .core3 }

  public struct Variant: Sendable, Equatable {
    public let displayName: String
    public static let core3 = Variant(displayName: "Small")
    public static let coreAdvanced3 = Variant(displayName: "Large")
  }
  public struct UseCase: Sendable, Equatable {
    let name: String
    public static let general = UseCase(name: "general")
    public static let contentTagging = UseCase(name: "contentTagging")
  }
  public struct Guardrails: Sendable, Equatable {
    let name: String
    public static let `default` = Guardrails(name: "default")
    public static let permissiveContentTransformations = Guardrails(name: "permissive")
  }
  public enum Availability: Equatable, Sendable {
    case available
    case unavailable(UnavailableReason)
    public enum UnavailableReason: Hashable, Sendable {
      case deviceNotEligible, appleIntelligenceNotEnabled, modelNotReady
    }
  }
  public enum Error: Swift.Error { case assetsUnavailable(String) }
}

/// What the system's model says and has been asked.
public struct Script: Sendable {
  public enum Step: Sendable {
    /// Texts as they grow, or values.
    case say([String])
    /// Calls at one time, as names and arguments.
    case call([(name: String, arguments: String)])
    case fail(any Error)
  }

  public struct Question: Sendable {
    public var before: [String]
    public var prompt: String
    public var schema: String?
    public var options: GenerationOptions
    public var useCase: SystemLanguageModel.UseCase
    public var guardrails: SystemLanguageModel.Guardrails
    public var outputs: [String] = []
  }

  public var steps: [Step] = []
  public var availability = SystemLanguageModel.Availability.available
  public var questions: [Question] = []
  public var isCancelled = false

  public init(steps: [Step] = []) { self.steps = steps }

  public static let current = Mutex(Script())
}

public enum LanguageModelError: Swift.Error {
  case contextSizeExceeded(ContextSizeExceeded)
  case rateLimited(RateLimited)
  case guardrailViolation(Plain)
  case refusal(Refusal)
  case unsupportedCapability(Plain)
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  case timeout(Plain)

  public struct Plain: Sendable {
    public var debugDescription: String
    public init(debugDescription: String) { self.debugDescription = debugDescription }
  }
  public struct ContextSizeExceeded: Sendable {
    public var contextSize, tokenCount: Int
    public var debugDescription: String
    public init(contextSize: Int, tokenCount: Int, debugDescription: String) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
    }
  }
  public struct RateLimited: Sendable {
    public var resetDate: Date?
    public var debugDescription: String
    public init(resetDate: Date?, debugDescription: String) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
    }
  }
  public struct Refusal: Sendable {
    public var debugDescription: String
    public init(explanation: String, debugDescription: String) {
      self.debugDescription = debugDescription
    }
  }
  public struct UnsupportedTranscriptContent: Sendable {
    public var debugDescription: String
    public init(unsupportedContent: [Transcript.Entry], debugDescription: String) {
      self.debugDescription = debugDescription
    }
  }
  public struct UnsupportedGenerationGuide: Sendable {
    public var schemaName: String?
    public var debugDescription: String
    public init(schemaName: String?, debugDescription: String) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
    }
  }
  public struct UnsupportedLanguageOrLocale: Sendable {
    public var languageCode: Locale.LanguageCode
    public var debugDescription: String
    public init(languageCode: Locale.LanguageCode, debugDescription: String) {
      self.languageCode = languageCode
      self.debugDescription = debugDescription
    }
  }
}
