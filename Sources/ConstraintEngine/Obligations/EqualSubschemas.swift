// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Finds subschemas that say the same, so that what is worked out for one serves all.
///
/// Real schemas say the same many times: a dozen properties are plain strings, a record is written
/// out again wherever it is used, a definition is referred to from everywhere. Each such place is a
/// subschema of its own. Its *representative* is the first one that was met with equal keywords and
/// equal representatives below; that of a reference without other keywords is that of its target.
///
/// Worked example: in `{"a": {"$ref": "#/$defs/n"}, "b": {"type": "integer", "title": "B"}}` with
/// `n` as `{"type": "integer"}` all three have one representative.
///
/// Only small subschemas are compared: of two large ones that are equal the parts are found to be.
struct EqualSubschemas {
  /// By subschema, its representative; -1 where it has not been looked for.
  private var representatives: [Int32] = []
  private var contents = SequenceInterner()
  /// By content, the first subschema that has it.
  private var firsts: [Int32] = []
  private var constants: [Constant: UInt32] = [:]
  private var depth = 0

  /// How many subschemas are looked at for one.
  private static let budget = 400
  /// The levels for which any stack has room.
  private static let usualDepth = 32
  /// Being looked at: a reference leads back here.
  private static let pending: Int32 = -2

  /// The memory held, in bytes.
  var byteCount: Int {
    (representatives.count + firsts.count) * 4 + contents.byteCount + constants.count * 64
  }

  /// The subschema that stands for all that say the same as one.
  mutating func representative(of id: SchemaNode.ID, in graph: SchemaGraph) -> SchemaNode.ID {
    while representatives.count < graph.nodes.count { representatives.append(-1) }
    if representatives[id] >= 0 { return Int(representatives[id]) }
    var left = Self.budget
    let found = find(id, graph.nodes, &left) ?? id
    representatives[id] = Int32(found)
    return found
  }

  /// The representative, or `nil` where too much had to be looked at.
  private mutating func find(
    _ id: SchemaNode.ID, _ nodes: [SchemaNode], _ left: inout Int
  ) -> SchemaNode.ID? {
    // One that leads back to itself is equal to no other.
    if representatives[id] == Self.pending { return id }
    if representatives[id] >= 0 { return Int(representatives[id]) }
    left -= 1
    if left < 0 { return nil }
    representatives[id] = Self.pending
    depth += 1
    defer { depth -= 1 }
    let found =
      depth == Self.usualDepth
      ? LargeStack.run(levels: left) { content(of: id, nodes, &left) } ?? nil
      : content(of: id, nodes, &left)
    guard let content = found else {
      representatives[id] = -1
      return nil
    }
    var result = id
    if content.count == 3, content[0] == Self.plain, content[1] == Keyword.reference.rawValue {
      result = Int(content[2])
    } else {
      let key = Int(contents.intern(content))
      if key == firsts.count { firsts.append(Int32(id)) } else { result = Int(firsts[key]) }
    }
    representatives[id] = Int32(result)
    return result
  }

  private enum Keyword: UInt32 {
    case values, minimum, maximum, multipleOf, minLength, maxLength, pattern, format
    case prefixItems, items, minItems, maxItems, contains, minContains, maxContains
    case unevaluatedItems
    case properties, patternProperties, additionalProperties, propertyNames, required
    case minProperties, maxProperties, dependentRequired, dependentSchemas, unevaluatedProperties
    case allOf, anyOf, oneOf, not, condition, then, otherwise, reference
  }

  /// The first word of a subschema that allows every type.
  private static let plain = UInt32(JSONTypes.all.rawValue)

  /// What a subschema says, as words; `nil` where too much had to be looked at.
  ///
  /// The subschema is read where it is: a copy takes longer than what is read of it.
  private mutating func content(
    of id: SchemaNode.ID, _ nodes: [SchemaNode], _ left: inout Int
  ) -> [UInt32]? {
    if let boolean = nodes[id].boolean { return [boolean ? 1 << 31 : 1 << 30] }
    var words = [
      UInt32(nodes[id].types.rawValue) | (nodes[id].onlyIntegers ? 1 << 8 : 0)
        | (nodes[id].integersAreSpelled ? 1 << 9 : 0) | (nodes[id].uniqueItems ? 1 << 10 : 0)
    ]
    func add(_ keyword: Keyword, _ word: UInt32?) {
      if let word { words += [keyword.rawValue, word] }
    }
    func add(_ keyword: Keyword, count: Int?) {
      guard let count else { return }
      words += [keyword.rawValue]
      words += [UInt32(truncatingIfNeeded: count), UInt32(truncatingIfNeeded: count >> 32)]
    }
    var isTooLarge = false
    func add(
      _ keyword: Keyword, _ ids: some Collection<SchemaNode.ID>,
      _ names: some Collection<UInt32> = EmptyCollection()
    ) {
      if ids.isEmpty, names.isEmpty { return }
      words += [keyword.rawValue, UInt32(ids.count), UInt32(names.count)]
      words += names
      for part in ids where !isTooLarge {
        if let found = find(part, nodes, &left) {
          words.append(UInt32(found))
        } else {
          isTooLarge = true
        }
      }
    }
    func add(_ keyword: Keyword, _ id: SchemaNode.ID?) {
      if let id { add(keyword, CollectionOfOne(id)) }
    }
    // What is read by a shape is known to be listed, which no other subschema says.
    if nodes[id].isShape { return nil }
    if let values = nodes[id].values {
      add(.values, number(.scalars(Scalars(values))))
      if let listing = values.listing {
        add(.values, [], [UInt32(listing.arrays.count)] + listing.arrays + listing.objects)
      } else {
        add(.values, values.arrays + values.objects, [UInt32(values.arrays.count)])
      }
    }
    add(.minimum, nodes[id].minimum.map { number(.bound($0)) })
    add(.maximum, nodes[id].maximum.map { number(.bound($0)) })
    add(.multipleOf, nodes[id].multipleOf.map { number(.number($0)) })
    add(.minLength, count: nodes[id].minLength)
    add(.maxLength, count: nodes[id].maxLength)
    add(.pattern, nodes[id].pattern)
    add(.format, nodes[id].format.map { number(.format($0)) })
    add(.prefixItems, nodes[id].prefixItems)
    add(.items, nodes[id].items)
    add(.minItems, count: nodes[id].minItems)
    add(.maxItems, count: nodes[id].maxItems)
    add(.contains, nodes[id].contains)
    add(.minContains, count: nodes[id].minContains)
    add(.maxContains, count: nodes[id].maxContains)
    add(.unevaluatedItems, nodes[id].unevaluatedItems)
    add(
      .properties, nodes[id].properties.lazy.map(\.schema),
      nodes[id].properties.lazy.map { UInt32($0.name) })
    add(
      .patternProperties, nodes[id].patternProperties.map(\.schema),
      nodes[id].patternProperties.map(\.language))
    add(.additionalProperties, nodes[id].additionalProperties)
    add(.propertyNames, nodes[id].propertyNames)
    add(.required, [], nodes[id].required.lazy.map { UInt32($0) })
    add(.minProperties, count: nodes[id].minProperties)
    add(.maxProperties, count: nodes[id].maxProperties)
    for (name, names) in nodes[id].dependentRequired {
      add(.dependentRequired, [], ([name] + names).map { UInt32($0) })
    }
    add(
      .dependentSchemas, nodes[id].dependentSchemas.map(\.schema),
      nodes[id].dependentSchemas.map { UInt32($0.name) })
    add(.unevaluatedProperties, nodes[id].unevaluatedProperties)
    add(.allOf, nodes[id].allOf)
    if let anyOf = nodes[id].anyOf { add(.anyOf, anyOf, [UInt32(anyOf.count)]) }
    if let oneOf = nodes[id].oneOf { add(.oneOf, oneOf, [UInt32(oneOf.count)]) }
    add(.not, nodes[id].not)
    add(.condition, nodes[id].ifThenElse?.condition)
    add(.then, nodes[id].ifThenElse?.then)
    add(.otherwise, nodes[id].ifThenElse?.otherwise)
    if words.count == 1, let reference = nodes[id].reference {
      guard let target = find(reference, nodes, &left) else { return nil }
      return words + [Keyword.reference.rawValue, UInt32(target)]
    }
    add(.reference, nodes[id].reference)
    return isTooLarge ? nil : words
  }

  /// What is no word itself.
  private enum Constant: Hashable {
    case scalars(Scalars)
    case bound(SchemaNode.Bound)
    case number(ExactDecimal)
    case format(StringFormat)
  }

  /// The scalars of a list of values.
  private struct Scalars: Hashable {
    var null: Bool
    var booleans: Set<Bool>
    var numbers: [ExactDecimal]
    var strings: [[UInt8]]

    init(_ values: ConstantSet) {
      null = values.null
      booleans = values.booleans
      numbers = values.numbers
      strings = values.strings
    }
  }

  /// The same number for the same constant.
  private mutating func number(_ constant: Constant) -> UInt32 {
    if let known = constants[constant] { return known }
    let number = UInt32(constants.count)
    constants[constant] = number
    return number
  }
}
