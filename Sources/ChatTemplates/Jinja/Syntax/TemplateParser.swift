// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads a template into a program, in one pass over its words.
///
/// Grammar and precedence: Jinja 3. `a if b else c` binds least, then `or`, `and`, `not`,
/// comparisons, `+ -`, `~`, `* / // %`, `**`, signs, and filters, tests and calls most.
struct TemplateParser: ~Copyable {
  let source: [UInt8]
  let tokens: [TemplateLexer.Token]
  private let depthLimit: Int
  private(set) var place = 0
  private var depth = 0
  private(set) var program = TemplateProgram()
  private var nameNumbers: [String: Int32] = [:]
  private var shapeNumbers: [TemplateProgram.CallShape: Int32] = [:]
  /// The macros that are being read, from the outside in.
  var openMacros: [Int] = []
  /// The jumps out of the loops that are being read; nil where a macro begins.
  var openLoops: [OpenLoop?] = []

  struct OpenLoop {
    var start: Int
    var exits: [Int] = []
    var rounds: [Int] = []
  }

  private init(_ lexer: TemplateLexer, depthLimit: Int) {
    source = lexer.source
    tokens = lexer.tokens
    self.depthLimit = depthLimit
  }

  static func program(
    of source: String, depthLimit: Int
  ) throws(ChatTemplateError) -> TemplateProgram {
    var parser = TemplateParser(try TemplateLexer(source), depthLimit: depthLimit)
    try parser.body(until: [])
    parser.program.loopName = parser.program.number(of: "loop") ?? -1
    return parser.program
  }

  // MARK: Words

  var token: TemplateLexer.Token { tokens[place] }
  var line: Int32 { token.line }

  mutating func advance() { if place + 1 < tokens.count { place += 1 } }

  func problem(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: Int(line))
  }

  func spelling(_ token: TemplateLexer.Token) -> String {
    String(decoding: source[Int(token.start)..<Int(token.end)], as: UTF8.self)
  }

  private func stands(_ text: StaticString, at index: Int) -> Bool {
    guard index < tokens.count else { return false }
    let token = tokens[index]
    guard Int(token.end - token.start) == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { buffer in
      for offset in buffer.indices where source[Int(token.start) + offset] != buffer[offset] {
        return false
      }
      return true
    }
  }

  func isName(_ name: StaticString, ahead: Int = 0) -> Bool {
    place + ahead < tokens.count && tokens[place + ahead].kind == .name
      && stands(name, at: place + ahead)
  }

  func isSymbol(_ symbol: StaticString, ahead: Int = 0) -> Bool {
    place + ahead < tokens.count && tokens[place + ahead].kind == .symbol
      && stands(symbol, at: place + ahead)
  }

  mutating func take(name: StaticString) -> Bool {
    guard isName(name) else { return false }
    advance()
    return true
  }

  mutating func take(symbol: StaticString) -> Bool {
    guard isSymbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func expect(symbol: StaticString) throws(ChatTemplateError) {
    guard take(symbol: symbol) else {
      throw problem("'\(symbol)' is expected, not \(tokenDescription).")
    }
  }

  mutating func expect(_ kind: TemplateLexer.Token.Kind) throws(ChatTemplateError) {
    guard token.kind == kind else {
      throw problem(
        "The end of the tag is expected, not \(tokenDescription).")
    }
    advance()
  }

  var tokenDescription: String {
    switch token.kind {
    case .end: "the end of the template"
    case .blockEnd, .variableEnd: "the end of the tag"
    default: "'\(spelling(token).prefix(40))'"
    }
  }

  mutating func name() throws(ChatTemplateError) -> Int32 {
    guard token.kind == .name else { throw problem("A name is expected, not \(tokenDescription).") }
    defer { advance() }
    return number(of: spelling(token))
  }

  mutating func number(of name: String) -> Int32 {
    if let known = nameNumbers[name] { return known }
    let number = Int32(truncatingIfNeeded: program.names.count)
    nameNumbers[name] = number
    program.names.append(TemplateName(name))
    return number
  }

  /// Begins a level of nesting, which ``leave()`` ends. After an error nothing is read any more.
  mutating func enter() throws(ChatTemplateError) {
    depth += 1
    guard depth <= depthLimit else {
      throw problem("The template nests deeper than \(depthLimit) levels.")
    }
  }

  mutating func leave() { depth -= 1 }

  // MARK: Code

  var here: Int { program.code.count }

  mutating func emit(_ instruction: TemplateProgram.Instruction) {
    program.code.append(instruction)
    program.lines.append(line)
  }

  mutating func emit(constant value: TemplateValue) {
    emit(.constant(Int32(truncatingIfNeeded: program.constants.count)))
    program.constants.append(value)
  }

  mutating func emit(text: TemplateText) {
    emit(.text(Int32(truncatingIfNeeded: program.constants.count)))
    program.constants.append(.text(text))
  }

  mutating func number(of shape: TemplateProgram.CallShape) -> Int32 {
    if let known = shapeNumbers[shape] { return known }
    let number = Int32(truncatingIfNeeded: program.shapes.count)
    shapeNumbers[shape] = number
    program.shapes.append(shape)
    return number
  }

  func shape(_ number: Int32) -> TemplateProgram.CallShape { program.shapes[Int(number)] }

  mutating func add(_ macro: TemplateProgram.Macro) -> Int {
    program.macros.append(macro)
    return program.macros.count - 1
  }

  mutating func change(macro index: Int, _ change: (inout TemplateProgram.Macro) -> Void) {
    change(&program.macros[index])
  }

  func macroName(_ index: Int) -> Int32 { program.macros[index].name }

  /// The distance from a jump to an instruction.
  func offset(from jump: Int, to target: Int) -> Int32 { Int32(truncatingIfNeeded: target - jump) }

  /// Makes a jump that was emitted without its target go to the next instruction.
  mutating func land(_ jump: Int) {
    let offset = offset(from: jump, to: here)
    switch program.code[jump] {
    case .jump: program.code[jump] = .jump(offset)
    case .jumpIfFalse: program.code[jump] = .jumpIfFalse(offset)
    case .jumpIfFalseOrPop: program.code[jump] = .jumpIfFalseOrPop(offset)
    case .jumpIfTrueOrPop: program.code[jump] = .jumpIfTrueOrPop(offset)
    case .compare(let operation, _): program.code[jump] = .compare(operation, offset)
    case .nextItem: program.code[jump] = .nextItem(offset)
    case .jumpIfSet(let name, _): program.code[jump] = .jumpIfSet(name: name, offset)
    default: break
    }
  }

  /// Takes code out again, from an instruction on.
  mutating func cut(from start: Int) -> (code: [TemplateProgram.Instruction], lines: [Int32]) {
    let segment = (Array(program.code[start...]), Array(program.lines[start...]))
    program.code.removeSubrange(start...)
    program.lines.removeSubrange(start...)
    return segment
  }

  mutating func paste(_ segment: (code: [TemplateProgram.Instruction], lines: [Int32])) {
    program.code += segment.code
    program.lines += segment.lines
  }

  /// The call that was emitted last, taken out again.
  mutating func cutCall() -> TemplateProgram.CallShape? {
    guard case .call(let number)? = program.code.last else { return nil }
    program.code.removeLast()
    program.lines.removeLast()
    return shape(number)
  }
}
