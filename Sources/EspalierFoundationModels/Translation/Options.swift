// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import FoundationModels

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.GenerationOptions {
    init(_ options: Own.GenerationOptions) {
      let mode: SamplingMode? =
        switch options.samplingMode?.kind {
        case nil: nil
        case .greedy: .greedy
        case .randomTopK(let count, let seed): .random(top: count, seed: seed)
        case .randomProbabilityThreshold(let threshold, let seed):
          .random(probabilityThreshold: threshold, seed: seed)
        }
      self.init(
        sampling: mode, temperature: options.temperature,
        maximumResponseTokens: options.maximumResponseTokens)
      #if canImport(FoundationModels, _version: 2)
        if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
          switch options.toolCallingMode?.kind {
          case nil: break
          case .allowed: toolCallingMode = .allowed
          case .required: toolCallingMode = .required
          case .disallowed: toolCallingMode = .disallowed
          }
        }
      #endif
    }
  }

  #if canImport(FoundationModels, _version: 2)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.GenerationOptions {
      init(_ options: Apple.GenerationOptions) {
        let mode: SamplingMode? =
          switch options.samplingMode?.kind {
          case nil: nil
          case .greedy: .greedy
          case .randomTopK(let count, let seed): .random(top: count, seed: seed)
          case .randomProbabilityThreshold(let threshold, let seed):
            .random(probabilityThreshold: threshold, seed: seed)
          @unknown default: nil
          }
        let toolCalling: ToolCallingMode? =
          switch options.toolCallingMode?.kind {
          case nil: nil
          case .allowed: .allowed
          case .required: .required
          case .disallowed: .disallowed
          @unknown default: nil
          }
        self.init(
          samplingMode: mode, temperature: options.temperature,
          maximumResponseTokens: options.maximumResponseTokens, toolCallingMode: toolCalling)
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.ContextOptions {
      init(_ options: Apple.ContextOptions) {
        let level: ReasoningLevel? =
          switch options.reasoningLevel {
          case nil: nil
          case .light: .light
          case .moderate: .moderate
          case .deep: .deep
          case .custom(let name): .custom(name)
          @unknown default: nil
          }
        self.init(includeSchemaInPrompt: options.includeSchemaInPrompt, reasoningLevel: level)
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension EspalierCore.LanguageModelCapabilities {
      init(_ capabilities: Apple.LanguageModelCapabilities) {
        var known: [Capability] = []
        if capabilities.contains(.vision) { known.append(.vision) }
        if capabilities.contains(.guidedGeneration) { known.append(.guidedGeneration) }
        if capabilities.contains(.reasoning) { known.append(.reasoning) }
        if capabilities.contains(.toolCalling) { known.append(.toolCalling) }
        self.init(known)
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Apple.LanguageModelCapabilities {
      init(_ capabilities: EspalierCore.LanguageModelCapabilities) {
        var known: [Capability] = []
        if capabilities.contains(.vision) { known.append(.vision) }
        if capabilities.contains(.guidedGeneration) { known.append(.guidedGeneration) }
        if capabilities.contains(.reasoning) { known.append(.reasoning) }
        if capabilities.contains(.toolCalling) { known.append(.toolCalling) }
        self.init(known)
      }
    }
  #endif
#endif
