// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension SystemLanguageModel {
  /// The number of tokens of a prompt.
  ///
  /// - Throws: What the model behind throws, and ``Error`` where there is none.
  @_disfavoredOverload
  public func tokenCount(for prompt: some PromptRepresentable) async throws -> Int {
    try await count([.prompt(.init(segments: Array(prompt.promptRepresentation.parts)))])
  }

  /// The number of tokens of instructions.
  public func tokenCount(for instructions: Instructions) async throws -> Int {
    try await count([
      .instructions(.init(segments: Array(instructions.parts), toolDefinitions: []))
    ])
  }

  /// The number of tokens of the definitions of tools.
  public func tokenCount(for tools: [any Tool]) async throws -> Int {
    try await count([
      .instructions(
        .init(segments: [], toolDefinitions: tools.map { Transcript.ToolDefinition(tool: $0) }))
    ])
  }

  /// The number of tokens of a schema.
  public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    let format = Transcript.ResponseFormat(schema: schema)
    let empty = try await count([.prompt(.init(segments: []))])
    let full = try await count([.prompt(.init(segments: [], responseFormat: format))])
    return full - empty
  }

  /// The number of tokens of entries of a transcript.
  public func tokenCount(for entries: some Collection<Transcript.Entry>) async throws -> Int {
    try await count(Array(entries))
  }

  /// The number of tokens of entries of a transcript.
  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    try await count(entries)
  }

  private func count(_ entries: [Transcript.Entry]) async throws -> Int {
    guard let backing else {
      throw Error.assetsUnavailable(
        .init(debugDescription: "There is no model behind SystemLanguageModel."))
    }
    guard let model = backing.model as? any TokenCountingModel else {
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .tokenCounting,
          debugDescription: "The model behind SystemLanguageModel does not count tokens."))
    }
    return try await model.tokenCount(for: entries)
  }
}

extension LanguageModelCapabilities.Capability {
  /// Saying how many tokens a text is.
  public static let tokenCounting = LanguageModelCapabilities.Capability(
    description: "tokenCounting")
}
