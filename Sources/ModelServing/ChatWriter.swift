// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// Writes an answer as Chat Completions has it: whole, or as chunks.
struct ChatWriter: AnswerWriter {
  private let id: String
  private let model: String
  private let created: Int
  private let includesUsage: Bool
  private var text = ""
  private var reasoning = ""
  private var calls: [(id: String, name: String, arguments: String)] = []
  private var probabilities: [GeneratedContent] = []
  private let givesProbabilities: Bool
  private var hasBegun = false

  init(id: String, model: String, created: Int, request: ServedRequest) {
    self.id = "chatcmpl-" + id
    self.model = model
    self.created = created
    includesUsage = request.includesUsage
    givesProbabilities = request.options.tokenRivalCount != nil
  }

  mutating func write(_ part: ServedPart) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    if !hasBegun {
      hasBegun = true
      events.append(chunk(.members(["role": "assistant", "content": ""])))
    }
    switch part {
    case .text(let piece, let tokens):
      text += piece
      probabilities += tokens.map(\.content)
      events.append(
        chunk(
          .members(["content": piece]),
          probabilities: givesProbabilities ? tokens.map(\.content) : nil))
    case .reasoning(let piece):
      reasoning += piece
      events.append(chunk(.members(["reasoning_content": piece])))
    case .call(let id, let name, let arguments):
      let index = calls.firstIndex { $0.id == id } ?? calls.count
      let isNew = index == calls.count
      if isNew { calls.append((id, name, "")) }
      calls[index].arguments += arguments
      let function = GeneratedContent.members([
        "name": isNew ? name : nil, "arguments": arguments,
      ])
      let call = GeneratedContent.members([
        "index": index, "id": isNew ? id : nil, "type": isNew ? "function" : nil,
        "function": function,
      ])
      events.append(chunk(.members(["tool_calls": GeneratedContent.items([call])])))
    case .end(let end):
      events.append(chunk(.members([:]), finish: end.reason.rawValue))
      if includesUsage {
        events.append(
          ServerSentEvent(
            head("chat.completion.chunk").adding([
              "choices": GeneratedContent.items([]), "usage": usage(end),
            ]).jsonString))
      }
      events.append(ServerSentEvent("[DONE]"))
    }
    return events
  }

  func whole(_ end: ServedEnd) -> GeneratedContent {
    let calls = calls.map { call in
      GeneratedContent.members([
        "id": call.id, "type": "function",
        "function": GeneratedContent.members(["name": call.name, "arguments": call.arguments]),
      ])
    }
    let content: GeneratedContent =
      text.isEmpty && !calls.isEmpty ? .jsonNull : text.generatedContent
    let message = GeneratedContent.members([
      "role": "assistant", "content": content, "refusal": GeneratedContent.jsonNull,
      "reasoning_content": reasoning.isEmpty ? nil : reasoning,
      "tool_calls": calls.isEmpty ? nil : GeneratedContent.items(calls),
    ])
    return head("chat.completion").adding([
      "choices": GeneratedContent.items([
        .members([
          "index": 0, "message": message,
          "logprobs": Self.logprobs(givesProbabilities ? probabilities : nil),
          "finish_reason": end.reason.rawValue,
        ])
      ]),
      "usage": usage(end),
    ])
  }

  func failure(_ problem: ServeProblem) -> ServerSentEvent {
    ServerSentEvent(problem.content.jsonString)
  }

  private func head(_ object: String) -> GeneratedContent {
    .members(["id": id, "object": object, "created": created, "model": model])
  }

  private static func logprobs(_ tokens: [GeneratedContent]?) -> GeneratedContent {
    guard let tokens else { return .jsonNull }
    return .members([
      "content": GeneratedContent.items(tokens), "refusal": GeneratedContent.jsonNull,
    ])
  }

  private func chunk(
    _ delta: GeneratedContent, probabilities: [GeneratedContent]? = nil, finish: String? = nil
  ) -> ServerSentEvent {
    ServerSentEvent(
      head("chat.completion.chunk").adding([
        "choices": GeneratedContent.items([
          .members([
            "index": 0, "delta": delta,
            "logprobs": probabilities.map { Self.logprobs($0) },
            "finish_reason": finish?.generatedContent ?? GeneratedContent.jsonNull,
          ])
        ])
      ]).jsonString)
  }

  private func usage(_ end: ServedEnd) -> GeneratedContent {
    .members([
      "prompt_tokens": end.input, "completion_tokens": end.output,
      "total_tokens": end.input + end.output,
      "prompt_tokens_details": GeneratedContent.members(["cached_tokens": end.cachedInput]),
      "completion_tokens_details": GeneratedContent.members(["reasoning_tokens": end.reasoning]),
    ])
  }
}

/// Writes an answer for one route.
protocol AnswerWriter: Sendable {
  /// The events of a stream that a part becomes.
  mutating func write(_ part: ServedPart) -> [ServerSentEvent]

  /// The whole answer, after all parts were written.
  func whole(_ end: ServedEnd) -> GeneratedContent

  /// The event that says that the answer failed on the way.
  func failure(_ problem: ServeProblem) -> ServerSentEvent
}

/// An event of a stream.
struct ServerSentEvent: Sendable {
  var name: String?
  var data: String

  init(_ data: String, name: String? = nil) {
    self.data = data
    self.name = name
  }

  var bytes: [UInt8] {
    Array(((name.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n").utf8)
  }
}
