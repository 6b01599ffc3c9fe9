// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The stack of values, what is written, and names.
extension TemplateMachine {
  mutating func pop() -> TemplateValue { stack.popLast() ?? .none }

  mutating func popLast(_ count: Int) -> [TemplateValue] {
    let count = min(count, stack.count)
    let values = Array(stack.suffix(count))
    stack.removeLast(count)
    return values
  }

  mutating func write(_ text: TemplateText) throws(ChatTemplateError) {
    try spend(text.bytes.count)
    outputs[outputs.count - 1].append(text)
    guard outputs[outputs.count - 1].bytes.count <= limits.outputBytes else {
      throw limitReached("What is written is longer than the limit of \(limits.outputBytes) bytes.")
    }
  }

  mutating func arguments(_ number: Int32) throws(ChatTemplateError) -> Arguments {
    let shape = program.shapes[Int(number)]
    var result = Arguments()
    guard shape.count > 0 else { return result }
    if shape.hasCaller { result.caller = pop() }
    let dictionary = shape.hasDictionary ? pop() : nil
    let named = popLast(shape.names.count)
    let list = shape.hasList ? pop() : nil
    result.values = popLast(shape.positional)
    if let list { result.values += try items(of: list) }
    for (name, value) in zip(shape.names, named) {
      result.named.append((program.names[Int(name)].text, value))
    }
    if let dictionary {
      guard case .dictionary(let dictionary) = dictionary else {
        throw problem("'**' needs a dictionary.")
      }
      try spend(items: dictionary.count)
      for (key, value) in zip(dictionary.keys, dictionary.values) {
        guard case .text(let key) = key else { throw problem("Names of arguments are texts.") }
        result.named.append((key, value))
      }
    }
    return result
  }

  mutating func lookUp(_ name: Int32) throws(ChatTemplateError) -> TemplateValue {
    var next: TemplateScope? = scope
    while let scope = next {
      try spend(scope.names.count / 4)
      if let place = scope.place(of: name) { return scope.values[place] }
      next = scope.parent
    }
    if let function = program.names[Int(name)].function { return .function(function) }
    return .undefined(TemplateUndefined(reason: .name, name: name))
  }
}
