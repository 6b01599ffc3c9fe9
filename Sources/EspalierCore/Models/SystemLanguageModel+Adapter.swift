// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension SystemLanguageModel {
  /// An adapter of the system's own model: there is none outside Apple's systems.
  ///
  /// The type exists so that an app that loads one compiles, and falls back as it does where the
  /// adapter cannot be had: every initializer throws.
  public struct Adapter: Sendable {
    /// What the maker of the adapter wrote into it.
    public var creatorDefinedMetadata: [String: Any] { [:] }

    /// Reads an adapter from a file.
    ///
    /// - Throws: ``AssetError``, always.
    public init(fileURL: URL) throws {
      throw AssetError.invalidAsset(
        .init(debugDescription: "No model here takes the adapter in '\(fileURL.path)'."))
    }

    /// Finds an adapter by its name.
    ///
    /// - Throws: ``AssetError``, always.
    public init(name: String) throws {
      guard !name.isEmpty else {
        throw AssetError.invalidAdapterName(
          .init(debugDescription: "The name of an adapter is empty."))
      }
      throw AssetError.compatibleAdapterNotFound(
        .init(debugDescription: "No model here has an adapter named '\(name)'."))
    }

    /// Prepares the adapter for its model.
    public func compile() async throws {}

    /// The identifiers of the adapters of a name that go with the model: none.
    public static func compatibleAdapterIdentifiers(name: String) -> [String] { [] }

    /// Removes adapters of earlier models: there are none.
    public static func removeObsoleteAdapters() throws {}

    /// Why there is no adapter.
    public enum AssetError: ExplainedError, Sendable {
      case invalidAsset(Context)
      case invalidAdapterName(Context)
      case compatibleAdapterNotFound(Context)

      /// What has happened, for developers.
      public struct Context: Sendable {
        /// What has happened, for developers.
        public let debugDescription: String

        /// Creates a context.
        public init(debugDescription: String) { self.debugDescription = debugDescription }
      }

      public var userMessage: ErrorMessage { ErrorMessage(.adapterUnavailable) }

      public var problemDescription: String {
        switch self {
        case .invalidAsset(let context), .invalidAdapterName(let context),
          .compatibleAdapterNotFound(let context):
          context.debugDescription
        }
      }

      public var description: String { description(ofCase: nameOfCase) }

      public var recoverySuggestion: String? {
        "Use the model without an adapter, or say which model stands behind it with "
          + "'SystemLanguageModel.setDefaultModel(_:)'."
      }
    }
  }

  /// Creates a model with an adapter, of which there is none: the model behind is used as it is.
  public convenience init(adapter: Adapter, guardrails: Guardrails = .default) {
    self.init(useCase: .general, guardrails: guardrails)
  }
}
