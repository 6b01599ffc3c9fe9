// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading arrays.
///
/// An array's state is a sequence of words: the number of items as far as it matters; the set of
/// items seen, where they must differ or two must be equal; for each containment how many items have
/// satisfied it; and whether two equal items have come, where that is asked for.
extension Automaton {
  mutating func startState(array: Int) -> UInt32 {
    if obligations.arrays[array].isPlain, let known = plainArrayStart { return known }
    let node = obligations.arrays[array]
    let result = arrayStates.intern(
      [0, 0] + [UInt32](repeating: 0, count: node.containments.count)
        + (node.needsDuplicate ? [0] : []))
    if node.isPlain { plainArrayStart = result }
    return result
  }

  /// The values that an array has seen, by their ids.
  mutating func seen(arrayState: UInt32) -> [UInt32] {
    wordSets.words(of: arrayStates.word(1, of: arrayState))
  }

  /// The values that an array has seen where its items must differ.
  mutating func seenSet(array frame: Frame) -> PersistentSets.Set {
    obligations.arrays[Int(frame.a)].isUnique
      ? arrayStates.word(1, of: frame.b) : PersistentSets.empty
  }

  /// The state with one more value seen, or `nil` where it has been seen before.
  mutating func adding(_ value: UInt32, toSeenOf state: UInt32) -> UInt32? {
    let seen = arrayStates.word(1, of: state)
    if wordSets.contains(value, in: seen) { return nil }
    return arrayStates.intern(state, with: wordSets.inserting(value, into: seen), at: 1)
  }

  mutating func step(
    array frame: Frame, _ stack: StackID, _ byte: UInt8, into reached: inout [StackID]
  ) {
    if isWhitespace(byte) { return spend(byte, stack, frame, into: &reached) }
    let phase = Frame.Phase(rawValue: frame.c) ?? .opened
    switch byte {
    case UInt8(ascii: "]"):
      guard phase != .afterComma, mayClose(array: Int(frame.a), frame.b),
        mayEnd(comparison(frame), isArray: true)
      else { return }
      var value = UInt32.max
      if frame.e != 0 { value = values.id(ofArray: recordings[frame.e - 1].dropFirst()) }
      complete(frame.parent, value, into: &reached)
    case UInt8(ascii: ","):
      guard phase == .afterValue else { return }
      for item in items(frame) {
        reached.append(
          stacks.intern(
            Frame(kind: .value, a: item.goal, b: item.recorded, parent: item.parent)))
      }
    default:
      guard phase == .opened else { return }
      for item in items(frame) {
        enter(item.goal, byte, recorded: item.recorded, parent: item.parent, into: &reached)
      }
    }
  }

  /// Whether two equal items are asked for and have not come.
  mutating func lacksDuplicate(array: Int, _ state: UInt32) -> Bool {
    obligations.arrays[array].needsDuplicate
      && arrayStates.word(2 + obligations.arrays[array].containments.count, of: state) == 0
  }

  /// The state after a value, where equal ones are waited for.
  mutating func comparing(_ value: UInt32, _ state: UInt32) -> UInt32 {
    let seen = arrayStates.word(1, of: state)
    if wordSets.contains(value, in: seen) { return withDuplicate(state) }
    return arrayStates.intern(state, with: wordSets.inserting(value, into: seen), at: 1)
  }

  /// The state as if two equal items had come, where they are waited for.
  mutating func withDuplicate(_ state: UInt32) -> UInt32 {
    var words = Array(arrayStates[state])
    words[1] = PersistentSets.empty
    words[words.count - 1] = 1
    return arrayStates.intern(words)
  }

  package mutating func mayClose(array: Int, _ state: UInt32) -> Bool {
    if lacksDuplicate(array: array, state) { return false }
    return hasEnough(array: array, state)
  }

  /// Whether there are as many items as must be, of each kind.
  mutating func hasEnough(array: Int, _ state: UInt32) -> Bool {
    Int(arrayStates.word(0, of: state)) >= obligations.arrays[array].minimum
      && missingContained(array: array, state) == 0
  }

  /// How many items are missing of the kinds that `contains` asks for.
  mutating func missingContained(array: Int, _ state: UInt32) -> Int {
    var result = 0
    for (index, containment) in obligations.arrays[array].containments.enumerated() {
      result += max(0, containment.minimum - Int(arrayStates.word(2 + index, of: state)))
    }
    return result
  }

  /// The state of an array after the value of an item, where that is recorded; `nil` where the item
  /// repeats another one and may not.
  mutating func state(array: Int, _ state: UInt32, after value: UInt32) -> UInt32? {
    if obligations.arrays[array].isUnique { return adding(value, toSeenOf: state) }
    return lacksDuplicate(array: array, state) ? comparing(value, state) : state
  }

  /// A way to take one more item: what it must satisfy, whether it is recorded (zero, or one more
  /// than what it is compared with), and the array after it.
  package struct Item {
    package var goal: Obligations.Goal
    var recorded: UInt32
    var parent: StackID
  }

  /// The ways to take one more item.
  package mutating func items(_ frame: Frame) -> [Item] {
    let array = Int(frame.a)
    if frame.e == 0, isSettled(array: array, frame.b) {
      let count = obligations.arrays[array].saturation
      guard let goal = obligations.nextGoal(array: array, count: count) else { return [] }
      return [Item(goal: goal, recorded: 0, parent: stack(of: frame, after: frame.b))]
    }
    let isRecorded =
      frame.e != 0 || obligations.arrays[array].isUnique || lacksDuplicate(array: array, frame.b)
    var result: [Item] = []
    for way in ways(array: array, frame.b, comparison(frame)) {
      result.append(
        Item(
          goal: way.goal, recorded: isRecorded ? way.comparison.recorded : 0,
          parent: stack(of: frame, after: way.state)))
    }
    return result
  }

  /// An array after an item, in a state.
  private mutating func stack(of frame: Frame, after state: UInt32) -> StackID {
    var after = frame
    after.b = state
    after.c = Frame.Phase.afterValue.rawValue
    after.d = 0
    return stacks.intern(after)
  }

  /// Whether nothing that an array has seen or counts matters for what comes: one more item leaves it
  /// in the state it is in.
  private mutating func isSettled(array: Int, _ state: UInt32) -> Bool {
    obligations.arrays[array].isPlain
      && Int(arrayStates.word(0, of: state)) == obligations.arrays[array].saturation
  }

  typealias ItemWay = (goal: Obligations.Goal, comparison: Comparison, state: UInt32)

  /// The ways to take one more item into an array that is compared with others: the item's goal and
  /// what it is compared with, and the array's state after it.
  mutating func ways(array: Int, _ state: UInt32, _ comparison: Comparison) -> [ItemWay] {
    let node = obligations.arrays[array]
    let count = Int(arrayStates.word(0, of: state))
    var words = Array(arrayStates[state])
    words[0] = UInt32(min(count + 1, node.saturation))
    let counted = 2..<2 + node.containments.count
    let found = Array(words[counted])
    var result: [ItemWay] = []
    for way in obligations.ways(array: array, count: count, found: found) {
      guard obligations.canComplete(array: array, count: Int(words[0]), found: way.found) else {
        continue
      }
      words.replaceSubrange(counted, with: way.found)
      let after = arrayStates.intern(words)
      let values = self.comparison(ofItemBefore: after, array: array, comparison)
      if !canRepeat(array: array, after) {
        addRepeating(array, way.goal, values, after, into: &result)
      } else if values == .none || canMeet(way.goal, values) {
        result.append((way.goal, values, after))
      }
    }
    return result
  }

  // MARK: Items that must be equal

  /// Whether two equal items can still come, where they must.
  mutating func canRepeat(array: Int, _ state: UInt32) -> Bool {
    guard lacksDuplicate(array: array, state), obligations.arrays[array].isBounded else {
      return true
    }
    let key = UInt64(array) << 32 | UInt64(state)
    if let known = repeatableArrays[key] { return known == 1 }
    let later = laterItems(array, state)
    let seen = Comparison(oneOf: arrayStates.word(1, of: state))
    let result =
      later.hasPair
      || seen.values != PersistentSets.empty && later.goals.contains { canMeet($0, seen) }
    repeatableArrays.set(key, result ? 1 : 0)
    return result
  }

  private mutating func laterItems(_ array: Int, _ state: UInt32) -> LaterItems {
    let words = arrayStates[state].dropFirst(2)
    return obligations.laterItems(
      array: array, count: Int(arrayStates.word(0, of: state)),
      found: Array(words.prefix(obligations.arrays[array].containments.count)))
  }

  /// The ways to take an item after which no two later ones can be equal: it is one of those before
  /// it, or one that a later item can be.
  private mutating func addRepeating(
    _ array: Int, _ goal: Obligations.Goal, _ values: Comparison, _ after: UInt32,
    into result: inout [ItemWay]
  ) {
    let seen = common(values, arrayStates.word(1, of: after))
    if canMeet(goal, seen) { result.append((goal, seen, after)) }
    for later in laterItems(array, after).goals {
      let both = obligations.goal(both: goal, later)
      if canMeet(both, values) { result.append((both, values, after)) }
    }
  }

  /// The comparison with those of some values that stand another one.
  private mutating func common(
    _ comparison: Comparison, _ values: PersistentSets.Set
  ) -> Comparison {
    var kept = PersistentSets.empty
    for value in wordSets.words(of: values)
    where wordSets.contains(value, in: comparison.values) == comparison.isOneOf {
      kept = wordSets.inserting(value, into: kept)
    }
    return Comparison(oneOf: kept)
  }
}
