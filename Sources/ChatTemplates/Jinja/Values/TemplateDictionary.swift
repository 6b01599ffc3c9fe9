// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A dictionary whose keys keep their order.
final class TemplateDictionary: Sendable {
  let keys: [TemplateValue]
  let values: [TemplateValue]
  let depth: Int
  /// Where keys stand, where there are many.
  private let places: [TemplateKey: Int]

  /// Keys up to this number are compared one after the other.
  private static var searchedCount: Int { 8 }

  /// - Parameters:
  ///   - keys: Keys that differ from each other.
  ///   - values: As many values.
  init(keys: [TemplateValue], values: [TemplateValue]) {
    self.keys = keys
    self.values = values
    var depth = 0
    for value in values { depth = max(depth, value.depth) }
    for key in keys { depth = max(depth, key.depth) }
    self.depth = depth + 1
    var places: [TemplateKey: Int] = [:]
    if keys.count > Self.searchedCount {
      places.reserveCapacity(keys.count)
      for (index, key) in keys.enumerated() {
        if let key = TemplateKey(key) { places[key] = index }
      }
    }
    self.places = places
  }

  convenience init(_ members: KeyValuePairs<String, TemplateValue>) {
    self.init(keys: members.map { .string($0.key) }, values: members.map(\.value))
  }

  static let empty = TemplateDictionary(keys: [], values: [])

  var count: Int { keys.count }

  subscript(text: TemplateText) -> TemplateValue? {
    if keys.count > Self.searchedCount {
      return places[.text(text)].map { values[$0] }
    }
    for (index, key) in keys.enumerated() {
      if case .text(let key) = key, key == text { return values[index] }
    }
    return nil
  }

  subscript(name: String) -> TemplateValue? { self[TemplateText(name)] }

  subscript(key: TemplateKey) -> TemplateValue? {
    if case .text(let text) = key { return self[text] }
    if keys.count > Self.searchedCount { return places[key].map { values[$0] } }
    for (index, other) in keys.enumerated() where TemplateKey(other) == key {
      return values[index]
    }
    return nil
  }

  /// `keys()`, `values()` or `items()`.
  struct View: Sendable {
    enum Part: String, Sendable {
      case keys = "dict_keys"
      case values = "dict_values"
      case items = "dict_items"
    }

    var dictionary: TemplateDictionary
    var part: Part
  }

  /// A dictionary that is being made: a key that comes again keeps its place.
  struct Builder {
    private var keys: [TemplateValue] = []
    private var values: [TemplateValue] = []
    private var places: [TemplateKey: Int] = [:]

    var count: Int { keys.count }

    mutating func set(_ value: TemplateValue, _ key: TemplateKey, spelled: TemplateValue) {
      if let place = places[key] {
        values[place] = value
      } else {
        places[key] = keys.count
        keys.append(spelled)
        values.append(value)
      }
    }

    mutating func set(_ value: TemplateValue, _ key: String) {
      let text = TemplateText(key)
      set(value, .text(text), spelled: .text(text))
    }

    func dictionary() -> TemplateDictionary { TemplateDictionary(keys: keys, values: values) }
  }
}

/// What a value is found by: values that Python calls equal have the same key.
enum TemplateKey: Hashable, Sendable {
  case text(TemplateText)
  case integer(Int)
  case float(Double)
  case big(TemplateText)
  case none
  case undefined
  case range(TemplateRange)
  case object(kind: UInt8, number: Int)
  case tuple([TemplateKey])

  /// How many values a tuple may hold, at all levels, to be a key.
  private static var tupleLimit: Int { 64 }

  /// Nil for values that can change in Python, and so have no hash, and for large tuples.
  init?(_ value: TemplateValue) {
    var room = Self.tupleLimit
    self.init(value, &room)
  }

  private init?(_ value: TemplateValue, _ room: inout Int) {
    room -= 1
    guard room >= 0 else { return nil }
    switch value {
    case .text(let text): self = .text(text)
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .integer(let value): self = .integer(value)
    case .bigInteger(let digits): self = .big(digits)
    case .float(let value):
      self = Int(exactly: value).map { .integer($0) } ?? .float(value)
    case .none: self = .none
    case .undefined: self = .undefined
    case .range(let range): self = .range(range)
    case .namespace(let number): self = .object(kind: 0, number: number)
    case .macro(let number): self = .object(kind: 1, number: number)
    case .generator(let number): self = .object(kind: 2, number: number)
    case .loop(let number): self = .object(kind: 3, number: number)
    case .cycler(let number): self = .object(kind: 4, number: number)
    case .joiner(let number): self = .object(kind: 5, number: number)
    case .tuple(let tuple):
      var keys: [TemplateKey] = []
      for item in tuple.items {
        guard let key = TemplateKey(item, &room) else { return nil }
        keys.append(key)
      }
      self = .tuple(keys)
    case .list, .dictionary, .view, .function, .method: return nil
    }
  }
}
