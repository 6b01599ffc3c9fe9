// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Runs a program: writes a conversation.
///
/// Calls of macros and recursive loops lie on a stack of the machine's own, so that no template can
/// overflow the thread's. Everything that an operation touches is paid for before it is touched
/// (``spend(_:)``).
struct TemplateMachine {
  let program: TemplateProgram
  let limits: ChatTemplate.Limits
  let date: ChatTemplate.Date?
  private let workLimit: Int
  private var work = 0
  private var place = 0
  var stack: [TemplateValue] = []
  /// What is written; above the first, what is captured.
  private var outputs: [TemplateText] = [.empty]
  private var scope: TemplateScope
  private var frames: [Frame] = []
  private var openLoops: [Int] = []

  // What values refer to by number.
  var loops: [Loop] = []
  var namespaces: [Namespace] = []
  var generators: [Generator] = []
  var macros: [Macro] = []
  var cyclers: [Cycler] = []
  /// Which joiners were used.
  var joiners: [(separator: TemplateValue, isUsed: Bool)] = []

  /// A call that has not returned.
  private struct Frame {
    var place: Int
    var scope: TemplateScope
    var outputCount: Int
    var loopCount: Int
    var isLoop: Bool
  }

  struct Loop {
    var items: [TemplateValue]
    var index = -1
    var start: Int
    var depth: Int
    var isRecursive: Bool
    var scope: TemplateScope
    var outputCount: Int
    var stackCount: Int
    var hasEndedRound = false
    /// What a condition has chosen, where there is one.
    var kept: [TemplateValue] = []
    var lastChanged: TemplateValue?
  }

  struct Namespace {
    var names: [TemplateText]
    var values: [TemplateValue]

    subscript(name: TemplateText) -> TemplateValue? {
      names.firstIndex(of: name).map { values[$0] }
    }
  }

  struct Generator {
    var items: [TemplateValue]
    var isUsed = false
  }

  struct Macro {
    var number: Int
    var scope: TemplateScope
  }

  struct Cycler {
    var items: [TemplateValue]
    var place = 0
  }

  init(
    _ program: TemplateProgram, variables: [(name: String, value: TemplateValue)], bytes: Int,
    limits: ChatTemplate.Limits, date: ChatTemplate.Date?
  ) {
    self.program = program
    self.limits = limits
    self.date = date
    let (more, overflows) = bytes.multipliedReportingOverflow(by: max(0, limits.workPerByte))
    workLimit = max(0, limits.work) + (overflows ? Int.max / 2 : min(more, Int.max / 2))
    scope = TemplateScope(nil)
    for (index, name) in program.names.enumerated() {
      for variable in variables where variable.name == name.string {
        scope.set(Int32(truncatingIfNeeded: index), variable.value)
      }
    }
    scope = TemplateScope(scope)
  }

  /// Runs the whole program.
  mutating func run() throws(ChatTemplateError) -> TemplateText {
    do {
      while place < program.code.count { try step() }
    } catch {
      guard error.line == nil, program.lines.indices.contains(place) else { throw error }
      throw ChatTemplateError(message: error.message, line: Int(program.lines[place]))
    }
    return outputs[0]
  }

  // MARK: Limits

  func problem(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: nil)
  }

  /// Pays for work before it is done.
  @inline(__always)
  mutating func spend(_ cost: Int) throws(ChatTemplateError) {
    guard cost >= 0, cost <= workLimit - work else {
      throw problem("The template takes more work than its limit of \(workLimit) allows.")
    }
    work += cost
  }

  /// Pays for elements of a list.
  mutating func spend(items: Int) throws(ChatTemplateError) {
    guard items <= Int.max / 64 else { return try spend(Int.max) }
    try spend(items * 32)
  }

  /// Pays for a text that is about to be made, of a number of bytes.
  mutating func spend(text: Int) throws(ChatTemplateError) {
    guard text <= limits.textBytes else {
      throw problem("A text would be longer than the limit of \(limits.textBytes) bytes.")
    }
    try spend(text)
  }

  /// The product of two sizes; the greatest number where it is beyond.
  func product(_ left: Int, _ right: Int) -> Int {
    let (result, overflows) = max(0, left).multipliedReportingOverflow(by: max(0, right))
    return overflows ? .max : result
  }

  func checked(_ value: TemplateValue) throws(ChatTemplateError) -> TemplateValue {
    guard value.depth <= limits.depth else {
      throw problem("A value nests deeper than \(limits.depth) levels.")
    }
    return value
  }

  mutating func list(_ items: [TemplateValue]) throws(ChatTemplateError) -> TemplateValue {
    try spend(items: items.count)
    return try checked(.items(items))
  }

  mutating func generator(_ items: [TemplateValue]) throws(ChatTemplateError) -> TemplateValue {
    _ = try list(items)
    generators.append(Generator(items: items))
    return .generator(generators.count - 1)
  }

  // MARK: The stack

  mutating func pop() -> TemplateValue { stack.popLast() ?? .none }

  private mutating func popLast(_ count: Int) -> [TemplateValue] {
    let count = min(count, stack.count)
    let values = Array(stack.suffix(count))
    stack.removeLast(count)
    return values
  }

  private mutating func write(_ text: TemplateText) throws(ChatTemplateError) {
    try spend(text.bytes.count)
    outputs[outputs.count - 1].append(text)
    guard outputs[outputs.count - 1].bytes.count <= limits.outputBytes else {
      throw problem("What is written is longer than the limit of \(limits.outputBytes) bytes.")
    }
  }

  private mutating func arguments(_ number: Int32) throws(ChatTemplateError) -> Arguments {
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

  private mutating func lookUp(_ name: Int32) throws(ChatTemplateError) -> TemplateValue {
    var next: TemplateScope? = scope
    while let scope = next {
      try spend(scope.names.count / 4)
      if let place = scope.place(of: name) { return scope.values[place] }
      next = scope.parent
    }
    if let function = program.names[Int(name)].function { return .function(function) }
    return .undefined(TemplateUndefined(reason: .name, name: name))
  }

  // MARK: Instructions

  private mutating func step() throws(ChatTemplateError) {
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

  // MARK: Loops

  private mutating func beginLoop(
    isRecursive: Bool, start: Int
  ) throws(ChatTemplateError) {
    try spend(256)
    let items = try items(of: pop())
    var depth = 0
    if let frame = frames.last, frame.isLoop, frame.loopCount == openLoops.count,
      let caller = openLoops.last
    {
      depth = loops[caller].depth + 1
    }
    openLoops.append(loops.count)
    loops.append(
      Loop(
        items: items, start: start, depth: depth, isRecursive: isRecursive, scope: scope,
        outputCount: outputs.count, stackCount: stack.count))
    guard openLoops.count + frames.count <= 4 * limits.depth else { throw tooDeep() }
  }

  private func tooDeep() -> ChatTemplateError {
    problem("Calls and loops nest deeper than \(limits.depth) levels.")
  }

  /// Begins the next round in a scope of its own, with its item on the stack.
  private mutating func nextItem() throws(ChatTemplateError) -> Bool {
    guard let number = openLoops.last else { return false }
    leaveRound(of: number)
    let index = loops[number].index + 1
    guard index < loops[number].items.count else { return false }
    try spend(64)
    loops[number].index = index
    scope = TemplateScope(scope)
    scope.set(loopName, .loop(number))
    stack.append(loops[number].items[index])
    return true
  }

  /// The number of the name `loop`; one that no name has where the template does not say it.
  private var loopName: Int32 { program.loopName }

  /// Goes back to what was there when the loop began.
  private mutating func leaveRound(of number: Int) {
    let loop = loops[number]
    scope = loop.scope
    if outputs.count > loop.outputCount { outputs.removeLast(outputs.count - loop.outputCount) }
    if stack.count > loop.stackCount { stack.removeLast(stack.count - loop.stackCount) }
  }

  private mutating func endLoop() -> Loop {
    let number = openLoops.popLast() ?? 0
    leaveRound(of: number)
    let loop = loops[number]
    // Later rounds are over: what they went over can go.
    loops[number].kept = []
    return loop
  }

  // MARK: Calls

  /// Calls a value, and says where the program goes on.
  private mutating func call(
    _ function: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> Int {
    switch function {
    case .macro(let number): return try callMacro(number, arguments)
    case .loop(let number):
      let loop = loops[number]
      guard loop.isRecursive else {
        throw problem("Only a loop with the mark 'recursive' can be called.")
      }
      guard arguments.values.count == 1, arguments.named.isEmpty else {
        throw problem("A loop is called with what it goes over.")
      }
      try beginCall(isLoop: true)
      scope = loop.scope
      stack.append(arguments.values[0])
      return loop.start
    default:
      stack.append(try value(ofCalling: function, arguments))
      return place + 1
    }
  }

  private mutating func beginCall(isLoop: Bool) throws(ChatTemplateError) {
    try spend(512)
    frames.append(
      Frame(
        place: place + 1, scope: scope, outputCount: outputs.count, loopCount: openLoops.count,
        isLoop: isLoop))
    guard frames.count <= limits.depth else { throw tooDeep() }
    outputs.append(.empty)
  }

  private mutating func endCall() -> Int {
    let text = outputs.popLast() ?? .empty
    guard let frame = frames.popLast() else { return program.code.count }
    scope = frame.scope
    stack.append(.text(text))
    return frame.place
  }

  private mutating func callMacro(
    _ number: Int, _ arguments: Arguments
  ) throws(ChatTemplateError) -> Int {
    let instance = macros[number]
    let macro = program.macros[instance.number]
    let name = program.names[Int(macro.name)].string
    try beginCall(isLoop: false)
    try spend(items: arguments.values.count + arguments.named.count)
    let scope = TemplateScope(instance.scope)
    self.scope = scope
    var named = arguments.named
    var hasCaller = false
    for (index, parameter) in macro.parameters.enumerated() {
      let text = program.names[Int(parameter)].text
      if index < arguments.values.count {
        scope.set(parameter, arguments.values[index])
      } else if let place = named.firstIndex(where: { $0.name == text }) {
        scope.set(parameter, named.remove(at: place).value)
      } else if text.string == "caller", let caller = arguments.caller {
        scope.set(parameter, caller)
      } else if index < macro.parameters.count - macro.defaults {
        scope.set(parameter, .undefined(TemplateUndefined(reason: .name, name: parameter)))
      }
      hasCaller = hasCaller || text.string == "caller"
    }
    if macro.usesCaller, !hasCaller {
      let caller = arguments.caller ?? .undefined(TemplateUndefined(reason: .hint))
      if let place = program.number(of: "caller") { scope.set(place, caller) }
    } else if arguments.caller != nil, !hasCaller {
      throw problem("The macro '\(name)' does not use its caller.")
    }
    if macro.takesNames, let place = program.number(of: "kwargs") {
      var builder = TemplateDictionary.Builder()
      for (key, value) in named { builder.set(value, .text(key), spelled: .text(key)) }
      scope.set(place, try checked(.dictionary(builder.dictionary())))
    } else if let extra = named.first {
      throw problem("The macro '\(name)' takes no argument '\(extra.name.string)'.")
    }
    let rest = Array(arguments.values.dropFirst(macro.parameters.count))
    if macro.takesRest, let place = program.number(of: "varargs") {
      scope.set(place, .tuple(TemplateList(rest)))
    } else if !rest.isEmpty {
      throw problem("The macro '\(name)' takes at most \(macro.parameters.count) arguments.")
    }
    return macro.start
  }
}

/// The arguments of a call.
struct Arguments {
  var values: [TemplateValue] = []
  var named: [(name: TemplateText, value: TemplateValue)] = []
  var caller: TemplateValue?

  /// The arguments by their place in a list of parameters.
  func bound(
    to parameters: [StaticString], of function: String
  ) throws(ChatTemplateError) -> [TemplateValue?] {
    var result = [TemplateValue?](repeating: nil, count: parameters.count)
    guard values.count <= parameters.count else {
      throw ChatTemplateError(
        message: "'\(function)' takes at most \(parameters.count) arguments.", line: nil)
    }
    for (index, value) in values.enumerated() { result[index] = value }
    for (name, value) in named {
      let place = parameters.firstIndex { parameter in
        parameter.withUTF8Buffer { $0.elementsEqual(name.bytes) }
      }
      guard let place, result[place] == nil else {
        throw ChatTemplateError(
          message: "'\(function)' takes no argument '\(name.string)'.", line: nil)
      }
      result[place] = value
    }
    return result
  }
}
