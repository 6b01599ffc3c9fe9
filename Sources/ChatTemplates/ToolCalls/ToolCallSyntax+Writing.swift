// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Calls as text.
extension ToolCallSyntax {
  /// Calls as pieces of a prompt: the form is markup; names and arguments are text.
  public func pieces(of calls: [ChatTemplate.ToolCall]) -> [ChatTemplate.Piece] {
    text(of: calls).pieces
  }

  func text(of calls: [ChatTemplate.ToolCall]) -> TemplateText {
    var result = TemplateText(opening)
    for (index, call) in calls.enumerated() {
      if index > 0 { result.append(TemplateText(separator)) }
      for piece in self.call {
        switch piece {
        case .literal(let text): result.append(TemplateText(text))
        case .name: result.append(TemplateText(call.name, isQuoted: true))
        case .index: result.append(TemplateText(String(index)))
        case .identifier: result.append(TemplateText(call.id ?? "", isQuoted: true))
        case .arguments: result.append(TemplateText(written(call.arguments), isQuoted: true))
        }
      }
    }
    result.append(TemplateText(closing))
    return result
  }

  /// Arguments in this syntax; as they are where they are no JSON object.
  public func written(_ json: String) -> String {
    let value = try? TemplateJSONReader.value(of: Array(json.utf8), depthLimit: 100).value
    guard case .dictionary(let object)? = value else { return json }
    var members: [(key: String, value: TemplateValue)] = []
    for (key, value) in zip(object.keys, object.values) {
      members.append((key.asText?.string ?? "", value))
    }
    switch arguments {
    case .json: return json
    case .jsonText: return "\"\(json.escapedForJSON)\""
    case .python:
      return members.map { "\($0.key)=\(Self.python($0.value))" }.joined(separator: ", ")
    case .gemma:
      return members.map { "\($0.key):\(Self.gemma($0.value))" }.joined(separator: ",")
    case .marked(let marks):
      return members.map { key, value in
        marks.beforeKey + key + marks.beforeValue + (value.asText?.string ?? Self.json(value))
          + marks.afterValue
      }.joined(separator: marks.separator)
    }
  }

  /// One value as a form of arguments writes it.
  ///
  /// - Parameter json: The value as JSON.
  package static func written(_ json: String, as form: Arguments) -> String {
    guard let value = try? TemplateJSONReader.value(of: Array(json.utf8), depthLimit: 100).value
    else { return json }
    return switch form {
    case .json, .jsonText, .marked: json
    case .python: python(value)
    case .gemma: gemma(value)
    }
  }

  /// A value as `json.dumps` writes it.
  static func json(_ value: TemplateValue) -> String {
    members(of: value, equals: ": ") {
      "\"\($0.escapedForJSON)\""
    } scalar: { value in
      switch value {
      case .bool(let value): value ? "true" : "false"
      default: "null"
      }
    } separator: {
      ", "
    }
  }

  private static func python(_ value: TemplateValue) -> String {
    members(of: value, equals: ": ") { text in
      var writer = TemplateWriter()
      writer.addRepr(of: TemplateText(text))
      let single = writer.text.string
      // Models were shown double quotes.
      return single.hasPrefix("'") && !text.contains("\"") && !single.contains("\\")
        ? "\"\(text)\"" : single
    } scalar: { value in
      switch value {
      case .bool(let value): value ? "True" : "False"
      default: "None"
      }
    } separator: {
      ", "
    }
  }

  private static func gemma(_ value: TemplateValue) -> String {
    members(of: value, equals: ":") {
      "<|\"|>\($0)<|\"|>"
    } scalar: { value in
      switch value {
      case .bool(let value): value ? "true" : "false"
      default: "null"
      }
    } separator: {
      ","
    } key: {
      $0
    }
  }

  private static func members(
    of value: TemplateValue, equals: String, text: @escaping (String) -> String,
    scalar: @escaping (TemplateValue) -> String, separator: () -> String,
    key: ((String) -> String)? = nil
  ) -> String {
    func written(_ value: TemplateValue) -> String {
      switch value {
      case .text(let own): return text(own.string)
      case .integer(let value): return String(value)
      case .bigInteger(let digits): return digits.string
      case .float(let value): return PythonNumber.repr(value)
      case .list(let list):
        return "[" + list.items.map(written).joined(separator: separator()) + "]"
      case .dictionary(let dictionary):
        let parts = zip(dictionary.keys, dictionary.values).map { name, value in
          (key ?? text)(name.asText?.string ?? "") + equals + written(value)
        }
        return "{" + parts.joined(separator: separator()) + "}"
      default: return scalar(value)
      }
    }
    return written(value)
  }
}
