// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The requests of the second generation with attached values that are `Codable`, and that need not be
// content: they are attached as their JSON. A dictionary literal takes the other form of the request,
// where its values can be content: of a form that is generic and one that is not the compiler takes
// the latter. Where both are generic, an optional here makes the other form the better one.

extension LanguageModelSession {
  /// Answers with text; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable]
  ) async throws -> Response<String> {
    try await answer(
      prompt.promptRepresentation, as: String.self, schema: nil,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Answers with text; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(
      try prompt(), as: String.self, schema: nil,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Answers with a value of a schema that is made at run time; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable]
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      prompt.promptRepresentation, as: GeneratedContent.self, schema: schema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Answers with a value of a schema that is made at run time; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      try prompt(), as: GeneratedContent.self, schema: schema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Answers with a value of a type; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: some PromptRepresentable,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable]?
  ) async throws -> Response<Content> {
    try await answer(
      prompt.promptRepresentation, as: type, schema: type.generationSchema,
      options: options,
      contextOptions: contextOptions, metadata: (metadata ?? [:]).attached)
  }

  /// Answers with a value of a type; the attached values are `Codable`.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await answer(
      try prompt(), as: type, schema: type.generationSchema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Streams a response: text; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: some PromptRepresentable,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable]
  ) -> sending ResponseStream<String> {
    stream(
      prompt.promptRepresentation, as: String.self, schema: nil,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Streams a response: text; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(
      try prompt(), as: String.self, schema: nil,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Streams a response: a value of a schema that is made at run time; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: some PromptRepresentable,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      prompt.promptRepresentation, as: GeneratedContent.self, schema: schema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Streams a response: a value of a schema that is made at run time; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(
      try prompt(), as: GeneratedContent.self, schema: schema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }

  /// Streams a response: a value of a type; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: some PromptRepresentable,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable]?
  ) -> sending ResponseStream<Content> {
    stream(
      prompt.promptRepresentation, as: type, schema: type.generationSchema,
      options: options,
      contextOptions: contextOptions, metadata: (metadata ?? [:]).attached)
  }

  /// Streams a response: a value of a type; the attached values are `Codable`.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(
      try prompt(), as: type, schema: type.generationSchema,
      options: options,
      contextOptions: contextOptions, metadata: metadata.attached)
  }
}
