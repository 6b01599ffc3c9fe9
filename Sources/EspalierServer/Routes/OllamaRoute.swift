// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Ollama's own chat route: lines of JSON, a schema in `format`, and a context of the request's size.
enum OllamaRoute {
  static func body(_ request: ServerRequest, contextSize: Int?) -> GeneratedContent {
    let options = GeneratedContent.members([
      "temperature": request.temperature, "top_k": request.topK, "top_p": request.topP,
      "seed": request.seed.map { Int($0 & 0x7FFF_FFFF) }, "num_predict": request.maximumTokens,
      "num_ctx": contextSize,
    ])
    var body = GeneratedContent.members([
      "model": request.model,
      "messages": GeneratedContent.items(request.messages.map(message)),
      "stream": true,
      "options": options,
      // A full context is an error here; Ollama would drop the beginning and say nothing.
      "truncate": false,
      "shift": false,
    ])
    if let schema = request.constraint?.schema { body = body.adding(["format": schema]) }
    // Most models there reason or do not; those with levels are asked for one by its name.
    if let effort = request.reasoningEffort {
      let isLevel = ["low", "medium", "high"].contains(effort)
      body = body.adding(["think": isLevel ? true.generatedContent : effort.generatedContent])
    }
    // There is no way to require a call, and tools that may not be called are not told of.
    if !request.tools.isEmpty, request.toolChoice != .none {
      var tools = request.tools
      if case .named(let name) = request.toolChoice { tools.removeAll { $0.name != name } }
      body = body.adding(["tools": GeneratedContent.items(tools.map(ChatRoute.tool))])
    }
    return body.adding(extra: request.extraFields)
  }

  private static func message(_ message: ServerRequest.Message) -> GeneratedContent {
    let calls = message.calls.map { call in
      GeneratedContent.members([
        "function": GeneratedContent.members([
          "name": call.name,
          "arguments": (try? GeneratedContent(json: call.arguments)) ?? .members([:]),
        ])
      ])
    }
    // Images are their bytes alone, without the beginning of a `data:` address.
    let images = message.images.compactMap { $0.split(separator: ",").last.map(String.init) }
    return .members([
      "role": message.role.rawValue, "content": message.text,
      "images": images.isEmpty ? nil : GeneratedContent.items(images.map(\.generatedContent)),
      "tool_calls": calls.isEmpty ? nil : GeneratedContent.items(calls),
      "tool_name": message.toolName,
    ])
  }

  /// What a line means.
  ///
  /// - Throws: What the parser throws where the data is no JSON.
  static func read(_ event: EventStreamParser.Event) throws -> [AnswerEvent] {
    let line = try GeneratedContent(json: event.data)
    if let error = line["error"], !error.isNull { return [.failure(line)] }
    var events: [AnswerEvent] = []
    if let message = line["message"] {
      if let text = message["thinking"]?.asText, !text.isEmpty { events.append(.reasoning(text)) }
      if let text = message["content"]?.asText, !text.isEmpty { events.append(.text(text)) }
      for call in message["tool_calls"]?.asList ?? [] {
        var part = ChatRoute.callPart(call)
        part.isWhole = true
        part.index = call["function"]?["index"]?.asInteger
        events.append(.call(part))
      }
    }
    if line["done"]?.isTrue == true {
      events += [
        .identity(id: nil, model: line["model"]?.asText),
        .usage(
          AnswerUsage(
            input: ChatRoute.count(line["prompt_eval_count"]),
            output: ChatRoute.count(line["eval_count"]))),
        .finish(FinishReason(line["done_reason"]?.asText ?? "stop")), .done,
      ]
    }
    return events
  }
}
