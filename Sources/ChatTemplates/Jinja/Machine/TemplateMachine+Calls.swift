// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Calls of macros and of recursive loops.
extension TemplateMachine {
  /// Calls a value, and says where the program goes on.
  mutating func call(
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

  mutating func endCall() -> Int {
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
