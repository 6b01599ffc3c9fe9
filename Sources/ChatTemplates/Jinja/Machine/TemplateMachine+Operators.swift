// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Operators, as Python has them.
extension TemplateMachine {
  mutating func apply(
    _ operation: TemplateOperator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    switch operation {
    case .equal: return .bool(try areEqual(left, right))
    case .unequal: return .bool(!(try areEqual(left, right)))
    case .less: return .bool(try order(left, right, "<").map { $0 < 0 } ?? false)
    case .lessOrEqual: return .bool(try order(left, right, "<=").map { $0 <= 0 } ?? false)
    case .greater: return .bool(try order(left, right, ">").map { $0 > 0 } ?? false)
    case .greaterOrEqual: return .bool(try order(left, right, ">=").map { $0 >= 0 } ?? false)
    case .contained: return .bool(try contains(right, left))
    case .notContained: return .bool(!(try contains(right, left)))
    case .add: return try sum(left, right)
    case .multiply: return try multiplied(left, right)
    case .remainder:
      if case .text(let format) = left { return .text(try formatted(format, right)) }
      return try arithmetic(operation, left, right)
    case .subtract, .divide, .floorDivide, .power: return try arithmetic(operation, left, right)
    }
  }

  mutating func contains(
    _ container: TemplateValue, _ value: TemplateValue
  ) throws(ChatTemplateError) -> Bool {
    switch container {
    case .text(let text):
      guard case .text(let part) = value else { throw unusable(value, "'in' of a text") }
      try spend(searching: text, for: part)
      return text.firstIndex(of: part) != nil
    case .dictionary(let dictionary):
      guard let key = TemplateKey(value) else {
        throw problem("A \(value.typeName) cannot be a key.")
      }
      try spend(dictionary.count)
      return dictionary[key] != nil
    case .range(let range):
      guard case .integer(let value) = value, range.count > 0 else { return false }
      let (distance, overflows) = value.subtractingReportingOverflow(range.start)
      guard !overflows, range.step != -1 || distance != .min else { return false }
      return distance % range.step == 0 && distance / range.step >= 0
        && distance / range.step < range.count
    case .undefined: return false
    default:
      guard count(of: container) != nil || isGenerator(container) else {
        throw unusable(container, "'in'")
      }
      for item in try items(of: container) where try areEqual(item, value) { return true }
      return false
    }
  }

  private func isGenerator(_ value: TemplateValue) -> Bool {
    if case .generator = value { true } else { false }
  }

  /// Pays for a search of a text in another.
  mutating func spend(
    searching text: TemplateText, for part: TemplateText
  ) throws(ChatTemplateError) {
    // Texts that nearly match everywhere take a step for each byte of both.
    let tries = max(0, text.bytes.count - part.bytes.count) / 8
    try spend(product(tries, min(part.bytes.count, 64)) / 8 + text.bytes.count / 8)
  }

  private mutating func sum(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    switch (left, right) {
    case (.text(let left), .text(let right)): return .text(try joined(left, right))
    case (.list(let left), .list(let right)):
      return try list(left.items + right.items)
    case (.tuple(let left), .tuple(let right)):
      try spend(items: left.items.count + right.items.count)
      return .tuple(TemplateList(left.items + right.items))
    default: return try arithmetic(.add, left, right)
    }
  }

  /// Two texts; where one is safe the other is escaped for HTML.
  mutating func joined(
    _ left: TemplateText, _ right: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: left.bytes.count + right.bytes.count)
    guard left.isSafe != right.isSafe else { return left + right }
    let first = try escaped(left)
    let second = try escaped(right)
    return first + second
  }

  private mutating func multiplied(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    switch (left, right) {
    case (.text(let text), _):
      if let count = right.asIndex { return .text(try repeated(text, count)) }
    case (_, .text(let text)):
      if let count = left.asIndex { return .text(try repeated(text, count)) }
    case (.list(let list), _):
      if let count = right.asIndex { return .items(try repeated(list.items, count)) }
    case (_, .list(let list)):
      if let count = left.asIndex { return .items(try repeated(list.items, count)) }
    case (.tuple(let list), _):
      if let count = right.asIndex { return .tuple(TemplateList(try repeated(list.items, count))) }
    default: break
    }
    return try arithmetic(.multiply, left, right)
  }

  private mutating func repeated(
    _ text: TemplateText, _ count: Int
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: product(text.bytes.count, count))
    return text.repeated(count)
  }

  private mutating func repeated(
    _ items: [TemplateValue], _ count: Int
  ) throws(ChatTemplateError) -> [TemplateValue] {
    try spend(items: product(items.count, count))
    guard !items.isEmpty else { return [] }
    return Array(repeatElement(items, count: max(0, count)).joined())
  }

  // MARK: Numbers

  func negated(_ value: TemplateValue) throws(ChatTemplateError) -> TemplateValue {
    if let integer = value.asIndex {
      let (result, overflows) = 0.subtractingReportingOverflow(integer)
      guard !overflows else { throw tooLarge() }
      return .integer(result)
    }
    switch value {
    case .float(let value): return .float(-value)
    case .bigInteger(let digits):
      let text = digits.string
      return .bigInteger(
        TemplateText(text.hasPrefix("-") ? String(text.dropFirst()) : "-" + text))
    default: throw unusable(value, "'-'")
    }
  }

  func tooLarge() -> ChatTemplateError {
    problem("A whole number is beyond 64 bits, with which templates do not compute here.")
  }

  private func arithmetic(
    _ operation: TemplateOperator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    if let left = left.asIndex, let right = right.asIndex {
      return try integers(operation, left, right)
    }
    guard let first = left.asDouble, let second = right.asDouble else {
      if left.isUndefined { throw unusable(left, operation.symbol) }
      if right.isUndefined { throw unusable(right, operation.symbol) }
      throw problem(
        "'\(operation.symbol)' cannot take values of types \(left.typeName) and "
          + "\(right.typeName).")
    }
    for value in [left, right] {
      if case .bigInteger = value { throw tooLarge() }
    }
    switch operation {
    case .add: return .float(first + second)
    case .subtract: return .float(first - second)
    case .multiply: return .float(first * second)
    case .power: return .float(try PythonNumber.power(first, second))
    default: break
    }
    guard second != 0 else { throw problem("A division by zero.") }
    switch operation {
    case .divide: return .float(first / second)
    default:
      let remainder = PythonNumber.remainder(first, second)
      if operation == .remainder { return .float(remainder) }
      return .float(((first - remainder) / second).rounded())
    }
  }

  private func integers(
    _ operation: TemplateOperator, _ left: Int, _ right: Int
  ) throws(ChatTemplateError) -> TemplateValue {
    let result: (partialValue: Int, overflow: Bool)
    switch operation {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .power: return try power(left, right)
    default:
      guard right != 0 else { throw problem("A division by zero.") }
      if operation == .divide { return .float(Double(left) / Double(right)) }
      result = left.dividedReportingOverflow(by: right)
      guard !result.overflow else { throw tooLarge() }
      let rest = left &- result.partialValue &* right
      let goesDown = rest != 0 && (rest < 0) != (right < 0)
      if operation == .remainder { return .integer(goesDown ? rest + right : rest) }
      return .integer(goesDown ? result.partialValue - 1 : result.partialValue)
    }
    guard !result.overflow else { throw tooLarge() }
    return .integer(result.partialValue)
  }

  private func power(_ base: Int, _ exponent: Int) throws(ChatTemplateError) -> TemplateValue {
    guard exponent >= 0 else {
      return .float(try PythonNumber.power(Double(base), Double(exponent)))
    }
    if base == 0 || base == 1 { return .integer(exponent == 0 ? 1 : base) }
    if base == -1 { return .integer(exponent % 2 == 0 ? 1 : -1) }
    guard exponent < 64 else { throw tooLarge() }
    var result = 1
    for _ in 0..<exponent {
      let (product, overflows) = result.multipliedReportingOverflow(by: base)
      guard !overflows else { throw tooLarge() }
      result = product
    }
    return .integer(result)
  }
}
