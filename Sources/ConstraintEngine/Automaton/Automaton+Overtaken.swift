// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Leaving out stacks for which another one stands.
///
/// Where `contains` asks for some items of a kind and for no more than that, an item of the kind can be
/// counted or passed over. Whatever completes the array that has counted fewer also completes the one that
/// has counted more, if they are the same otherwise.
///
/// Worked example: `{contains: {type: integer}, minContains: 3}`, after `[1,2,`. None, one or two items
/// were counted; the stack with two stays. A thousand items would be a thousand stacks otherwise.
extension Automaton {
  /// Takes out of some stacks, each of which is there once, those for which another one stands.
  ///
  /// Those that count alike are found by a hash of everything but the counts, since there may be
  /// thousands of stacks.
  mutating func removeOvertaken(_ stacks: inout [StackID]) {
    var counting: [(hash: Int, stack: StackID)] = []
    for stack in stacks {
      if let hash = hashWithoutCounts(stack) { counting.append((hash, stack)) }
    }
    if counting.count < 2 { return }
    counting.sort { ($0.hash, $0.stack) < ($1.hash, $1.stack) }
    var overtaken = Set<StackID>()
    var start = 0
    for end in 1...counting.count
    where end == counting.count || counting[end].hash != counting[start].hash {
      let alike = counting[start..<end].map(\.stack)
      for stack in alike {
        let isOvertaken = alike.contains { other in
          other != stack && !overtaken.contains(other) && self.isOvertaken(stack, by: other)
        }
        if isOvertaken { overtaken.insert(stack) }
      }
      start = end
    }
    if !overtaken.isEmpty { stacks.removeAll { overtaken.contains($0) } }
  }

  /// A hash of a stack but for what its arrays have counted; `nil` where none counts.
  private mutating func hashWithoutCounts(_ stack: StackID) -> Int? {
    var (hash, counts) = (0, false)
    var at = stack
    while at != .max {
      var frame = stacks[at]
      at = frame.parent
      frame.parent = 0
      if frame.kind == .array, !obligations.arrays[Int(frame.a)].containments.isEmpty {
        counts = true
        frame.b = 0
      }
      hash = (hash ^ FrameTable.hash(frame)) &* 0x7FEB_352D
    }
    return counts ? hash : nil
  }

  /// Whether two stacks differ in nothing but that arrays of the second have counted more items.
  private mutating func isOvertaken(_ stack: StackID, by other: StackID) -> Bool {
    var (stack, other) = (stack, other)
    while stack != other {
      var (frame, ahead) = (stacks[stack], stacks[other])
      (stack, other) = (frame.parent, ahead.parent)
      if frame.kind == .array, ahead.kind == .array, frame.a == ahead.a,
        hasCountedNoMore(frame.b, ahead.b, obligations.arrays[Int(frame.a)].containments)
      {
        frame.b = ahead.b
      }
      frame.parent = ahead.parent
      if frame != ahead { return false }
    }
    return true
  }

  /// Whether two states of an array differ in nothing but that the second has counted more items where
  /// there may be as many as one likes.
  private mutating func hasCountedNoMore(
    _ state: UInt32, _ ahead: UInt32, _ containments: [ArrayNode.Containment]
  ) -> Bool {
    if state == ahead { return true }
    for place in 0..<arrayStates.length(of: state) {
      let (count, aheadCount) = (
        arrayStates.word(place, of: state), arrayStates.word(place, of: ahead)
      )
      if count == aheadCount { continue }
      guard containments.indices.contains(place - 2), containments[place - 2].maximum == nil,
        count < aheadCount
      else { return false }
    }
    return true
  }
}
