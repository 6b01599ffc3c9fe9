// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ExactDecimal {
  /// A number of more digits would fill pages.
  static let mostWritten = 4096

  /// Whether a number has few enough digits when it is written out.
  var canBeWritten: Bool { abs(exponent) <= Self.mostWritten && digits.count <= Self.mostWritten }
}

/// Reading the values of keywords, with a diagnostic where they are of the wrong kind.
extension SchemaLoader {
  /// - Parameters:
  ///   - value: What is not as expected; the whole value of the keyword where nil.
  ///   - hint: What may have been meant.
  mutating func expect(
    _ expected: String, _ keyword: Keyword, _ json: JSONDocument, value: JSONDocument.Node? = nil,
    hint: String = ""
  ) {
    report(
      keyword.name.rawValue, keyword.pointer,
      "expected \(expected); found \(Self.words(value ?? keyword.value, json))\(hint)")
  }

  /// A text or a number as it is written, of the rest the kind.
  private static func words(_ value: JSONDocument.Node, _ json: JSONDocument) -> String {
    let kind = json.kind(value)
    guard kind == .string || kind == .number else { return "\(kind)" }
    let text = json.string(value)
    let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
    return kind == .string ? "the string `\(shown)`" : "`\(shown)`"
  }

  /// A string in which an escape stands for half of a character: no text has it.
  mutating func loneSurrogate(_ keyword: Keyword) {
    report(
      keyword.name.rawValue, keyword.pointer,
      "expected a string of Unicode characters; found a lone surrogate, which no text in UTF-8 has: "
        + "write both halves of the pair, or the character itself")
  }

  mutating func number(_ keyword: Keyword, _ json: JSONDocument) -> ExactDecimal? {
    guard json.kind(keyword.value) == .number,
      let value = ExactDecimal(json.text(keyword.value))
    else {
      expect("a number", keyword, json)
      return nil
    }
    return written(value, keyword)
  }

  /// A number, unless its digits would fill pages when it is written out.
  private mutating func written(_ value: ExactDecimal, _ keyword: Keyword) -> ExactDecimal? {
    guard value.canBeWritten else {
      report(
        keyword.name.rawValue, keyword.pointer,
        "expected a number of at most \(ExactDecimal.mostWritten) digits when written out; found one with the exponent "
          + "\(value.exponent)")
      return nil
    }
    return value
  }

  /// A count such as `maxItems`: a non-negative integer, perhaps spelled `2.0`; one too large to
  /// count to is as good as the largest that can be counted to.
  mutating func count(_ keyword: Keyword, _ json: JSONDocument) -> Int? {
    guard let value = number(keyword, json) else { return nil }
    guard value.isInteger, !value.isNegative else {
      expect("a non-negative integer", keyword, json)
      return nil
    }
    return min(value.integer ?? .max, 1 << 30)
  }

  func tighter(
    _ bound: SchemaNode.Bound?, _ other: SchemaNode.Bound, isLower: Bool
  ) -> SchemaNode.Bound {
    guard let bound else { return other }
    if bound.value == other.value {
      return SchemaNode.Bound(
        value: bound.value, isExclusive: bound.isExclusive || other.isExclusive)
    }
    return (bound.value < other.value) == isLower ? other : bound
  }

  mutating func subschema(_ keyword: Keyword) -> SchemaNode.ID {
    schema(
      at: keyword.child(keyword.value), in: keyword.scope,
      pointer: keyword.pointer + "/" + keyword.name.rawValue)
  }

  mutating func subschemas(_ keyword: Keyword, _ json: JSONDocument) -> [SchemaNode.ID] {
    guard json.kind(keyword.value) == .array else {
      expect("an array of schemas", keyword, json)
      return []
    }
    var result: [SchemaNode.ID] = []
    result.reserveCapacity(json.count(keyword.value))
    let pointer = keyword.pointer + "/\(keyword.name.rawValue)/"
    for (index, element) in json.elements(keyword.value).enumerated() {
      result.append(
        schema(
          at: keyword.child(element), in: keyword.scope, pointer: pointer + String(index)))
    }
    return result
  }

  mutating func namedSubschemas(
    _ keyword: Keyword, _ json: JSONDocument
  ) -> [(key: JSONDocument.Node, place: Place, pointer: SchemaPointer)] {
    guard json.kind(keyword.value) == .object else {
      expect("an object of schemas", keyword, json)
      return []
    }
    var result: [(key: JSONDocument.Node, place: Place, pointer: SchemaPointer)] = []
    result.reserveCapacity(json.count(keyword.value))
    let pointer = keyword.pointer + "/\(keyword.name.rawValue)/"
    for (key, value) in json.members(keyword.value) where !json.isRepeated(key) {
      if json.hasLoneSurrogate(key) { loneSurrogate(keyword) }
      let token = Self.encodingPointer(json.string(key))
      result.append((key, keyword.child(value), pointer + token))
    }
    return result
  }

  mutating func names(
    _ keyword: Keyword, _ json: JSONDocument, _ list: JSONDocument.Node
  ) -> [SchemaNode.Name] {
    var result: [SchemaNode.Name] = []
    var seen: Set<SchemaNode.Name> = []
    guard json.kind(list) == .array else {
      expect("an array of strings", keyword, json)
      return []
    }
    for element in json.elements(list) {
      guard json.kind(element) == .string else {
        expect("an array of strings", keyword, json)
        return result
      }
      if json.hasLoneSurrogate(element) { loneSurrogate(keyword) }
      let name = graph.name(json.text(element))
      if seen.insert(name).inserted { result.append(name) }
    }
    return result
  }

  /// The values of `enum` or `const`; containers become subschemas.
  mutating func constants(
    _ json: JSONDocument, _ values: [JSONDocument.Node], _ keyword: Keyword
  ) -> ConstantSet {
    var set = ConstantSet()
    var numbers = Set<ExactDecimal>()
    var names = Set<SchemaNode.Name>()
    let containers = values.count { json.kind($0) == .array || json.kind($0) == .object }
    // A longer list cannot be multiplied out.
    let areSubschemas = containers <= max(ContainerListing.least, options.limits.alternatives)
    if containers > ContainerListing.least {
      set.listing = listing(json, values, keyword, reports: !areSubschemas)
    }
    for value in values {
      switch json.kind(value) {
      case .null: set.null = true
      case .true: set.booleans.insert(true)
      case .false: set.booleans.insert(false)
      case .number:
        guard let read = ExactDecimal(json.text(value)) else {
          report(
            keyword.name.rawValue, keyword.pointer,
            "the exponent of a number is beyond ±10^15")
          continue
        }
        guard let number = written(read, keyword) else { continue }
        if numbers.insert(number).inserted { set.numbers.append(number) }
      case .string:
        if json.hasLoneSurrogate(value) { loneSurrogate(keyword) }
        let name = graph.name(json.text(value))
        if names.insert(name).inserted { set.strings.append(graph.names[name]) }
      case .array: if areSubschemas { set.arrays.append(constant(json, value, keyword)) }
      case .object: if areSubschemas { set.objects.append(constant(json, value, keyword)) }
      }
    }
    set.stringNames = names.sorted()
    return set
  }

  /// The levels of a constant for which any stack has room.
  private static let usualDepth = 32

  /// A subschema that only one value satisfies.
  private mutating func constant(
    _ json: JSONDocument, _ value: JSONDocument.Node, _ keyword: Keyword, depth: Int = 0
  ) -> SchemaNode.ID {
    var node = SchemaNode()
    node.place = keyword.pointer + "/" + keyword.name.rawValue
    if depth == Self.usualDepth {
      let rest = LargeStack.run(levels: options.limits.depth) {
        constant(json, value, keyword, depth: depth + 1)
      }
      if let rest { return rest }
      report(
        keyword.name.rawValue, keyword.pointer,
        "the value nests more than \(depth) levels, \(LargeStack.absence); make it flatter")
      return graph.add(node)
    }
    switch json.kind(value) {
    case .array:
      node.types = .array
      for element in json.elements(value) {
        node.prefixItems.append(constant(json, element, keyword, depth: depth + 1))
      }
      node.minItems = node.prefixItems.count
      node.maxItems = node.prefixItems.count
    case .object:
      node.types = .object
      for (key, member) in json.members(value) where !json.isRepeated(key) {
        if json.hasLoneSurrogate(key) { loneSurrogate(keyword) }
        let name = graph.name(json.text(key))
        node.properties.append((name, constant(json, member, keyword, depth: depth + 1)))
        node.required.append(name)
      }
      node.additionalProperties = graph.nothing
    default:
      node.values = constants(json, [value], keyword)
    }
    return graph.add(node)
  }
}
