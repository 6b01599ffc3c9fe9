// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The requests of the first generation of the interface.

extension LanguageModelSession {
  /// Answers with text.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(
      prompt, as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Answers with text.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(
      Prompt(text: prompt), as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Answers with text.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(
      try prompt(), as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Answers with a value of a schema that is made at run time.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond(
    to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      prompt, as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Answers with a value of a schema that is made at run time.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      Prompt(text: prompt), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Answers with a value of a schema that is made at run time.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      try prompt(), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Answers with a value of a type.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(
      prompt, as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Answers with a value of a type.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(
      Prompt(text: prompt), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Answers with a value of a type.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await answer(
      try prompt(), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }
}
