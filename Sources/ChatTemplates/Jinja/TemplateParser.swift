/// Reads statements: the parts of a template become a tree.
struct TemplateParser {
  private let parts: [TemplateLexer.Part]
  private var index = 0
  private var depth = 0

  /// How deeply statements and expressions may nest.
  static var depthLimit: Int { 100 }

  private init(_ parts: [TemplateLexer.Part]) { self.parts = parts }

  static func nodes(of source: String) throws(ChatTemplateError) -> [TemplateNode] {
    var parser = TemplateParser(try TemplateLexer.parts(of: source))
    let (nodes, end) = try parser.body(until: [])
    guard end == nil else {
      throw ChatTemplateError(message: "A statement ends that has not begun.", line: nil)
    }
    return nodes
  }

  /// The statement that ended a body: its name, and what follows the name.
  private struct End {
    var name: String
    var words: ExpressionParser
  }

  /// Reads up to one of some statements, or to the end of the template where there are none.
  private mutating func body(
    until ends: [String]
  ) throws(ChatTemplateError) -> ([TemplateNode], End?) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw ChatTemplateError(message: "Statements nest too deeply.", line: nil)
    }
    var nodes: [TemplateNode] = []
    while index < parts.count {
      let part = parts[index]
      index += 1
      switch part {
      case .text(let text): nodes.append(.text(text))
      case .output(let words, let line):
        var parser = ExpressionParser(words, line: line)
        nodes.append(.output(try parser.whole()))
      case .statement(let words, let line):
        var parser = ExpressionParser(words, line: line)
        let name = try parser.name()
        if ends.contains(name) { return (nodes, End(name: name, words: parser)) }
        if let node = try statement(name, &parser) { nodes.append(node) }
      }
    }
    guard ends.isEmpty else {
      throw ChatTemplateError(message: "'\(ends.last ?? "")' is missing.", line: nil)
    }
    return (nodes, nil)
  }

  private mutating func statement(
    _ name: String, _ words: inout ExpressionParser
  ) throws(ChatTemplateError) -> TemplateNode? {
    switch name {
    case "if": return try condition(&words)
    case "for": return try loop(&words)
    case "set": return try set(&words)
    case "macro": return try macro(&words)
    case "break": return .leaveLoop
    case "continue": return .nextRound
    // What trainers mark as the assistant's words is text like any other.
    case "generation", "endgeneration": return nil
    default: throw words.problem("The statement '\(name)' is not known.")
    }
  }

  private mutating func condition(
    _ words: inout ExpressionParser
  ) throws(ChatTemplateError) -> TemplateNode {
    var branches: [(condition: TemplateExpression, body: [TemplateNode])] = []
    var condition = try words.whole()
    while true {
      let (nodes, end) = try body(until: ["elif", "else", "endif"])
      branches.append((condition, nodes))
      guard var end else { break }
      switch end.name {
      case "elif": condition = try end.words.whole()
      case "else":
        let (otherwise, _) = try body(until: ["endif"])
        return .condition(branches, otherwise: otherwise)
      default: return .condition(branches, otherwise: [])
      }
    }
    return .condition(branches, otherwise: [])
  }

  private mutating func loop(
    _ words: inout ExpressionParser
  ) throws(ChatTemplateError) -> TemplateNode {
    let names = try words.names()
    try words.expect(name: "in")
    // A condition after the items belongs to the loop: no `if … else` stands there.
    let items = try words.withoutConditions()
    var condition: TemplateExpression?
    if words.take(name: "if") { condition = try words.expression() }
    _ = words.take(name: "recursive")
    try words.expectEnd()
    let (nodes, end) = try body(until: ["else", "endfor"])
    var otherwise: [TemplateNode] = []
    if end?.name == "else" { (otherwise, _) = try body(until: ["endfor"]) }
    return .loop(
      TemplateLoop(
        names: names, items: items, condition: condition, body: nodes, otherwise: otherwise))
  }

  private mutating func set(
    _ words: inout ExpressionParser
  ) throws(ChatTemplateError) -> TemplateNode {
    let names = try words.names()
    var target = TemplateTarget.names(names)
    if names.count == 1, words.take(symbol: ".") {
      target = .attribute(of: names[0], named: try words.name())
    }
    guard words.take(symbol: "=") else {
      try words.expectEnd()
      let (nodes, _) = try body(until: ["endset"])
      return .setBlock(target, nodes)
    }
    return .set(target, try words.whole())
  }

  private mutating func macro(
    _ words: inout ExpressionParser
  ) throws(ChatTemplateError) -> TemplateNode {
    let name = try words.name()
    var parameters: [(name: String, value: TemplateExpression?)] = []
    try words.expect(symbol: "(")
    while !words.take(symbol: ")") {
      let parameter = try words.name()
      var value: TemplateExpression?
      if words.take(symbol: "=") { value = try words.expression() }
      parameters.append((parameter, value))
      if !words.take(symbol: ",") {
        try words.expect(symbol: ")")
        break
      }
    }
    try words.expectEnd()
    let (nodes, _) = try body(until: ["endmacro"])
    return .macro(name: name, TemplateMacro(parameters: parameters, body: nodes))
  }
}
