// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

/// What a value has to be to count as right.
///
/// Written as JSON: a value stands for itself, and three objects have a meaning of their own:
///
/// - `{"$oneOf": ["NYC", "New York"]}`: any of these;
/// - `{"$near": 3.5, "$tolerance": 0.1}`: a number no further away than that;
/// - `{"$any": true}`: anything, as long as it is there.
///
/// A member that is null and one that is not there are the same.
public indirect enum ExpectedValue: Sendable, Equatable {
  /// This value and no other.
  case exactly(GeneratedContent)
  /// Any of some values.
  case oneOf([ExpectedValue])
  /// A number near another one.
  case near(Double, tolerance: Double)
  /// Anything.
  case any
  /// An object with these members; others count as wrong.
  case object([Member])
  /// A list of these elements, in their order.
  case list([ExpectedValue])

  /// A member of an object.
  public struct Member: Sendable, Equatable {
    /// The key.
    public var name: String
    /// What its value has to be.
    public var value: ExpectedValue

    /// Creates a member.
    public init(name: String, value: ExpectedValue) {
      self.name = name
      self.value = value
    }
  }

  /// Reads what was written as JSON.
  public init(_ content: GeneratedContent) {
    switch content.kind {
    case .structure(let properties, let keys):
      if let choices = properties["$oneOf"], case .array(let choices) = choices.kind {
        self = .oneOf(choices.map(ExpectedValue.init))
      } else if let number = properties["$near"]?.number {
        self = .near(number, tolerance: properties["$tolerance"]?.number ?? 0)
      } else if keys == ["$any"] {
        self = .any
      } else {
        self = .object(
          keys.compactMap { key in
            properties[key].map { Member(name: key, value: ExpectedValue($0)) }
          })
      }
    case .array(let elements): self = .list(elements.map(ExpectedValue.init))
    default: self = .exactly(content)
    }
  }

  /// Whether a value is what was expected.
  public func accepts(_ content: GeneratedContent?) -> Bool {
    guard let content else { return self == .exactly(GeneratedContent(.null)) }
    switch self {
    case .exactly(let expected):
      guard let number = expected.number, let other = content.number else {
        return expected == content
      }
      // Of 64-bit integers every digit counts, and 2.0 is 2.
      if let number = try? expected.value(Int.self), let other = try? content.value(Int.self) {
        return number == other
      }
      return number == other
    case .oneOf(let choices): return choices.contains { $0.accepts(content) }
    case .near(let number, let tolerance):
      // 3.6 is within 0.1 of 3.5, though its nearest double is a little further away.
      let slack = 1e-12 * (abs(number) + tolerance)
      return content.number.map { abs($0 - number) <= tolerance + slack } ?? false
    case .any: return true
    case .object(let members):
      guard case .structure(let properties, let keys) = content.kind,
        keys.allSatisfy({ key in
          members.contains { $0.name == key } || properties[key]?.kind == .null
        })
      else { return false }
      return members.allSatisfy { $0.value.accepts(properties[$0.name]) }
    case .list(let expected):
      guard case .array(let elements) = content.kind, elements.count == expected.count else {
        return false
      }
      return zip(expected, elements).allSatisfy { $0.accepts($1) }
    }
  }

  /// A field of a value: a scalar member, or a list of scalars.
  package struct Field: Sendable, Equatable {
    /// Where it is: `guest`, `stops[].city`.
    package var path: String
    /// What it has to be; nil where it should not be there.
    package var expected: ExpectedValue?
    /// What the answer has; nil where it is not there.
    package var found: GeneratedContent?

    package var isRight: Bool { expected?.accepts(found) ?? false }
  }

  /// The fields of this and of a value beside it. What the value has beyond them is a field, too, so
  /// that what a model makes up counts against it.
  package func fields(in content: GeneratedContent?, path: String = "") -> [Field] {
    switch self {
    case .object(let members):
      var (properties, keys): ([String: GeneratedContent], [String]) = ([:], [])
      if case .structure(let found, let order)? = content?.kind {
        (properties, keys) = (found, order)
      }
      let names = Set(members.map(\.name))
      let others = keys.filter { !names.contains($0) }
      return members.flatMap { member in
        member.value.fields(in: properties[member.name], path: Self.path(member.name, in: path))
      }
        + others.flatMap { key in
          properties[key].map { Self.unexpected($0, path: Self.path(key, in: path)) } ?? []
        }
    case .list(let expected)
    where expected.contains(where: \.hasFields) || expected.isEmpty && content?.hasObjects == true:
      var elements: [GeneratedContent] = []
      if case .array(let found)? = content?.kind { elements = found }
      return expected.enumerated().flatMap { index, value in
        value.fields(in: index < elements.count ? elements[index] : nil, path: path + "[]")
      }
        + elements.dropFirst(expected.count).flatMap { Self.unexpected($0, path: path + "[]") }
    default: return [Field(path: path.isEmpty ? "value" : path, expected: self, found: content)]
    }
  }

  private var hasFields: Bool { if case .object = self { true } else { false } }

  private static func path(_ name: String, in path: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }

  /// The fields of a value where none was expected.
  private static func unexpected(_ content: GeneratedContent, path: String) -> [Field] {
    switch content.kind {
    case .null: []
    case .structure(let properties, let keys) where !keys.isEmpty:
      keys.flatMap { key in
        properties[key].map { unexpected($0, path: Self.path(key, in: path)) } ?? []
      }
    case .array(let elements) where content.hasObjects:
      elements.flatMap { unexpected($0, path: path + "[]") }
    default: [Field(path: path, expected: nil, found: content)]
    }
  }
}

extension GeneratedContent {
  fileprivate var number: Double? { if case .number(let number) = kind { number } else { nil } }

  fileprivate var hasObjects: Bool {
    guard case .array(let elements) = kind else { return false }
    return elements.contains { if case .structure = $0.kind { true } else { false } }
  }
}
