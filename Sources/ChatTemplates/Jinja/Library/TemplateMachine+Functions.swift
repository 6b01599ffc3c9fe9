// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Functions, and methods of values that are no texts.
extension TemplateMachine {
  mutating func value(
    ofCalling function: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    switch function {
    case .function(let function): return try call(function, arguments)
    case .method(let method):
      if case .text(let text) = method.base {
        return try textMethod(method.name, of: text, arguments)
      }
      return try call(method, arguments)
    case .joiner(let number):
      if joiners[number].isUsed { return joiners[number].separator }
      joiners[number].isUsed = true
      return .string("")
    default: throw unusable(function, "A call")
    }
  }

  private mutating func call(
    _ function: TemplateFunction, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = function.rawValue
    switch function {
    case .range: return try range(arguments)
    case .dict: return .dictionary(try dictionary(arguments))
    case .namespace:
      try spend(128)
      let dictionary = try dictionary(arguments)
      try spend(items: dictionary.count)
      namespaces.append(
        Namespace(names: dictionary.keys.compactMap(\.asText), values: dictionary.values))
      return .namespace(namespaces.count - 1)
    case .cycler:
      guard !arguments.values.isEmpty else { throw problem("'cycler' needs items.") }
      try spend(items: 2 + arguments.values.count)
      cyclers.append(Cycler(items: arguments.values))
      return .cycler(cyclers.count - 1)
    case .joiner:
      let given = try arguments.bound(to: ["sep"], of: name)
      try spend(items: 2)
      joiners.append((given[0] ?? .string(", "), false))
      return .joiner(joiners.count - 1)
    case .raiseException:
      let message = try arguments.values.first.map { (value) throws(ChatTemplateError) in
        try text(of: value).string
      }
      throw problem("The template refuses the conversation: \(message ?? "without a reason.")")
    case .timeNow:
      guard let format = try optionalText(try arguments.bound(to: ["format"], of: name)[0]) else {
        throw problem("'strftime_now' needs a format.")
      }
      guard let date else {
        throw problem("The template asks for the date, and none is given.")
      }
      try spend(text: 32 * format.bytes.count)
      return .string(date.formatted(format.string))
    }
  }

  /// The sandbox of Jinja refuses ranges that are longer.
  private static var rangeLimit: Int { 100_000 }

  private mutating func range(_ arguments: Arguments) throws(ChatTemplateError) -> TemplateValue {
    guard arguments.named.isEmpty, (1...3).contains(arguments.values.count) else {
      throw problem("'range' takes one to three whole numbers.")
    }
    var numbers: [Int] = []
    for value in arguments.values {
      guard let number = value.asIndex else { throw unusable(value, "'range'") }
      numbers.append(number)
    }
    let start = numbers.count > 1 ? numbers[0] : 0
    let stop = numbers.count > 1 ? numbers[1] : numbers[0]
    let step = numbers.count > 2 ? numbers[2] : 1
    guard step != 0 else { throw problem("The step of 'range' is not 0.") }
    let (distance, overflows) =
      step > 0
      ? stop.subtractingReportingOverflow(start) : start.subtractingReportingOverflow(stop)
    let stride = step.magnitude
    let count = distance <= 0 ? 0 : (distance.magnitude - 1) / stride + 1
    guard !overflows, count <= UInt(Self.rangeLimit) else {
      throw problem("'range' has more than \(Self.rangeLimit) numbers.")
    }
    return .range(TemplateRange(start: start, stop: stop, step: step, count: Int(count)))
  }

  private mutating func dictionary(
    _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateDictionary {
    guard arguments.values.count <= 1 else { throw problem("'dict' takes one value.") }
    var builder = TemplateDictionary.Builder()
    if let value = arguments.values.first {
      if case .dictionary(let dictionary) = value {
        try spend(items: 4 * dictionary.count)
        for (key, value) in zip(dictionary.keys, dictionary.values) {
          if let hashed = TemplateKey(key) { builder.set(value, hashed, spelled: key) }
        }
      } else {
        for pair in try items(of: value) {
          try spend(items: 4)
          let parts = try items(of: pair)
          guard parts.count == 2, let key = TemplateKey(parts[0]) else {
            throw problem("'dict' takes pairs of keys and values.")
          }
          builder.set(parts[1], key, spelled: parts[0])
        }
      }
    }
    try spend(items: 4 * arguments.named.count)
    for (key, value) in arguments.named { builder.set(value, .text(key), spelled: .text(key)) }
    let dictionary = builder.dictionary()
    _ = try checked(.dictionary(dictionary))
    return dictionary
  }

  // MARK: Methods

  private mutating func call(
    _ method: TemplateMethod, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = method.name.rawValue
    switch (method.base, method.name) {
    case (.dictionary(let dictionary), .get):
      let given = try arguments.bound(to: ["key", "default"], of: name)
      guard let value = given[0], let key = TemplateKey(value) else {
        throw problem("'get' needs a key.")
      }
      try spend(dictionary.count)
      return dictionary[key] ?? given[1] ?? .none
    case (.dictionary(let dictionary), .items):
      return .view(TemplateDictionary.View(dictionary: dictionary, part: .items))
    case (.dictionary(let dictionary), .keys):
      return .view(TemplateDictionary.View(dictionary: dictionary, part: .keys))
    case (.dictionary(let dictionary), .values):
      return .view(TemplateDictionary.View(dictionary: dictionary, part: .values))
    case (.dictionary, .copy), (.list, .copy): return method.base
    case (.list, .count), (.tuple, .count), (.range, .count), (.list, .index), (.tuple, .index),
      (.range, .index):
      guard let wanted = arguments.values.first else { throw problem("'\(name)' needs a value.") }
      var count = 0
      for (index, item) in try items(of: method.base).enumerated()
      where try areEqual(item, wanted) {
        if method.name == .index { return .integer(index) }
        count += 1
      }
      guard method.name == .count else { throw problem("A value is not in the list.") }
      return .integer(count)
    case (.loop(let number), .cycle):
      guard !arguments.values.isEmpty else { throw problem("'cycle' needs items.") }
      return arguments.values[max(0, loops[number].index) % arguments.values.count]
    case (.loop(let number), .changed):
      let value = TemplateValue.tuple(TemplateList(arguments.values))
      try spend(items: arguments.values.count)
      if let last = loops[number].lastChanged, try areEqual(last, value) { return .bool(false) }
      loops[number].lastChanged = value
      return .bool(true)
    case (.cycler(let number), .next):
      let place = cyclers[number].place
      cyclers[number].place = (place + 1) % cyclers[number].items.count
      return cyclers[number].items[place]
    case (.cycler(let number), .reset):
      cyclers[number].place = 0
      return .none
    case (.integer(let value), .bitLength):
      return .integer(UInt.bitWidth - value.magnitude.leadingZeroBitCount)
    case (.float(let value), .isInteger): return .bool(value.rounded() == value)
    default: throw problem("A \(method.base.typeName) has no method '\(name)'.")
    }
  }
}
