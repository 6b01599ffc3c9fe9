// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// What is read of an event of Chat Completions. There is one for each token, so every object of it is
/// gone through once.
struct ChatChunk {
  private(set) var error: GeneratedContent?
  private(set) var choices: GeneratedContent?
  private(set) var usage: GeneratedContent?

  init(_ content: GeneratedContent) {
    content.forEachMember { name, value in
      switch name {
      case "error": error = value
      case "choices": choices = value
      case "usage": usage = value
      default: break
      }
    }
  }

  /// An element of `choices`.
  struct Choice {
    private(set) var delta: GeneratedContent?
    private(set) var message: GeneratedContent?
    private(set) var logprobs: GeneratedContent?
    private(set) var finishReason: GeneratedContent?

    init(_ content: GeneratedContent) {
      content.forEachMember { name, value in
        switch name {
        case "delta": delta = value
        case "message": message = value
        case "logprobs": logprobs = value
        case "finish_reason": finishReason = value
        default: break
        }
      }
    }
  }

  /// A `message`, or a part of one: a `delta`.
  struct Message {
    private(set) var reasoningContent: GeneratedContent?
    private(set) var reasoning: GeneratedContent?
    private(set) var content: GeneratedContent?
    private(set) var refusal: GeneratedContent?
    private(set) var toolCalls: GeneratedContent?
    private(set) var functionCall: GeneratedContent?

    init(_ object: GeneratedContent) {
      object.forEachMember { name, value in
        switch name {
        case "reasoning_content": reasoningContent = value
        case "reasoning": reasoning = value
        case "content": content = value
        case "refusal": refusal = value
        case "tool_calls": toolCalls = value
        case "function_call": functionCall = value
        default: break
        }
      }
    }
  }
}
