/// Operators, functions and methods of values.
enum TemplateOperations {
  private static func problem(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: nil)
  }

  static func apply(
    _ operation: TemplateOperator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    switch operation {
    case .or, .and: return .bool(left.isTrue)
    case .equal: return .bool(TemplateValue.areEqual(left, right))
    case .unequal: return .bool(!TemplateValue.areEqual(left, right))
    case .less: return .bool(try isLess(left, right))
    case .lessOrEqual: return .bool(try !isLess(right, left))
    case .greater: return .bool(try isLess(right, left))
    case .greaterOrEqual: return .bool(try !isLess(left, right))
    case .contained: return .bool(try contains(right, left))
    case .notContained: return .bool(try !contains(right, left))
    case .join: return .text(TemplateText(left.text.elements + right.text.elements))
    case .add:
      switch (left, right) {
      case (.text(let left), .text(let right)):
        return .text(TemplateText(left.elements + right.elements))
      case (.list(let left), .list(let right)): return .list(left + right)
      default: return try calculate(operation, left, right)
      }
    case .subtract, .multiply, .divide, .divideWhole, .remainder:
      return try calculate(operation, left, right)
    }
  }

  private static func isLess(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> Bool {
    if case .text(let left) = left, case .text(let right) = right {
      return left.elements.lexicographicallyPrecedes(right.elements) { $0.scalar < $1.scalar }
    }
    guard let left = left.double, let right = right.double else {
      throw problem("Only numbers and texts can be compared.")
    }
    return left < right
  }

  static func contains(
    _ container: TemplateValue, _ value: TemplateValue
  ) throws(ChatTemplateError) -> Bool {
    switch (container, value) {
    case (.text(let text), .text(let part)):
      return part.elements.isEmpty || text.firstIndex(of: part) != nil
    case (.list(let items), _): return items.contains { TemplateValue.areEqual($0, value) }
    case (.object(let object), .text(let key)): return object[key.string] != nil
    case (.undefined, _), (.none, _): return false
    default: throw problem("'in' needs a list, an object or a text.")
    }
  }

  private static func calculate(
    _ operation: TemplateOperator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    if case .integer(let left) = left, case .integer(let right) = right, operation != .divide {
      let result: (Int, overflow: Bool)
      switch operation {
      case .add: result = left.addingReportingOverflow(right)
      case .subtract: result = left.subtractingReportingOverflow(right)
      case .multiply: result = left.multipliedReportingOverflow(by: right)
      default:
        let (quotient, overflow) = left.dividedReportingOverflow(by: right)
        guard !overflow else { throw problem("A number is divided by zero.") }
        let rest = left - quotient * right
        // Rounded down, as Python has it.
        let isAbove = rest != 0 && (rest < 0) != (right < 0)
        result =
          operation == .divideWhole
          ? (isAbove ? quotient - 1 : quotient, false) : (isAbove ? rest + right : rest, false)
      }
      guard !result.overflow else { throw problem("A number is too large.") }
      return .integer(result.0)
    }
    guard let left = left.double, let right = right.double else {
      throw problem("'\(operation.rawValue)' needs two numbers, or two texts.")
    }
    switch operation {
    case .add: return .number(left + right)
    case .subtract: return .number(left - right)
    case .multiply: return .number(left * right)
    case .divide: return .number(left / right)
    case .divideWhole: return .number((left / right).rounded(.down))
    default: return .number(left - (left / right).rounded(.down) * right)
    }
  }

  static func range(_ values: [TemplateValue]) throws(ChatTemplateError) -> TemplateValue {
    var bounds: [Int] = []
    for case .integer(let value) in values { bounds.append(value) }
    guard bounds.count == values.count, (1...3).contains(bounds.count) else {
      throw problem("'range' takes one to three whole numbers.")
    }
    let start = bounds.count == 1 ? 0 : bounds[0]
    let end = bounds.count == 1 ? bounds[0] : bounds[1]
    let stride = bounds.count == 3 ? bounds[2] : 1
    let limit = 1 << 40
    guard stride != 0, [start, end, stride].allSatisfy({ $0.magnitude < limit }),
      abs(end - start) / abs(stride) <= 100_000
    else { throw problem("A range is too long.") }
    return .list(Swift.stride(from: start, to: end, by: stride).map(TemplateValue.integer))
  }

  /// The indices of a slice, as Python counts them.
  static func indices(
    _ count: Int, _ start: Int?, _ end: Int?, _ stride: Int?
  ) throws(ChatTemplateError) -> [Int] {
    let stride = stride ?? 1
    guard stride != 0, stride.magnitude < 1 << 40 else { throw problem("A slice has no stride.") }
    func clamped(_ bound: Int?, standard: Int, _ limits: ClosedRange<Int>) -> Int {
      guard let bound else { return standard }
      let absolute = bound < 0 ? max(bound, -count - 1) + count : bound
      return min(max(absolute, limits.lowerBound), limits.upperBound)
    }
    if stride > 0 {
      return Array(
        Swift.stride(
          from: clamped(start, standard: 0, 0...count),
          to: clamped(end, standard: count, 0...count), by: stride))
    }
    return Array(
      Swift.stride(
        from: clamped(start, standard: count - 1, -1...(count - 1)),
        to: clamped(end, standard: -1, -1...(count - 1)), by: stride)
    ).filter { (0..<count).contains($0) }
  }

  static func method(
    _ name: String, of value: TemplateValue, _ arguments: TemplateRenderer.Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    switch value {
    case .text(let text): return try method(name, of: text, arguments)
    case .object(let object):
      switch name {
      case "items":
        return .list(object.keys.map { .list([.string($0), object[$0] ?? .none]) })
      case "keys": return .list(object.keys.map(TemplateValue.string))
      case "values": return .list(object.keys.map { object[$0] ?? .none })
      default:
        guard let key = arguments.values.first else { throw problem("'get' needs a key.") }
        return object[key.text.string] ?? arguments[1, "default"] ?? .none
      }
    default: throw problem("There is no method '\(name)' here.")
    }
  }

  private static func method(
    _ name: String, of text: TemplateText, _ arguments: TemplateRenderer.Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    var first: TemplateText?
    if case .text(let value)? = arguments.values.first { first = value }
    switch name {
    case "strip": return .text(text.trimmed(first))
    case "lstrip": return .text(text.trimmed(first, atEnd: false))
    case "rstrip": return .text(text.trimmed(first, atStart: false))
    case "upper": return .text(text.mapped { $0.uppercased() })
    case "lower": return .text(text.mapped { $0.lowercased() })
    case "capitalize":
      let head = TemplateText(text.elements.prefix(1)).mapped { $0.uppercased() }
      let tail = TemplateText(text.elements.dropFirst()).mapped { $0.lowercased() }
      return .text(TemplateText(head.elements + tail.elements))
    case "startswith": return .bool(first.map { text.hasPrefix($0) } ?? false)
    case "endswith": return .bool(first.map { text.hasSuffix($0) } ?? false)
    case "split":
      guard let first else { return .list(text.splitAtWhiteSpace().map { .text($0) }) }
      guard !first.elements.isEmpty else { throw problem("'split' needs a separator.") }
      return .list(text.split(by: first).map { .text($0) })
    case "replace":
      guard let first, case .text(let new)? = arguments[1, "new"] else {
        throw problem("'replace' needs two texts.")
      }
      return .text(text.replacing(first, with: new))
    case "join":
      let parts = arguments.values.first?.items ?? []
      return .text(TemplateText.joined(parts.map(\.text), separator: text))
    default: throw problem("There is no method '\(name)' of texts here.")
    }
  }
}
