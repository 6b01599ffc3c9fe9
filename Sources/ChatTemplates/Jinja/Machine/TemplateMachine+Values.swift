// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What Python's values say and how they compare.
extension TemplateMachine {
  /// What an undefined value says when it is used.
  func undefinedProblem(_ undefined: TemplateUndefined) -> ChatTemplateError {
    let name =
      undefined.name >= 0 && Int(undefined.name) < program.names.count
      ? program.names[Int(undefined.name)].string : "a value"
    switch undefined.reason {
    case .name: return problem("'\(name)' is undefined.")
    case .attribute: return problem("A value has no attribute '\(name)', and it is used.")
    case .element: return problem("A value has no such element, and it is used.")
    case .hint: return problem("An undefined value is used.")
    }
  }

  /// What an operation says of a value that it cannot take.
  func unusable(_ value: TemplateValue, _ operation: String) -> ChatTemplateError {
    if case .undefined(let undefined) = value { return undefinedProblem(undefined) }
    return problem("\(operation) cannot take a value of type \(value.typeName).")
  }

  func isTrue(_ value: TemplateValue) -> Bool {
    switch value {
    case .undefined, .none: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .float(let value): value != 0
    case .text(let text): !text.isEmpty
    case .list(let list), .tuple(let list): !list.items.isEmpty
    case .dictionary(let dictionary): dictionary.count > 0
    case .view(let view): view.dictionary.count > 0
    case .range(let range): range.count > 0
    case .loop(let number): !loops[number].items.isEmpty
    default: true
    }
  }

  /// What a loop goes over.
  mutating func items(of value: TemplateValue) throws(ChatTemplateError) -> [TemplateValue] {
    switch value {
    case .list(let list), .tuple(let list): return list.items
    case .dictionary(let dictionary): return dictionary.keys
    case .view(let view): return try items(of: view)
    case .text(let text):
      try spend(items: 2 * text.count)
      return text.characters.map { .text($0) }
    case .range(let range):
      try spend(items: range.count)
      return (0..<range.count).map { .integer(range[$0]) }
    case .generator(let number):
      defer {
        generators[number].isUsed = true
        generators[number].items = []
      }
      return generators[number].items
    case .undefined: return []
    default: throw unusable(value, "A loop")
    }
  }

  private mutating func items(
    of view: TemplateDictionary.View
  ) throws(ChatTemplateError) -> [TemplateValue] {
    switch view.part {
    case .keys: return view.dictionary.keys
    case .values: return view.dictionary.values
    case .items:
      try spend(items: 3 * view.dictionary.count)
      return zip(view.dictionary.keys, view.dictionary.values).map { .tupleOf($0, $1) }
    }
  }

  /// What `len` gives; nil for values without a length.
  func count(of value: TemplateValue) -> Int? {
    switch value {
    case .undefined: 0
    case .text(let text): text.count
    case .list(let list), .tuple(let list): list.items.count
    case .dictionary(let dictionary): dictionary.count
    case .view(let view): view.dictionary.count
    case .range(let range): range.count
    case .loop(let number): loops[number].items.count
    default: nil
    }
  }

  // MARK: Texts

  /// What `str` gives.
  mutating func text(of value: TemplateValue) throws(ChatTemplateError) -> TemplateText {
    switch value {
    case .text(let text): return text.plain
    case .undefined: return .empty
    case .none: return TemplateText("None")
    case .bool(let value): return TemplateText(value ? "True" : "False")
    case .integer(let value): return TemplateText(String(value))
    case .bigInteger(let digits): return digits
    case .float(let value): return TemplateText(PythonNumber.repr(value))
    default:
      var writer = TemplateWriter()
      try writeRepr(of: value, into: &writer)
      return writer.text
    }
  }

  /// Writes what `repr` gives.
  mutating func writeRepr(
    of value: TemplateValue, into writer: inout TemplateWriter, depth: Int = 0
  ) throws(ChatTemplateError) {
    try spend(64)
    guard depth <= 2 * limits.depth else {
      throw limitReached("A value nests deeper than \(limits.depth) levels.")
    }
    switch value {
    case .list(let list): try writeRepr(of: list.items, "[", "]", into: &writer, depth)
    case .tuple(let list):
      try writeRepr(of: list.items, "(", list.items.count == 1 ? ",)" : ")", into: &writer, depth)
    case .dictionary(let dictionary):
      try writeRepr(of: dictionary, into: &writer, depth: depth)
    case .view(let view):
      try writeRepr(
        of: try items(of: view), "\(view.part.rawValue)([", "])", into: &writer, depth)
    case .namespace(let number):
      writer.add("<Namespace ")
      try writeRepr(of: try variables(of: number), into: &writer, depth: depth + 1)
      writer.add(">")
    default: try writeRepr(ofSingle: value, into: &writer)
    }
  }

  private mutating func variables(
    of namespace: Int
  ) throws(ChatTemplateError) -> TemplateDictionary {
    let space = namespaces[namespace]
    try spend(items: space.names.count)
    return TemplateDictionary(keys: space.names.map { .text($0) }, values: space.values)
  }

  /// Writes what `repr` gives for a value that has no others in it.
  private mutating func writeRepr(
    ofSingle value: TemplateValue, into writer: inout TemplateWriter
  ) throws(ChatTemplateError) {
    switch value {
    case .text(let text):
      try spend(text: 4 * text.bytes.count)
      if text.isSafe { writer.add("Markup(") }
      writer.addRepr(of: text)
      if text.isSafe { writer.add(")") }
    case .undefined: writer.add("Undefined")
    case .range(let range):
      writer.add(
        "range(\(range.start), \(range.stop)" + (range.step == 1 ? ")" : ", \(range.step))"))
    case .loop(let number):
      writer.add("<LoopContext \(loops[number].index + 1)/\(loops[number].items.count)>")
    case .macro(let number):
      let name = program.names[Int(program.macros[macros[number].number].name)].string
      writer.add("<Macro '\(name)'>")
    case .generator, .cycler, .joiner, .function, .method:
      throw problem("A value of type \(value.typeName) has no text that is the same every time.")
    default: writer.add(try text(of: value).string)
    }
  }

  private mutating func writeRepr(
    of items: [TemplateValue], _ opening: String, _ closing: String,
    into writer: inout TemplateWriter, _ depth: Int
  ) throws(ChatTemplateError) {
    writer.add(opening)
    for (index, item) in items.enumerated() {
      if index > 0 { writer.add(", ") }
      try writeRepr(of: item, into: &writer, depth: depth + 1)
    }
    writer.add(closing)
  }

  private mutating func writeRepr(
    of dictionary: TemplateDictionary, into writer: inout TemplateWriter, depth: Int
  ) throws(ChatTemplateError) {
    writer.add("{")
    for index in dictionary.keys.indices {
      if index > 0 { writer.add(", ") }
      try writeRepr(of: dictionary.keys[index], into: &writer, depth: depth + 1)
      writer.add(": ")
      try writeRepr(of: dictionary.values[index], into: &writer, depth: depth + 1)
    }
    writer.add("}")
  }

  // MARK: Comparisons

  mutating func areEqual(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> Bool {
    try spend(32)
    switch (left, right) {
    case (.list(let left), .list(let right)), (.tuple(let left), .tuple(let right)):
      return try areEqual(left.items, right.items)
    case (.dictionary(let left), .dictionary(let right)): return try areEqual(left, right)
    case (.view(let left), .view(let right)):
      return try areEqual(try items(of: left), try items(of: right))
    default: return try areEqual(single: left, right)
    }
  }

  private mutating func areEqual(
    _ left: [TemplateValue], _ right: [TemplateValue]
  ) throws(ChatTemplateError) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where try !areEqual(left[index], right[index]) { return false }
    return true
  }

  private mutating func areEqual(
    _ left: TemplateDictionary, _ right: TemplateDictionary
  ) throws(ChatTemplateError) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.keys.indices {
      try spend(64)
      guard let key = TemplateKey(left.keys[index]), let other = right[key],
        try areEqual(left.values[index], other)
      else { return false }
    }
    return true
  }

  /// Whether two values are equal that have no others in them.
  private mutating func areEqual(
    single left: TemplateValue, _ right: TemplateValue
  ) throws(ChatTemplateError) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)):
      guard left.bytes.count == right.bytes.count else { return false }
      try spend(left.bytes.count / 8)
      return left == right
    case (.undefined, .undefined), (.none, .none): return true
    case (.bigInteger(let left), .bigInteger(let right)): return left == right
    case (.integer(let left), .integer(let right)): return left == right
    case (.range(let left), .range(let right)):
      return left.count == right.count
        && (left.count == 0
          || left.start == right.start && (left.count == 1 || left.step == right.step))
    default:
      if let left = left.asDouble, let right = right.asDouble { return left == right }
      guard let left = TemplateKey(left), let right = TemplateKey(right),
        case .object = left, case .object = right
      else { return false }
      return left == right
    }
  }

  /// Whether one value is less than another: −1, 0 or 1; nil for numbers that do not compare.
  mutating func order(
    _ left: TemplateValue, _ right: TemplateValue, _ operation: String
  ) throws(ChatTemplateError) -> Int? {
    try spend(32)
    switch (left, right) {
    case (.list(let left), .list(let right)), (.tuple(let left), .tuple(let right)):
      for index in 0..<min(left.items.count, right.items.count)
      where try !areEqual(left.items[index], right.items[index]) {
        return try order(left.items[index], right.items[index], operation)
      }
      return (left.items.count - right.items.count).signum()
    default: return try order(single: left, right, operation)
    }
  }

  private mutating func order(
    single left: TemplateValue, _ right: TemplateValue, _ operation: String
  ) throws(ChatTemplateError) -> Int? {
    switch (left, right) {
    case (.text(let left), .text(let right)):
      try spend(min(left.bytes.count, right.bytes.count))
      if left == right { return 0 }
      return left.bytes.lexicographicallyPrecedes(right.bytes) ? -1 : 1
    case (.integer(let left), .integer(let right)): return left < right ? -1 : left > right ? 1 : 0
    default:
      guard let first = left.asDouble, let second = right.asDouble else {
        if left.isUndefined { throw unusable(left, operation) }
        if right.isUndefined { throw unusable(right, operation) }
        throw problem(
          "'\(operation)' cannot compare values of types \(left.typeName) and \(right.typeName).")
      }
      return first < second ? -1 : first > second ? 1 : first == second ? 0 : nil
    }
  }
}
