// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why no value is drawn.
extension SchemaSampler.Run {
  static func tooShort(_ limit: Int, needed: Int) -> LanguageModelError {
    .contextSizeExceeded(
      .init(
        // As large as what is needed: the limit is that of the request, not of the model.
        contextSize: needed, tokenCount: needed,
        debugDescription: "The shortest value of the schema has \(needed) tokens, and the "
          + "response may have \(limit). Raise 'maximumResponseTokens'."))
  }

  static func tooLong(_ length: Int) -> LanguageModelError {
    .contextSizeExceeded(
      .init(
        contextSize: lengthLimit, tokenCount: length,
        debugDescription: "A string of the schema has \(length) characters at least, and values "
          + "of at most \(lengthLimit) bytes are drawn. Lower its `minLength`."))
  }

  static func limitReached(_ limit: Int, _ unit: String) -> LanguageModelError {
    .contextSizeExceeded(
      .init(
        contextSize: limit, tokenCount: limit,
        debugDescription: "The value has \(limit) \(unit), which is the most, and no way to its "
          + "end is known for this schema. Allow more, or simplify the schema."))
  }
}
