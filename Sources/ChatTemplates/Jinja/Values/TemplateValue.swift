// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A value in a template: what Python would have there.
///
/// Values cannot change, so that they hold no cycles; what can change (namespaces, loops, generators)
/// is kept by the machine, and a value holds its number. How deep a value nests is known without
/// going through it, and has a limit: that keeps every walk over a value, and its release, from
/// overflowing the stack.
enum TemplateValue: Sendable {
  case undefined(TemplateUndefined)
  case none
  case bool(Bool)
  case integer(Int)
  /// A whole number beyond 64 bits, by its digits: it can be written, not computed with.
  case bigInteger(TemplateText)
  case float(Double)
  case text(TemplateText)
  case list(TemplateList)
  case tuple(TemplateList)
  case dictionary(TemplateDictionary)
  case view(TemplateDictionary.View)
  case range(TemplateRange)
  case namespace(Int)
  case generator(Int)
  case loop(Int)
  case macro(Int)
  case cycler(Int)
  case joiner(Int)
  case function(TemplateFunction)
  case method(TemplateMethod)

  static func string(_ text: String) -> TemplateValue { .text(TemplateText(text)) }
  static func items(_ items: [TemplateValue]) -> TemplateValue { .list(TemplateList(items)) }
  static func tupleOf(_ items: TemplateValue...) -> TemplateValue { .tuple(TemplateList(items)) }

  /// How many containers stand in each other.
  var depth: Int {
    switch self {
    case .list(let list), .tuple(let list): list.depth
    case .dictionary(let dictionary): dictionary.depth
    case .view(let view): view.dictionary.depth
    case .method(let method): method.base.depth + 1
    default: 0
    }
  }

  /// What Python calls the value's type.
  var typeName: String {
    switch self {
    case .undefined: "Undefined"
    case .none: "NoneType"
    case .bool: "bool"
    case .integer, .bigInteger: "int"
    case .float: "float"
    case .text: "str"
    case .list: "list"
    case .tuple: "tuple"
    case .dictionary: "dict"
    case .view(let view): view.part.rawValue
    case .range: "range"
    case .namespace: "Namespace"
    case .generator: "generator"
    case .loop: "LoopContext"
    case .macro: "Macro"
    case .cycler: "Cycler"
    case .joiner: "Joiner"
    case .function: "function"
    case .method: "method"
    }
  }

  var isUndefined: Bool { if case .undefined = self { true } else { false } }
  var isNone: Bool { if case .none = self { true } else { false } }

  /// The text of a string.
  var asText: TemplateText? { if case .text(let text) = self { text } else { nil } }

  /// A whole number that Python would take as an index.
  var asIndex: Int? {
    switch self {
    case .integer(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  /// A number as one with a fraction.
  var asDouble: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .bigInteger(let digits): Double(digits.string)
    case .float(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }
}

/// Why a value is not defined: what an error says when it is used.
struct TemplateUndefined: Sendable {
  enum Reason: UInt8, Sendable { case name, attribute, element, hint }

  var reason: Reason
  /// The number of the name in the program, where there is one.
  var name: Int32 = -1

  static let element = TemplateUndefined(reason: .element)
}

final class TemplateList: Sendable {
  let items: [TemplateValue]
  let depth: Int

  init(_ items: [TemplateValue]) {
    self.items = items
    var depth = 0
    for item in items { depth = max(depth, item.depth) }
    self.depth = depth + 1
  }
}

/// `range(start, stop, step)`: numbers that are not listed.
struct TemplateRange: Sendable, Hashable {
  var start: Int
  var stop: Int
  var step: Int
  var count: Int

  subscript(index: Int) -> Int { start &+ step &* index }
}

/// A method of a value: `content.strip`.
final class TemplateMethod: Sendable {
  let base: TemplateValue
  let name: TemplateMethodName

  init(_ base: TemplateValue, _ name: TemplateMethodName) {
    self.base = base
    self.name = name
  }
}

/// What can be called without a value before it.
enum TemplateFunction: String, Sendable, CaseIterable {
  case range, namespace, dict, cycler, joiner
  case raiseException = "raise_exception"
  case timeNow = "strftime_now"
}

/// The methods of Python's values, by Python's names.
enum TemplateMethodName: String, Sendable {
  // Of texts.
  case capitalize, casefold, center, endswith, expandtabs, find, format, isalnum, isalpha, isascii
  case isdecimal, isdigit, isidentifier, islower, isnumeric, isprintable, isspace, istitle, isupper
  case join, ljust, lower, lstrip, partition, removeprefix, removesuffix, replace, rfind, rindex
  case rjust, rpartition, rsplit, rstrip, split, splitlines, startswith, strip, swapcase, title
  case upper, zfill
  case formatMap = "format_map"
  // Of lists and texts.
  case count, index
  // Of dictionaries.
  case get, items, keys, values, copy
  // Of loops, cyclers and numbers.
  case cycle, changed, next, reset
  case bitLength = "bit_length"
  case isInteger = "is_integer"
  // What would change a value: the sandbox has none of these.
  case append, clear, extend, insert, pop, popitem, remove, reverse, setdefault, sort, update

  var isOfText: Bool {
    switch self {
    case .get, .items, .keys, .values, .copy, .cycle, .changed, .next, .reset, .bitLength,
      .isInteger, .append, .clear, .extend, .insert, .pop, .popitem, .remove, .reverse,
      .setdefault, .sort, .update:
      false
    default: true
    }
  }

  var isOfDictionary: Bool {
    switch self {
    case .get, .items, .keys, .values, .copy: true
    default: false
    }
  }

  var changesDictionaries: Bool {
    switch self {
    case .clear, .pop, .popitem, .setdefault, .update: true
    default: false
    }
  }
}
