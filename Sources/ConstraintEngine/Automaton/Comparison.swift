// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The values that one being read is compared with: those that it may not become where items must
/// differ, or those of which it must become one where two items must be equal.
///
/// Of containers only those are kept that agree with what was read, each as its *residual*: after a
/// member, the object without that member; after an item, the array without its first one. An empty
/// residual says that the container would be the same if it ended here. From what a container is compared
/// with follows what its next member is compared with, so that a text is refused at the first byte
/// that leaves no other way, and not where a repetition is complete.
///
/// Worked example: items must differ, each is an object with a string `name` and nothing else, and
/// `{"name":"x"}` was read. The next item may not be `{"name":"x"}`. After the value `"x"` its residual
/// would be `{}`; no other member may follow, so the value of `name` may not be `"x"`: in
/// `[{"name":"x"},{"name":"x` a closing quote is refused.
struct Comparison: Hashable {
  /// The set of values, with a bit that says what is asked for: a word that frames and recordings
  /// keep.
  var word: UInt32

  private static let equalBit: UInt32 = 1 << 31

  /// No values: whatever comes is allowed.
  static let none = Comparison(word: 0)

  init(word: UInt32) { self.word = word }

  /// What frames keep of a value that is to come: zero where it is not recorded, else one more than the
  /// word of what it is compared with.
  init(recorded: UInt32) { word = recorded == 0 ? 0 : recorded - 1 }

  /// The same word for a value that is recorded.
  var recorded: UInt32 { word + 1 }

  /// All values but some.
  init(allBut values: PersistentSets.Set) { word = values }

  /// None but some values.
  init(oneOf values: PersistentSets.Set) { word = values | Self.equalBit }

  /// The values, or what is left of them.
  var values: PersistentSets.Set { word & ~Self.equalBit }

  /// Whether no value stands the comparison.
  var isImpossible: Bool { word == Self.equalBit }

  /// Whether the value must become one of them, rather than none.
  var isOneOf: Bool { word & Self.equalBit != 0 }

  /// The same of other values.
  func of(_ values: PersistentSets.Set) -> Comparison {
    Comparison(word: values | word & Self.equalBit)
  }
}

extension Automaton {
  /// What a container is compared with.
  mutating func comparison(_ container: Frame) -> Comparison {
    container.e == 0 ? .none : Comparison(word: recordings.word(0, of: container.e - 1))
  }

  /// The containers of one kind among the values of a comparison.
  mutating func containers(_ comparison: Comparison, isArray: Bool) -> Comparison {
    comparison.of(values.containers(among: comparison.values, isArray: isArray, in: &wordSets))
  }

  /// The scalars among the values of a comparison.
  mutating func scalars(_ comparison: Comparison) -> [ValueTable.Scalar] {
    if comparison.values == PersistentSets.empty { return [] }
    return wordSets.words(of: comparison.values).compactMap { values.scalar($0) }
  }

  /// What is left of the values of a comparison after a member, or the next item where there is no
  /// key, by its value.
  mutating func residuals(
    _ comparison: Comparison, key: UInt32?
  ) -> [UInt32: PersistentSets.Set] {
    var result: [UInt32: [UInt32]] = [:]
    for id in wordSets.words(of: comparison.values) {
      guard let (value, residual) = key.map({ values.split(id, key: $0) }) ?? values.split(id)
      else {
        continue
      }
      result[value, default: []].append(residual)
    }
    return result.mapValues { wordSets.set(of: $0) }
  }

  /// The same after one value alone. A mask asks this of many values after the same text, and of each
  /// many times: of large sets the answers are kept until another set is asked about.
  private mutating func residual(
    _ comparison: Comparison, key: UInt32?, value: UInt32
  ) -> PersistentSets.Set {
    if wordSets.count(of: comparison.values) <= GroupedContainers.few {
      let ids = wordSets.words(of: comparison.values)
      return residual(ids.filter { part(key, of: $0) == value }, key: key)
    }
    if grouped?.values != comparison.values || grouped?.key != key {
      var groups: [UInt32: [UInt32]] = [:]
      for id in wordSets.words(of: comparison.values) {
        if let part = part(key, of: id) { groups[part, default: []].append(id) }
      }
      grouped = GroupedContainers(values: comparison.values, key: key, groups: groups)
    }
    if let known = grouped?.residuals[value] { return known }
    let result = residual(grouped?.groups[value] ?? [], key: key)
    grouped?.residuals[value] = result
    return result
  }

  private mutating func residual(_ ids: [UInt32], key: UInt32?) -> PersistentSets.Set {
    var result: [UInt32] = []
    for id in ids {
      guard let (_, residual) = key.map({ values.split(id, key: $0) }) ?? values.split(id) else {
        continue
      }
      result.append(residual)
    }
    return wordSets.set(of: result)
  }

  /// The member of a key, or the first item.
  private func part(_ key: UInt32?, of id: UInt32) -> UInt32? {
    key.map { values.member($0, of: id) } ?? values.first(of: id)
  }

  /// Whether a container may end here.
  mutating func mayEnd(_ comparison: Comparison, isArray: Bool) -> Bool {
    if comparison == .none { return true }
    let empty = isArray ? values.id(ofArray: []) : values.id(ofObject: [])
    return wordSets.contains(empty, in: comparison.values) == comparison.isOneOf
  }

  /// The texts among the members of a key, or the next items, of the values of a comparison.
  func texts(_ comparison: Comparison, key: UInt32?) -> [UInt32] {
    wordSets.words(of: comparison.values).compactMap { id in
      let part = key.map { values.member($0, of: id) } ?? values.first(of: id)
      guard let part, case .string(let text) = values.scalar(part) else { return nil }
      return text == TextTable.unknown ? nil : text
    }
  }

  // MARK: What is recorded

  /// What is recorded of an object after one more member.
  mutating func recording(of object: Frame, key: UInt32, value: UInt32) -> UInt32 {
    let after = recording(object.e, part: value, key: key, adding: [key, value])
    guard propertiesInOrder, obligations.objects[Int(object.a)].isShape else { return after }
    return keepingOrder(after, key: key, ofShape: Int(object.a))
  }

  /// What is recorded of an array after one more item.
  mutating func recording(_ recorded: UInt32, item: UInt32) -> UInt32 {
    recording(recorded, part: item, key: nil, adding: [item])
  }

  private mutating func recording(
    _ recorded: UInt32, part: UInt32, key: UInt32?, adding added: [UInt32]
  ) -> UInt32 {
    var words = Array(recordings[recorded - 1])
    let comparison = Comparison(word: words[0])
    if comparison.values != PersistentSets.empty {
      words[0] = comparison.of(residual(comparison, key: key, value: part)).word
    }
    return recordings.intern(words + added) + 1
  }

  // MARK: Goals

  /// Whether some value that meets a goal stands a comparison.
  mutating func canMeet(_ goal: Obligations.Goal, _ comparison: Comparison) -> Bool {
    if comparison == .none { return obligations.isSatisfiable(goal) }
    if comparison.isImpossible { return false }
    // What is compared with listed values by their shape are these values.
    if comparison.isOneOf, obligations.isShape(goal) { return true }
    let key = UInt64(goal) << 32 | UInt64(comparison.word)
    if let known = comparedGoals[key] { return known == 1 }
    let result = findMeeting(goal, comparison)
    comparedGoals.set(key, result ? 1 : 0)
    return result
  }

  private mutating func findMeeting(_ goal: Obligations.Goal, _ comparison: Comparison) -> Bool {
    // Of infinitely many values there is always another one.
    if !comparison.isOneOf {
      if isEndless(goal) { return true }
      for case .string(let node) in obligations.nodes(goal, .string) where isInexhaustible(node) {
        return true
      }
    }
    if !obligations.nodes(goal, .null).isEmpty, admits(.null, comparison) { return true }
    for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean) {
      if allowsTrue, admits(.boolean(true), comparison) { return true }
      if allowsFalse, admits(.boolean(false), comparison) { return true }
    }
    let known = scalars(comparison)
    for case .number(let index) in obligations.nodes(goal, .number)
    where Self.compared(obligations.numberConstraints[index], comparison, known).isSatisfiable {
      return true
    }
    for case .string(let node) in obligations.nodes(goal, .string)
    where compared(node, comparison) != nil {
      return true
    }
    for case .object(let index) in obligations.nodes(goal, .object) {
      let state = startState(object: index)
      let objects = standing(comparison, object: index)
      if isLive(object: index, state), canFinish(object: index, state, objects) { return true }
    }
    for case .array(let index) in obligations.nodes(goal, .array) {
      let arrays = standing(comparison, array: index)
      if canFinish(array: index, startState(array: index), arrays) { return true }
    }
    return false
  }

  /// Whether infinitely many values are known to meet a goal.
  mutating func isEndless(_ goal: Obligations.Goal) -> Bool {
    if let known = endlessGoals[goal] { return known }
    // What relies on itself alone counts as finite; that is looked at in full.
    endlessGoals[goal] = false
    let result = findEndless(goal)
    endlessGoals[goal] = result
    return result
  }

  private mutating func findEndless(_ goal: Obligations.Goal) -> Bool {
    for case .string(let node) in obligations.nodes(goal, .string)
    where node.maximum == nil && obligations.languages.isInexhaustible(node.language) {
      return true
    }
    for case .number(let index) in obligations.nodes(goal, .number) {
      let constraint = obligations.numberConstraints[index]
      if constraint.values == nil, constraint.lower == nil || constraint.upper == nil {
        return true
      }
    }
    for case .object(let index) in obligations.nodes(goal, .object) {
      let state = startState(object: index)
      if isLive(object: index, state), isEndless(object: index, state) { return true }
    }
    for case .array(let index) in obligations.nodes(goal, .array)
    where isEndless(array: index, startState(array: index)) {
      return true
    }
    return false
  }
}

/// Many containers by the values of one of their members, or by their first items.
struct GroupedContainers {
  /// So many are gone through.
  static let few = 64

  var values: PersistentSets.Set
  var key: UInt32?
  var groups: [UInt32: [UInt32]]
  /// By the same value, what is left of them after it, as far as it was asked.
  var residuals: [UInt32: PersistentSets.Set] = [:]
}
