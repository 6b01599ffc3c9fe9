// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tests of Jinja 3: what stands after `is`.
enum TemplateTest: String, Sendable {
  case boolean, callable, defined, divisibleby, eq, equalto, escaped, even, filter, float, ge
  case greaterthan, gt, integer, iterable, le, lessthan, lower, lt, mapping, ne, none, number, odd
  case sameas, sequence, string, test, undefined, upper
  case isTrue = "true"
  case isFalse = "false"
  case contained = "in"
  case equal = "=="
  case unequal = "!="
  case greater = ">"
  case greaterOrEqual = ">="
  case less = "<"
  case lessOrEqual = "<="
}

extension TemplateMachine {
  mutating func test(
    _ test: TemplateTest, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> Bool {
    switch test {
    case .eq, .equalto, .equal: return try compare(.equal, value, arguments)
    case .ne, .unequal: return try compare(.unequal, value, arguments)
    case .gt, .greaterthan, .greater: return try compare(.greater, value, arguments)
    case .ge, .greaterOrEqual: return try compare(.greaterOrEqual, value, arguments)
    case .lt, .lessthan, .less: return try compare(.less, value, arguments)
    case .le, .lessOrEqual: return try compare(.lessOrEqual, value, arguments)
    case .contained: return try compare(.contained, value, arguments)
    case .divisibleby:
      return try areEqual(
        try apply(.remainder, value, try operand(arguments, of: test)), .integer(0))
    case .sameas: return isSame(value, try operand(arguments, of: test))
    default: break
    }
    guard arguments.values.isEmpty, arguments.named.isEmpty else {
      throw problem("The test '\(test.rawValue)' takes no arguments.")
    }
    switch test {
    case .odd: return try areEqual(try apply(.remainder, value, .integer(2)), .integer(1))
    case .even: return try areEqual(try apply(.remainder, value, .integer(2)), .integer(0))
    case .lower, .upper:
      let text = try text(of: value)
      try spend(text.bytes.count)
      return test == .lower ? text.isLowercase : text.isUppercase
    case .filter, .test:
      guard let name = value.asText?.string else { return false }
      return test == .filter
        ? TemplateFilter(rawValue: name) != nil : TemplateTest(rawValue: name) != nil
    default: return isKind(test, value)
    }
  }

  private func operand(
    _ arguments: Arguments, of test: TemplateTest
  ) throws(ChatTemplateError) -> TemplateValue {
    guard arguments.values.count + arguments.named.count == 1,
      let value = arguments.values.first ?? arguments.named.first?.value
    else { throw problem("The test '\(test.rawValue)' takes one argument.") }
    return value
  }

  private mutating func compare(
    _ operation: TemplateOperator, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> Bool {
    guard arguments.values.count == 1, arguments.named.isEmpty else {
      throw problem("A comparison takes one argument.")
    }
    return isTrue(try apply(operation, value, arguments.values[0]))
  }

  private func isKind(_ test: TemplateTest, _ value: TemplateValue) -> Bool {
    switch (test, value) {
    case (.defined, _): return !value.isUndefined
    case (.undefined, _): return value.isUndefined
    case (.none, _): return value.isNone
    case (.boolean, .bool), (.string, .text), (.mapping, .dictionary), (.float, .float): return true
    case (.isTrue, .bool(let value)): return value
    case (.isFalse, .bool(let value)): return !value
    case (.integer, .integer), (.integer, .bigInteger): return true
    case (.number, _): return value.asDouble != nil
    case (.escaped, .text(let text)): return text.isSafe
    case (.sequence, _):
      switch value {
      case .text, .list, .tuple, .dictionary, .range, .undefined: return true
      default: return false
      }
    case (.iterable, _):
      switch value {
      case .text, .list, .tuple, .dictionary, .range, .undefined, .view, .generator, .loop:
        return true
      default: return false
      }
    case (.callable, _):
      switch value {
      case .function, .method, .macro, .joiner, .undefined, .loop: return true
      default: return false
      }
    default: return false
    }
  }

  /// Whether Python would have the same object: certain for what exists once, and for texts and
  /// small numbers as Python keeps them.
  private func isSame(_ left: TemplateValue, _ right: TemplateValue) -> Bool {
    switch (left, right) {
    case (.none, .none): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.integer(let left), .integer(let right)): return left == right
    case (.text(let left), .text(let right)): return left == right
    case (.list(let left), .list(let right)), (.tuple(let left), .tuple(let right)):
      return left === right
    case (.dictionary(let left), .dictionary(let right)): return left === right
    case (.namespace(let left), .namespace(let right)): return left == right
    default: return false
    }
  }
}
