// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a session asks of an executor.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// The identity of the request.
  public var id: UUID

  /// Everything said so far; the last entry is a prompt or the output of a tool.
  public var transcript: Transcript

  /// The tools that may be called.
  public var enabledToolDefinitions: [Transcript.ToolDefinition]

  /// What the response must look like; text where nil.
  public var schema: GenerationSchema?

  /// How tokens are chosen.
  public var generationOptions: GenerationOptions

  /// What the model is shown, and how much it reasons.
  public var contextOptions: ContextOptions

  /// What the app says beside the prompt, for the executor.
  public var metadata: Transcript.MetadataValues

  /// Whether somebody may see parts of the answer before its end. Otherwise an answer that ends early
  /// has not been seen, and another may take its place.
  var isStreamed = true

  /// Creates a request.
  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.id = id
    self.transcript = transcript
    enabledToolDefinitions = enabledTools
    self.schema = schema
    self.generationOptions = generationOptions
    self.contextOptions = contextOptions
    self.metadata = metadata.attached
  }
}
