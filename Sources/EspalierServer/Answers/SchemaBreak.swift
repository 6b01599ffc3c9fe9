// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// A value that cannot satisfy its schema any more, or will not end.
struct SchemaBreak: Error {
  var kind: ServerError.Kind
  /// What is broken and where; nil where nothing but the end is missing.
  var violation: Violation?
  /// What had come of the value.
  var text: String
  /// As much of it as can still become a value.
  var validPrefix: String
  /// The tool whose arguments they are; nil for a response.
  var tool: String?
  /// Whether it is a text that breaks the grammar of the app.
  var isText = false

  init(
    _ kind: ServerError.Kind, violation: Violation?, bytes: some RandomAccessCollection<UInt8>,
    validCount: Int, tool: String? = nil, isText: Bool = false
  ) {
    self.kind = kind
    self.violation = violation
    text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    validPrefix = Self.whole(bytes.prefix(validCount))
    self.tool = tool
    self.isText = isText
  }

  /// Bytes as text, without a character that is cut off at the end.
  private static func whole(_ bytes: some Collection<UInt8>) -> String {
    var bytes = Array(bytes)
    for _ in 0..<4 {
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      bytes.removeLast()
    }
    return ""
  }

  /// The error that an app sees.
  func error(server: String) -> ServerError {
    let subject = tool.map { "The call of the tool '\($0)'" } ?? (isText ? "The text" : "The value")
    switch kind {
    case .truncated:
      return ServerError(
        kind, server: server,
        problem: "\(subject) was cut off by the limit of tokens, after \(text.utf8.count) bytes.",
        suggestion: "Raise 'maximumResponseTokens', or ask for less.", violation: violation,
        text: text)
    case .endlessWhiteSpace:
      return ServerError(
        kind, server: server,
        problem: "\(subject) did not go on: only white space came after \(validPrefix.utf8.count) "
          + "bytes.",
        suggestion: "Try again; a prompt that shows compact JSON helps.", violation: violation,
        text: text)
    case .missingCall:
      return ServerError(
        kind, server: server, problem: "The model answered without the call that was required.",
        suggestion: "Ask again, or use a server that requires calls.", text: text)
    case .endedEarly:
      return ServerError(
        kind, server: server,
        problem: "The stream ended before \(subject.lowercasedFirst) did, and said no reason.",
        suggestion: "Try again.", violation: violation, text: text)
    default:
      var error = ServerError(
        kind, server: server,
        problem: "\(subject) breaks the \(isText ? "grammar" : "schema"): "
          + "\(violation?.description ?? "it is incomplete").",
        suggestion: "Ask again (BrokenSchemaPolicy.retry), or a server that keeps the "
          + (isText ? "grammar: llama-server, vLLM, SGLang or 'espalier serve'." : "keyword."),
        violation: violation, text: text)
      error.brokenCallToolName = tool
      return error
    }
  }

  /// What the model is told before it tries again.
  var correction: String {
    let problem: String
    if kind == .missingCall { return "A tool has to be called. Call it, and write nothing else." }
    switch (kind, violation) {
    case (.endlessWhiteSpace, _): problem = "it stopped in the middle of the value"
    case (_, let violation?):
      let place = violation.instanceLocation.isEmpty ? "" : " at \(violation.instanceLocation)"
      problem = "expected \(violation.expected)\(place), found \(violation.found)"
    default: problem = "it is incomplete"
    }
    let wanted =
      tool.map { "Call '\($0)' again with arguments that do." }
      ?? "Answer again, with the whole \(isText ? "text" : "JSON value") and nothing else."
    return "That does not satisfy the \(isText ? "grammar" : "schema"): \(problem). \(wanted)"
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
