/// Writes a template with variables: goes over its tree.
struct TemplateRenderer {
  /// How much a template may do, so that a hostile one ends.
  private static var stepLimit: Int { 250_000 }
  private static var depthLimit: Int { 200 }
  private static var outputLimit: Int { 4_000_000 }

  private var scopes: [[String: TemplateValue]]
  /// The variables of each namespace, by its number.
  var namespaces: [TemplateObject] = []
  private var output = TemplateText("")
  private var steps = 0
  private var depth = 0

  /// How a list of statements ended.
  private enum Flow { case goesOn, leavesLoop, nextRound }

  private init(_ variables: [String: TemplateValue]) { scopes = [variables] }

  static func render(
    _ nodes: [TemplateNode], _ variables: [String: TemplateValue]
  ) throws(ChatTemplateError) -> TemplateText {
    var renderer = TemplateRenderer(variables)
    _ = try renderer.run(nodes)
    return renderer.output
  }

  private mutating func step() throws(ChatTemplateError) {
    steps += 1
    guard steps <= Self.stepLimit, output.elements.count <= Self.outputLimit else {
      throw ChatTemplateError(message: "The template does not end.", line: nil)
    }
  }

  private mutating func run(_ nodes: [TemplateNode]) throws(ChatTemplateError) -> Flow {
    for node in nodes {
      try step()
      switch node {
      case .text(let text): output.elements += TemplateText(text).elements
      case .output(let expression):
        let value = try evaluate(expression)
        output.elements += value.text.elements
      case .condition(let branches, let otherwise):
        var body = otherwise
        for branch in branches where try evaluate(branch.condition).isTrue {
          body = branch.body
          break
        }
        let flow = try run(body)
        if flow != .goesOn { return flow }
      case .loop(let loop): try run(loop)
      case .set(let target, let expression): try assign(try evaluate(expression), to: target)
      case .setBlock(let target, let body):
        let text = try captured(body)
        try assign(.text(text), to: target)
      case .macro(let name, let macro): scopes[scopes.count - 1][name] = .function(.macro(macro))
      case .leaveLoop: return .leavesLoop
      case .nextRound: return .nextRound
      }
    }
    return .goesOn
  }

  /// What statements write, taken out of the output.
  private mutating func captured(
    _ nodes: [TemplateNode]
  ) throws(ChatTemplateError) -> TemplateText {
    let before = output
    output = TemplateText("")
    defer { output = before }
    _ = try run(nodes)
    return output
  }

  private mutating func assign(
    _ value: TemplateValue, to target: TemplateTarget
  ) throws(ChatTemplateError) {
    switch target {
    case .names(let names):
      try bind(names, to: value)
    case .attribute(let name, let attribute):
      guard case .namespace(let number)? = lookUp(name), namespaces.indices.contains(number) else {
        throw ChatTemplateError(message: "'\(name)' is no namespace.", line: nil)
      }
      namespaces[number][attribute] = value
    }
  }

  private mutating func bind(
    _ names: [String], to value: TemplateValue
  ) throws(ChatTemplateError) {
    guard names.count > 1 else {
      scopes[scopes.count - 1][names[0]] = value
      return
    }
    guard case .list(let parts) = value, parts.count == names.count else {
      throw ChatTemplateError(message: "\(names.count) values are expected.", line: nil)
    }
    for (name, part) in zip(names, parts) { scopes[scopes.count - 1][name] = part }
  }

  private mutating func run(_ loop: TemplateLoop) throws(ChatTemplateError) {
    guard var items = try evaluate(loop.items).items else {
      throw ChatTemplateError(message: "What a loop goes over is no list.", line: nil)
    }
    depth += 1
    scopes.append([:])
    defer {
      scopes.removeLast()
      depth -= 1
    }
    try checkDepth()
    if let condition = loop.condition {
      var kept: [TemplateValue] = []
      for item in items {
        try bind(loop.names, to: item)
        if try evaluate(condition).isTrue { kept.append(item) }
      }
      items = kept
    }
    if items.isEmpty { _ = try run(loop.otherwise) }
    for (index, item) in items.enumerated() {
      try step()
      // What a round sets is forgotten with it.
      scopes[scopes.count - 1] = ["loop": .object(Self.state(of: items, at: index))]
      try bind(loop.names, to: item)
      if try run(loop.body) == .leavesLoop { break }
    }
  }

  private static func state(of items: [TemplateValue], at index: Int) -> TemplateObject {
    TemplateObject([
      "index": .integer(index + 1), "index0": .integer(index), "first": .bool(index == 0),
      "last": .bool(index == items.count - 1), "length": .integer(items.count),
      "revindex": .integer(items.count - index), "revindex0": .integer(items.count - index - 1),
      "previtem": index > 0 ? items[index - 1] : .undefined,
      "nextitem": index + 1 < items.count ? items[index + 1] : .undefined,
    ])
  }

  private func checkDepth() throws(ChatTemplateError) {
    guard depth <= Self.depthLimit else {
      throw ChatTemplateError(message: "The template nests too deeply.", line: nil)
    }
  }

  private func lookUp(_ name: String) -> TemplateValue? {
    for scope in scopes.reversed() {
      if let value = scope[name] { return value }
    }
    switch name {
    case "range": return .function(.range)
    case "namespace": return .function(.namespace)
    case "dict": return .function(.dict)
    case "raise_exception": return .function(.raiseException)
    case "strftime_now": return .function(.timeNow)
    default: return nil
    }
  }

  mutating func evaluate(
    _ expression: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateValue {
    depth += 1
    defer { depth -= 1 }
    try checkDepth()
    try step()
    switch expression {
    case .literal(let value): return value
    case .name(let name): return lookUp(name) ?? .undefined
    case .list(let items):
      var values: [TemplateValue] = []
      for item in items { values.append(try evaluate(item)) }
      return .list(values)
    case .object(let members):
      var object = TemplateObject()
      for member in members {
        object[try evaluate(member.key).text.string] = try evaluate(member.value)
      }
      return .object(object)
    case .attribute(let base, let name): return attribute(name, of: try evaluate(base))
    case .item(let base, let index):
      return item(try evaluate(index), of: try evaluate(base))
    case .slice(let base, let start, let end, let stride):
      let value = try evaluate(base)
      return try slice(value, try bound(start), try bound(end), try bound(stride))
    case .call(let function, let arguments):
      return try call(try evaluate(function), arguments)
    case .filter(let value, let name, let arguments):
      return try filter(try evaluate(value), name, try evaluated(arguments))
    case .test(let value, let name, let arguments, let isNegated):
      var values: [TemplateValue] = []
      for argument in arguments { values.append(try evaluate(argument)) }
      return .bool(try test(try evaluate(value), name, values) != isNegated)
    case .not(let value): return .bool(!(try evaluate(value).isTrue))
    case .negative(let value): return try negated(try evaluate(value))
    case .binary(let operation, let left, let right):
      let left = try evaluate(left)
      switch operation {
      case .or: return left.isTrue ? left : try evaluate(right)
      case .and: return left.isTrue ? try evaluate(right) : left
      default: return try TemplateOperations.apply(operation, left, try evaluate(right))
      }
    case .conditional(let value, let condition, let otherwise):
      if try evaluate(condition).isTrue { return try evaluate(value) }
      return try otherwise.map { (expression) throws(ChatTemplateError) in
        try evaluate(expression)
      } ?? .undefined
    }
  }

  private func negated(_ value: TemplateValue) throws(ChatTemplateError) -> TemplateValue {
    switch value {
    case .integer(let value): return .integer(0 &- value)
    case .number(let value): return .number(-value)
    default: throw ChatTemplateError(message: "'-' needs a number.", line: nil)
    }
  }

  /// Positional values, and those with a name.
  struct Arguments {
    var values: [TemplateValue] = []
    var named = TemplateObject()

    subscript(index: Int, name: String) -> TemplateValue? {
      index < values.count ? values[index] : named[name]
    }
  }

  private mutating func evaluated(
    _ arguments: [TemplateArgument]
  ) throws(ChatTemplateError) -> Arguments {
    var result = Arguments()
    for argument in arguments {
      let value = try evaluate(argument.value)
      if let name = argument.name {
        result.named[name] = value
      } else {
        result.values.append(value)
      }
    }
    return result
  }

  private mutating func call(
    _ function: TemplateValue, _ arguments: [TemplateArgument]
  ) throws(ChatTemplateError) -> TemplateValue {
    guard case .function(let function) = function else {
      throw ChatTemplateError(message: "What is called is no function.", line: nil)
    }
    let arguments = try evaluated(arguments)
    switch function {
    case .range: return try TemplateOperations.range(arguments.values)
    case .dict: return .object(arguments.named)
    case .namespace:
      namespaces.append(arguments.named)
      return .namespace(namespaces.count - 1)
    case .raiseException:
      throw ChatTemplateError(
        message: arguments.values.first?.text.string ?? "It refuses the conversation.", line: nil)
    // The same conversation gives the same prompt on every day: no date is told.
    case .timeNow: return .string("")
    case .method(let base, let name):
      return try TemplateOperations.method(name, of: base, arguments)
    case .macro(let macro):
      scopes.append([:])
      defer { scopes.removeLast() }
      for (index, parameter) in macro.parameters.enumerated() {
        var value = arguments[index, parameter.name]
        if value == nil, let standard = parameter.value { value = try evaluate(standard) }
        scopes[scopes.count - 1][parameter.name] = value ?? .undefined
      }
      return .text(try captured(macro.body))
    }
  }

  private mutating func bound(
    _ expression: TemplateExpression?
  ) throws(ChatTemplateError) -> Int? {
    guard let expression else { return nil }
    switch try evaluate(expression) {
    case .integer(let value): return value
    case .none, .undefined: return nil
    default: throw ChatTemplateError(message: "A bound is no whole number.", line: nil)
    }
  }

  private func attribute(_ name: String, of value: TemplateValue) -> TemplateValue {
    switch value {
    case .object(let object):
      if let value = object[name] { return value }
      return ["items", "keys", "values", "get"].contains(name)
        ? .function(.method(value, name)) : .undefined
    case .namespace(let number):
      return namespaces.indices.contains(number)
        ? namespaces[number][name] ?? .undefined : .undefined
    case .text: return .function(.method(value, name))
    default: return .undefined
    }
  }

  private func item(_ index: TemplateValue, of value: TemplateValue) -> TemplateValue {
    switch (value, index) {
    case (.list(let items), .integer(let index)):
      let index = index < 0 ? index + items.count : index
      return items.indices.contains(index) ? items[index] : .undefined
    case (.text(let text), .integer(let index)):
      let index = index < 0 ? index + text.elements.count : index
      return text.elements.indices.contains(index)
        ? .text(TemplateText([text.elements[index]])) : .undefined
    case (.object(let object), .text(let key)): return object[key.string] ?? .undefined
    case (.namespace, .text(let key)): return attribute(key.string, of: value)
    default: return .undefined
    }
  }

  private func slice(
    _ value: TemplateValue, _ start: Int?, _ end: Int?, _ stride: Int?
  ) throws(ChatTemplateError) -> TemplateValue {
    switch value {
    case .list(let items):
      return .list(
        try TemplateOperations.indices(items.count, start, end, stride).map { items[$0] })
    case .text(let text):
      let indices = try TemplateOperations.indices(text.elements.count, start, end, stride)
      return .text(TemplateText(indices.map { text.elements[$0] }))
    case .undefined: return .undefined
    default: throw ChatTemplateError(message: "Only lists and texts have slices.", line: nil)
    }
  }
}
