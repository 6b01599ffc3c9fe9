// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierFoundationModels
import EspalierLocal

func modelOfTheSystem(_ localModel: some TokenModel) {
  SystemLanguageModel.useModelOfTheSystem(orElse: GuidedLanguageModel(localModel))
}

#if canImport(FoundationModels)
  import FoundationModels

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  func modelOfApple() {
    let session = LanguageModelSession(model: AppleLanguageModel())
    _ = session
  }
#endif

#if canImport(FoundationModels, _version: 2)
  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  func modelForApple(_ localModel: some TokenModel) {
    let model = ProvidedLanguageModel(GuidedLanguageModel(localModel))
    let session = FoundationModels.LanguageModelSession(model: model)
    _ = session
  }
#endif
