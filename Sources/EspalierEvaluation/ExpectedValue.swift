// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

/// What a value has to be to count as right.
///
/// Written as JSON: a value stands for itself, and three objects have a meaning of their own:
///
/// - `{"$oneOf": ["NYC", "New York"]}`: any of these;
/// - `{"$near": 3.5, "$tolerance": 0.1}`: a number no further away than that;
/// - `{"$any": true}`: anything, as long as it is there.
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
    guard let content else { return false }
    switch self {
    case .exactly(let expected):
      if let number = expected.number, let other = content.number { return number == other }
      return expected == content
    case .oneOf(let choices): return choices.contains { $0.accepts(content) }
    case .near(let number, let tolerance):
      return content.number.map { abs($0 - number) <= tolerance } ?? false
    case .any: return true
    case .object(let members):
      guard case .structure(let properties, let keys) = content.kind,
        keys.allSatisfy({ key in members.contains { $0.name == key } })
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
  struct Field: Sendable, Equatable {
    /// Where it is: `guest`, `stops[].city`.
    var path: String
    var expected: ExpectedValue
    var found: GeneratedContent?

    var isRight: Bool { expected.accepts(found) }
  }

  /// The fields of this and of a value beside it.
  func fields(in content: GeneratedContent?, path: String = "") -> [Field] {
    switch self {
    case .object(let members):
      var properties: [String: GeneratedContent] = [:]
      if case .structure(let found, _)? = content?.kind { properties = found }
      return members.flatMap { member in
        member.value.fields(
          in: properties[member.name], path: path.isEmpty ? member.name : "\(path).\(member.name)")
      }
    case .list(let expected) where expected.contains(where: \.hasFields):
      var elements: [GeneratedContent] = []
      if case .array(let found)? = content?.kind { elements = found }
      return expected.enumerated().flatMap { index, value in
        value.fields(in: index < elements.count ? elements[index] : nil, path: path + "[]")
      }
    default: return [Field(path: path.isEmpty ? "value" : path, expected: self, found: content)]
    }
  }

  private var hasFields: Bool { if case .object = self { true } else { false } }
}

extension GeneratedContent {
  fileprivate var number: Double? { if case .number(let number) = kind { number } else { nil } }
}
