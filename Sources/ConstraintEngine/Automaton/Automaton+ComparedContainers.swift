// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Containers that are compared with others (``Comparison``): how they can be completed.
///
/// Every answer goes through what is left of the values compared with, which gets smaller with each
/// member and item, so that the search ends.
extension Automaton {
  // MARK: Objects

  /// Whether an object can be completed such that it stands a comparison.
  mutating func canFinish(object: Int, _ state: UInt32, _ comparison: Comparison) -> Bool {
    if comparison == .none || comparison.isImpossible { return comparison == .none }
    if comparison.isOneOf, obligations.objects[object].isShape { return true }
    if mayClose(object, state), mayEnd(comparison, isArray: false) { return true }
    if !comparison.isOneOf, isEndless(object: object, state) { return true }
    return canGoOn(object: object, state, comparison)
  }

  /// The same with one more member at least.
  private mutating func canGoOn(
    object: Int, _ state: UInt32, _ comparison: Comparison
  ) -> Bool {
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(comparison.word)
    if let known = continuingObjects[key] { return known == 1 }
    var result = false
    for member in obligations.objects[object].members.indices
    where canTake(member: member, object, state, comparison) {
      result = true
      break
    }
    if !result { result = canTakeUndeclared(object, state, comparison) }
    continuingObjects.set(key, result ? 1 : 0)
    return result
  }

  /// Whether a declared member can come next.
  mutating func canTake(
    member: Int, _ object: Int, _ state: UInt32, _ comparison: Comparison
  ) -> Bool {
    let choices = choices(object: object, state, member: member)
    if choices.isEmpty { return false }
    return canTake(choices, key: text(ofMember: member, object), object, comparison)
  }

  private mutating func canTake(
    _ choices: [MemberChoice], key: UInt32, _ object: Int, _ comparison: Comparison
  ) -> Bool {
    for choice in choices {
      let values = self.comparison(
        ofMember: key, after: choice.state, object: object, comparison)
      if canMeet(choice.goal, values) { return true }
    }
    return false
  }

  private mutating func canTakeUndeclared(
    _ object: Int, _ state: UInt32, _ comparison: Comparison
  ) -> Bool {
    guard allowsExtrasNext(object, state) else { return false }
    if !comparison.isOneOf { return allowsSomeUndeclared(object, state) }
    return keys(of: comparison).contains { key in
      let tuple = tuple(ofKey: key, object)
      if obligations.member(object, tuple) != nil { return false }
      let choices = extraChoices(object: object, state, class: obligations.keyClass(tuple))
      return canTake(choices, key: key, object, comparison)
    }
  }

  /// The keys of the objects among the values of a comparison, each once.
  private mutating func keys(of comparison: Comparison) -> Set<UInt32> {
    Set(wordSets.words(of: comparison.values).flatMap { values.keys(of: $0) })
  }

  private mutating func tuple(ofKey key: UInt32, _ object: Int) -> UInt32 {
    var tuple = obligations.startTuple(object)
    for byte in texts.bytes(of: key) { tuple = obligations.nextTuple(tuple, byte) }
    return tuple
  }

  // MARK: Keys of objects that must be one of some

  /// The keys that may come next in an object that must become one of some.
  mutating func nextKeys(_ object: Frame, _ comparison: Comparison) -> [UInt32] {
    let index = Int(object.a)
    if obligations.objects[index].isShape { return nextKeys(ofShape: index, comparison) }
    return keys(of: comparison).filter { key in
      let tuple = tuple(ofKey: key, index)
      let choices =
        if let member = obligations.member(index, tuple) {
          choices(object: index, object.b, member: member)
        } else {
          extraChoices(object: index, object.b, class: obligations.keyClass(tuple))
        }
      return canTake(choices, key: key, index, comparison)
    }
  }

  /// The language of the keys that may come next in an object that must become one of some; `nil` where
  /// none may.
  mutating func keyLanguage(_ object: Frame) -> RegularLanguages.State? {
    let key = UInt64(place(of: object.a, object.b)) << 32 | UInt64(comparison(object).word)
    if let known = nextKeyLanguages[key] { return known == .max ? nil : known }
    let keys = nextKeys(object, comparison(object)).sorted()
    let result = keys.isEmpty ? nil : language(ofTexts: keys)
    nextKeyLanguages.set(key, result ?? .max)
    return result
  }

  /// Reads on after a key of an object that must become one of some.
  mutating func close(key text: UInt32, of object: Frame, into reached: inout [StackID]) {
    let tuple = tuple(ofKey: text, Int(object.a))
    if let member = obligations.member(Int(object.a), tuple) {
      close(declared: member, key: text, object: object, into: &reached)
    } else {
      close(
        undeclared: text, class: obligations.keyClass(tuple), object: object, into: &reached)
    }
  }

  /// Whether undeclared keys may come next: of those there is always one that no value has.
  private mutating func allowsSomeUndeclared(_ object: Int, _ state: UInt32) -> Bool {
    allowsSomeUndeclared(object, state, obligations.startTuple(object))
  }

  /// What the value of a member is compared with: the values after which the object cannot stand its
  /// own comparison, or those after which it can.
  mutating func comparison(
    ofMember key: UInt32, after state: UInt32, object: Int, _ comparison: Comparison
  ) -> Comparison {
    if comparison == .none || key == TextTable.unknown { return .none }
    if !comparison.isOneOf, isEndless(object: object, state) { return .none }
    if comparison.isOneOf, obligations.objects[object].isShape {
      return comparison.of(wordSets.set(of: members(key, ofShape: object, comparison)))
    }
    var result: [UInt32] = []
    for (value, residuals) in residuals(comparison, key: key)
    where canFinish(object: object, state, comparison.of(residuals)) == comparison.isOneOf {
      result.append(value)
    }
    return comparison.of(wordSets.set(of: result))
  }

  /// The text of a declared name.
  mutating func text(ofMember member: Int, _ object: Int) -> UInt32 {
    var text = TextTable.empty
    let name = obligations.objects[object].members[member].name
    for byte in obligations.graph.names[name] { text = texts.append(byte, to: text) }
    return text
  }

  /// Whether an object can be completed in infinitely many ways by what may come next.
  mutating func isEndless(object: Int, _ state: UInt32) -> Bool {
    if obligations.objects[object].listing != nil { return false }
    let place = UInt64(place(of: UInt32(object), state))
    if let known = endlessObjects[place] { return known == 1 }
    endlessObjects.set(place, 0)
    var result = allowsExtrasNext(object, state) && allowsSomeUndeclared(object, state)
    for member in obligations.objects[object].members.indices where !result {
      result = choices(object: object, state, member: member).contains { isEndless($0.goal) }
    }
    endlessObjects.set(place, result ? 1 : 0)
    return result
  }

  /// Whether the members that may come next depend on what an object is compared with.
  mutating func isNarrow(_ object: Frame) -> Bool {
    if object.e == 0 { return false }
    let comparison = comparison(object)
    return comparison != .none
      && (comparison.isOneOf || !isEndless(object: Int(object.a), object.b))
  }

  // MARK: Arrays

  /// Whether an array can be completed such that it stands a comparison.
  mutating func canFinish(array: Int, _ state: UInt32, _ comparison: Comparison) -> Bool {
    guard !comparison.isImpossible, canRepeat(array: array, state),
      canDiffer(array: array, state)
    else { return false }
    if comparison == .none { return true }
    if comparison.isOneOf, obligations.arrays[array].isShape { return !comparison.isImpossible }
    if mayClose(array: array, state), mayEnd(comparison, isArray: true) { return true }
    if !comparison.isOneOf, isEndless(array: array, state) { return true }
    return !ways(array: array, state, comparison).isEmpty
  }

  /// What the next item is compared with, by the state of the array after it.
  mutating func comparison(
    ofItemBefore state: UInt32, array: Int, _ comparison: Comparison
  ) -> Comparison {
    var seen = PersistentSets.empty
    if obligations.arrays[array].isUnique {
      seen = arrayStates.word(1, of: state)
      for value in neededValues(array: array, state) {
        seen = wordSets.inserting(value, into: seen)
      }
    }
    if comparison == .none || !comparison.isOneOf && isEndless(array: array, state) {
      return Comparison(allBut: seen)
    }
    var result = comparison.isOneOf ? PersistentSets.empty : seen
    for (value, residuals) in residuals(comparison, key: nil) {
      guard let after = self.state(array: array, state, after: value) else { continue }
      if canFinish(array: array, after, comparison.of(residuals)) == comparison.isOneOf {
        result = wordSets.inserting(value, into: result)
      }
    }
    return comparison.of(result)
  }

  /// Whether an array can be completed in infinitely many ways by what may come next.
  mutating func isEndless(array: Int, _ state: UInt32) -> Bool {
    if obligations.arrays[array].listing != nil { return false }
    let key = UInt64(array) << 32 | UInt64(state)
    if let known = endlessArrays[key] { return known == 1 }
    endlessArrays.set(key, 0)
    let node = obligations.arrays[array]
    let isUniform =
      node.maximum == nil && !node.isUnique && !node.needsDuplicate
      && node.containments.allSatisfy { $0.maximum == nil }
    let result =
      !node.needsDuplicate
      && ways(array: array, state, .none).contains { isUniform || isEndless($0.goal) }
    endlessArrays.set(key, result ? 1 : 0)
    return result
  }
}
