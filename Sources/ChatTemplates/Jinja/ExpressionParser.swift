/// Reads expressions, by the precedence of their operators: `a if b else c` binds least, then `or`,
/// `and`, `not`, comparisons, `+ -`, `~`, `* / // %`, signs, and filters and calls most.
struct ExpressionParser {
  private let words: [TemplateLexer.Word]
  private let line: Int
  private var index = 0
  private var depth = 0

  init(_ words: [TemplateLexer.Word], line: Int) {
    self.words = words
    self.line = line
  }

  func problem(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: line)
  }

  private var next: TemplateLexer.Word? { index < words.count ? words[index] : nil }

  mutating func take(symbol: String) -> Bool {
    guard next == .symbol(symbol) else { return false }
    index += 1
    return true
  }

  mutating func take(name: String) -> Bool {
    guard next == .name(name) else { return false }
    index += 1
    return true
  }

  mutating func expect(symbol: String) throws(ChatTemplateError) {
    guard take(symbol: symbol) else { throw problem("'\(symbol)' is missing.") }
  }

  mutating func expect(name: String) throws(ChatTemplateError) {
    guard take(name: name) else { throw problem("'\(name)' is missing.") }
  }

  func expectEnd() throws(ChatTemplateError) {
    guard next == nil else { throw problem("There is more than was expected.") }
  }

  mutating func name() throws(ChatTemplateError) -> String {
    guard case .name(let name)? = next else { throw problem("A name is missing.") }
    index += 1
    return name
  }

  /// Names with commas between them, in parentheses or not.
  mutating func names() throws(ChatTemplateError) -> [String] {
    let isParenthesised = take(symbol: "(")
    var names = [try name()]
    while take(symbol: ",") { names.append(try name()) }
    if isParenthesised { try expect(symbol: ")") }
    return names
  }

  /// An expression, and nothing after it.
  mutating func whole() throws(ChatTemplateError) -> TemplateExpression {
    let result = try expression()
    try expectEnd()
    return result
  }

  mutating func expression() throws(ChatTemplateError) -> TemplateExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= TemplateParser.depthLimit else {
      throw problem("Expressions nest too deeply.")
    }
    let value = try withoutConditions()
    guard take(name: "if") else { return value }
    let condition = try withoutConditions()
    return .conditional(value, if: condition, else: take(name: "else") ? try expression() : nil)
  }

  mutating func withoutConditions() throws(ChatTemplateError) -> TemplateExpression {
    var left = try conjunction()
    while take(name: "or") { left = .binary(.or, left, try conjunction()) }
    return left
  }

  private mutating func conjunction() throws(ChatTemplateError) -> TemplateExpression {
    var left = try negation()
    while take(name: "and") { left = .binary(.and, left, try negation()) }
    return left
  }

  private mutating func negation() throws(ChatTemplateError) -> TemplateExpression {
    var count = 0
    while take(name: "not") { count += 1 }
    let value = try comparison()
    return count == 0 ? value : .not(count % 2 == 1 ? value : .not(value))
  }

  private mutating func comparison() throws(ChatTemplateError) -> TemplateExpression {
    var left = try sum()
    while true {
      if case .symbol(let symbol)? = next,
        let operation = TemplateOperator(rawValue: symbol),
        [.equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(operation)
      {
        index += 1
        left = .binary(operation, left, try sum())
      } else if take(name: "in") {
        left = .binary(.contained, left, try sum())
      } else if next == .name("not"), index + 1 < words.count, words[index + 1] == .name("in") {
        index += 2
        left = .binary(.notContained, left, try sum())
      } else {
        return left
      }
    }
  }

  private mutating func sum() throws(ChatTemplateError) -> TemplateExpression {
    var left = try product()
    while case .symbol(let symbol)? = next, "+-~".contains(symbol),
      let operation = TemplateOperator(rawValue: symbol)
    {
      index += 1
      left = .binary(operation, left, try product())
    }
    return left
  }

  private mutating func product() throws(ChatTemplateError) -> TemplateExpression {
    var left = try signed()
    while case .symbol(let symbol)? = next, ["*", "/", "//", "%"].contains(symbol),
      let operation = TemplateOperator(rawValue: symbol)
    {
      index += 1
      left = .binary(operation, left, try signed())
    }
    return left
  }

  private mutating func signed() throws(ChatTemplateError) -> TemplateExpression {
    if take(symbol: "-") { return .negative(try postfix()) }
    _ = take(symbol: "+")
    return try postfix()
  }

  private mutating func postfix() throws(ChatTemplateError) -> TemplateExpression {
    var value = try primary()
    while true {
      if take(symbol: ".") {
        value = .attribute(value, try name())
      } else if take(symbol: "[") {
        value = try item(of: value)
      } else if take(symbol: "(") {
        value = .call(value, try arguments())
      } else if take(symbol: "|") {
        let filter = try name()
        value = .filter(value, filter, take(symbol: "(") ? try arguments() : [])
      } else if take(name: "is") {
        value = try test(of: value)
      } else {
        return value
      }
    }
  }

  private mutating func item(
    of value: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateExpression {
    var bounds: [TemplateExpression?] = [nil]
    while !take(symbol: "]") {
      if take(symbol: ":") {
        bounds.append(nil)
      } else {
        bounds[bounds.count - 1] = try expression()
      }
      guard next != nil, bounds.count <= 3 else { throw problem("']' is missing.") }
    }
    if bounds.count == 1 {
      guard let index = bounds[0] else { throw problem("An index is missing.") }
      return .item(value, index)
    }
    return .slice(value, bounds[0], bounds[1], bounds.count > 2 ? bounds[2] : nil)
  }

  private mutating func arguments() throws(ChatTemplateError) -> [TemplateArgument] {
    var result: [TemplateArgument] = []
    while !take(symbol: ")") {
      var label: String?
      if case .name(let name)? = next, index + 1 < words.count, words[index + 1] == .symbol("=") {
        label = name
        index += 2
      }
      result.append(TemplateArgument(name: label, value: try expression()))
      if !take(symbol: ",") {
        try expect(symbol: ")")
        break
      }
    }
    return result
  }

  private mutating func test(
    of value: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateExpression {
    let isNegated = take(name: "not")
    let test: String
    if case .symbol(let symbol)? = next, ["==", "!=", "<", ">", "<=", ">="].contains(symbol) {
      index += 1
      test = symbol
    } else {
      test = try name()
    }
    var values: [TemplateExpression] = []
    if take(symbol: "(") {
      values = try arguments().map(\.value)
    } else if ["in", "==", "!=", "<", ">", "<=", ">=", "equalto", "eq", "ne", "divisibleby"]
      .contains(test)
    {
      values = [try primary()]
    }
    return .test(value, test, values, isNegated: isNegated)
  }

  private mutating func primary() throws(ChatTemplateError) -> TemplateExpression {
    guard let word = next else { throw problem("An expression is missing.") }
    index += 1
    switch word {
    case .text(let text):
      // Texts side by side are one, as in Python.
      var whole = text
      while case .text(let more)? = next {
        whole += more
        index += 1
      }
      return .literal(.string(whole))
    case .integer(let value): return .literal(.integer(value))
    case .number(let value): return .literal(.number(value))
    case .name("true"), .name("True"): return .literal(.bool(true))
    case .name("false"), .name("False"): return .literal(.bool(false))
    case .name("none"), .name("None"): return .literal(.none)
    case .name(let name): return .name(name)
    case .symbol("("): return try parenthesised()
    case .symbol("["):
      var items: [TemplateExpression] = []
      while !take(symbol: "]") {
        items.append(try expression())
        if !take(symbol: ",") {
          try expect(symbol: "]")
          break
        }
      }
      return .list(items)
    case .symbol("{"):
      var members: [(key: TemplateExpression, value: TemplateExpression)] = []
      while !take(symbol: "}") {
        let key = try expression()
        try expect(symbol: ":")
        members.append((key, try expression()))
        if !take(symbol: ",") {
          try expect(symbol: "}")
          break
        }
      }
      return .object(members)
    case .symbol(let symbol): throw problem("'\(symbol)' is not expected here.")
    }
  }

  /// An expression in parentheses, or a tuple.
  private mutating func parenthesised() throws(ChatTemplateError) -> TemplateExpression {
    if take(symbol: ")") { return .list([]) }
    let first = try expression()
    if take(symbol: ")") { return first }
    var items = [first]
    while take(symbol: ",") {
      if next == .symbol(")") { break }
      items.append(try expression())
    }
    try expect(symbol: ")")
    return .list(items)
  }
}
