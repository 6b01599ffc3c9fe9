// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// What a server says in an answer, whatever the route it came over.
enum AnswerEvent: Sendable {
  /// Text of the response.
  case text(String)
  /// What was said in pieces, once more and whole: it counts where no piece of it came.
  indirect case repetition(AnswerEvent)
  /// The model's reasoning.
  case reasoning(String)
  /// A part of a tool call.
  case call(CallPart)
  /// Why the model declines, in its own words.
  case refusal(String)
  /// How many tokens were read and written.
  case usage(AnswerUsage)
  /// The probabilities of tokens, as the server writes them.
  case logProbabilities([GeneratedContent])
  /// Which model answers, and the identity that the server gave the answer.
  case identity(id: String?, model: String?)
  /// The answer has ended, for a reason.
  case finish(FinishReason)
  /// The server says that nothing more will come.
  case done
  /// The server failed on the way.
  case failure(GeneratedContent)
}

/// A part of a tool call.
struct CallPart: Sendable, Equatable {
  /// Which call of the answer it belongs to, as the server counts; nil where it does not count.
  var index: Int?
  /// The identity of the call.
  var id: String?
  /// The name of the tool.
  var name: String?
  /// The next piece of the arguments' JSON.
  var arguments: String?
  /// Whether the arguments are whole: a route without pieces sends them so.
  var isWhole = false
}

/// How many tokens an answer took.
struct AnswerUsage: Sendable, Equatable {
  var input = 0
  var cachedInput = 0
  var output = 0
  var reasoning = 0
}

/// Why an answer ended.
enum FinishReason: Sendable, Equatable {
  /// The model was done.
  case stop
  /// The limit of tokens was reached.
  case length
  /// The model wants tools to be called.
  case toolCalls
  /// A filter of the server stopped the answer.
  case contentFilter
  /// The server gave up, in its words.
  case failure(String)
  /// Another reason, in the server's words.
  case other(String)

  init(_ name: String) {
    self =
      switch name {
      case "stop", "eos", "end_turn", "completed": .stop
      case "length", "max_tokens", "max_output_tokens", "model_length": .length
      case "tool_calls", "function_call", "tool_use": .toolCalls
      case "content_filter": .contentFilter
      case "abort", "aborted", "error", "failed", "cancelled", "canceled": .failure(name)
      default: .other(name)
      }
  }

  /// The name in OpenTelemetry's conventions.
  var name: String {
    switch self {
    case .stop: "stop"
    case .length: "length"
    case .toolCalls: "tool_calls"
    case .contentFilter: "content_filter"
    case .failure(let name), .other(let name): name
    }
  }
}
