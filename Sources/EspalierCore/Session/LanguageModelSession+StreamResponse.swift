// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The streams of the first generation of the interface.

extension LanguageModelSession {
  /// Streams a response: text.
  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(
      prompt, as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Streams a response: text.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(
      Prompt(text: prompt), as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Streams a response: text.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(
      try prompt(), as: String.self, schema: nil, options: options,
      contextOptions: ContextOptions(), metadata: [:])
  }

  /// Streams a response: a value of a schema that is made at run time.
  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      prompt, as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Streams a response: a value of a schema that is made at run time.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      Prompt(text: prompt), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Streams a response: a value of a schema that is made at run time.
  public func streamResponse(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(
      try prompt(), as: GeneratedContent.self, schema: schema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Streams a response: a value of a type.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      prompt, as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Streams a response: a value of a type.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      Prompt(text: prompt), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }

  /// Streams a response: a value of a type.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(
      try prompt(), as: Content.self, schema: Content.generationSchema, options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:])
  }
}
