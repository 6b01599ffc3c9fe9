// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension TemplateParser {
  /// Reads an expression, or several with commas between them: a tuple.
  mutating func tuple(
    withConditions: Bool = true, end: StaticString = "", isParenthesised: Bool = false
  ) throws(ChatTemplateError) {
    var count = 0
    var isTuple = false
    while true {
      let isEnd =
        token.kind == .variableEnd || token.kind == .blockEnd || isSymbol(")")
        || (end.utf8CodeUnitCount > 0 && isName(end))
      if isEnd { break }
      if withConditions { try expression() } else { try disjunction() }
      count += 1
      guard take(symbol: ",") else { break }
      isTuple = true
    }
    if isTuple || (count == 0 && isParenthesised) {
      emit(.makeTuple(Int32(truncatingIfNeeded: count)))
    } else if count == 0 {
      throw problem("An expression is expected, not \(tokenDescription).")
    }
  }

  mutating func expression() throws(ChatTemplateError) {
    try nested { (parser) throws(ChatTemplateError) in
      let start = parser.here
      try parser.disjunction()
      while parser.take(name: "if") {
        let value = parser.cut(from: start)
        try parser.disjunction()
        let toElse = parser.here
        parser.emit(.jumpIfFalse(0))
        parser.paste(value)
        let toEnd = parser.here
        parser.emit(.jump(0))
        parser.land(toElse)
        if parser.take(name: "else") {
          try parser.expression()
        } else {
          parser.emit(.undefined)
        }
        parser.land(toEnd)
      }
    }
  }

  /// `or`, and all that binds more.
  mutating func disjunction() throws(ChatTemplateError) {
    try conjunction()
    var exits: [Int] = []
    while take(name: "or") {
      exits.append(here)
      emit(.jumpIfTrueOrPop(0))
      try conjunction()
    }
    for exit in exits { land(exit) }
  }

  private mutating func conjunction() throws(ChatTemplateError) {
    try negation()
    var exits: [Int] = []
    while take(name: "and") {
      exits.append(here)
      emit(.jumpIfFalseOrPop(0))
      try negation()
    }
    for exit in exits { land(exit) }
  }

  private mutating func negation() throws(ChatTemplateError) {
    var count = 0
    while take(name: "not") { count += 1 }
    try comparison()
    guard count > 0 else { return }
    emit(.not)
    if count % 2 == 0 { emit(.not) }
  }

  private mutating func comparison() throws(ChatTemplateError) {
    try operation(strength: 0)
    var exits: [Int] = []
    var pending: TemplateOperator?
    while let next = takeComparison() {
      if let pending {
        exits.append(here)
        emit(.compare(pending, 0))
      }
      try operation(strength: 0)
      pending = next
    }
    if let pending { emit(.binary(pending)) }
    for exit in exits { land(exit) }
  }

  private mutating func takeComparison() -> TemplateOperator? {
    if take(symbol: "==") { return .equal }
    if take(symbol: "!=") { return .unequal }
    if take(symbol: "<") { return .less }
    if take(symbol: "<=") { return .lessOrEqual }
    if take(symbol: ">") { return .greater }
    if take(symbol: ">=") { return .greaterOrEqual }
    if take(name: "in") { return .contained }
    if isName("not"), isName("in", ahead: 1) {
      advance()
      advance()
      return .notContained
    }
    return nil
  }

  /// Operators of numbers and texts, by strength: `+ -`, `~`, `* / // %`, `**`.
  private mutating func operation(strength: Int) throws(ChatTemplateError) {
    guard strength < 4 else { return try signed(takesFilters: true) }
    try operation(strength: strength + 1)
    if strength == 1 {
      var count: Int32 = 1
      while take(symbol: "~") {
        try operation(strength: strength + 1)
        count += 1
      }
      if count > 1 { emit(.concatenate(count)) }
      return
    }
    while let next = takeOperator(strength: strength) {
      try operation(strength: strength + 1)
      emit(.binary(next))
    }
  }

  private mutating func takeOperator(strength: Int) -> TemplateOperator? {
    switch strength {
    case 0:
      if take(symbol: "+") { return .add }
      if take(symbol: "-") { return .subtract }
    case 2:
      if take(symbol: "*") { return .multiply }
      if take(symbol: "/") { return .divide }
      if take(symbol: "//") { return .floorDivide }
      if take(symbol: "%") { return .remainder }
    default: if take(symbol: "**") { return .power }
    }
    return nil
  }

  private mutating func signed(takesFilters: Bool) throws(ChatTemplateError) {
    if take(symbol: "-") {
      try nested { (parser) throws(ChatTemplateError) in try parser.signed(takesFilters: false) }
      emit(.negate)
    } else if take(symbol: "+") {
      try nested { (parser) throws(ChatTemplateError) in try parser.signed(takesFilters: false) }
      emit(.plus)
    } else {
      try primary()
    }
    try postfix()
    guard takesFilters else { return }
    while true {
      if isSymbol("|") {
        try filters()
      } else if take(name: "is") {
        try test()
      } else if isSymbol("(") {
        try call()
      } else {
        return
      }
    }
  }

  private mutating func postfix() throws(ChatTemplateError) {
    while true {
      if take(symbol: ".") {
        if token.kind == .integer {
          emit(constant: try integer())
          emit(.item)
        } else {
          emit(.attribute(try name()))
        }
      } else if take(symbol: "[") {
        try subscripts()
      } else if isSymbol("(") {
        try call()
      } else {
        return
      }
    }
  }

  private mutating func subscripts() throws(ChatTemplateError) {
    var count: Int32 = 0
    while !isSymbol("]") {
      if count > 0 { try expect(symbol: ",") }
      let isSlice = try bound()
      count += 1
      if isSlice {
        guard take(symbol: "]") else { throw problem("']' is expected, not \(tokenDescription).") }
        return emit(.slice)
      }
    }
    guard count > 0 else { throw problem("An index is missing.") }
    advance()
    if count > 1 { emit(.makeTuple(count)) }
    emit(.item)
  }

  /// Reads an index or the bounds of a slice, and says which.
  private mutating func bound() throws(ChatTemplateError) -> Bool {
    if isSymbol(":") {
      emit(constant: .none)
    } else {
      try expression()
      guard isSymbol(":") else { return false }
    }
    advance()
    if isSymbol(":") || isSymbol("]") { emit(constant: .none) } else { try expression() }
    if take(symbol: ":"), !isSymbol("]") { try expression() } else { emit(constant: .none) }
    return true
  }

  // MARK: Calls, filters and tests

  private mutating func call() throws(ChatTemplateError) { emit(.call(try arguments())) }

  private mutating func arguments() throws(ChatTemplateError) -> Int32 {
    var shape = TemplateProgram.CallShape()
    try expect(symbol: "(")
    var needsComma = false
    while !isSymbol(")") {
      if needsComma {
        try expect(symbol: ",")
        if isSymbol(")") { break }
      }
      if take(symbol: "*") {
        // Arguments lie on the stack in the order of their kinds.
        guard !shape.hasList, !shape.hasDictionary, shape.names.isEmpty else {
          throw problem("'*' stands before arguments with names, once.")
        }
        shape.hasList = true
        try expression()
      } else if take(symbol: "**") {
        guard !shape.hasDictionary else { throw problem("'**' stands once.") }
        shape.hasDictionary = true
        try expression()
      } else if token.kind == .name, isSymbol("=", ahead: 1) {
        guard !shape.hasDictionary else { throw problem("'**' stands last.") }
        shape.names.append(try name())
        advance()
        try expression()
      } else {
        guard !shape.hasList, !shape.hasDictionary, shape.names.isEmpty else {
          throw problem("An argument without a name follows one that has one.")
        }
        shape.positional += 1
        try expression()
      }
      needsComma = true
    }
    advance()
    return number(of: shape)
  }

  /// `| name(…)`, as often as it stands there.
  mutating func filters() throws(ChatTemplateError) {
    while take(symbol: "|") { try filter() }
  }

  mutating func filter() throws(ChatTemplateError) {
    let name = try name()
    let shape = isSymbol("(") ? try arguments() : number(of: TemplateProgram.CallShape())
    emit(.filter(name: name, shape: shape))
  }

  private mutating func test() throws(ChatTemplateError) {
    let isNegated = take(name: "not")
    let name = try name()
    var shape = TemplateProgram.CallShape()
    if isSymbol("(") {
      emit(.test(name: name, shape: try arguments()))
    } else {
      if beginsArgument {
        guard !isName("is") else { throw problem("Tests cannot follow each other.") }
        try primary()
        try postfix()
        shape.positional = 1
      }
      emit(.test(name: name, shape: number(of: shape)))
    }
    if isNegated { emit(.not) }
  }

  private var beginsArgument: Bool {
    switch token.kind {
    case .name: !isName("else") && !isName("or") && !isName("and")
    case .string, .integer, .float: true
    case .symbol: isSymbol("[") || isSymbol("{")
    default: false
    }
  }

  // MARK: Values

  private mutating func primary() throws(ChatTemplateError) {
    switch token.kind {
    case .name: try variable()
    case .string:
      var text = TemplateText.empty
      while token.kind == .string {
        text.append(TemplateText(try TemplateLiteral.text(of: spelling(token), at: line)))
        advance()
      }
      emit(constant: .text(text))
    case .integer: emit(constant: try integer())
    case .float:
      guard let value = Double(spelling(token).filter { $0 != "_" }) else {
        throw problem("\(tokenDescription) is no number.")
      }
      emit(constant: .float(value))
      advance()
    case .symbol where isSymbol("("):
      advance()
      try nested { (parser) throws(ChatTemplateError) in
        try parser.tuple(isParenthesised: true)
      }
      try expect(symbol: ")")
    case .symbol where isSymbol("["): try list()
    case .symbol where isSymbol("{"): try dictionary()
    default: throw problem("An expression is expected, not \(tokenDescription).")
    }
  }

  private mutating func integer() throws(ChatTemplateError) -> TemplateValue {
    defer { advance() }
    guard let value = TemplateLiteral.integer(of: spelling(token)) else {
      throw problem("\(tokenDescription) is no number.")
    }
    return value
  }

  private mutating func variable() throws(ChatTemplateError) {
    let name = spelling(token)
    switch name {
    case "true", "True": emit(constant: .bool(true))
    case "false", "False": emit(constant: .bool(false))
    case "none", "None": emit(constant: .none)
    default:
      for macro in openMacros {
        change(macro: macro) { macro in
          if name == "varargs" { macro.takesRest = true }
          if name == "kwargs" { macro.takesNames = true }
          if name == "caller" { macro.usesCaller = true }
        }
      }
      emit(.load(number(of: name)))
    }
    advance()
  }

  private mutating func list() throws(ChatTemplateError) {
    advance()
    var count: Int32 = 0
    while !isSymbol("]") {
      try expression()
      count += 1
      if !isSymbol("]") { try expect(symbol: ",") }
    }
    advance()
    emit(.makeList(count))
  }

  private mutating func dictionary() throws(ChatTemplateError) {
    advance()
    var count: Int32 = 0
    while !isSymbol("}") {
      try expression()
      try expect(symbol: ":")
      try expression()
      count += 1
      if !isSymbol("}") { try expect(symbol: ",") }
    }
    advance()
    emit(.makeDictionary(count))
  }
}
