// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a model writes calls of tools, as pieces that a decoder can hold it to one after the other.
///
///     Qwen:     opening ""              call <tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>
///               separator "\n"          closing ""
///     Mistral:  opening [TOOL_CALLS][   call {"name": "NAME", "arguments": ARGUMENTS, "id": "ID"}
///               separator ", "          closing ]
///
/// A turn with calls is ``opening``, the calls with ``separator`` between them, ``closing``, and
/// ``turnEnd``.
public struct ToolCallSyntax: Sendable, Hashable {
  /// A piece of one call.
  public enum Piece: Sendable, Hashable {
    /// Text that is the same in every call.
    case literal(String)
    /// The name of the tool.
    case name
    /// The arguments, as ``ToolCallSyntax/arguments`` says.
    case arguments
    /// What a result refers to the call by.
    case identifier
    /// The number of the call in its turn, from 0: Kimi, Command R7B.
    case index
  }

  /// How arguments are written.
  public enum Arguments: Sendable, Hashable {
    /// A JSON object.
    case json
    /// A JSON object inside a JSON string.
    case jsonText
    /// `key=value` with Python's literals and commas between them: LFM2, Llama 4.
    case python
    /// `{key:value}` whose texts stand between `<|"|>`: Gemma 4.
    case gemma
    /// Each argument between marks; texts as they are, other values as JSON: Qwen3-Coder, GLM.
    case marked(MarkedArguments)
  }

  /// Arguments that stand between marks: `<parameter=KEY>\nVALUE\n</parameter>`.
  public struct MarkedArguments: Sendable, Hashable {
    /// What stands before the key.
    public var beforeKey: String
    /// What stands between key and value.
    public var beforeValue: String
    /// What stands after the value.
    public var afterValue: String
    /// What stands between two arguments.
    public var separator: String

    /// Creates the marks of arguments.
    public init(beforeKey: String, beforeValue: String, afterValue: String, separator: String) {
      self.beforeKey = beforeKey
      self.beforeValue = beforeValue
      self.afterValue = afterValue
      self.separator = separator
    }
  }

  /// Where a syntax was found.
  public enum Source: Sendable, Hashable {
    /// The publisher's template wrote calls this way.
    case rendered
    /// The publisher's template writes no calls, but has the marks of a known form.
    case recognised
    /// Nothing is known: the form that most models were shown.
    case standard
  }

  /// What stands before the first call.
  public var opening: String
  /// One call.
  public var call: [Piece]
  /// What stands between two calls.
  public var separator: String
  /// What stands after the last call.
  public var closing: String
  /// What ends the turn after calls, where the template writes it: `<|eom_id|>`.
  public var turnEnd: String
  /// How arguments are written.
  public var arguments: Arguments
  /// The greatest number of calls in one turn; nil where there is none.
  public var limit: Int?
  /// What may stand before the first call in place of ``opening``: `<|python_tag|>` of Llama 3.
  public var otherOpenings: [String]
  /// Where the syntax was found.
  public var source: Source

  /// Creates a syntax.
  public init(
    opening: String = "", call: [Piece], separator: String = "", closing: String = "",
    turnEnd: String = "", arguments: Arguments = .json, limit: Int? = nil,
    otherOpenings: [String] = [], source: Source = .standard
  ) {
    self.opening = opening
    self.call = call
    self.separator = separator
    self.closing = closing
    self.turnEnd = turnEnd
    self.arguments = arguments
    self.limit = limit
    self.otherOpenings = otherOpenings
    self.source = source
  }

  /// The text that begins a turn with calls: ``opening`` and the first call's up to its name.
  public var beginning: String {
    if case .literal(let text)? = call.first { return opening + text }
    return opening
  }

  /// Whether nothing but a brace marks a call, so that any object could be one.
  public var isBare: Bool { beginning.hasPrefix("{") }

  /// The key that arguments stand under in an object with the name; nil where they stand elsewhere.
  public var argumentsKey: String? {
    for (index, piece) in call.enumerated() where piece == .arguments && index > 0 {
      guard case .literal(let text) = call[index - 1], text.hasSuffix(":") || text.hasSuffix(": ")
      else { return nil }
      let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
      return parts.count >= 3 ? String(parts[parts.count - 2]) : nil
    }
    return nil
  }
}
