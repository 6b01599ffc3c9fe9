// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore

/// How a model writes calls of tools, cut where decoding needs it.
///
///     <tool_call>\n{"name": "get", "arguments": {…}}\n</tool_call>\n<tool_call>\n{"name": …
///     └─ mark ─┘└────────────── call ─────────────┘└── end ─────┘└── before the next ──┘
///
/// The mark tells that a call begins. From there a grammar holds the turn: the names of the tools,
/// their arguments, and whatever stands between two calls. What ends the last call is allowed, not
/// asked for, so that a call is complete as soon as its arguments are.
struct ToolCallForm: Sendable, Equatable {
  let syntax: ToolCallSyntax
  /// What tells that a call begins; empty where nothing but a brace does.
  let mark: String
  /// What is written before a call where an object could be a value too.
  var opening: String { mark.isEmpty ? syntax.otherOpenings.first ?? "" : mark }
  /// Whether a response that begins with a brace is a call.
  var isBare: Bool { mark.isEmpty }

  /// What follows the mark, up to the first piece of the first call that is no literal.
  let start: String
  /// What stands before the first piece of a call that is no literal.
  let lead: String
  /// The pieces of a call from there on, without what only ends it.
  let pieces: [ToolCallSyntax.Piece]
  /// What ends a call, once its arguments are complete.
  let end: String

  /// The greatest number of calls in a turn.
  var limit: Int { syntax.limit ?? 8 }

  init(_ template: ChatTemplate) { self.init(template.toolCallSyntax) }

  init(_ syntax: ToolCallSyntax) {
    // JSON within a JSON string has no grammar; the form that most models know takes its place.
    let syntax = syntax.arguments == .jsonText ? .hermes : syntax
    self.syntax = syntax
    // A line that is begun before the mark tells nothing.
    let beginning = String(syntax.beginning.drop { $0.isWhitespace && $0 != " " })
    mark = Self.mark(of: beginning)
    start = String(beginning.dropFirst(mark.count))
    var pieces = syntax.call
    var lead = ""
    if case .literal(let text)? = pieces.first {
      lead = text
      pieces.removeFirst()
    }
    self.lead = lead
    var end = ""
    if case .literal(let text)? = pieces.last {
      let closers = text.prefix { "})]\"".contains($0) }
      end = String(text.dropFirst(closers.count))
      pieces.removeLast()
      if !closers.isEmpty { pieces.append(.literal(String(closers))) }
    }
    self.pieces = pieces
    self.end = end
  }

  /// The beginning of a call up to its braces: `[TOOL_CALLS][{"name": "` has `[TOOL_CALLS]`.
  private static func mark(of beginning: String) -> String {
    var mark = beginning.prefix { $0 != "\n" && $0 != "{" }
    while mark.last == " " { mark.removeLast() }
    if mark.count > 1, mark.last == "[" { mark.removeLast() }
    return String(mark)
  }

  /// Calls as templates are given them.
  func calls(_ calls: some Sequence<Transcript.ToolCall>) -> [ChatTemplate.ToolCall] {
    calls.map { .init(name: $0.toolName, arguments: $0.arguments.spacedJSONString, id: $0.id) }
  }

  /// Calls as they stand in a turn.
  func text(of calls: some Sequence<Transcript.ToolCall>) -> String {
    syntax.pieces(of: self.calls(calls)).map { piece in
      switch piece {
      case .markup(let text), .text(let text): text
      }
    }.joined()
  }

  /// What the model is told about the tools, where its template does not.
  func instructions(for tools: [Transcript.ToolDefinition]) throws -> String {
    let example = Transcript.ToolCall(
      id: "abcdefghi", toolName: "…", arguments: GeneratedContent(properties: [:]))
    let call = text(of: [example]).replacing("{}", with: "{…}")
    var lines = [
      "You may call one of these tools. To call one, answer with \(call) and nothing else."
    ]
    for tool in tools {
      lines.append(
        "- \(tool.name): \(tool.description) Arguments: \(try TypeNotation(tool.parameters).text)")
    }
    return lines.joined(separator: "\n")
  }
}
