// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// Reads the members of an object of a request: each is of its type, or the error names its place,
/// and those that nobody asked for are errors too. What is `null` counts as left out.
struct FieldReader {
  let content: GeneratedContent
  /// Where the object stands in the request; empty for the request itself.
  let place: String
  private var known: Set<String> = []

  init(_ content: GeneratedContent, at place: String = "") throws {
    guard content.isStructure else {
      throw ServeProblem(400, "Expected an object, found \(content.kindName).", at: place)
    }
    self.content = content
    self.place = place
  }

  func path(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  mutating func value(_ name: String) -> GeneratedContent? {
    known.insert(name)
    guard let value = content[name], !value.isNull else { return nil }
    return value
  }

  mutating func text(_ name: String) throws -> String? {
    try value(name).map { value in
      guard let text = value.asText else { throw mismatch(name, "a string", value) }
      return text
    }
  }

  mutating func flag(_ name: String) throws -> Bool? {
    try value(name).map { value in
      guard case .bool(let flag) = value.kind else { throw mismatch(name, "a Boolean", value) }
      return flag
    }
  }

  mutating func integer(_ name: String, atLeast minimum: Int) throws -> Int? {
    try value(name).map { value in
      guard let number = value.asInteger, number >= minimum else {
        throw mismatch(name, "an integer of at least \(minimum)", value)
      }
      return number
    }
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    try value(name).map { value in
      guard let number = value.asNumber, range.contains(number) else {
        throw mismatch(name, "a number from \(range.lowerBound) to \(range.upperBound)", value)
      }
      return number
    }
  }

  mutating func list(_ name: String) throws -> [GeneratedContent]? {
    try value(name).map { value in
      guard let list = value.asList else { throw mismatch(name, "an array", value) }
      return list
    }
  }

  mutating func reader(_ name: String) throws -> FieldReader? {
    try value(name).map { try FieldReader($0, at: path(name)) }
  }

  /// Takes members that change nothing about the answer.
  mutating func ignore(_ names: String...) { known.formUnion(names) }

  /// Takes a member that must have one of some values, because nothing else can be honoured.
  mutating func require(
    _ name: String, _ allowed: [GeneratedContent], otherwise words: String
  ) throws {
    guard let value = value(name), !allowed.contains(value) else { return }
    throw ServeProblem(
      400, "'\(name)' cannot be honoured: \(words)", at: path(name), code: "unsupported_parameter")
  }

  /// Takes a member that other servers have, where its value asks for nothing: a penalty of one, for
  /// example, which clients send with every request.
  mutating func requireNeutral(_ name: String, _ neutral: GeneratedContent...) throws {
    guard let value = value(name) else { return }
    let isNeutral = neutral.contains { other in
      if let number = value.asNumber { return number == other.asNumber }
      return value == other
    }
    guard !isNeutral else { return }
    throw ServeProblem(
      400,
      "'\(name)' cannot be honoured with this value: leave it out, or send "
        + neutral.map(\.jsonString).joined(separator: " or ") + ".",
      at: path(name), code: "unsupported_parameter")
  }

  /// Ends the object.
  func finish() throws {
    for (name, value) in content.asMembers ?? [] where !known.contains(name) && !value.isNull {
      throw ServeProblem(
        400, "'\(name)' is not known here, so it cannot be honoured: leave it out.", at: path(name),
        code: "unknown_parameter")
    }
  }

  private func mismatch(
    _ name: String, _ expected: String, _ found: GeneratedContent
  ) -> ServeProblem {
    let shown = found.jsonString
    return ServeProblem(
      400, "Expected \(expected), found \(shown.count > 80 ? found.kindName : shown).",
      at: path(name))
  }
}
