// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierServer

extension Scenario {
  private static func failure(
    _ name: String, _ status: Int, _ body: String, _ outcome: Outcome,
    headers: [String: String] = [:]
  ) -> Scenario {
    Scenario(name: name, status: status, headers: headers, body: body, outcome: outcome)
  }

  static let failures: [Scenario] = [
    failure(
      "full context at llama-server", 400,
      #"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
      .overflow(4096, 5000)),
    failure(
      "full context at vLLM", 400,
      #"{"error":{"message":"This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens.","type":"BadRequestError","code":400}}"#,
      .overflow(2048, 2049)),
    failure(
      "full context at OpenAI", 400,
      #"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
      .overflow(8192, 9000)),
    failure(
      "full context as a message alone", 400,
      #"{"message":"Requested token count exceeds the model's maximum context length of 1000 tokens. You requested a total of 1200 tokens."}"#,
      .overflow(1000, 1200)),
    failure(
      "full context at LM Studio", 400,
      #"{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
      .overflow(4096, 5000)),
    failure(
      "full context at Ollama", 400,
      #"{"error":"{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":5000,\"n_ctx\":4096}}"}"#,
      .overflow(4096, 5000)),
    failure(
      "full context with the count first", 400,
      #"{"error":{"message":"The prompt has 9000 tokens, which exceeds the context window of 8192."}}"#,
      .overflow(8192, 9000)),
    failure(
      "no credit", 429, #"{"error":{"message":"no money","code":"insufficient_quota"}}"#,
      .error(.unauthorized)),
    failure(
      "too many requests", 429, #"{"error":{"message":"slow down"}}"#, .rateLimited,
      headers: ["Retry-After": "7"]),
    failure(
      "busy, with a time", 503, #"{"error":{"message":"busy"}}"#, .rateLimited,
      headers: ["Retry-After": "7"]),
    failure(
      "still loading", 503, #"{"error":{"message":"Loading model","code":503}}"#,
      .error(.serverFailure)),
    failure("wrong key", 401, #"{"error":{"message":"no"}}"#, .error(.unauthorized)),
    failure("no such model", 404, #"{"error":"model 'x' not found"}"#, .error(.notFound)),
    failure("bad request", 400, #"{"error":{"message":"unknown field"}}"#, .error(.badRequest)),
    failure("failure in HTML", 502, "<html>Bad gateway</html>", .error(.serverFailure)),
    failure("gateway that gave up", 504, "", .timeout),
    failure(
      "redirection", 307, "", .error(.badRequest), headers: ["Location": "http://127.0.0.1:1/"]),
    Scenario(
      name: "failure within a stream",
      body: Chunk.text("a") + Chunk.event(#"{"error":{"message":"out of memory","code":500}}"#),
      outcome: .error(.serverFailure)),
    Scenario(
      name: "failure as a bare line", body: Chunk.text("a") + #"{"error":"out of memory"}"# + "\n",
      outcome: .error(.serverFailure)),
    Scenario(
      name: "event named error",
      body: "event: error\ndata: {\"message\":\"out of memory\"}\n\n",
      outcome: .error(.serverFailure)),
    Scenario(
      name: "full context within a stream",
      body: Chunk.event(
        #"{"error":{"code":400,"message":"context shift is disabled","type":"exceed_context_size_error","n_prompt_tokens":500,"n_ctx":256}}"#
      ), outcome: .overflow(256, 500)),
    Scenario(
      name: "an empty answer where the context is full", body: Chunk.done, profile: .lmStudio,
      outcome: .error(.emptyAnswer)),
  ]

  private static func response(_ type: String, _ members: String) -> String {
    "event: \(type)\ndata: {\"type\":\"\(type)\",\(members)}\n\n"
  }

  private static func profile(_ route: ServerProfile.Route) -> ServerProfile {
    var profile = ServerProfile.cautious
    profile.route = route
    return profile
  }

  private static let completed = response(
    "response.completed",
    #""response":{"id":"r","status":"completed","usage":{"input_tokens":11,"output_tokens":7}}"#)

  static let routes: [Scenario] = [
    Scenario(
      name: "Responses: value",
      body: response("response.output_text.delta", #""delta":"{\"n\":""#)
        + response("response.output_text.delta", #""delta":"12}""#) + completed, schema: object,
      profile: profile(.responses), outcome: .text(#"{"n":12}"#)),
    Scenario(
      name: "Responses: reasoning",
      body: response("response.reasoning_summary_text.delta", #""delta":"hm""#)
        + response("response.output_text.delta", #""delta":"ok""#) + completed,
      profile: profile(.responses), outcome: .reasoning("hm", text: "ok")),
    Scenario(
      name: "Responses: format ignored",
      body: response("response.output_text.delta", #""delta":"Twelve.""#) + completed,
      schema: object, profile: profile(.responses), outcome: .error(.brokenSchema)),
    Scenario(
      name: "Responses: cut off",
      body: response("response.output_text.delta", #""delta":"{""#)
        + response(
          "response.incomplete",
          #""response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#
        ),
      schema: object, profile: profile(.responses), outcome: .error(.truncated)),
    Scenario(
      name: "Responses: call",
      body: response(
        "response.output_item.added",
        #""output_index":0,"item":{"type":"function_call","call_id":"a","name":"weather"}"#)
        + response(
          "response.function_call_arguments.delta", #""output_index":0,"delta":"{\"city\":""#)
        + response(
          "response.function_call_arguments.delta", #""output_index":0,"delta":"\"Rome\"}""#)
        + completed, tools: ["weather": weather], profile: profile(.responses),
      outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "Responses: call that comes whole",
      body: response(
        "response.output_item.added",
        #""output_index":0,"item":{"type":"function_call","call_id":"a","name":"weather"}"#)
        + response(
          "response.function_call_arguments.done",
          #""output_index":0,"arguments":"{\"city\":\"Rome\"}""#) + completed,
      tools: ["weather": weather], profile: profile(.responses),
      outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "Responses: call in pieces and whole",
      body: response(
        "response.output_item.added",
        #""output_index":0,"item":{"type":"function_call","call_id":"a","name":"weather"}"#)
        + response(
          "response.function_call_arguments.delta",
          #""output_index":0,"delta":"{\"city\":\"Rome\"}""#)
        + response(
          "response.function_call_arguments.done",
          #""output_index":0,"arguments":"{\"city\":\"Rome\"}""#)
        + response(
          "response.output_item.done",
          #""output_index":0,"item":{"type":"function_call","call_id":"a","name":"weather","arguments":"{\"city\":\"Rome\"}"}"#
        ) + completed,
      tools: ["weather": weather], profile: profile(.responses),
      outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "Responses: text that comes whole",
      body: response("response.output_text.done", #""text":"ok""#) + completed,
      profile: profile(.responses), outcome: .text("ok")),
    Scenario(
      name: "Responses: failed",
      body: response(
        "response.failed", #""response":{"error":{"code":"server_error","message":"no"}}"#),
      profile: profile(.responses), outcome: .error(.serverFailure)),
    Scenario(
      name: "Ollama: value",
      body: #"{"model":"m","message":{"role":"assistant","content":"{\"n\":"},"done":false}"# + "\n"
        + #"{"model":"m","message":{"content":"12}"},"done":false}"# + "\n"
        + #"{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":7}"#
        + "\n", schema: object, profile: profile(.ollamaChat), outcome: .text(#"{"n":12}"#)),
    Scenario(
      name: "Ollama: thinking",
      body: #"{"message":{"thinking":"hm","content":""}}"# + "\n"
        + #"{"message":{"content":"ok"},"done":true,"done_reason":"stop"}"#,
      profile: profile(.ollamaChat), outcome: .reasoning("hm", text: "ok")),
    Scenario(
      name: "Ollama: two calls",
      body:
        #"{"message":{"content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Rome"}}},{"function":{"name":"weather","arguments":{"city":"Oslo"}}}]},"done":false}"#
        + "\n" + #"{"message":{"content":""},"done":true,"done_reason":"stop"}"# + "\n",
      tools: ["weather": weather], profile: profile(.ollamaChat),
      outcome: .calls([#"weather({"city":"Rome"})"#, #"weather({"city":"Oslo"})"#])),
    Scenario(
      name: "Ollama: failure within a stream", body: #"{"error":"llama runner terminated"}"# + "\n",
      profile: profile(.ollamaChat), outcome: .error(.serverFailure)),
  ]
}
