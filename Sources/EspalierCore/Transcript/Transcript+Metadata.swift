// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension Transcript {
  /// Values attached to an entry, by name.
  ///
  /// An app says `metadata: ["screen": "home"]` in a request, and its executor reads
  ///
  /// ```swift
  /// let screen = try request.metadata["screen"]?.value(String.self)
  /// ```
  public typealias MetadataValues = [String: GeneratedContent]
}

extension [String: any ConvertibleToGeneratedContent] {
  /// The values as they are kept.
  var attached: Transcript.MetadataValues { mapValues(\.generatedContent) }
}

extension [String: any Sendable & Codable & Equatable] {
  /// The values as they are kept: as content where they can be content, otherwise as their JSON.
  /// A value that no JSON stands for is kept as its description.
  var attached: Transcript.MetadataValues {
    mapValues { value in
      if let value = value as? any ConvertibleToGeneratedContent { return value.generatedContent }
      guard let data = try? JSONEncoder().encode(value),
        let content = try? GeneratedContent(json: String(decoding: data, as: UTF8.self))
      else { return GeneratedContent(.string(String(describing: value))) }
      return content
    }
  }
}
