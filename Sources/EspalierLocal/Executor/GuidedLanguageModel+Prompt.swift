// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore

extension LanguageModelExecutorGenerationRequest {
  /// The tools that the model is told of.
  var offeredTools: [Transcript.ToolDefinition] {
    generationOptions.toolCallingMode?.kind == .disallowed ? [] : enabledToolDefinitions
  }
}

extension GuidedLanguageModel {
  /// How the model thinks before it answers a request.
  func reasoningPlan(for request: LanguageModelExecutorGenerationRequest) -> ReasoningPlan {
    ReasoningPlan(
      runtime.base.chatTemplate.reasoningSyntax, level: request.contextOptions.reasoningLevel,
      options: reasoning)
  }

  /// The tokens of a transcript before the next turn opens, with which a request of its session begins.
  func beginning(of transcript: Transcript) throws -> [Int] {
    var tools: [Transcript.ToolDefinition] = []
    for case .instructions(let entry) in transcript { tools += entry.toolDefinitions }
    let writer = PromptWriter(
      tools: tools, includesSchema: true, template: runtime.base.chatTemplate,
      form: runtime.form, schemaPrompt: schemaPrompt)
    let conversation = try writer.conversation(of: transcript, opensTurn: false)
    return conversation.messages.isEmpty ? [] : runtime.tokens(of: conversation)
  }

  /// The tokens that are read before the model answers a request.
  func prompt(
    of request: LanguageModelExecutorGenerationRequest, tools: [Transcript.ToolDefinition],
    _ reasoning: ReasoningPlan
  ) throws -> [Int] {
    let writer = PromptWriter(
      tools: tools, includesSchema: request.contextOptions.includeSchemaInPrompt ?? true,
      template: runtime.base.chatTemplate, form: runtime.form,
      schemaPrompt: schemaPrompt, variables: reasoning.variables)
    return runtime.tokens(of: try writer.conversation(of: request.transcript, opensTurn: true))
  }
}

/// Its requests are counted as they are read.
extension GuidedLanguageModel: RequestCountingModel {
  package func tokenCount(
    of request: LanguageModelExecutorGenerationRequest
  ) async throws -> Int {
    // Not where the model computes: a request that is counted would wait for those before it.
    try await ComputeThreads.shared.run { [self] in
      try prompt(of: request, tools: request.offeredTools, reasoningPlan(for: request)).count
    }
  }
}
