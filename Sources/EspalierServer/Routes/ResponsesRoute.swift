// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Responses: what a request looks like, and what its events mean.
enum ResponsesRoute {
  static func body(_ request: ServerRequest, profile: ServerProfile) -> GeneratedContent {
    var body = GeneratedContent.members([
      "model": request.model,
      "input": GeneratedContent.items(request.messages.flatMap(items)),
      "stream": true,
      "store": false,
      "temperature": request.temperature,
      "top_p": request.topP,
      "max_output_tokens": request.maximumTokens,
      "reasoning": request.reasoningEffort.map {
        GeneratedContent.members([
          "effort": $0, "summary": profile.name == ServerProfile.openAI.name ? "auto" : nil,
        ])
      },
      "top_logprobs": request.topLogProbabilities,
      "include": request.topLogProbabilities == nil
        ? nil : GeneratedContent.items(["message.output_text.logprobs".generatedContent]),
    ])
    if !request.tools.isEmpty {
      body = body.adding([
        "tools": GeneratedContent.items(
          request.tools.map { tool in
            .members([
              "type": "function", "name": tool.name, "description": tool.description,
              "parameters": tool.parameters, "strict": false,
            ])
          }),
        "tool_choice": request.toolChoice.content { .members(["type": "function", "name": $0]) },
      ])
    }
    return body.adding(constraintOf: request, profile) { schema in
      let format = GeneratedContent.members(["type": "json_schema"]).adding(extra: schema)
      return body.adding(["text": GeneratedContent.members(["format": format])])
    }.adding(extra: request.extraFields)
  }

  private static func items(_ message: ServerRequest.Message) -> [GeneratedContent] {
    if message.role == .tool {
      return [
        .members([
          "type": "function_call_output", "call_id": message.callID ?? "", "output": message.text,
        ])
      ]
    }
    var items: [GeneratedContent] = []
    if !message.text.isEmpty || message.calls.isEmpty {
      let kind = message.role == .assistant ? "output_text" : "input_text"
      let parts =
        [GeneratedContent.members(["type": kind, "text": message.text])]
        + message.images.map { .members(["type": "input_image", "image_url": $0]) }
      items.append(
        .members([
          "type": "message", "role": message.role.rawValue,
          "content": GeneratedContent.items(parts),
        ]))
    }
    return items
      + message.calls.map { call in
        .members([
          "type": "function_call", "call_id": call.id, "name": call.name,
          "arguments": call.arguments,
        ])
      }
  }

  /// What an event means.
  ///
  /// - Throws: What the parser throws where the data is no JSON.
  static func read(_ event: EventStreamParser.Event) throws -> [AnswerEvent] {
    if event.data.hasPrefix("[DONE]") { return [.done] }
    let content = try GeneratedContent(json: event.data)
    let delta = content["delta"]?.asText ?? ""
    switch content["type"]?.asText ?? event.name {
    case "response.output_text.delta":
      var events: [AnswerEvent] = delta.isEmpty ? [] : [.text(delta)]
      if let tokens = content["logprobs"]?.asList, !tokens.isEmpty {
        events.append(.logProbabilities(tokens))
      }
      return events
    case "response.reasoning_text.delta", "response.reasoning_summary_text.delta",
      "response.reasoning.delta":
      return delta.isEmpty ? [] : [.reasoning(delta)]
    case "response.refusal.delta": return [.refusal(delta)]
    case "response.output_item.added":
      guard let item = content["item"], item["type"]?.asText == "function_call" else { return [] }
      return [
        .call(
          CallPart(
            index: content["output_index"]?.asInteger,
            id: item["call_id"]?.asText ?? item["id"]?.asText, name: item["name"]?.asText))
      ]
    case "response.function_call_arguments.delta":
      return [.call(CallPart(index: content["output_index"]?.asInteger, arguments: delta))]
    case "response.output_text.done":
      return [.repetition(.text(content["text"]?.asText ?? ""))]
    case "response.function_call_arguments.done":
      return [
        .repetition(
          .call(
            CallPart(
              index: content["output_index"]?.asInteger, arguments: content["arguments"]?.asText)))
      ]
    case "response.output_item.done":
      guard let item = content["item"], item["type"]?.asText == "function_call" else { return [] }
      return [
        .repetition(
          .call(
            CallPart(
              index: content["output_index"]?.asInteger,
              id: item["call_id"]?.asText ?? item["id"]?.asText, name: item["name"]?.asText,
              arguments: item["arguments"]?.asText)))
      ]
    case "response.completed", "response.incomplete", "response.done":
      return end(of: content["response"] ?? content)
    case "response.failed", "error":
      return [.failure(content["response"] ?? content)]
    default:
      if let error = content["error"], !error.isNull { return [.failure(content)] }
      return []
    }
  }

  private static func end(of response: GeneratedContent) -> [AnswerEvent] {
    var events: [AnswerEvent] = [
      .identity(id: response["id"]?.asText, model: response["model"]?.asText)
    ]
    if let usage = response["usage"], usage.isStructure {
      events.append(
        .usage(
          AnswerUsage(
            input: ChatRoute.count(usage["input_tokens"]),
            cachedInput: ChatRoute.count(usage["input_tokens_details"]?["cached_tokens"]),
            output: ChatRoute.count(usage["output_tokens"]),
            reasoning: ChatRoute.count(usage["output_tokens_details"]?["reasoning_tokens"]))))
    }
    let reason =
      response["incomplete_details"]?["reason"]?.asText
      ?? (response["status"]?.asText == "incomplete" ? "length" : "stop")
    return events + [.finish(FinishReason(reason)), .done]
  }
}
