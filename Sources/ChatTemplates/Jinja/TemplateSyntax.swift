/// A statement of a template, or what stands between statements.
indirect enum TemplateNode: Sendable {
  case text(String)
  case output(TemplateExpression)
  case condition([(condition: TemplateExpression, body: [TemplateNode])], otherwise: [TemplateNode])
  case loop(TemplateLoop)
  case set(TemplateTarget, TemplateExpression)
  case setBlock(TemplateTarget, [TemplateNode])
  case macro(name: String, TemplateMacro)
  case leaveLoop
  case nextRound
}

/// `{% for name, value in items if condition %} … {% else %} … {% endfor %}`
struct TemplateLoop: Sendable {
  var names: [String]
  var items: TemplateExpression
  var condition: TemplateExpression?
  var body: [TemplateNode]
  var otherwise: [TemplateNode]
}

/// What `set` sets.
enum TemplateTarget: Sendable {
  case names([String])
  /// A variable of a namespace.
  case attribute(of: String, named: String)
}

indirect enum TemplateExpression: Sendable {
  case literal(TemplateValue)
  case name(String)
  case list([TemplateExpression])
  case object([(key: TemplateExpression, value: TemplateExpression)])
  case attribute(TemplateExpression, String)
  case item(TemplateExpression, TemplateExpression)
  case slice(TemplateExpression, TemplateExpression?, TemplateExpression?, TemplateExpression?)
  case call(TemplateExpression, [TemplateArgument])
  case filter(TemplateExpression, String, [TemplateArgument])
  case test(TemplateExpression, String, [TemplateExpression], isNegated: Bool)
  case not(TemplateExpression)
  case negative(TemplateExpression)
  case binary(TemplateOperator, TemplateExpression, TemplateExpression)
  case conditional(TemplateExpression, if: TemplateExpression, else: TemplateExpression?)
}

struct TemplateArgument: Sendable {
  var name: String?
  var value: TemplateExpression
}

enum TemplateOperator: String, Sendable {
  case or, and
  case equal = "=="
  case unequal = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contained = "in"
  case notContained = "not in"
  case add = "+"
  case subtract = "-"
  case join = "~"
  case multiply = "*"
  case divide = "/"
  case divideWhole = "//"
  case remainder = "%"
}

/// Why a template cannot be read, or a conversation not be written with it.
public struct ChatTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public var message: String
  /// The line of the template, from 1, where one is at fault.
  public var line: Int?

  public var description: String {
    "Chat template\(line.map { ", line \($0)" } ?? ""): \(message)"
  }
}
