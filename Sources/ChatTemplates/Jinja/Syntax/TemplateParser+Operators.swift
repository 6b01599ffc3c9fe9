// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Operators, by precedence climbing: an operand is read, then the operators after it from the tightest
/// to the loosest that may come, each with operands of what binds tighter.
///
/// Worked example: in `a + b * c == d` the operand `a` is followed by no `*`. A `+` is, and its second
/// operand is `b * c`; the comparison is looked for last, and has the sum as its first operand.
extension TemplateParser {
  /// How tightly operators bind, from the loosest on.
  private enum Strength: Int {
    case or, and, not, comparison, sum, text, product, power
  }

  /// An expression without conditions: `or`, and all that binds more.
  mutating func disjunction() throws(ChatTemplateError) { try operators(from: .or) }

  /// Reads an operand and the operators after it that bind as tightly as one or more, with their
  /// operands.
  ///
  /// One call stands for all of these strengths: a call for each would take a stack that few threads
  /// have where expressions nest.
  private mutating func operators(from loosest: Strength) throws(ChatTemplateError) {
    if loosest.rawValue <= Strength.not.rawValue, isName("not") {
      try negation()
    } else {
      try signed(takesFilters: true)
    }
    var strength: Strength? = .power
    while let next = strength, next.rawValue >= loosest.rawValue {
      try operators(of: next)
      strength = Strength(rawValue: next.rawValue - 1)
    }
  }

  /// The operators of one strength after their first operand.
  private mutating func operators(of strength: Strength) throws(ChatTemplateError) {
    switch strength {
    case .or: try decide("or", leavingBy: .jumpIfTrueOrPop(0), operands: .and)
    case .and: try decide("and", leavingBy: .jumpIfFalseOrPop(0), operands: .not)
    case .not: break
    case .comparison: try comparisons()
    case .text:
      var count: Int32 = 1
      while take(symbol: "~") {
        try operators(from: .product)
        count += 1
      }
      if count > 1 { emit(.concatenate(count)) }
    case .sum:
      while let next = takeOperator(of: strength) {
        try operators(from: .text)
        emit(.binary(next))
      }
    case .product:
      while let next = takeOperator(of: strength) {
        try operators(from: .power)
        emit(.binary(next))
      }
    case .power:
      while take(symbol: "**") {
        try signed(takesFilters: true)
        emit(.binary(.power))
      }
    }
  }

  /// `and` or `or`, as often as it stands there: the first operand that decides is the value.
  private mutating func decide(
    _ name: StaticString, leavingBy jump: TemplateProgram.Instruction, operands: Strength
  ) throws(ChatTemplateError) {
    var exits: [Int] = []
    while take(name: name) {
      exits.append(here)
      emit(jump)
      try operators(from: operands)
    }
    for exit in exits { land(exit) }
  }

  private mutating func negation() throws(ChatTemplateError) {
    var count = 0
    while take(name: "not") { count += 1 }
    try operators(from: .comparison)
    emit(.not)
    if count % 2 == 0 { emit(.not) }
  }

  private mutating func comparisons() throws(ChatTemplateError) {
    var exits: [Int] = []
    var pending: TemplateOperator?
    while let next = takeComparison() {
      if let pending {
        exits.append(here)
        emit(.compare(pending, 0))
      }
      try operators(from: .sum)
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

  /// An operator of numbers, if one of a strength stands here.
  private mutating func takeOperator(of strength: Strength) -> TemplateOperator? {
    if strength == .sum {
      if take(symbol: "+") { return .add }
      if take(symbol: "-") { return .subtract }
      return nil
    }
    if take(symbol: "*") { return .multiply }
    if take(symbol: "/") { return .divide }
    if take(symbol: "//") { return .floorDivide }
    if take(symbol: "%") { return .remainder }
    return nil
  }
}
