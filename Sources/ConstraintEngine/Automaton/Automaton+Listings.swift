// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Arrays and objects that must be one of many listed ones (``ContainerListing``).
///
/// Such a value is read by the shape of all of them, and compared with all of them (``Comparison``): what
/// was read leaves those that agree with it, and these say which keys and values may come next. A text
/// is read in one way, however many values are listed.
///
/// Worked example: `{"id": 1, "of": "a"}`, `{"id": 2, "of": "a"}` and `{"id": 3, "of": "b"}` are listed. After
/// `{"of":"a"` the residuals are `{"id": 1}` and `{"id": 2}`, so that only `id` may come next, and
/// of the numbers only 1 and 2.
extension Automaton {
  /// What an object of a node is compared with: the objects among the values of a comparison, or those
  /// that the node lists and that stand it.
  mutating func standing(_ comparison: Comparison, object index: Int) -> Comparison {
    guard let id = obligations.objects[index].listing else {
      return containers(comparison, isArray: false)
    }
    return standing(comparison, listing(id, isArray: false))
  }

  /// The same for an array.
  mutating func standing(_ comparison: Comparison, array index: Int) -> Comparison {
    guard let id = obligations.arrays[index].listing else {
      return containers(comparison, isArray: true)
    }
    return standing(comparison, listing(id, isArray: true))
  }

  /// Those of some values that stand a comparison.
  private mutating func standing(
    _ comparison: Comparison, _ all: PersistentSets.Set
  ) -> Comparison {
    let others = wordSets.words(of: comparison.values)
    if comparison.isOneOf {
      let kept = others.filter { wordSets.contains($0, in: all) }
      return Comparison(oneOf: wordSets.set(of: kept))
    }
    if !others.contains(where: { wordSets.contains($0, in: all) }) {
      return Comparison(oneOf: all)
    }
    let kept = wordSets.words(of: all).filter { !wordSets.contains($0, in: comparison.values) }
    return Comparison(oneOf: wordSets.set(of: kept))
  }

  private mutating func listing(_ id: SchemaNode.ID, isArray: Bool) -> PersistentSets.Set {
    let key = UInt64(id) << 1 | (isArray ? 1 : 0)
    if let known = listings[key] { return known }
    let listed = obligations.listing(id)
    var ids: [UInt32] = []
    for value in (isArray ? listed?.arrays : listed?.objects) ?? [] {
      ids.append(self.id(ofListed: value))
    }
    let result = wordSets.set(of: ids)
    listings[key] = result
    return result
  }

  // MARK: Keys

  /// The keys that may come next of objects that are read by their shape.
  mutating func nextKeys(ofShape object: Int, _ comparison: Comparison) -> [UInt32] {
    var result = Set<UInt32>()
    for id in wordSets.words(of: comparison.values) {
      if propertiesInOrder {
        if let first = firstKey(of: id, ofShape: object) { result.insert(first) }
      } else {
        result.formUnion(values.keys(of: id))
      }
    }
    return Array(result)
  }

  /// The values of a member that may come next, of objects that are read by their shape.
  mutating func members(
    _ key: UInt32, ofShape object: Int, _ comparison: Comparison
  ) -> [UInt32] {
    var result: [UInt32] = []
    for id in wordSets.words(of: comparison.values) {
      guard let value = values.member(key, of: id),
        !propertiesInOrder || firstKey(of: id, ofShape: object) == key
      else { continue }
      result.append(value)
    }
    return result
  }

  /// The first key of an object in the order of its shape.
  private mutating func firstKey(of id: UInt32, ofShape object: Int) -> UInt32? {
    let keys = values.keys(of: id)
    if keys.count < 2 { return keys.first }
    indexKeys(ofShape: object)
    return keys.min {
      shapeKeys[object]?[$0] ?? .max < shapeKeys[object]?[$1] ?? .max
    }
  }

  private mutating func indexKeys(ofShape object: Int) {
    if shapeKeys[object] != nil { return }
    var places: [UInt32: Int] = [:]
    for member in obligations.objects[object].members.indices {
      places[text(ofMember: member, object)] = member
    }
    shapeKeys[object] = places
  }

  /// A recording without the values that have a key before the one that has come.
  mutating func keepingOrder(_ recorded: UInt32, key: UInt32, ofShape object: Int) -> UInt32 {
    indexKeys(ofShape: object)
    var words = Array(recordings[recorded - 1])
    let comparison = Comparison(word: words[0])
    guard comparison.isOneOf, let place = shapeKeys[object]?[key] else { return recorded }
    let kept = wordSets.words(of: comparison.values).filter { id in
      values.keys(of: id).allSatisfy { shapeKeys[object]?[$0] ?? .max > place }
    }
    words[0] = comparison.of(wordSets.set(of: kept)).word
    return recordings.intern(words) + 1
  }
}

// MARK: Completions

/// Completions of values that must be one of some: one of those that are left is written out, a part at a
/// time.
extension Automaton {
  /// Whether a stack is within a value that must be one of some, or before one.
  mutating func mustBeOneOf(_ stack: StackID) -> Bool {
    let top = stacks[stack]
    if top.kind == .value, Comparison(recorded: top.b).isOneOf { return true }
    if top.kind == .colon, Comparison(recorded: top.c).isOneOf { return true }
    var at = stack
    while at != .max {
      let frame = stacks[at]
      if frame.kind == .object || frame.kind == .array, comparison(frame).isOneOf { return true }
      at = frame.parent
    }
    return false
  }

  /// The completion of the values of a configuration that must be one of some, and the configuration
  /// after these values.
  mutating func completionOfChosen(
    _ start: Configuration
  ) -> (text: [UInt8], after: Configuration)? {
    var text: [UInt8] = []
    var configuration = start
    while configuration != Self.dead, let stack = stacks(of: configuration).first,
      mustBeOneOf(stack)
    {
      guard let part = nextPart(stack), !part.isEmpty else { return nil }
      for byte in part { configuration = next(configuration, byte) }
      text += part
    }
    return configuration == Self.dead ? nil : (text, configuration)
  }

  /// What a value goes on with, up to the end of what is being read or to the next bracket.
  private mutating func nextPart(_ stack: StackID) -> [UInt8]? {
    let frame = stacks[stack]
    let space: [UInt8] = awaitsSpace(frame) ? [0x20] : []
    switch frame.kind {
    case .value:
      let comparison = Comparison(recorded: frame.b)
      guard comparison.isOneOf else { return minimalText(frame.a).map { space + $0 } }
      let value = shortest(of: comparison) { $0.canMeet(frame.a, $1) }
      return value.map { space + beginning(of: $0) }
    case .literal: return Array(Self.spellings[Int(frame.a)].dropFirst(Int(frame.b)))
    case .number:
      guard let rest = numberCompletion(frame.a) else { return nil }
      if !rest.isEmpty { return rest }
      var reached: [StackID] = []
      complete(number: frame, into: &reached)
      return reached.first.flatMap { nextPart($0) }
    case .string: return stringCompletion(stack)
    case .colon: return [UInt8(ascii: ":")]
    case .object:
      let value = shortest(of: comparison(frame)) {
        $0.canFinish(object: Int(frame.a), frame.b, $1)
      }
      return value.flatMap { nextPart(object: frame, $0) }.map { space + $0 }
    case .array:
      let value = shortest(of: comparison(frame)) {
        $0.canFinish(array: Int(frame.a), frame.b, $1)
      }
      guard let value else { return nil }
      guard let first = values.first(of: value) else { return [UInt8(ascii: "]")] }
      return frame.c == Frame.Phase.afterValue.rawValue ? [UInt8(ascii: ",")] : beginning(of: first)
    default: return nil
    }
  }

  private mutating func nextPart(object frame: Frame, _ value: UInt32) -> [UInt8]? {
    if values.keys(of: value).isEmpty { return [UInt8(ascii: "}")] }
    if frame.c == Frame.Phase.afterValue.rawValue { return [UInt8(ascii: ",")] }
    let alone = Comparison(oneOf: wordSets.set(of: [value]))
    return nextKeys(frame, alone).min().map {
      [0x22] + JSONSpelling.escaped(texts.bytes(of: $0)) + [0x22]
    }
  }

  /// A whole scalar, or the opening bracket of a container.
  private mutating func beginning(of value: UInt32) -> [UInt8] {
    switch values.scalar(value) {
    case .null: Self.spellings[0]
    case .boolean(let value): Self.spellings[value ? 1 : 2]
    case .number(let number): Array(number.shortSpelling.utf8)
    case .string(let text): [0x22] + JSONSpelling.escaped(texts.bytes(of: text)) + [0x22]
    case nil: [values.isArray(value) == true ? UInt8(ascii: "[") : UInt8(ascii: "{")]
    }
  }

  /// The possible value of a comparison with the shortest text.
  private mutating func shortest(
    of comparison: Comparison, where isPossible: (inout Automaton, Comparison) -> Bool
  ) -> UInt32? {
    guard comparison.isOneOf else { return nil }
    var best: (value: UInt32, length: Int)?
    for value in wordSets.words(of: comparison.values) {
      let length = length(of: value, below: best?.length ?? .max)
      guard length < best?.length ?? .max else { continue }
      if isPossible(&self, Comparison(oneOf: wordSets.set(of: [value]))) { best = (value, length) }
    }
    return best?.value
  }

  /// The bytes of a value, or so many where they are not less.
  private mutating func length(of value: UInt32, below limit: Int) -> Int {
    guard let isArray = values.isArray(value) else { return beginning(of: value).count }
    var length = 2
    if isArray {
      for item in values.items(of: value) where length < limit {
        length += self.length(of: item, below: limit - length) + 1
      }
    } else {
      for key in values.keys(of: value) where length < limit {
        length += Int(texts.length(of: key)) + 4
        guard let member = values.member(key, of: value) else { continue }
        length += self.length(of: member, below: limit - length)
      }
    }
    return min(length, limit)
  }

  /// The shortest text of the values that a subschema lists.
  mutating func minimalText(listedBy id: SchemaNode.ID, isArray: Bool) -> [UInt8]? {
    let values = Comparison(oneOf: listing(id, isArray: isArray))
    guard let value = shortest(of: values, where: { _, _ in true }),
      let shape = obligations.listing(id)?.shape
    else {
      return nil
    }
    return text(of: value, shape)
  }

  /// The text of a listed value, its members in the order of its shape.
  private mutating func text(of value: UInt32, _ shape: SchemaNode.ID) -> [UInt8] {
    guard let isArray = values.isArray(value) else { return beginning(of: value) }
    let node = obligations.graph.nodes[shape]
    var parts: [[UInt8]] = []
    if isArray {
      for item in values.items(of: value) { parts.append(text(of: item, node.items ?? shape)) }
    } else {
      var members: [SchemaNode.Name: UInt32] = [:]
      for key in values.keys(of: value) {
        guard let name = obligations.graph.knownName(texts.bytes(of: key)[...]) else { continue }
        members[name] = values.member(key, of: value)
      }
      for property in node.properties {
        guard let member = members[property.name] else { continue }
        let key = JSONSpelling.escaped(obligations.graph.names[property.name])
        parts.append([0x22] + key + [0x22] + colon + text(of: member, property.schema))
      }
    }
    let brackets: (UInt8, UInt8) =
      isArray
      ? (UInt8(ascii: "["), UInt8(ascii: "]")) : (UInt8(ascii: "{"), UInt8(ascii: "}"))
    return [brackets.0] + parts.joined(separator: comma) + [brackets.1]
  }
}
