// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

extension SystemLanguageModel {
  /// Puts the model that the system brings behind `SystemLanguageModel.default`, and another model
  /// where the system brings none or it cannot be asked.
  ///
  /// ```swift
  /// SystemLanguageModel.useModelOfTheSystem(orElse: GuidedLanguageModel(localModel))
  /// ```
  ///
  /// Say it once, before the app asks for the first time. Where there is no FoundationModels, on
  /// Linux for instance, the other model always answers. Without another model the system's stands
  /// behind, available or not, so that `SystemLanguageModel.availability` tells why.
  ///
  /// - Parameter fallback: The model where the system's cannot be asked now.
  public static func useModelOfTheSystem(orElse fallback: (any LanguageModel)? = nil) {
    #if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
      if #available(macOS 26.0, iOS 26.0, visionOS 26.0, *) {
        let model = AppleLanguageModel()
        if fallback == nil || model.availability == .available {
          return setDefaultModel(model)
        }
      }
    #endif
    setDefaultModel(fallback)
  }
}
