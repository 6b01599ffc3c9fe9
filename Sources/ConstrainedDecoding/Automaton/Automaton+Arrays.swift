/// Reading arrays.
///
/// An array's state is a sequence of words: the number of items as far as it matters; the set of
/// items seen, where they must differ or two must be equal; for each containment how many items have
/// satisfied it; and whether two equal items have come, where that is asked for.
extension Automaton {
  mutating func startState(array: Int) -> UInt32 {
    let node = obligations.arrays[array]
    return arrayStates.intern(
      [0, 0] + [UInt32](repeating: 0, count: node.containments.count)
        + (node.needsDuplicate ? [0] : []))
  }

  /// The values that an array has seen, by their ids.
  func seen(arrayState: UInt32) -> [UInt32] {
    extraSets.words(of: arrayStates.word(1, of: arrayState))
  }

  /// The state with one more value seen, or `nil` where it has been seen before.
  mutating func adding(_ value: UInt32, toSeenOf state: UInt32) -> UInt32? {
    var words = Array(arrayStates[state])
    if extraSets.contains(value, in: words[1]) { return nil }
    words[1] = extraSets.inserting(value, into: words[1])
    return arrayStates.intern(words)
  }

  mutating func step(
    array frame: Frame, _ stack: StackID, _ byte: UInt8, into reached: inout [StackID]
  ) {
    if isWhitespace(byte) { return spend(stack, frame, into: &reached) }
    let phase = Frame.Phase(rawValue: frame.c) ?? .opened
    switch byte {
    case UInt8(ascii: "]"):
      guard phase != .afterComma, mayClose(array: Int(frame.a), frame.b) else { return }
      var value = UInt32.max
      if frame.e != 0 { value = values.id(ofArray: recordings[frame.e - 1]) }
      complete(frame.parent, value, into: &reached)
    case UInt8(ascii: ","):
      guard phase == .afterValue else { return }
      for (goal, parent) in items(frame) {
        reached.append(
          stacks.intern(Frame(kind: .value, a: goal, b: recordsItems(frame), parent: parent)))
      }
    default:
      guard phase == .opened else { return }
      for (goal, parent) in items(frame) {
        enter(goal, byte, recorded: recordsItems(frame) == 1, parent: parent, into: &reached)
      }
    }
  }

  private func recordsItems(_ frame: Frame) -> UInt32 {
    frame.e != 0 || obligations.arrays[Int(frame.a)].isUnique
      || lacksDuplicate(array: Int(frame.a), frame.b) ? 1 : 0
  }

  /// Whether two equal items are asked for and have not come.
  func lacksDuplicate(array: Int, _ state: UInt32) -> Bool {
    obligations.arrays[array].needsDuplicate
      && arrayStates.word(2 + obligations.arrays[array].containments.count, of: state) == 0
  }

  /// The state after a value, where equal ones are waited for.
  mutating func comparing(_ value: UInt32, _ state: UInt32) -> UInt32 {
    var words = Array(arrayStates[state])
    if extraSets.contains(value, in: words[1]) {
      words[1] = 0
      words[words.count - 1] = 1
    } else {
      words[1] = extraSets.inserting(value, into: words[1])
    }
    return arrayStates.intern(words)
  }

  func mayClose(array: Int, _ state: UInt32) -> Bool {
    if lacksDuplicate(array: array, state) { return false }
    return hasEnough(array: array, state)
  }

  /// Whether there are as many items as must be, of each kind.
  func hasEnough(array: Int, _ state: UInt32) -> Bool {
    let node = obligations.arrays[array]
    if Int(arrayStates.word(0, of: state)) < node.minimum { return false }
    for (index, containment) in node.containments.enumerated()
    where Int(arrayStates.word(2 + index, of: state)) < containment.minimum {
      return false
    }
    return true
  }

  /// The ways to take one more item: what it must satisfy, and the array after it.
  mutating func items(_ frame: Frame) -> [(goal: Obligations.Goal, parent: StackID)] {
    let index = Int(frame.a)
    let node = obligations.arrays[index]
    let count = Int(arrayStates.word(0, of: frame.b))
    var words = Array(arrayStates[frame.b])
    words[0] = UInt32(min(count + 1, node.saturation))
    let counted = 2..<2 + node.containments.count
    let found = Array(words[counted])
    var result: [(goal: Obligations.Goal, parent: StackID)] = []
    for way in obligations.ways(array: index, count: count, found: found) {
      guard obligations.canComplete(array: index, count: Int(words[0]), found: way.found),
        !node.isUnique || hasUnseen(way.goal, frame.b)
      else { continue }
      words.replaceSubrange(counted, with: way.found)
      var after = frame
      after.b = arrayStates.intern(words)
      after.c = Frame.Phase.afterValue.rawValue
      after.d = 0
      result.append((way.goal, stacks.intern(after)))
    }
    return result
  }
}
