// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Chat Completions: what a request looks like, and what its events mean.
enum ChatRoute {
  static func body(
    _ request: ServerRequest, profile: ServerProfile, streams: Bool = true
  ) -> GeneratedContent {
    var body = GeneratedContent.members([
      "model": request.model,
      "messages": GeneratedContent.items(request.messages.map(message)),
      "stream": streams ? true : nil,
      "stream_options": streams ? GeneratedContent.members(["include_usage": true]) : nil,
      "temperature": request.temperature,
      "top_p": request.topP,
      "top_k": profile.takesTopK ? request.topK : nil,
      "seed": profile.takesSeed ? request.seed.map { Int($0 & 0x7FFF_FFFF) } : nil,
      "reasoning_effort": request.reasoningEffort,
      "logprobs": request.topLogProbabilities == nil ? nil : true,
      "top_logprobs": request.topLogProbabilities,
    ])
    if let limit = request.maximumTokens {
      body = body.adding([
        profile.tokenLimitField: limit
      ])
    }
    if !request.tools.isEmpty {
      body = body.adding([
        "tools": GeneratedContent.items(request.tools.map(tool)),
        "tool_choice": request.toolChoice.content { name in
          .members(["type": "function", "function": GeneratedContent.members(["name": name])])
        },
      ])
    }
    if request.continuesLastMessage, profile.continuation == .continueFinalMessage {
      body = body.adding(["continue_final_message": true, "add_generation_prompt": false])
    }
    return body.adding(constraintOf: request, profile) { schema in
      body.adding([
        "response_format": GeneratedContent.members(["type": "json_schema", "json_schema": schema])
      ])
    }.adding(extra: request.extraFields)
  }

  static func message(_ message: ServerRequest.Message) -> GeneratedContent {
    var content: any ConvertibleToGeneratedContent = message.text
    if !message.images.isEmpty {
      let text = GeneratedContent.members(["type": "text", "text": message.text])
      content = GeneratedContent.items(
        [text]
          + message.images.map { url in
            .members([
              "type": "image_url", "image_url": GeneratedContent.members(["url": url]),
            ])
          })
    }
    let calls = message.calls.map { call in
      GeneratedContent.members([
        "id": call.id, "type": "function",
        "function": GeneratedContent.members([
          "name": call.name, "arguments": call.arguments,
        ]),
      ])
    }
    return .members([
      "role": message.role.rawValue, "content": content,
      "tool_calls": calls.isEmpty ? nil : GeneratedContent.items(calls),
      "tool_call_id": message.callID,
    ])
  }

  static func tool(_ tool: ServerRequest.ToolDefinition) -> GeneratedContent {
    .members([
      "type": "function",
      "function": GeneratedContent.members([
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
      ]),
    ])
  }

  /// What an event means. Chunks are read whatever their `id`: some servers keep a connection alive
  /// with empty chunks under another one.
  ///
  /// - Throws: What the parser throws where the data is no JSON.
  static func read(_ event: EventStreamParser.Event) throws -> [AnswerEvent] {
    let data = event.data
    if data.hasPrefix("[DONE]") { return [.done] }
    let content = try GeneratedContent(json: data)
    let chunk = ChatChunk(content)
    if let error = chunk.error, !error.isNull { return [.failure(content)] }
    if event.name == "error" { return [.failure(content)] }
    var events: [AnswerEvent] = []
    if let choice = chunk.choices?.asList?.first.map(ChatChunk.Choice.init) {
      if let delta = choice.delta {
        read(ChatChunk.Message(delta), into: &events)
      } else if let message = choice.message {
        // An answer that is not streamed has it, and some streams end with it.
        var whole: [AnswerEvent] = []
        read(ChatChunk.Message(message), into: &whole)
        events += whole.map { .repetition($0) }
      }
      if let tokens = choice.logprobs?["content"]?.asList, !tokens.isEmpty {
        events.append(.logProbabilities(tokens))
      }
      if let reason = choice.finishReason?.asText, !reason.isEmpty {
        events.append(
          .identity(id: content["id"]?.asText, model: content["model"]?.asText))
        events.append(.finish(FinishReason(reason)))
      }
    }
    if let usage = chunk.usage, usage.isStructure {
      events.append(
        .usage(
          AnswerUsage(
            input: count(usage["prompt_tokens"]),
            cachedInput: count(usage["prompt_tokens_details"]?["cached_tokens"]),
            output: count(usage["completion_tokens"]),
            reasoning: count(usage["completion_tokens_details"]?["reasoning_tokens"]))))
    }
    return events
  }

  private static func read(_ message: ChatChunk.Message, into events: inout [AnswerEvent]) {
    // Both names are in use; a server that fills both means the same text twice.
    if let text = message.reasoningContent?.asText, !text.isEmpty {
      events.append(.reasoning(text))
    } else if let text = message.reasoning?.asText, !text.isEmpty {
      events.append(.reasoning(text))
    }
    if let text = message.content?.asText {
      if !text.isEmpty { events.append(.text(text)) }
    } else if let parts = message.content?.asList {
      let text = parts.compactMap { $0["text"]?.asText }.joined()
      if !text.isEmpty { events.append(.text(text)) }
    }
    if let text = message.refusal?.asText, !text.isEmpty { events.append(.refusal(text)) }
    for call in message.toolCalls?.asList ?? [] { events.append(.call(callPart(call))) }
    if let call = message.functionCall, call.isStructure {
      events.append(
        .call(
          CallPart(
            index: 0, name: call["name"]?.asText, arguments: call["arguments"]?.asText)))
    }
  }

  static func callPart(_ call: GeneratedContent) -> CallPart {
    let function = call["function"]
    let arguments = function?["arguments"]
    // Some send an object in place of its text.
    let isObject = arguments?.isStructure == true
    return CallPart(
      index: call["index"]?.asInteger, id: call["id"]?.asText, name: function?["name"]?.asText,
      arguments: isObject ? arguments?.jsonString : arguments?.asText, isWhole: isObject)
  }

  /// A count that nobody can make negative or absurd.
  static func count(_ content: GeneratedContent?) -> Int {
    min(max(0, content?.asInteger ?? 0), 1 << 28)
  }
}
