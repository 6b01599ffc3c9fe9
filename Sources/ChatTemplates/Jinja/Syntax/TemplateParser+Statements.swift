// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension TemplateParser {
  /// Reads up to one of some statements, whose name is left to be read.
  mutating func body(until ends: [StaticString]) throws(ChatTemplateError) {
    try enter()
    defer { leave() }
    while true {
      switch token.kind {
      case .data: text()
      case .variableBegin: try variableTag()
      case .blockBegin:
        advance()
        if isAny(of: ends) { return }
        try statement()
        try expect(.blockEnd)
      default: return try expectEnd(ends)
      }
    }
  }

  private func isAny(of ends: [StaticString]) -> Bool { ends.contains { isName($0) } }

  private mutating func text() {
    let bytes = source[Int(token.start)..<Int(token.end)]
    emit(text: TemplateText(utf8: Array(bytes), isQuoted: false))
    advance()
  }

  private mutating func variableTag() throws(ChatTemplateError) {
    advance()
    try tuple()
    emit(.write)
    try expect(.variableEnd)
  }

  private func expectEnd(_ ends: [StaticString]) throws(ChatTemplateError) {
    if let last = ends.last { throw problem("'\(last)' is missing.") }
  }

  /// Reads the rest of a statement's tag, its body, and the name that ends it.
  mutating func block(until end: StaticString) throws(ChatTemplateError) {
    try beginBody()
    try body(until: [end])
    advance()
  }

  private mutating func beginBody() throws(ChatTemplateError) {
    _ = take(symbol: ":")
    try expect(.blockEnd)
  }

  private enum Statement: String {
    case condition = "if"
    case loop = "for"
    case breaking = "break"
    case continuing = "continue"
    case set, macro, call, filter, with, print, generation
  }

  // Functions that call themselves for what is nested are short, and leave the rest to others: without
  // optimisation each value of a function has a place of its own on the stack.
  private mutating func statement() throws(ChatTemplateError) {
    switch try kindOfStatement() {
    case .condition: try condition()
    case .loop: try loop()
    case .set: try set()
    case .macro: try macro()
    case .call: try callBlock()
    case .filter: try filterBlock()
    case .with: try with()
    case .print: try output()
    case .breaking: try leaveRound(true)
    case .continuing: try leaveRound(false)
    case .generation: try generation()
    }
  }

  private func kindOfStatement() throws(ChatTemplateError) -> Statement {
    guard token.kind == .name else {
      throw problem("The name of a statement is expected, not \(tokenDescription).")
    }
    let name = spelling(token)
    if let statement = Statement(rawValue: name) { return statement }
    if ["include", "import", "from", "extends", "block", "autoescape"].contains(name) {
      throw problem("The statement '\(name)' is not supported in chat templates.")
    }
    throw problem("The statement '\(name)' is not known.")
  }

  /// What trainers mark as the assistant's words: a block that only has a scope of its own.
  private mutating func generation() throws(ChatTemplateError) {
    advance()
    emit(.pushScope)
    try block(until: "endgeneration")
    emit(.popScope)
  }

  private mutating func output() throws(ChatTemplateError) {
    advance()
    while token.kind != .blockEnd {
      try expression()
      emit(.write)
      if token.kind != .blockEnd { try expect(symbol: ",") }
    }
  }

  private mutating func condition() throws(ChatTemplateError) {
    var exits: [Int] = []
    while true {
      let jump = try conditionHead()
      try body(until: ["elif", "else", "endif"])
      if take(name: "endif") {
        land(jump)
        break
      }
      exits.append(here)
      emit(.jump(0))
      land(jump)
      if take(name: "else") {
        try block(until: "endif")
        break
      }
    }
    for exit in exits { land(exit) }
  }

  /// Reads the tag of an `if` or `elif`; the jump to what comes where it does not hold.
  private mutating func conditionHead() throws(ChatTemplateError) -> Int {
    advance()
    try tuple(withConditions: false)
    let jump = here
    emit(.jumpIfFalse(0))
    try beginBody()
    return jump
  }

  // MARK: Loops

  private mutating func loop() throws(ChatTemplateError) {
    let isRecursive = try loopHead()
    try body(until: ["endfor", "else"])
    let jump = endRounds()
    let hasElse = isName("else")
    advance()
    if hasElse {
      emit(.pushScope)
      try block(until: "endfor")
      emit(.popScope)
    }
    land(jump)
    if isRecursive { emit(.endRecursiveLoop) }
  }

  /// Reads the tag of a loop, and says whether it may call itself.
  private mutating func loopHead() throws(ChatTemplateError) -> Bool {
    advance()
    let target = try target(until: "in")
    guard take(name: "in") else { throw problem("'in' is expected, not \(tokenDescription).") }
    try tuple(withConditions: false, end: "recursive")
    let choice = here
    if take(name: "if") {
      emit(.beginChoice)
      let start = here
      emit(.nextItem(0))
      store(target)
      try expression()
      emit(.keep)
      emit(.jump(offset(from: here, to: start)))
      land(start)
      emit(.endChoice)
    }
    let isRecursive = take(name: "recursive")
    emit(.beginLoop(isRecursive: isRecursive, back: offset(from: choice, to: here)))
    openLoops.append(OpenLoop(start: here))
    emit(.nextItem(0))
    store(target)
    try beginBody()
    return isRecursive
  }

  /// Ends the rounds of the innermost loop; the jump over what comes where there was none.
  private mutating func endRounds() -> Int {
    emit(.endRound)
    if let loop = openLoops.removeLast() {
      emit(.jump(offset(from: here, to: loop.start)))
      land(loop.start)
      for exit in loop.exits { land(exit) }
    }
    emit(.endLoop)
    let jump = here
    emit(.jumpIfFalse(0))
    return jump
  }

  private mutating func leaveRound(_ leavesLoop: Bool) throws(ChatTemplateError) {
    advance()
    guard let last = openLoops.indices.last, let loop = openLoops[last] else {
      throw problem("'break' and 'continue' stand in loops.")
    }
    if leavesLoop {
      let exit = here
      openLoops[last]?.exits.append(exit)
      emit(.jump(0))
    } else {
      emit(.jump(offset(from: here, to: loop.start)))
    }
  }

  // MARK: Variables

  /// What is set: a name, a variable of a namespace, or several.
  indirect enum Target {
    case name(Int32)
    case attribute(Int32, Int32)
    case several([Target])
  }

  /// Reads a target: names with commas between them, in parentheses or not.
  private mutating func target(
    until end: StaticString, allowsAttributes: Bool = false
  ) throws(ChatTemplateError) -> Target {
    try enter()
    defer { leave() }
    var parts: [Target] = []
    var isTuple = false
    while !isName(end), !isSymbol(")") {
      if take(symbol: "(") {
        parts.append(try target(until: "", allowsAttributes: allowsAttributes))
        try expect(symbol: ")")
      } else {
        let isConstant =
          isName("true") || isName("false") || isName("none")
          || isName("True") || isName("False") || isName("None")
        let name = try name()
        guard !isConstant else { throw problem("A constant cannot be set.") }
        if allowsAttributes, take(symbol: ".") {
          parts.append(.attribute(name, try self.name()))
        } else {
          parts.append(.name(name))
        }
      }
      guard take(symbol: ",") else { break }
      isTuple = true
    }
    guard let first = parts.first else { throw problem("A name is missing.") }
    return isTuple ? .several(parts) : first
  }

  /// Emits what sets a target to the value on the stack.
  private mutating func store(_ target: Target) {
    // Targets that are still to be set; the next last.
    var rest = [target]
    while let next = rest.popLast() {
      switch next {
      case .name(let name): emit(.store(name))
      case .attribute(let name, let attribute): emit(.storeAttribute(name, attribute))
      case .several(let parts):
        emit(.unpack(Int32(truncatingIfNeeded: parts.count)))
        rest += parts.reversed()
      }
    }
  }

  private mutating func set() throws(ChatTemplateError) {
    advance()
    let target = try target(until: "", allowsAttributes: true)
    if take(symbol: "=") {
      try tuple()
      return store(target)
    }
    let start = here
    try filters()
    let filters = cut(from: start)
    emit(.pushScope)
    emit(.beginCapture)
    try block(until: "endset")
    emit(.endCapture)
    paste(filters)
    emit(.popScope)
    store(target)
  }

  private mutating func filterBlock() throws(ChatTemplateError) {
    advance()
    let start = here
    try filter()
    try filters()
    let filters = cut(from: start)
    emit(.pushScope)
    emit(.beginCapture)
    try block(until: "endfilter")
    emit(.endCapture)
    paste(filters)
    emit(.popScope)
    emit(.write)
  }

  private mutating func with() throws(ChatTemplateError) {
    try withHead()
    try block(until: "endwith")
    emit(.popScope)
  }

  private mutating func withHead() throws(ChatTemplateError) {
    advance()
    var targets: [Target] = []
    while token.kind != .blockEnd, !isSymbol(":") {
      if !targets.isEmpty { try expect(symbol: ",") }
      guard token.kind == .name else {
        throw problem("A name is expected, not \(tokenDescription).")
      }
      targets.append(.name(try name()))
      try expect(symbol: "=")
      try expression()
    }
    emit(.pushScope)
    for target in targets.reversed() { store(target) }
  }

  // MARK: Macros

  private mutating func macro() throws(ChatTemplateError) {
    advance()
    let name = try name()
    try macroBody(named: name, try parameters(), until: "endmacro")
    emit(.store(name))
  }

  /// The parameters of a macro, and the code of their defaults.
  private struct Parameters {
    var names: [Int32] = []
    var defaults: [(name: Int32, code: (code: [TemplateProgram.Instruction], lines: [Int32]))] = []
  }

  private mutating func parameters() throws(ChatTemplateError) -> Parameters {
    var result = Parameters()
    try expect(symbol: "(")
    while !isSymbol(")") {
      if !result.names.isEmpty { try expect(symbol: ",") }
      let parameter = try name()
      result.names.append(parameter)
      if take(symbol: "=") {
        let start = here
        try expression()
        result.defaults.append((parameter, cut(from: start)))
      } else if !result.defaults.isEmpty {
        throw problem("A parameter without a default follows one that has one.")
      }
    }
    advance()
    return result
  }

  /// Reads the body of a macro, and emits what pushes the macro.
  private mutating func macroBody(
    named name: Int32, _ parameters: Parameters, until end: StaticString
  ) throws(ChatTemplateError) {
    let index = add(
      TemplateProgram.Macro(
        name: name, parameters: parameters.names, defaults: parameters.defaults.count))
    emit(.macro(Int32(truncatingIfNeeded: index)))
    let jump = here
    emit(.jump(0))
    let start = here
    change(macro: index) { $0.start = start }
    openMacros.append(index)
    openLoops.append(nil)
    for (parameter, code) in parameters.defaults {
      let skip = here
      emit(.jumpIfSet(name: parameter, 0))
      paste(code)
      emit(.store(parameter))
      land(skip)
    }
    try block(until: end)
    emit(.returnFromMacro)
    openLoops.removeLast()
    openMacros.removeLast()
    land(jump)
  }

  private mutating func callBlock() throws(ChatTemplateError) {
    advance()
    let parameters = isSymbol("(") ? try parameters() : Parameters()
    try expression()
    guard var shape = cutCall() else { throw problem("A call is expected.") }
    shape.hasCaller = true
    try macroBody(named: number(of: "caller"), parameters, until: "endcall")
    emit(.call(number(of: shape)))
    emit(.write)
  }
}
