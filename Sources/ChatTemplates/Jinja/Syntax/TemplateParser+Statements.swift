// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension TemplateParser {
  /// Reads up to one of some statements, whose name is left to be read.
  mutating func body(until ends: [StaticString]) throws(ChatTemplateError) {
    try nested { (parser) throws(ChatTemplateError) in
      while true {
        let token = parser.token
        switch token.kind {
        case .data:
          parser.emit(
            text: TemplateText(
              utf8: Array(parser.source[Int(token.start)..<Int(token.end)]), isQuoted: false))
          parser.advance()
        case .variableBegin:
          parser.advance()
          try parser.tuple()
          parser.emit(.write)
          try parser.expect(.variableEnd)
        case .blockBegin:
          parser.advance()
          for end in ends where parser.isName(end) { return }
          try parser.statement()
          try parser.expect(.blockEnd)
        default:
          guard ends.isEmpty else {
            throw parser.problem("'\(ends[ends.count - 1])' is missing.")
          }
          return
        }
      }
    }
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

  private mutating func statement() throws(ChatTemplateError) {
    guard token.kind == .name else {
      throw problem("The name of a statement is expected, not \(tokenDescription).")
    }
    let name = spelling(token)
    switch name {
    case "if": try condition()
    case "for": try loop()
    case "set": try set()
    case "macro": try macro()
    case "call": try callBlock()
    case "filter": try filterBlock()
    case "with": try with()
    case "print": try output()
    case "break", "continue": try leaveRound(name == "break")
    case "generation":
      // What trainers mark as the assistant's words: a block that only has a scope of its own.
      advance()
      emit(.pushScope)
      try block(until: "endgeneration")
      emit(.popScope)
    case "include", "import", "from", "extends", "block", "autoescape":
      throw problem("The statement '\(name)' is not supported in chat templates.")
    default: throw problem("The statement '\(name)' is not known.")
    }
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
      advance()
      try tuple(withConditions: false)
      let jump = here
      emit(.jumpIfFalse(0))
      try beginBody()
      try body(until: ["elif", "else", "endif"])
      if isName("endif") {
        advance()
        land(jump)
        break
      }
      exits.append(here)
      emit(.jump(0))
      land(jump)
      if isName("else") {
        advance()
        try block(until: "endif")
        break
      }
    }
    for exit in exits { land(exit) }
  }

  // MARK: Loops

  private mutating func loop() throws(ChatTemplateError) {
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
    let start = here
    openLoops.append(OpenLoop(start: start))
    emit(.nextItem(0))
    store(target)
    try beginBody()
    try body(until: ["endfor", "else"])
    emit(.endRound)
    emit(.jump(offset(from: here, to: start)))
    land(start)
    let loop = openLoops.removeLast()
    for exit in loop?.exits ?? [] { land(exit) }
    emit(.endLoop)
    let jump = here
    emit(.jumpIfFalse(0))
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
    try nested { (parser) throws(ChatTemplateError) in
      var parts: [Target] = []
      var isTuple = false
      while !parser.isName(end), !parser.isSymbol(")") {
        if parser.take(symbol: "(") {
          parts.append(try parser.target(until: "", allowsAttributes: allowsAttributes))
          try parser.expect(symbol: ")")
        } else {
          let isConstant =
            parser.isName("true") || parser.isName("false") || parser.isName("none")
            || parser.isName("True") || parser.isName("False") || parser.isName("None")
          let name = try parser.name()
          guard !isConstant else { throw parser.problem("A constant cannot be set.") }
          if allowsAttributes, parser.take(symbol: ".") {
            parts.append(.attribute(name, try parser.name()))
          } else {
            parts.append(.name(name))
          }
        }
        guard parser.take(symbol: ",") else { break }
        isTuple = true
      }
      guard let first = parts.first else { throw parser.problem("A name is missing.") }
      return isTuple ? .several(parts) : first
    }
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
    try block(until: "endwith")
    emit(.popScope)
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
