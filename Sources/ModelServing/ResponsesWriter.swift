// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// Writes an answer as Responses has it: whole, or as events.
struct ResponsesWriter: AnswerWriter {
  private struct Item: Sendable {
    enum Kind: Sendable, Hashable {
      case message, reasoning
      case call(id: String, name: String)
    }

    var id: String
    var kind: Kind
    var text = ""
    var probabilities: [GeneratedContent] = []
  }

  private let id: String
  private let model: String
  private let created: Int
  private var items: [Item] = []
  private var sequence = 0
  private var hasBegun = false

  init(id: String, model: String, created: Int) {
    self.id = "resp-" + id
    self.model = model
    self.created = created
  }

  mutating func write(_ part: ServedPart) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    if !hasBegun {
      hasBegun = true
      for type in ["response.created", "response.in_progress"] {
        events.append(event(type, ["response": response("in_progress", nil)]))
      }
    }
    switch part {
    case .text(let text, let tokens):
      let index = items.firstIndex { $0.kind == .message } ?? begin(.message, &events)
      items[index].text += text
      items[index].probabilities += tokens.map(\.content)
      events.append(
        event(
          "response.output_text.delta",
          [
            "item_id": items[index].id, "output_index": index, "content_index": 0, "delta": text,
            "logprobs": GeneratedContent.items(tokens.map(\.content)),
          ]))
    case .reasoning(let text):
      let index = items.firstIndex { $0.kind == .reasoning } ?? begin(.reasoning, &events)
      items[index].text += text
      events.append(
        event(
          "response.reasoning_text.delta",
          [
            "item_id": items[index].id, "output_index": index, "content_index": 0, "delta": text,
          ]))
    case .call(let id, let name, let arguments):
      let index =
        items.firstIndex { $0.kind == .call(id: id, name: name) }
        ?? begin(.call(id: id, name: name), &events)
      items[index].text += arguments
      events.append(
        event(
          "response.function_call_arguments.delta",
          ["item_id": items[index].id, "output_index": index, "delta": arguments]))
    case .end(let end):
      for index in items.indices { finish(index, &events) }
      let isWhole = end.reason != .length
      events.append(
        event(
          isWhole ? "response.completed" : "response.incomplete", ["response": whole(end)]))
    }
    return events
  }

  func whole(_ end: ServedEnd) -> GeneratedContent {
    response(end.reason == .length ? "incomplete" : "completed", end)
  }

  func failure(_ problem: ServeProblem) -> ServerSentEvent {
    ServerSentEvent(
      GeneratedContent.members([
        "type": "error", "code": problem.code ?? "server_error", "message": problem.message,
        "param": GeneratedContent.jsonNull, "sequence_number": sequence,
      ]).jsonString, name: "error")
  }

  private mutating func begin(
    _ kind: Item.Kind, _ events: inout [ServerSentEvent]
  ) -> Int {
    let index = items.count
    items.append(Item(id: "\(id)-\(index)", kind: kind))
    events.append(
      event(
        "response.output_item.added",
        ["output_index": index, "item": content(items[index], status: "in_progress")]))
    if kind == .message {
      events.append(
        event(
          "response.content_part.added",
          [
            "item_id": items[index].id, "output_index": index, "content_index": 0,
            "part": part(Item(id: "", kind: .message)),
          ]))
    }
    return index
  }

  private mutating func finish(_ index: Int, _ events: inout [ServerSentEvent]) {
    let item = items[index]
    switch item.kind {
    case .call(_, let name):
      events.append(
        event(
          "response.function_call_arguments.done",
          [
            "item_id": item.id, "output_index": index, "name": name, "arguments": item.text,
          ]))
    case .reasoning:
      events.append(
        event(
          "response.reasoning_text.done",
          [
            "item_id": item.id, "output_index": index, "content_index": 0, "text": item.text,
          ]))
    case .message:
      events.append(
        event(
          "response.output_text.done",
          [
            "item_id": item.id, "output_index": index, "content_index": 0, "text": item.text,
            "logprobs": GeneratedContent.items(item.probabilities),
          ]))
      events.append(
        event(
          "response.content_part.done",
          [
            "item_id": item.id, "output_index": index, "content_index": 0,
            "part": part(item),
          ]))
    }
    events.append(
      event(
        "response.output_item.done",
        ["output_index": index, "item": content(item, status: "completed")]))
  }

  private func part(_ item: Item) -> GeneratedContent {
    .members([
      "type": "output_text", "text": item.text, "annotations": GeneratedContent.items([]),
      "logprobs": GeneratedContent.items(item.probabilities),
    ])
  }

  private func content(_ item: Item, status: String) -> GeneratedContent {
    let isComplete = status == "completed"
    switch item.kind {
    case .call(let id, let name):
      return .members([
        "id": item.id, "type": "function_call", "status": status, "call_id": id, "name": name,
        "arguments": item.text,
      ])
    case .reasoning:
      let text = GeneratedContent.members(["type": "reasoning_text", "text": item.text])
      return .members([
        "id": item.id, "type": "reasoning", "status": status,
        "summary": GeneratedContent.items([]),
        "content": GeneratedContent.items(isComplete ? [text] : []),
      ])
    case .message:
      return .members([
        "id": item.id, "type": "message", "status": status, "role": "assistant",
        "content": GeneratedContent.items(isComplete ? [part(item)] : []),
      ])
    }
  }

  private func response(_ status: String, _ end: ServedEnd?) -> GeneratedContent {
    let output = end == nil ? [] : items.map { content($0, status: "completed") }
    let usage = end.map { end in
      GeneratedContent.members([
        "input_tokens": end.input,
        "input_tokens_details": GeneratedContent.members(["cached_tokens": end.cachedInput]),
        "output_tokens": end.output,
        "output_tokens_details": GeneratedContent.members(["reasoning_tokens": end.reasoning]),
        "total_tokens": end.input + end.output,
      ])
    }
    let details: GeneratedContent =
      status == "incomplete" ? .members(["reason": "max_output_tokens"]) : .jsonNull
    return .members([
      "id": id, "object": "response", "created_at": created, "status": status, "model": model,
      "output": GeneratedContent.items(output), "error": GeneratedContent.jsonNull,
      "incomplete_details": details, "instructions": GeneratedContent.jsonNull,
      "metadata": GeneratedContent.members([:]), "parallel_tool_calls": true,
      "tool_choice": "auto", "tools": GeneratedContent.items([]),
      "usage": usage ?? GeneratedContent.jsonNull,
    ])
  }

  private mutating func event(
    _ type: String, _ members: KeyValuePairs<String, (any ConvertibleToGeneratedContent)?>
  ) -> ServerSentEvent {
    defer { sequence += 1 }
    let head = GeneratedContent.members(["type": type, "sequence_number": sequence])
    return ServerSentEvent(head.adding(members).jsonString, name: type)
  }
}
