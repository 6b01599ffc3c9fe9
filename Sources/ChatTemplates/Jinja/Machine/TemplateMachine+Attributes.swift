// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Attributes, elements and slices.
extension TemplateMachine {
  func undefined(_ reason: TemplateUndefined.Reason, _ name: Int32 = -1) -> TemplateValue {
    .undefined(TemplateUndefined(reason: reason, name: name))
  }

  /// `value.name`: Python's attribute first, then the element.
  mutating func attribute(
    _ number: Int32, of value: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = program.names[Int(number)]
    switch value {
    case .undefined(let undefined): throw undefinedProblem(undefined)
    case .dictionary(let dictionary):
      if let method = name.method {
        if method.isOfDictionary { return .method(TemplateMethod(value, method)) }
        if method.changesDictionaries { return undefined(.attribute, number) }
      }
      try spend(dictionary.count)
      return dictionary[name.text] ?? undefined(.attribute, number)
    case .namespace(let space):
      try spend(namespaces[space].names.count)
      return namespaces[space][name.text] ?? undefined(.attribute, number)
    default:
      return try attribute(name.string, name.method, of: value) ?? undefined(.attribute, number)
    }
  }

  /// The attribute that Python gives a value; nil where there is none.
  func attribute(
    _ name: String, _ method: TemplateMethodName?, of value: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue? {
    let isMethod: Bool
    switch value {
    case .undefined(let undefined): throw undefinedProblem(undefined)
    case .text: isMethod = method?.isOfText ?? false
    case .list: isMethod = method == .count || method == .index || method == .copy
    case .tuple(let list):
      // What `groupby` gives has names.
      if list.items.count == 2, name == "grouper" || name == "list" {
        return list.items[name == "list" ? 1 : 0]
      }
      isMethod = method == .count || method == .index
    case .dictionary: isMethod = method?.isOfDictionary ?? false
    case .namespace(let number): return namespaces[number][TemplateText(name)]
    case .loop(let number):
      if method == .cycle || method == .changed { return method.map { bind(value, $0) } }
      return loopVariable(name, of: loops[number])
    case .cycler(let number):
      if name == "current" { return cyclers[number].items[cyclers[number].place] }
      isMethod = method == .next || method == .reset
    case .macro(let number):
      let macro = program.macros[macros[number].number]
      switch name {
      case "name": return .text(program.names[Int(macro.name)].text)
      case "arguments":
        return .tuple(
          TemplateList(macro.parameters.map { .text(program.names[Int($0)].text) }))
      case "caller": return .bool(macro.usesCaller)
      case "catch_kwargs": return .bool(macro.takesNames)
      case "catch_varargs": return .bool(macro.takesRest)
      default: return nil
      }
    case .range(let range):
      switch name {
      case "start": return .integer(range.start)
      case "stop": return .integer(range.stop)
      case "step": return .integer(range.step)
      default: isMethod = method == .count || method == .index
      }
    case .integer: isMethod = method == .bitLength
    case .float: isMethod = method == .isInteger
    default: isMethod = false
    }
    return isMethod ? method.map { bind(value, $0) } : nil
  }

  private func bind(_ value: TemplateValue, _ method: TemplateMethodName) -> TemplateValue {
    .method(TemplateMethod(value, method))
  }

  private func loopVariable(_ name: String, of loop: Loop) -> TemplateValue? {
    let (index, count) = (loop.index, loop.items.count)
    switch name {
    case "index": return .integer(index + 1)
    case "index0": return .integer(index)
    case "revindex": return .integer(count - index)
    case "revindex0": return .integer(count - index - 1)
    case "first": return .bool(index == 0)
    case "last": return .bool(index == count - 1)
    case "length": return .integer(count)
    case "depth": return .integer(loop.depth + 1)
    case "depth0": return .integer(loop.depth)
    case "previtem": return index > 0 ? loop.items[index - 1] : undefined(.hint)
    case "nextitem": return index + 1 < count ? loop.items[index + 1] : undefined(.hint)
    default: return nil
    }
  }

  /// `value[index]`: the element first, then Python's attribute.
  mutating func item(
    _ index: TemplateValue, of value: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    switch (value, index) {
    case (.undefined(let undefined), _): throw undefinedProblem(undefined)
    case (.dictionary(let dictionary), _):
      try spend(dictionary.count)
      if let key = TemplateKey(index), let found = dictionary[key] { return found }
    case (.list(let list), _), (.tuple(let list), _):
      if let index = index.asIndex {
        return element(index, list.items.count).map { list.items[$0] } ?? undefined(.element)
      }
    case (.text(let text), _):
      if let index = index.asIndex {
        guard let index = element(index, text.count) else { return undefined(.element) }
        if !text.isASCII { try spend(text.bytes.count) }
        return .text(text.scalars(index..<index + 1))
      }
    case (.range(let range), _):
      if let index = index.asIndex {
        return element(index, range.count).map { .integer(range[$0]) } ?? undefined(.element)
      }
    default: break
    }
    guard case .text(let name) = index else { return undefined(.element) }
    let string = name.string
    return try attribute(string, TemplateMethodName(rawValue: string), of: value)
      ?? undefined(.element)
  }

  /// A place counted from the start; nil where there is no such element.
  private func element(_ index: Int, _ count: Int) -> Int? {
    let place = index < 0 ? index + count : index
    return place >= 0 && place < count ? place : nil
  }

  // MARK: Slices

  mutating func slice(
    _ value: TemplateValue, _ start: TemplateValue, _ stop: TemplateValue, _ step: TemplateValue
  ) throws(ChatTemplateError) -> TemplateValue {
    let step = try bound(step) ?? 1
    let (start, stop) = (try bound(start), try bound(stop))
    guard step != 0 else { throw problem("The step of a slice is not 0.") }
    switch value {
    case .list(let list):
      return try self.list(try indices(list.items.count, start, stop, step).map { list.items[$0] })
    case .tuple(let list):
      let indices = try indices(list.items.count, start, stop, step)
      try spend(items: indices.count)
      return .tuple(TemplateList(indices.map { list.items[$0] }))
    case .range(let range):
      let indices = try indices(range.count, start, stop, step)
      return try self.list(indices.map { .integer(range[$0]) })
    case .text(let text):
      if step == 1 {
        let (first, last) = Self.bounds(text.count, start, stop, step)
        try spend(text.isASCII ? max(0, last - first) : text.bytes.count)
        return .text(first < last ? text.scalars(first..<last) : emptied(text))
      }
      let indices = try indices(text.count, start, stop, step)
      try spend(items: 2 * text.count)
      let characters = text.characters
      var result = emptied(text)
      for index in indices { result.append(characters[index]) }
      return .text(result)
    case .undefined(let undefined): throw undefinedProblem(undefined)
    default: return undefined(.element)
    }
  }

  private func emptied(_ text: TemplateText) -> TemplateText {
    TemplateText(utf8: [], isQuoted: false, isSafe: text.isSafe)
  }

  private func bound(_ value: TemplateValue) throws(ChatTemplateError) -> Int? {
    if value.isNone { return nil }
    guard let bound = value.asIndex else { throw unusable(value, "The bound of a slice") }
    return bound
  }

  /// Where a slice begins and ends, by Python's rules.
  static func bounds(
    _ count: Int, _ start: Int?, _ stop: Int?, _ step: Int
  ) -> (first: Int, last: Int) {
    let lowest = step < 0 ? -1 : 0
    let highest = step < 0 ? count - 1 : count
    func clamped(_ bound: Int?, _ standard: Int) -> Int {
      guard let bound else { return standard }
      return min(max(bound < 0 ? bound + count : bound, lowest), highest)
    }
    return step < 0
      ? (clamped(start, highest), clamped(stop, lowest))
      : (clamped(start, lowest), clamped(stop, highest))
  }

  private mutating func indices(
    _ count: Int, _ start: Int?, _ stop: Int?, _ step: Int
  ) throws(ChatTemplateError) -> [Int] {
    let (first, last) = Self.bounds(count, start, stop, step)
    let length = step < 0 ? max(0, first - last) : max(0, last - first)
    try spend(length)
    // Greater steps reach one element at most, and none of them overflows.
    let stride = max(-count - 1, min(count + 1, step))
    return Array(Swift.stride(from: first, to: last, by: stride))
  }
}
