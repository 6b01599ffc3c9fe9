// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Testing

/// An answer as some server sends it, and what must come of it.
struct Scenario: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable, Equatable {
    /// The text, or the value.
    case text(String)
    /// Text and reasoning.
    case reasoning(String, text: String)
    /// Calls: names and arguments.
    case calls([String])
    /// An error of the server.
    case error(ServerError.Kind)
    /// The context is full: the size, and the number of tokens.
    case overflow(Int, Int)
    case rateLimited
    case refusal
    case guardrail
    case timeout
  }

  var name: String
  var status = 200
  var headers: [String: String] = [:]
  var body: String
  var schema: String?
  var tools: [String: String] = [:]
  var profile = ServerProfile.cautious
  /// What a server goes on sending after the body, without an end.
  var endless: String?
  var outcome: Outcome

  var testDescription: String { name }

  static let object =
    #"{"type":"object","properties":{"n":{"type":"integer","maximum":20}},"required":["n"],"additionalProperties":false}"#
  static let list = "{\"type\":\"array\",\"items\":\(object)}"
  static let weather =
    #"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}"#

  static let all: [Scenario] = text + values + calls + failures + routes

  // MARK: Text

  static let text: [Scenario] = [
    Scenario(
      name: "text", body: Chunk.pieces("Hello, world") + Chunk.end, outcome: .text("Hello, world")),
    Scenario(
      name: "first delta without content",
      body: Chunk.delta(#"{"role":"assistant","content":null}"#) + Chunk.text("Hi") + Chunk.end,
      outcome: .text("Hi")),
    Scenario(
      name: "carriage returns",
      body: "data: " + Chunk.text("a").dropFirst(6).dropLast(2)
        + "\r\n\r\n" + Chunk.end, outcome: .text("a")),
    Scenario(
      name: "comments as pings",
      body: ": ping\n\n" + Chunk.text("a") + ":\n: ping\n\n" + Chunk.text("b") + Chunk.end,
      outcome: .text("ab")),
    Scenario(
      name: "keep-alive chunk under another identity",
      body: Chunk.event(
        #"{"id":"keepalive","model":"keepalive","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}"#
      ) + Chunk.text("a") + Chunk.end, outcome: .text("a")),
    Scenario(
      name: "usage with no choices",
      body: Chunk.text("a") + Chunk.stop() + Chunk.usage + Chunk.done,
      outcome: .text("a")),
    Scenario(
      name: "characters of several bytes", body: Chunk.pieces("Zürich 東京 🗼é") + Chunk.end,
      outcome: .text("Zürich 東京 🗼é")),
    Scenario(
      name: "data without a space after the colon",
      body: "data:" + Chunk.text("a").dropFirst(6) + Chunk.end, outcome: .text("a")),
    Scenario(
      name: "no empty line at the end", body: Chunk.text("a") + Chunk.stop() + "data: [DONE]",
      outcome: .text("a")),
    Scenario(name: "no [DONE]", body: Chunk.text("a") + Chunk.stop(), outcome: .text("a")),
    Scenario(
      name: "done without a reason", body: Chunk.text("a") + Chunk.done, outcome: .text("a")),
    Scenario(
      name: "stream that ends without a reason", body: Chunk.text("a"), outcome: .error(.endedEarly)
    ),
    Scenario(name: "nothing at all", body: "", outcome: .error(.emptyAnswer)),
    Scenario(name: "an end and nothing else", body: Chunk.end, outcome: .error(.emptyAnswer)),
    Scenario(
      name: "text cut off by the limit", body: Chunk.text("a") + Chunk.stop("length") + Chunk.done,
      outcome: .text("a")),
    Scenario(
      name: "an event that is no JSON", body: Chunk.text("a") + "data: <html>\n\n",
      outcome: .error(.malformedAnswer)),
    Scenario(
      name: "reasoning_content",
      body: Chunk.delta(#"{"reasoning_content":"hm"}"#) + Chunk.text("a") + Chunk.end,
      outcome: .reasoning("hm", text: "a")),
    Scenario(
      name: "reasoning", body: Chunk.delta(#"{"reasoning":"hm"}"#) + Chunk.text("a") + Chunk.end,
      outcome: .reasoning("hm", text: "a")),
    Scenario(
      name: "both names of reasoning",
      body: Chunk.delta(#"{"reasoning":"hm","reasoning_content":"hm"}"#) + Chunk.text("a")
        + Chunk.end, outcome: .reasoning("hm", text: "a")),
    Scenario(
      name: "reasoning within the text",
      body: Chunk.pieces("<think>so {\"n\"</think>\n\nok")
        + Chunk.end, outcome: .reasoning("so {\"n\"", text: "ok")),
    Scenario(
      name: "content in parts",
      body: Chunk.delta(#"{"content":[{"type":"text","text":"ab"}]}"#) + Chunk.end,
      outcome: .text("ab")),
    Scenario(
      name: "an empty name of reasoning beside the other",
      body: Chunk.delta(#"{"reasoning":"hm","reasoning_content":""}"#) + Chunk.text("a")
        + Chunk.end, outcome: .reasoning("hm", text: "a")),
    Scenario(
      name: "the whole message after its pieces",
      body: Chunk.pieces("Hello")
        + Chunk.event(
          #"{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}"#)
        + Chunk.done, outcome: .text("Hello")),
    Scenario(
      name: "a message and no pieces",
      body: Chunk.event(
        #"{"choices":[{"index":0,"message":{"content":"Hello","reasoning":"hm"},"finish_reason":"stop"}]}"#
      ) + Chunk.done, outcome: .reasoning("hm", text: "Hello")),
    Scenario(
      name: "answer that the server gave up on",
      body: Chunk.text("Hel") + Chunk.stop("abort") + Chunk.done, outcome: .error(.serverFailure)),
    Scenario(
      name: "calls that no parser found",
      body: Chunk.text("[weather]") + Chunk.stop("tool_calls") + Chunk.done,
      outcome: .error(.malformedAnswer)),
    Scenario(
      name: "refusal", body: Chunk.delta(#"{"refusal":"I will not."}"#) + Chunk.end,
      outcome: .refusal),
    Scenario(
      name: "content filter", body: Chunk.text("a") + Chunk.stop("content_filter") + Chunk.done,
      outcome: .guardrail),
  ]

  // MARK: Values

  static let values: [Scenario] = [
    Scenario(
      name: "value", body: Chunk.pieces(#"{"n":12}"#) + Chunk.end, schema: object,
      outcome: .text(#"{"n":12}"#)),
    Scenario(
      name: "value with white space around it",
      body: Chunk.pieces("\n { \"n\" : 12 }\n\n")
        + Chunk.end, schema: object, outcome: .text(#"{ "n" : 12 }"#)),
    Scenario(
      name: "value in a fence",
      body: Chunk.pieces("Sure!\n```json\n{\"n\": 12}\n```\nBye")
        + Chunk.end, schema: object, outcome: .text(#"{"n": 12}"#)),
    Scenario(
      name: "words after the value",
      body: Chunk.pieces("{\"n\": 12} I hope that helps")
        + Chunk.end, schema: object, outcome: .text(#"{"n": 12}"#)),
    Scenario(
      name: "bound that is broken", body: Chunk.pieces(#"{"n":2100}"#) + Chunk.end, schema: object,
      outcome: .error(.brokenSchema)),
    Scenario(
      name: "another type", body: Chunk.pieces(#"[{"n":1}]"#) + Chunk.end, schema: object,
      outcome: .error(.brokenSchema)),
    Scenario(
      name: "member that is not allowed", body: Chunk.pieces(#"{"n":1,"m":2}"#) + Chunk.end,
      schema: object, outcome: .error(.brokenSchema)),
    Scenario(
      name: "member that is missing", body: Chunk.pieces("{}") + Chunk.end, schema: object,
      outcome: .error(.brokenSchema)),
    Scenario(
      name: "value cut off by the limit", body: Chunk.pieces(#"{"n":1"#) + Chunk.stop("length"),
      schema: object, outcome: .error(.truncated)),
    Scenario(
      name: "value cut off by the connection", body: Chunk.pieces(#"{"n":1"#), schema: object,
      outcome: .error(.endedEarly)),
    Scenario(
      name: "value that is whole, and no reason", body: Chunk.pieces(#"{"n":1}"#), schema: object,
      outcome: .text(#"{"n":1}"#)),
    Scenario(
      name: "white space without an end", body: Chunk.pieces("{"), schema: object,
      endless: Chunk.text("\n  \t  "), outcome: .error(.endlessWhiteSpace)),
    Scenario(
      name: "white space without an end after the value", body: Chunk.pieces(#"{"n":1}"#),
      schema: object, endless: Chunk.text("\n  \t  "), outcome: .text(#"{"n":1}"#)),
    Scenario(
      name: "object that does not end", body: Chunk.pieces(#"{"n":1"#), schema: object,
      endless: Chunk.text(#","n":1"#), outcome: .error(.brokenSchema)),
    Scenario(
      name: "prose in place of a value", body: Chunk.pieces("I am not sure.") + Chunk.end,
      schema: object, outcome: .error(.brokenSchema)),
    Scenario(
      name: "value after reasoning within the text",
      body: Chunk.pieces("<think>{\"n\": 99}</think>{\"n\": 3}") + Chunk.end, schema: object,
      outcome: .reasoning("{\"n\": 99}", text: #"{"n": 3}"#)),
    Scenario(
      name: "schema lost after reasoning",
      body: Chunk.delta(#"{"reasoning":"hm"}"#) + Chunk.pieces("The answer is 3.") + Chunk.end,
      schema: object, outcome: .error(.brokenSchema)),
    Scenario(
      name: "value in the reasoning",
      body: Chunk.delta(#"{"reasoning_content":"{\"n\": 3}"}"#) + Chunk.end, schema: object,
      outcome: .reasoning("{\"n\": 3}", text: "{\"n\": 3}")),
    Scenario(
      name: "list in an object",
      body: Chunk.pieces(#"{ "value" : [{"n":1},{"n":2}] }"#) + Chunk.end,
      schema: list, profile: .openAI, outcome: .text(#"[{"n":1},{"n":2}]"#)),
    Scenario(
      name: "list that was not put into an object", body: Chunk.pieces(#"[{"n":1}]"#) + Chunk.end,
      schema: list, profile: .openAI, outcome: .text(#"[{"n":1}]"#)),
    Scenario(
      name: "list in an object, cut off",
      body: Chunk.pieces(#"{"value":[{"n":1},"#) + Chunk.stop("length") + Chunk.done,
      schema: list, profile: .openAI, outcome: .error(.truncated)),
    Scenario(
      name: "text with brackets in an object", body: Chunk.pieces(#"{"value":"}\"]"}"#) + Chunk.end,
      schema: #"{"type":"string"}"#, profile: .openAI, outcome: .text(#""}\"]""#)),
    Scenario(
      name: "list in an object that breaks its schema",
      body: Chunk.pieces(#"{"value":[{"n":99}]}"#) + Chunk.end, schema: list, profile: .openAI,
      outcome: .error(.brokenSchema)),
    Scenario(
      name: "number cut off by the limit",
      body: Chunk.pieces("12") + Chunk.stop("length") + Chunk.done, schema: #"{"type":"integer"}"#,
      outcome: .error(.truncated)),
    Scenario(
      name: "number cut off by the connection", body: Chunk.pieces("12"),
      schema: #"{"type":"integer"}"#, outcome: .error(.endedEarly)),
    Scenario(
      name: "number that is whole", body: Chunk.pieces("12") + Chunk.end,
      schema: #"{"type":"integer"}"#, outcome: .text("12")),
    Scenario(
      name: "number that is done without a reason", body: Chunk.pieces("12") + Chunk.done,
      schema: #"{"type":"integer"}"#, outcome: .text("12")),
    Scenario(
      name: "number that its end makes wrong", body: Chunk.pieces(#"{"n":21}"#) + Chunk.end,
      schema: object, outcome: .error(.brokenSchema)),
    Scenario(
      name: "object of more than 64 levels is no matter of recursion",
      body: Chunk.text(String(repeating: "[", count: 600)) + Chunk.end, schema: "true",
      outcome: .error(.brokenSchema)),
  ]

  // MARK: Calls

  private static func call(
    _ index: Int?, id: String? = nil, name: String? = nil, _ arguments: String? = nil
  ) -> String {
    var members: [String] = []
    if let index { members.append("\"index\":\(index)") }
    if let id { members.append("\"id\":\"\(id)\"") }
    var function: [String] = []
    if let name { function.append("\"name\":\"\(name)\"") }
    if let arguments {
      function.append("\"arguments\":\(arguments.generatedContent.jsonString)")
    }
    members.append("\"function\":{\(function.joined(separator: ","))}")
    return Chunk.delta("{\"tool_calls\":[{\(members.joined(separator: ","))}]}")
  }

  private static let callsEnd = Chunk.stop("tool_calls") + Chunk.done
  private static let tools = ["weather": weather, "time": weather]

  static let calls: [Scenario] = [
    Scenario(
      name: "call in pieces",
      body: call(0, id: "a", name: "weather", "") + call(0, #"{"ci"#) + call(0, #"ty":"Rome"}"#)
        + callsEnd, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "two calls",
      body: call(0, id: "a", name: "weather", #"{"city":"#) + call(0, #""Rome"}"#)
        + call(1, id: "b", name: "time", #"{"city":"Oslo"}"#) + callsEnd, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#, #"time({"city":"Oslo"})"#])),
    Scenario(
      name: "two calls in pieces by turns",
      body: call(0, id: "a", name: "weather") + call(1, id: "b", name: "time")
        + call(0, #"{"city":"Rome"}"#) + call(1, #"{"city":"Oslo"}"#) + callsEnd, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#, #"time({"city":"Oslo"})"#])),
    Scenario(
      name: "two calls with one index",
      body: call(0, id: "a", name: "weather", #"{"city":"Rome"}"#)
        + call(0, id: "b", name: "weather", #"{"city":"Oslo"}"#) + callsEnd, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#, #"weather({"city":"Oslo"})"#])),
    Scenario(
      name: "two calls with one index and no identity",
      body: call(0, name: "weather", #"{"city":"Rome"}"#)
        + call(0, name: "weather", #"{"city":"Oslo"}"#) + callsEnd, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#, #"weather({"city":"Oslo"})"#])),
    Scenario(
      name: "two calls with one identity",
      body: call(0, id: "a", name: "weather", #"{"city":"Rome"}"#)
        + call(1, id: "a", name: "time", #"{"city":"Oslo"}"#) + callsEnd, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#, #"time({"city":"Oslo"})"#])),
    Scenario(
      name: "call without an index",
      body: call(nil, id: "a", name: "weather", #"{"city":"#) + call(nil, #""Rome"}"#)
        + callsEnd, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "call that ends with stop",
      body: call(0, id: "a", name: "weather", #"{"city":"Rome"}"#) + Chunk.end, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "arguments that are an object",
      body: Chunk.delta(
        #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":{"city":"Rome"}}}]}"#
      ) + callsEnd, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "no arguments", body: call(0, id: "a", name: "now", "") + callsEnd,
      tools: ["now": #"{"type":"object","properties":{},"additionalProperties":false}"#],
      outcome: .calls(["now({})"])),
    Scenario(
      name: "call that the limit cut off before its arguments",
      body: call(0, id: "a", name: "now", "") + Chunk.stop("length") + Chunk.done,
      tools: ["now": #"{"type":"object","properties":{},"additionalProperties":false}"#],
      outcome: .error(.truncated)),
    Scenario(
      name: "name in every piece",
      body: call(0, name: "weather", #"{"ci"#) + call(0, name: "weather", #"ty":"Rome"}"#)
        + callsEnd, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "the whole message after a call",
      body: call(0, id: "a", name: "weather", #"{"city":"Rome"}"#)
        + Chunk.event(
          #"{"choices":[{"index":0,"message":{"content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},"finish_reason":"tool_calls"}]}"#
        ) + Chunk.done, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "arguments that break the parameters",
      body: call(0, id: "a", name: "weather", "[1, ") + call(0, "3]") + callsEnd, tools: tools,
      outcome: .error(.brokenSchema)),
    Scenario(
      name: "arguments cut off by the limit",
      body: call(0, id: "a", name: "weather", #"{"city":"#) + Chunk.stop("length"), tools: tools,
      outcome: .error(.truncated)),
    Scenario(
      name: "arguments of white space without an end",
      body: call(0, id: "a", name: "weather", "{"), tools: tools, endless: call(0, "    \n"),
      outcome: .error(.endlessWhiteSpace)),
    Scenario(
      name: "call without a name", body: call(0, id: "a", "{}") + callsEnd, tools: tools,
      outcome: .error(.malformedAnswer)),
    Scenario(
      name: "arguments before the name",
      body: call(0, id: "a", #"{"city":"#) + call(0, name: "weather", #""Rome"}"#) + callsEnd,
      tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "text and a call",
      body: Chunk.text("Let me look.") + call(0, id: "a", name: "weather", #"{"city":"Rome"}"#)
        + callsEnd, tools: tools, outcome: .calls([#"weather({"city":"Rome"})"#])),
    Scenario(
      name: "function_call of old",
      body: Chunk.delta(#"{"function_call":{"name":"weather","arguments":"{\"city\":"}}"#)
        + Chunk.delta(#"{"function_call":{"arguments":"\"Rome\"}"}}"#)
        + Chunk.stop("function_call") + Chunk.done, tools: tools,
      outcome: .calls([#"weather({"city":"Rome"})"#])),
  ]
}
