// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import FoundationModels

  // Both modules have the same names. `Apple.Transcript` is FoundationModels', `Own.Transcript` this
  // package's.

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  enum Apple {
    typealias DynamicGenerationSchema = FoundationModels.DynamicGenerationSchema
    typealias GeneratedContent = FoundationModels.GeneratedContent
    typealias GenerationOptions = FoundationModels.GenerationOptions
    typealias GenerationSchema = FoundationModels.GenerationSchema
    typealias Prompt = FoundationModels.Prompt
    typealias Session = FoundationModels.LanguageModelSession
    typealias SystemLanguageModel = FoundationModels.SystemLanguageModel
    typealias Tool = FoundationModels.Tool
    typealias Transcript = FoundationModels.Transcript
  }

  enum Own {
    typealias Channel = EspalierCore.LanguageModelExecutorGenerationChannel
    typealias ContextOptions = EspalierCore.ContextOptions
    typealias GeneratedContent = EspalierCore.GeneratedContent
    typealias GenerationOptions = EspalierCore.GenerationOptions
    typealias GenerationSchema = EspalierCore.GenerationSchema
    typealias LanguageModelError = EspalierCore.LanguageModelError
    typealias Request = EspalierCore.LanguageModelExecutorGenerationRequest
    typealias Session = EspalierCore.LanguageModelSession
    typealias SystemLanguageModel = EspalierCore.SystemLanguageModel
    typealias Transcript = EspalierCore.Transcript
  }

  #if canImport(FoundationModels, _version: 2)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Apple {
      typealias Channel = FoundationModels.LanguageModelExecutorGenerationChannel
      typealias ContextOptions = FoundationModels.ContextOptions
      typealias LanguageModelCapabilities = FoundationModels.LanguageModelCapabilities
      typealias LanguageModelError = FoundationModels.LanguageModelError
      typealias Request = FoundationModels.LanguageModelExecutorGenerationRequest
    }
  #endif
#endif
