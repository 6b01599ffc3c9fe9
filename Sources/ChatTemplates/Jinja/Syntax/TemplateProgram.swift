// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A template as instructions for a machine with a stack.
///
/// Expressions leave their value on the stack. Jumps are relative, so that code can be moved while
/// the template is read: the condition of `a if b else c` stands after `a` but runs before it.
///
///     {{ a if b else 'c' }}   →   load b, jump if false +3, load a, jump +2, constant 'c', write
///
/// Nothing here refers to itself: neither running nor releasing a program recurses, however deep the
/// template nests.
struct TemplateProgram: Sendable {
  enum Instruction: Sendable {
    /// Writes a constant.
    case text(Int32)
    /// Writes the value on the stack.
    case write
    case constant(Int32)
    case load(Int32)
    case store(Int32)
    /// Sets a variable of the namespace of a name.
    case storeAttribute(Int32, Int32)
    /// Takes a value apart, so that its first item is on top.
    case unpack(Int32)
    case makeList(Int32)
    case makeTuple(Int32)
    case makeDictionary(Int32)
    case attribute(Int32)
    case item
    /// Takes base, start, stop and step.
    case slice
    case not, negate, plus
    case binary(TemplateOperator)
    /// Joins values as texts.
    case concatenate(Int32)
    /// Compares; goes on with the right value where it holds, and jumps with `false` elsewhere.
    case compare(TemplateOperator, Int32)
    case jump(Int32)
    case jumpIfFalse(Int32)
    case jumpIfFalseOrPop(Int32)
    case jumpIfTrueOrPop(Int32)
    /// Skips the default of a parameter that has a value.
    case jumpIfSet(name: Int32, Int32)
    case filter(name: Int32, shape: Int32)
    case test(name: Int32, shape: Int32)
    case call(Int32)
    case beginCapture
    /// Pushes what was written since.
    case endCapture
    case pushScope, popScope
    /// Takes what a loop goes over. A call of a recursive loop begins a distance before.
    case beginLoop(isRecursive: Bool, back: Int32)
    /// Pushes the next item in a scope of its own, or jumps.
    case nextItem(Int32)
    /// A round of a loop reached its end.
    case endRound
    /// Pushes whether no round reached its end.
    case endLoop
    /// Returns to the call of `loop(…)`, where there is one.
    case endRecursiveLoop
    /// Begins to go through the items that a loop may leave out.
    case beginChoice
    /// Keeps the item where the condition on the stack holds.
    case keep
    /// Pushes the list of what was kept.
    case endChoice
    /// Pushes a macro.
    case macro(Int32)
    case returnFromMacro
    case undefined
  }

  /// How a call's arguments lie on the stack: those with places, the list of `*`, those with names,
  /// the dictionary of `**`, the caller.
  struct CallShape: Sendable, Hashable {
    var positional = 0
    var hasList = false
    var names: [Int32] = []
    var hasDictionary = false
    var hasCaller = false

    var count: Int {
      positional + names.count + (hasList ? 1 : 0) + (hasDictionary ? 1 : 0) + (hasCaller ? 1 : 0)
    }
  }

  struct Macro: Sendable {
    var name: Int32
    var parameters: [Int32] = []
    /// How many parameters, from the last, have a default.
    var defaults = 0
    /// Where the code begins.
    var start = 0
    var takesRest = false
    var takesNames = false
    var usesCaller = false
  }

  var code: [Instruction] = []
  /// The line of each instruction.
  var lines: [Int32] = []
  var constants: [TemplateValue] = []
  var names: [TemplateName] = []
  var macros: [Macro] = []
  var shapes: [CallShape] = []
  /// The number of the name `loop`; one that no name has where the template does not say it.
  var loopName: Int32 = -1

  func number(of name: String) -> Int32? {
    names.firstIndex { $0.string == name }.map { Int32(truncatingIfNeeded: $0) }
  }
}

/// A name in a template, and what it can mean, looked up once.
struct TemplateName: Sendable {
  let string: String
  let text: TemplateText
  let method: TemplateMethodName?
  let filter: TemplateFilter?
  let test: TemplateTest?
  let function: TemplateFunction?

  init(_ name: String) {
    string = name
    text = TemplateText(name)
    method = TemplateMethodName(rawValue: name)
    filter = TemplateFilter(rawValue: name)
    test = TemplateTest(rawValue: name)
    function = TemplateFunction(rawValue: name)
  }
}

enum TemplateOperator: UInt8, Sendable {
  case add, subtract, multiply, divide, floorDivide, remainder, power
  case equal, unequal, less, lessOrEqual, greater, greaterOrEqual, contained, notContained

  var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .floorDivide: "//"
    case .remainder: "%"
    case .power: "**"
    case .equal: "=="
    case .unequal: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .contained: "in"
    case .notContained: "not in"
    }
  }
}
