// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Transcript {
  /// The tools that the model called at one time.
  public struct ToolCalls: Sendable, Identifiable, Equatable, RandomAccessCollection,
    CustomStringConvertible
  {
    public var id: String
    package var calls: [ToolCall]

    /// Creates calls.
    public init<S: Sequence>(id: String = UUID().uuidString, _ calls: S)
    where S.Element == ToolCall {
      self.id = id
      self.calls = Array(calls)
    }

    public var startIndex: Int { calls.startIndex }
    public var endIndex: Int { calls.endIndex }
    public subscript(index: Int) -> ToolCall { calls[index] }

    public var description: String { calls.map(\.description).joined(separator: "\n") }
  }

  /// A call of a tool.
  public struct ToolCall: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The name of the tool.
    public var toolName: String
    /// What the tool is given.
    public var arguments: GeneratedContent
    /// What the model attached.
    public var metadata: MetadataValues

    /// Creates a call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.init(id: id, metadata: [:], toolName: toolName, arguments: arguments)
    }

    /// Creates a call with attached values.
    public init(
      id: String, metadata: [String: any ConvertibleToGeneratedContent], toolName: String,
      arguments: GeneratedContent
    ) {
      self.id = id
      self.metadata = metadata.attached
      self.toolName = toolName
      self.arguments = arguments
    }

    public var description: String { "\(toolName)(\(arguments.jsonString))" }
  }
}

extension Transcript.Entry {
  /// The identities of the calls that it has.
  var callIDs: [String] {
    if case .toolCalls(let calls) = self { calls.map(\.id) } else { [] }
  }
}

extension Transcript {
  /// Has the instructions tell of the tools that a request offers, and of no others. A transcript that
  /// was saved may tell of tools that are gone, and who counts its tokens would count them.
  mutating func tellOfTools(_ tools: [ToolDefinition]) {
    var tools = tools
    entries = entries.map { entry in
      guard case .instructions(var instructions) = entry else { return entry }
      instructions.toolDefinitions = tools
      tools = []
      return .instructions(instructions)
    }
  }

  /// Gives each call that has no output one that says so.
  ///
  /// A request that failed while its tools ran leaves such calls where the transcript is preserved.
  /// Servers and chat templates refuse a conversation with a call that nobody answered.
  mutating func answerOpenCalls() {
    // Also a call that ran to its end is without an output where another of its round failed.
    let stopped =
      "The request was stopped before this call gave an output. It may have had an effect."
    var result: [Entry] = []
    var open: [ToolCall] = []
    func outputs() -> [Entry] {
      open.map { call in
        let text = Segment.text(.init(content: stopped))
        return .toolOutput(.init(id: call.id, toolName: call.toolName, segments: [text]))
      }
    }
    for entry in entries {
      switch entry {
      case .toolCalls(let calls): open += calls
      case .toolOutput(let output):
        if let index = open.firstIndex(where: { $0.id == output.id }) { open.remove(at: index) }
      case .prompt:
        result += outputs()
        open = []
      case .instructions, .response, .reasoning: break
      }
      result.append(entry)
    }
    entries = result + outputs()
  }
}
