// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import EspalierCore

/// Reads the arguments of a call in the form of a model, and says them in JSON.
///
/// By code points: a text may begin with a vowel sign or a joiner, which makes one character with the
/// quotation mark before it.
struct ArgumentReader {
  /// What was not read yet.
  private(set) var rest: Substring.UnicodeScalarView
  private var depth = 0

  /// Values that nest deeper are refused.
  private static var depthLimit: Int { 256 }

  init(_ text: Substring.UnicodeScalarView) { rest = text }

  /// - Parameter strings: The arguments that are texts, where a form does not mark them.
  mutating func arguments(
    _ form: ToolCallSyntax.Arguments, strings: Set<String>
  ) throws -> String {
    switch form {
    case .json, .jsonText: return try json()
    case .python: return try members(equals: "=", key: { try $0.bareKey() })
    case .gemma: return try members(equals: ":", key: { try $0.bareKey() })
    case .marked(let marks): return try marked(marks, strings)
    }
  }

  private func refused() -> ToolCallReadingError { ToolCallReadingError(text: String(rest)) }

  /// A value of JSON as it is.
  private mutating func json() throws -> String {
    var object = ObjectEnd()
    guard
      let last = rest.indices.first(where: { object.isEnd(rest[$0]) })
    else { throw refused() }
    let end = rest.index(after: last)
    defer { rest = rest[end...] }
    return String(rest[..<end])
  }

  private mutating func marked(
    _ marks: ToolCallSyntax.MarkedArguments, _ strings: Set<String>
  ) throws -> String {
    var members: [String] = []
    while begins(with: marks.beforeKey) || begins(with: marks.separator + marks.beforeKey) {
      if !members.isEmpty { rest.removeFirst(marks.separator.unicodeScalars.count) }
      guard begins(with: marks.beforeKey) else { break }
      rest.removeFirst(marks.beforeKey.unicodeScalars.count)
      guard let between = range(of: marks.beforeValue) else { throw refused() }
      let key = String(rest[..<between.lowerBound])
      rest = rest[between.upperBound...]
      guard let after = range(of: marks.afterValue) else { throw refused() }
      let value = String(rest[..<after.lowerBound])
      rest = rest[after.upperBound...]
      let isJSON = !strings.contains(key) && (try? GeneratedContent(json: value)) != nil
      members.append(Self.quoted(key) + ":" + (isJSON ? value : Self.quoted(value)))
    }
    return "{\(members.joined(separator: ","))}"
  }

  // MARK: Values that are not JSON

  private mutating func members(
    equals: String, key: (inout ArgumentReader) throws -> String
  ) throws -> String {
    var members: [String] = []
    while let first = rest.first, first != ")", first != "}" {
      if !members.isEmpty { try skipComma() }
      let name = try key(&self)
      guard begins(with: equals) else { throw refused() }
      rest.removeFirst(equals.unicodeScalars.count)
      rest = rest.drop { $0 == " " }
      members.append(Self.quoted(name) + ":" + (try value()))
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func skipComma() throws {
    guard rest.first == "," else { throw refused() }
    rest.removeFirst()
    rest = rest.drop { $0 == " " }
  }

  private mutating func bareKey() throws -> String {
    let key = rest.prefix { !"=:,{}()[] ".unicodeScalars.contains($0) }
    guard !key.isEmpty else { throw refused() }
    rest.removeFirst(key.count)
    return String(key)
  }

  private mutating func value() throws -> String {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthLimit else { throw refused() }
    let quote = ArgumentGrammar.gemmaQuote
    if begins(with: quote) {
      rest.removeFirst(quote.unicodeScalars.count)
      guard let end = range(of: quote) else { throw refused() }
      defer { rest = rest[end.upperBound...] }
      return Self.quoted(String(rest[..<end.lowerBound]))
    }
    switch rest.first {
    case "\"": return try string()
    case "[":
      rest.removeFirst()
      var elements: [String] = []
      while rest.first != "]" {
        if !elements.isEmpty { try skipComma() }
        elements.append(try value())
      }
      rest.removeFirst()
      return "[\(elements.joined(separator: ","))]"
    case "{":
      rest.removeFirst()
      let object = try members(equals: ":") { reader in
        guard reader.rest.first == "\"" else { return try reader.bareKey() }
        return try GeneratedContent(json: try reader.string()).value(String.self)
      }
      guard rest.first == "}" else { throw refused() }
      rest.removeFirst()
      return object
    default:
      let word = String(rest.prefix { !",)]}\n".unicodeScalars.contains($0) })
      rest.removeFirst(word.unicodeScalars.count)
      switch word {
      case "True", "true": return "true"
      case "False", "false": return "false"
      case "None", "null": return "null"
      default:
        guard (try? GeneratedContent(json: word)) != nil else { throw refused() }
        return word
      }
    }
  }

  /// A text in double quotes, as JSON has it.
  private mutating func string() throws -> String {
    var isEscaped = false
    var end = rest.index(after: rest.startIndex)
    while end < rest.endIndex {
      let scalar = rest[end]
      rest.formIndex(after: &end)
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        defer { rest = rest[end...] }
        return String(rest[..<end])
      }
    }
    throw refused()
  }

  private func begins(with text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

  private func range(of text: String) -> Range<String.Index>? {
    rest.firstRange(of: text.unicodeScalars)
  }

  private static func quoted(_ text: String) -> String { GeneratedContent(text).jsonString }
}
