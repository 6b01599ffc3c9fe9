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
    try enter()
    let start = here
    try disjunction()
    while take(name: "if") { try condition(of: start) }
    leave()
  }

  /// What follows the `if` of `a if b else c`, where `a` was read from an instruction on.
  private mutating func condition(of start: Int) throws(ChatTemplateError) {
    let value = cut(from: start)
    try disjunction()
    let toElse = here
    emit(.jumpIfFalse(0))
    paste(value)
    let toEnd = here
    emit(.jump(0))
    land(toElse)
    if take(name: "else") {
      try expression()
    } else {
      emit(.undefined)
    }
    land(toEnd)
  }

  /// A value with its signs, and what stands right after it.
  ///
  /// - Parameter takesFilters: Whether filters and tests after it are read too.
  mutating func signed(takesFilters: Bool) throws(ChatTemplateError) {
    if take(symbol: "-") {
      try signed(.negate)
    } else if take(symbol: "+") {
      try signed(.plus)
    } else {
      try primary()
    }
    try postfix()
    if takesFilters { try filtersTestsAndCalls() }
  }

  private mutating func signed(
    _ sign: TemplateProgram.Instruction
  ) throws(ChatTemplateError) {
    try enter()
    try signed(takesFilters: false)
    leave()
    emit(sign)
  }

  private mutating func filtersTestsAndCalls() throws(ChatTemplateError) {
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
      if isSymbol(".") {
        try member()
      } else if isSymbol("[") {
        try subscripts()
      } else if isSymbol("(") {
        try call()
      } else {
        return
      }
    }
  }

  private mutating func member() throws(ChatTemplateError) {
    advance()
    if token.kind == .integer {
      emit(constant: try integer())
      emit(.item)
    } else {
      emit(.attribute(try name()))
    }
  }

  private mutating func subscripts() throws(ChatTemplateError) {
    advance()
    var count: Int32 = 0
    while !isSymbol("]") {
      if count > 0 { try expect(symbol: ",") }
      if isSymbol(":") { emit(constant: .none) } else { try expression() }
      if isSymbol(":") { return try slice() }
      count += 1
    }
    try endIndex(count)
  }

  /// Reads the rest of a slice after its start.
  private mutating func slice() throws(ChatTemplateError) {
    advance()
    if isSymbol(":") || isSymbol("]") { emit(constant: .none) } else { try expression() }
    if take(symbol: ":"), !isSymbol("]") { try expression() } else { emit(constant: .none) }
    try expect(symbol: "]")
    emit(.slice)
  }

  private mutating func endIndex(_ count: Int32) throws(ChatTemplateError) {
    guard count > 0 else { throw problem("An index is missing.") }
    advance()
    if count > 1 { emit(.makeTuple(count)) }
    emit(.item)
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
      try beginArgument(&shape)
      try expression()
      needsComma = true
    }
    advance()
    return number(of: shape)
  }

  /// Reads what stands before the value of an argument. Arguments lie on the stack in the order of
  /// their kinds.
  private mutating func beginArgument(
    _ shape: inout TemplateProgram.CallShape
  ) throws(ChatTemplateError) {
    if take(symbol: "*") {
      guard !shape.hasList, !shape.hasDictionary, shape.names.isEmpty else {
        throw problem("'*' stands before arguments with names, once.")
      }
      shape.hasList = true
    } else if take(symbol: "**") {
      guard !shape.hasDictionary else { throw problem("'**' stands once.") }
      shape.hasDictionary = true
    } else if token.kind == .name, isSymbol("=", ahead: 1) {
      guard !shape.hasDictionary else { throw problem("'**' stands last.") }
      shape.names.append(try name())
      advance()
    } else {
      guard !shape.hasList, !shape.hasDictionary, shape.names.isEmpty else {
        throw problem("An argument without a name follows one that has one.")
      }
      shape.positional += 1
    }
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
    if isSymbol("(") {
      try parentheses()
    } else if isSymbol("[") {
      try list()
    } else if isSymbol("{") {
      try dictionary()
    } else {
      try word()
    }
  }

  /// A value that has no others in it: a name, a text or a number.
  private mutating func word() throws(ChatTemplateError) {
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
    default: throw problem("An expression is expected, not \(tokenDescription).")
    }
  }

  private mutating func parentheses() throws(ChatTemplateError) {
    advance()
    try enter()
    try tuple(isParenthesised: true)
    leave()
    try expect(symbol: ")")
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
