// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Filters over lists and dictionaries.
extension TemplateMachine {
  mutating func collection(
    _ filter: TemplateFilter, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = filter.rawValue
    switch filter {
    case .first:
      if case .generator(let number) = value {
        guard !generators[number].items.isEmpty else { return undefined(.hint) }
        return generators[number].items.removeFirst()
      }
      if case .text(let text) = value {
        return text.isEmpty ? undefined(.hint) : .text(text.scalars(0..<1))
      }
      return try items(of: value).first ?? undefined(.hint)
    case .last:
      switch value {
      case .generator: throw unusable(value, "'last'")
      case .text(let text):
        return text.isEmpty ? undefined(.hint) : .text(text.scalars(text.count - 1..<text.count))
      default: return try items(of: value).last ?? undefined(.hint)
      }
    case .list: return try list(try items(of: value))
    case .items:
      switch value {
      case .undefined: return try generator([])
      case .dictionary(let dictionary):
        return try generator(
          try items(of: .view(TemplateDictionary.View(dictionary: dictionary, part: .items))))
      default: throw unusable(value, "'items'")
      }
    case .reverse:
      if case .text(let text) = value {
        try spend(items: 2 * text.count)
        var result = TemplateText(utf8: [], isQuoted: false, isSafe: text.isSafe)
        for character in text.characters.reversed() { result.append(character) }
        return .text(result)
      }
      if case .generator = value { return try list(try items(of: value).reversed()) }
      if case .undefined = value { return try list([]) }
      return try generator(try items(of: value).reversed())
    case .batch, .slice: return try batches(filter, value, arguments)
    case .join:
      let given = try arguments.bound(to: ["d", "attribute"], of: name)
      var items = try items(of: value)
      if let attribute = given[1], !attribute.isNone {
        items = try attributes(attribute, of: items)
      }
      let separator = try given[0].map { (value) throws(ChatTemplateError) in
        try text(of: value)
      }
      return .text(try joined(items, by: separator ?? .empty))
    case .unique:
      let given = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
      let items = try items(of: value)
      let keys = try sortKeys(items, attribute: given[1], isCaseSensitive: given[0])
      var seen: Set<TemplateKey> = []
      var kept: [TemplateValue] = []
      for (item, key) in zip(items, keys) {
        try spend(128)
        guard let key = TemplateKey(key) else { throw unusable(key, "'unique'") }
        if seen.insert(key).inserted { kept.append(item) }
      }
      return try generator(kept)
    case .min, .max:
      let given = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
      let items = try items(of: value)
      let keys = try sortKeys(items, attribute: given[1], isCaseSensitive: given[0])
      var best = 0
      for index in keys.indices.dropFirst() {
        let order = try order(keys[index], keys[best], name) ?? 0
        if filter == .min ? order < 0 : order > 0 { best = index }
      }
      return items.isEmpty ? undefined(.hint) : items[best]
    case .sort:
      let given = try arguments.bound(to: ["reverse", "case_sensitive", "attribute"], of: name)
      let items = try items(of: value)
      let isReversed = flag(given[0])
      // Attributes with commas between them are one key after the other.
      let names = given[2]?.asText?.split(by: TemplateText(","))
      var keys: [TemplateValue]
      if let names, names.count > 1 {
        var columns: [[TemplateValue]] = []
        for name in names {
          columns.append(
            try sortKeys(items, attribute: .text(name), isCaseSensitive: given[1]))
        }
        keys = items.indices.map { index in .items(columns.map { $0[index] }) }
      } else {
        keys = try sortKeys(items, attribute: given[2], isCaseSensitive: given[1])
      }
      let order = try sorted(keys, isReversed: isReversed ?? false)
      return try list(order.map { items[$0] })
    case .groupby: return try groups(value, arguments)
    case .dictsort: return try sortedDictionary(value, arguments)
    case .attr:
      let given = try arguments.bound(to: ["name"], of: name)
      guard let attribute = try optionalText(given[0])?.string else {
        throw problem("'attr' needs a name.")
      }
      return try self.attribute(attribute, TemplateMethodName(rawValue: attribute), of: value)
        ?? undefined(.hint)
    case .map: return try mapped(value, arguments)
    default: return try selected(filter, value, arguments)
    }
  }

  mutating func joined(
    _ items: [TemplateValue], by separator: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    var result = TemplateText.empty
    for (index, item) in items.enumerated() {
      let text = try text(of: item)
      guard result.bytes.count + text.bytes.count <= limits.textBytes else {
        throw limitReached("A text would be longer than the limit of \(limits.textBytes) bytes.")
      }
      try spend(8 + text.bytes.count + separator.bytes.count)
      if index > 0 { result.append(separator) }
      result.append(text)
    }
    return result
  }

  private mutating func batches(
    _ filter: TemplateFilter, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let given = try arguments.bound(
      to: [filter == .batch ? "linecount" : "slices", "fill_with"], of: filter.rawValue)
    let items = try items(of: value)
    let fill = given[1].flatMap { $0.isNone ? nil : $0 }
    guard let count = try integer(given[0]), count > 0 else {
      throw problem("'\(filter.rawValue)' needs a number above 0.")
    }
    var result: [TemplateValue] = []
    if filter == .batch {
      for start in stride(from: 0, to: items.count, by: min(count, max(1, items.count))) {
        var part = Array(items[start..<min(start + min(count, items.count), items.count)])
        if let fill, part.count < count {
          try spend(items: count)
          part += repeatElement(fill, count: count - part.count)
        }
        result.append(try list(part))
      }
      return try generator(result)
    }
    try spend(items: count)
    let (size, more) = items.count.quotientAndRemainder(dividingBy: count)
    var start = 0
    for index in 0..<count {
      let end = start + size + (index < more ? 1 : 0)
      var part = Array(items[start..<end])
      if let fill, index >= more { part.append(fill) }
      result.append(try list(part))
      start = end
    }
    return try generator(result)
  }

  // MARK: Attributes

  /// An attribute of each item: a name, a number, or several with points between them.
  mutating func attributes(
    _ attribute: TemplateValue, of items: [TemplateValue], standard: TemplateValue? = nil
  ) throws(ChatTemplateError) -> [TemplateValue] {
    var parts: [TemplateValue] = [attribute]
    if case .text(let text) = attribute {
      parts = text.split(by: TemplateText(".")).map { part in
        Int(part.string).map { .integer($0) } ?? .text(part)
      }
    }
    try spend(items: items.count)
    var result: [TemplateValue] = []
    result.reserveCapacity(items.count)
    for item in items {
      var value = item
      for part in parts {
        try spend(16)
        value = try self.item(part, of: value)
        if let standard, value.isUndefined { value = standard }
      }
      result.append(value)
    }
    return result
  }

  /// What items are sorted by: an attribute, texts without their case.
  private mutating func sortKeys(
    _ items: [TemplateValue], attribute: TemplateValue?, isCaseSensitive: TemplateValue?,
    standard: TemplateValue? = nil
  ) throws(ChatTemplateError) -> [TemplateValue] {
    var keys = items
    if let attribute, !attribute.isNone {
      keys = try attributes(attribute, of: items, standard: standard)
    }
    if let isCaseSensitive, isTrue(isCaseSensitive) { return keys }
    for index in keys.indices {
      if case .text(let text) = keys[index] { keys[index] = .text(try lowercased(text)) }
    }
    return keys
  }

  /// The places of values in ascending order; equal ones keep theirs.
  mutating func sorted(
    _ keys: [TemplateValue], isReversed: Bool = false
  ) throws(ChatTemplateError) -> [Int] {
    // A merge sort: comparisons can fail, and every one is paid for.
    var order = Array(keys.indices)
    try spend(items: keys.count)
    var width = 1
    while width < order.count {
      var merged: [Int] = []
      merged.reserveCapacity(order.count)
      for start in stride(from: 0, to: order.count, by: 2 * width) {
        var left = start
        let middle = min(start + width, order.count)
        var right = middle
        let end = min(start + 2 * width, order.count)
        while left < middle, right < end {
          let comparison = try self.order(keys[order[right]], keys[order[left]], "<") ?? 0
          if isReversed ? comparison > 0 : comparison < 0 {
            merged.append(order[right])
            right += 1
          } else {
            merged.append(order[left])
            left += 1
          }
        }
        merged += order[left..<middle]
        merged += order[right..<end]
      }
      order = merged
      width *= 2
    }
    return order
  }

  private mutating func groups(
    _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let given = try arguments.bound(
      to: ["attribute", "default", "case_sensitive"], of: "groupby")
    guard let attribute = given[0] else { throw problem("'groupby' needs an attribute.") }
    let items = try items(of: value)
    let standard = given[1].flatMap { $0.isNone ? nil : $0 }
    let keys = try sortKeys(
      items, attribute: attribute, isCaseSensitive: given[2], standard: standard)
    let own = try attributes(attribute, of: items, standard: standard)
    var groups: [TemplateValue] = []
    var members: [Int] = []
    for index in try sorted(keys) {
      if let last = members.last, try !areEqual(keys[last], keys[index]) {
        groups.append(.tupleOf(own[members[0]], try list(members.map { items[$0] })))
        members = []
      }
      members.append(index)
    }
    if let first = members.first {
      groups.append(.tupleOf(own[first], try list(members.map { items[$0] })))
    }
    return try list(groups)
  }

  private mutating func sortedDictionary(
    _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let given = try arguments.bound(to: ["case_sensitive", "by", "reverse"], of: "dictsort")
    guard case .dictionary(let dictionary) = value else { throw unusable(value, "'dictsort'") }
    let by = try optionalText(given[1])?.string ?? "key"
    guard by == "key" || by == "value" else {
      throw problem("'dictsort' sorts by 'key' or 'value'.")
    }
    let isReversed = flag(given[2])
    let keys = try sortKeys(
      by == "key" ? dictionary.keys : dictionary.values, attribute: nil, isCaseSensitive: given[0])
    let order = try sorted(keys, isReversed: isReversed ?? false)
    try spend(items: 3 * order.count)
    return try list(order.map { .tupleOf(dictionary.keys[$0], dictionary.values[$0]) })
  }

  // MARK: Mapping and choosing

  private mutating func mapped(
    _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    guard isTrue(value) else { return try generator([]) }
    let items = try items(of: value)
    if arguments.values.isEmpty {
      let given = try arguments.bound(to: ["attribute", "default"], of: "map")
      guard let attribute = given[0] else {
        throw problem("'map' needs a filter or an attribute.")
      }
      let standard = given[1].flatMap { $0.isNone ? nil : $0 }
      return try generator(try attributes(attribute, of: items, standard: standard))
    }
    var rest = arguments
    let first = rest.values.removeFirst()
    guard let name = first.asText?.string, let filter = TemplateFilter(rawValue: name) else {
      throw problem("'map' names no filter.")
    }
    var result: [TemplateValue] = []
    for item in items {
      try spend(16)
      result.append(try self.filter(filter, item, rest))
    }
    return try generator(result)
  }

  private mutating func selected(
    _ filter: TemplateFilter, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    guard isTrue(value) else { return try generator([]) }
    let items = try items(of: value)
    var rest = arguments
    var values = items
    if filter == .selectattr || filter == .rejectattr {
      guard !rest.values.isEmpty else { throw problem("'\(filter.rawValue)' needs an attribute.") }
      values = try attributes(rest.values.removeFirst(), of: items)
    }
    let keeps = filter == .select || filter == .selectattr
    var test: TemplateTest?
    if !rest.values.isEmpty {
      let first = rest.values.removeFirst()
      guard let name = first.asText?.string, let known = TemplateTest(rawValue: name) else {
        throw problem("'\(filter.rawValue)' names no test.")
      }
      test = known
    }
    var kept: [TemplateValue] = []
    for (item, value) in zip(items, values) {
      try spend(16)
      let holds: Bool
      if let test { holds = try self.test(test, value, rest) } else { holds = isTrue(value) }
      if holds == keeps { kept.append(item) }
    }
    return try generator(kept)
  }
}
