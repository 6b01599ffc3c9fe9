/// Reading arrays.
///
/// An array's state is a sequence of words: the number of items as far as it matters; the set of
/// items seen, where they must differ; and for each containment how many items have satisfied it.
extension Automaton {
  mutating func startState(array: Int) -> UInt32 {
    let node = obligations.arrays[array]
    return arrayStates.intern(
      [0, 0] + [UInt32](repeating: 0, count: node.containments.count))
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
    frame.e != 0 || obligations.arrays[Int(frame.a)].isUnique ? 1 : 0
  }

  func mayClose(array: Int, _ state: UInt32) -> Bool {
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
    let node = obligations.arrays[Int(frame.a)]
    let count = Int(arrayStates.word(0, of: frame.b))
    if let maximum = node.maximum, count >= maximum { return [] }
    let goal = node.goals[min(count, node.uniformFrom)]
    guard obligations.isSatisfiable(goal) else { return [] }
    var words = Array(arrayStates[frame.b])
    words[0] = UInt32(min(count + 1, node.saturation))
    // Each containment either counts the item or not; one with an upper bound must know which.
    var ways: [(goal: Obligations.Goal, words: [UInt32])] = [(goal, words)]
    for (index, containment) in node.containments.enumerated() where count >= containment.from {
      var next: [(goal: Obligations.Goal, words: [UInt32])] = []
      for way in ways {
        let found = Int(way.words[2 + index])
        if containment.maximum == nil, found >= containment.minimum {
          next.append(way)
          continue
        }
        if containment.maximum.map({ found < $0 }) ?? true {
          var counted = way
          counted.goal = obligations.goal(way.goal, and: containment.literal)
          counted.words[2 + index] += 1
          if obligations.isSatisfiable(counted.goal) { next.append(counted) }
        }
        var passed = way
        if containment.maximum != nil {
          passed.goal = obligations.goal(way.goal, and: containment.literal ^ 1)
        }
        if obligations.isSatisfiable(passed.goal) { next.append(passed) }
      }
      ways = next
    }
    var result: [(goal: Obligations.Goal, parent: StackID)] = []
    for way in ways where canComplete(node, way.words) {
      var after = frame
      after.b = arrayStates.intern(way.words)
      after.c = Frame.Phase.afterValue.rawValue
      after.d = 0
      result.append((way.goal, stacks.intern(after)))
    }
    return result
  }

  /// Whether the items that must come fit below the upper bound.
  private mutating func canComplete(_ node: ArrayNode, _ words: [UInt32]) -> Bool {
    let count = Int(words[0])
    var needed = 0
    for (index, containment) in node.containments.enumerated() {
      needed = max(needed, containment.minimum - Int(words[2 + index]))
      guard containment.minimum > Int(words[2 + index]) else { continue }
      // Some later item must be able to satisfy it.
      let last = min(node.uniformFrom, (node.maximum ?? .max) - 1)
      guard count <= last || node.maximum == nil || count < node.maximum ?? 0 else { return false }
      var possible = false
      for place in min(count, node.uniformFrom)...node.uniformFrom {
        if let maximum = node.maximum, place >= maximum, count >= maximum { continue }
        let goal = obligations.goal(node.goals[place], and: containment.literal)
        if obligations.isSatisfiable(goal) {
          possible = true
          break
        }
      }
      guard possible else { return false }
    }
    if let maximum = node.maximum, count + needed > maximum { return false }
    return true
  }
}
