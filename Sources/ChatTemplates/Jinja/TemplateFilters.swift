extension TemplateRenderer {
  /// `value | name(arguments)`
  func filter(
    _ value: TemplateValue, _ name: String, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    switch name {
    case "trim": return try TemplateOperations.method("strip", of: .text(value.text), arguments)
    case "upper", "lower", "capitalize", "replace":
      return try TemplateOperations.method(name, of: .text(value.text), arguments)
    case "string": return .text(value.text)
    case "safe": return value
    case "tojson":
      var indent: Int?
      if case .integer(let count)? = arguments[0, "indent"] { indent = min(max(count, 0), 16) }
      return .text(value.json(indent: indent))
    case "length", "count":
      if case .object(let object) = value { return .integer(object.keys.count) }
      return .integer(value.items?.count ?? 0)
    case "default", "d":
      let standard = arguments[0, "default_value"] ?? .string("")
      if case .undefined = value { return standard }
      return arguments[1, "boolean"]?.isTrue == true && !value.isTrue ? standard : value
    case "int": return .integer(Self.integer(value.text.string))
    case "float": return .number(Double(value.text.string) ?? 0)
    case "abs":
      if case .integer(let number) = value { return .integer(number < 0 ? 0 &- number : number) }
      return .number(value.double?.magnitude ?? 0)
    case "indent": return .text(indented(value.text, arguments))
    case "items", "keys", "values":
      guard case .object = value else { return .list([]) }
      return try TemplateOperations.method(name, of: value, arguments)
    case "dictsort":
      guard case .object(let object) = value else { return .list([]) }
      return .list(object.keys.sorted().map { .list([.string($0), object[$0] ?? .none]) })
    default: return try listFilter(value, name, arguments)
    }
  }

  private static func integer(_ text: String) -> Int {
    if let value = Int(text) { return value }
    guard let value = Double(text), value.magnitude < 1e15 else { return 0 }
    return Int(value)
  }

  private func indented(_ text: TemplateText, _ arguments: Arguments) -> TemplateText {
    var width = 4
    if case .integer(let count)? = arguments[0, "width"] { width = min(max(count, 0), 64) }
    let blanks = TemplateText(String(repeating: " ", count: width))
    let line = TemplateText("\n")
    let parts = text.split(by: line).enumerated().map { index, part in
      index == 0 && arguments[1, "first"]?.isTrue != true || part.elements.isEmpty
        ? part : TemplateText(blanks.elements + part.elements)
    }
    return TemplateText.joined(parts, separator: line)
  }

  private func listFilter(
    _ value: TemplateValue, _ name: String, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let items = value.items ?? []
    switch name {
    case "first": return items.first ?? .undefined
    case "last": return items.last ?? .undefined
    case "list": return .list(items)
    case "reverse":
      if case .text(let text) = value { return .text(TemplateText(text.elements.reversed())) }
      return .list(items.reversed())
    case "join":
      let separator = arguments[0, "d"]?.text ?? TemplateText("")
      return .text(TemplateText.joined(items.map(\.text), separator: separator))
    case "unique":
      var kept: [TemplateValue] = []
      for item in items where !kept.contains(where: { TemplateValue.areEqual($0, item) }) {
        kept.append(item)
      }
      return .list(kept)
    case "map":
      if let attribute = arguments.named["attribute"] {
        return .list(items.map { member(attribute.text.string, of: $0) })
      }
      guard let filter = arguments.values.first?.text.string else { return .list(items) }
      let rest = Arguments(values: Array(arguments.values.dropFirst()), named: arguments.named)
      var mapped: [TemplateValue] = []
      for item in items { mapped.append(try self.filter(item, filter, rest)) }
      return .list(mapped)
    case "selectattr", "rejectattr":
      guard let attribute = arguments.values.first?.text.string else {
        throw ChatTemplateError(message: "'\(name)' needs an attribute.", line: nil)
      }
      return .list(
        try kept(items, name == "selectattr", arguments.values.dropFirst()) {
          member(attribute, of: $0)
        })
    case "select", "reject":
      return .list(try kept(items, name == "select", arguments.values[...]) { $0 })
    default: throw ChatTemplateError(message: "The filter '\(name)' is not known.", line: nil)
    }
  }

  private func kept(
    _ items: [TemplateValue], _ isKept: Bool, _ arguments: ArraySlice<TemplateValue>,
    _ subject: (TemplateValue) -> TemplateValue
  ) throws(ChatTemplateError) -> [TemplateValue] {
    var result: [TemplateValue] = []
    for item in items {
      let value = subject(item)
      let holds =
        if let test = arguments.first?.text.string {
          try self.test(value, test, Array(arguments.dropFirst()))
        } else {
          value.isTrue
        }
      if holds == isKept { result.append(item) }
    }
    return result
  }

  /// A member of an object, also of one within: `function.name`.
  private func member(_ path: String, of value: TemplateValue) -> TemplateValue {
    var value = value
    for name in path.split(separator: ".") {
      guard case .object(let object) = value, let next = object[String(name)] else {
        return .undefined
      }
      value = next
    }
    return value
  }

  /// `value is name(arguments)`
  func test(
    _ value: TemplateValue, _ name: String, _ arguments: [TemplateValue]
  ) throws(ChatTemplateError) -> Bool {
    switch (name, value) {
    case ("defined", .undefined): return false
    case ("defined", _): return true
    case ("undefined", .undefined): return true
    case ("undefined", _): return false
    case ("none", .none): return true
    case ("string", .text): return true
    case ("mapping", .object): return true
    case ("boolean", .bool): return true
    case ("integer", .integer): return true
    case ("number", .integer), ("number", .number): return true
    case ("float", .number): return true
    case ("sequence", .list), ("sequence", .text), ("sequence", .object): return true
    case ("iterable", .list), ("iterable", .text), ("iterable", .object): return true
    case ("callable", .function): return true
    case ("true", .bool(let value)): return value
    case ("false", .bool(let value)): return !value
    case ("even", .integer(let value)): return value % 2 == 0
    case ("odd", .integer(let value)): return value % 2 != 0
    case ("none", _), ("string", _), ("mapping", _), ("boolean", _), ("integer", _), ("number", _),
      ("float", _), ("sequence", _), ("iterable", _), ("callable", _), ("true", _), ("false", _),
      ("even", _), ("odd", _):
      return false
    default: break
    }
    guard let other = arguments.first else {
      throw ChatTemplateError(message: "The test '\(name)' is not known.", line: nil)
    }
    switch name {
    case "equalto", "eq", "==", "sameas": return TemplateValue.areEqual(value, other)
    case "ne", "!=": return !TemplateValue.areEqual(value, other)
    case "in": return try TemplateOperations.contains(other, value)
    case "<", ">", "<=", ">=":
      guard let operation = TemplateOperator(rawValue: name) else { return false }
      return try TemplateOperations.apply(operation, value, other).isTrue
    case "divisibleby":
      guard case .integer(let value) = value, case .integer(let divisor) = other, divisor != 0
      else { return false }
      return value.isMultiple(of: divisor)
    default:
      throw ChatTemplateError(message: "The test '\(name)' is not known.", line: nil)
    }
  }
}
