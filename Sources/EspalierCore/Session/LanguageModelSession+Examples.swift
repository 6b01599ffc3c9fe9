// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Requests with worked examples, which FoundationModels does not have.

extension LanguageModelSession {
  /// Answers with a value of a type, after the pattern of worked examples.
  ///
  /// - Parameters:
  ///   - prompt: What is asked.
  ///   - type: The type.
  ///   - examples: What the model is shown before the conversation; in place of the session's
  ///     ``examples``.
  ///   - includeSchemaInPrompt: Whether the model is shown the schema too. A value satisfies it
  ///     either way; small models answered best to both together.
  ///   - options: How the tokens are chosen.
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    examples: [GenerationExample], includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(
      Prompt(text: prompt), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:],
      examples: examples)
  }

  /// Answers with a value of a schema that is made at run time, after the pattern of worked
  /// examples.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, or an error of the model's own.
  @discardableResult
  public func respond(
    to prompt: String, schema: GenerationSchema, examples: [GenerationExample],
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      Prompt(text: prompt), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:],
      examples: examples)
  }

  /// Answers with a stream of a value of a type, after the pattern of worked examples.
  ///
  /// - Parameters:
  ///   - prompt: What is asked.
  ///   - type: The type.
  ///   - examples: What the model is shown before the conversation; in place of the session's
  ///     ``examples``.
  ///   - includeSchemaInPrompt: Whether the model is shown the schema too.
  ///   - options: How the tokens are chosen.
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    examples: [GenerationExample], includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      Prompt(text: prompt), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:],
      examples: examples)
  }

  /// Answers with a stream of a value of a schema that is made at run time, after the pattern of
  /// worked examples.
  public func streamResponse(
    to prompt: String, schema: GenerationSchema, examples: [GenerationExample],
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      Prompt(text: prompt), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:],
      examples: examples)
  }
}
