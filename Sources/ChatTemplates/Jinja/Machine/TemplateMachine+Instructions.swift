// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What each instruction does.
extension TemplateMachine {
  mutating func step() throws(ChatTemplateError) {
    try spend(8)
    let instruction = program.code[place]
    var next = place + 1
    switch instruction {
    case .text(let index):
      if case .text(let text) = program.constants[Int(index)] { try write(text) }
    case .write:
      let value = pop()
      if case .text(let text) = value {
        try write(text)
      } else {
        try write(try text(of: value))
      }
    case .constant(let index): stack.append(program.constants[Int(index)])
    case .load(let name): stack.append(try lookUp(name))
    case .store(let name):
      try spend(32 + scope.names.count / 4)
      scope.set(name, pop())
    case .storeAttribute(let name, let attribute): try storeAttribute(name, attribute)
    case .unpack(let count):
      let items = try items(of: pop())
      guard items.count == Int(count) else {
        throw problem("\(count) values are expected, not \(items.count).")
      }
      stack += items.reversed()
    case .makeList(let count): stack.append(try list(popLast(Int(count))))
    case .makeTuple(let count):
      try spend(items: Int(count))
      stack.append(try checked(.tuple(TemplateList(popLast(Int(count))))))
    case .makeDictionary(let count): try makeDictionary(Int(count))
    case .attribute(let name):
      stack.append(try attribute(name, of: pop()))
    case .item:
      let index = pop()
      stack.append(try item(index, of: pop()))
    case .slice:
      let bounds = popLast(3)
      stack.append(try slice(pop(), bounds[0], bounds[1], bounds[2]))
    case .not: stack.append(.bool(!isTrue(pop())))
    case .negate: stack.append(try negated(pop()))
    case .plus:
      let value = pop()
      guard value.asDouble != nil else { throw unusable(value, "'+'") }
      stack.append(value.asIndex.map { .integer($0) } ?? value)
    case .binary(let operation):
      let right = pop()
      stack.append(try apply(operation, pop(), right))
    case .concatenate(let count):
      var result = TemplateText.empty
      for value in popLast(Int(count)) {
        let text = try text(of: value)
        try spend(text: result.bytes.count + text.bytes.count)
        result.append(text)
      }
      stack.append(.text(result))
    case .compare(let operation, let offset):
      let right = pop()
      let result = try apply(operation, pop(), right)
      if isTrue(result) {
        stack.append(right)
      } else {
        stack.append(result)
        next = place + Int(offset)
      }
    case .jump(let offset): next = place + Int(offset)
    case .jumpIfFalse(let offset): if !isTrue(pop()) { next = place + Int(offset) }
    case .jumpIfFalseOrPop(let offset):
      if isTrue(stack.last ?? .none) { _ = pop() } else { next = place + Int(offset) }
    case .jumpIfTrueOrPop(let offset):
      if isTrue(stack.last ?? .none) { next = place + Int(offset) } else { _ = pop() }
    case .jumpIfSet(let name, let offset):
      if scope.place(of: name) != nil { next = place + Int(offset) }
    case .filter(let name, let shape):
      let arguments = try arguments(shape)
      let name = program.names[Int(name)]
      guard let filter = name.filter else { throw problem("No filter is called '\(name.string)'.") }
      stack.append(try self.filter(filter, pop(), arguments))
    case .test(let name, let shape):
      let arguments = try arguments(shape)
      let name = program.names[Int(name)]
      guard let test = name.test else { throw problem("No test is called '\(name.string)'.") }
      stack.append(.bool(try self.test(test, pop(), arguments)))
    case .call(let shape):
      let arguments = try arguments(shape)
      next = try call(pop(), arguments)
    case .beginCapture: outputs.append(.empty)
    case .endCapture: stack.append(.text(outputs.popLast() ?? .empty))
    case .pushScope:
      try spend(32)
      scope = TemplateScope(scope)
    case .popScope: scope = scope.parent ?? scope
    case .beginLoop(let isRecursive, let back):
      try beginLoop(isRecursive: isRecursive, start: place - Int(back))
    case .beginChoice: try beginLoop(isRecursive: false, start: place)
    case .nextItem(let offset): if try !nextItem() { next = place + Int(offset) }
    case .endRound: if let last = openLoops.last { loops[last].hasEndedRound = true }
    case .endLoop: stack.append(.bool(!endLoop().hasEndedRound))
    case .keep:
      if isTrue(pop()), let last = openLoops.last {
        loops[last].kept.append(loops[last].items[loops[last].index])
      }
    case .endChoice: stack.append(try generator(endLoop().kept))
    case .endRecursiveLoop:
      if let frame = frames.last, frame.isLoop, frame.loopCount == openLoops.count {
        next = endCall()
      }
    case .macro(let number):
      try spend(64)
      macros.append(Macro(number: Int(number), scope: scope))
      stack.append(.macro(macros.count - 1))
    case .returnFromMacro: next = endCall()
    case .undefined: stack.append(.undefined(TemplateUndefined(reason: .hint)))
    }
    place = next
  }

  private mutating func makeDictionary(_ count: Int) throws(ChatTemplateError) {
    try spend(items: 4 * count)
    let parts = popLast(2 * count)
    var builder = TemplateDictionary.Builder()
    for index in 0..<count {
      guard let key = TemplateKey(parts[2 * index]) else {
        throw problem("A \(parts[2 * index].typeName) cannot be a key.")
      }
      builder.set(parts[2 * index + 1], key, spelled: parts[2 * index])
    }
    stack.append(try checked(.dictionary(builder.dictionary())))
  }

  private mutating func storeAttribute(
    _ name: Int32, _ attribute: Int32
  ) throws(ChatTemplateError) {
    let value = pop()
    guard case .namespace(let number) = try lookUp(name) else {
      throw problem("'\(program.names[Int(name)].string)' is no namespace.")
    }
    try spend(64 + namespaces[number].names.count)
    let text = program.names[Int(attribute)].text
    if let place = namespaces[number].names.firstIndex(of: text) {
      namespaces[number].values[place] = value
    } else {
      namespaces[number].names.append(text)
      namespaces[number].values.append(value)
    }
  }
}
