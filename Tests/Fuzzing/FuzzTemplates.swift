// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz target of chat templates.
//
// An input is a template. It is read and renders a conversation with tools, calls and reasoning on a
// thread with a stack of 512 KB, as the tasks of an app have. Whatever comes of it is an error, or
// text within the limits.

import Foundation

@testable import ChatTemplates

private let conversation = Array(
  #"""
  {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi <|x|> ü🐟"},
   {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [{"type": "function",
   "id": "abcdefghi", "function": {"name": "f", "arguments": {"a": [1, 2.5, null, true, {"b": "c"}]}}}]},
   {"role": "tool", "name": "f", "tool_call_id": "abcdefghi", "content": "1\n2"},
   {"role": "user", "content": [{"type": "text", "text": "Parts"}]}],
   "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters":
   {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"]}}, "required": ["a"]}}}],
   "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>", "n": 9223372036854775807}
  """#.utf8)

/// Runs work on a thread that stays, with a small stack, one piece after the other.
private final class SmallStack: @unchecked Sendable {
  private let wanted = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private var work: () -> Void = {}

  init() {
    let thread = Thread { [self] in
      while true {
        wanted.wait()
        work()
        done.signal()
      }
    }
    thread.stackSize = 512 << 10
    thread.start()
  }

  func run(_ work: @escaping () -> Void) {
    self.work = work
    wanted.signal()
    done.wait()
  }
}

private let stack = SmallStack()
private let limits = ChatTemplate.Limits()

func fuzzTemplate(_ input: UnsafeBufferPointer<UInt8>) {
  let source = String(decoding: input, as: UTF8.self)
  stack.run {
    guard let template = try? JinjaTemplate(source) else { return }
    let date = ChatTemplate.Date(year: 2026, month: 7, day: 4)
    guard let text = try? template.text(json: conversation, date: date) else { return }
    precondition(text.bytes.count <= limits.outputBytes)
    precondition(text.runs.reduce(0) { $0 + $1.text.count } == text.bytes.count)
    precondition(text.string.unicodeScalars.count == text.count)
  }
}
