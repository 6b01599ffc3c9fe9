// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if DEBUG
  extension Automaton {
    /// What is wrong with the tables, for the tests.
    ///
    /// Equal frames are one, every frame stands on an older one of a kind that can hold it, what its words
    /// name is there, and a canonical stack is its own canonical stack.
    func _checkInvariants() -> [String] {
      var found =
        stackSets._checkInvariants() + objectStates._checkInvariants()
        + arrayStates._checkInvariants()
        + recordings._checkInvariants() + memberChoices._checkInvariants()
        + liveObjects._checkInvariants() + liveKeys._checkInvariants()
      if Set(stacks.frames).count != stacks.count { found.append("two frames are equal") }
      for id in 0..<UInt32(stackSets.count) {
        let members = Array(stackSets[id])
        if members.count < 2 || zip(members, members.dropFirst()).contains(where: { $0 >= $1 })
          || members.contains(where: { Int($0) >= stacks.count })
        {
          found.append("set \(id) is not two stacks or more in ascending order")
        }
      }
      for id in 0..<StackID(stacks.count) {
        found += faults(of: id)
        if found.count > 20 { break }
      }
      return found.map { "automaton: " + $0 }
        + obligations._checkInvariants() + obligations.languages._checkInvariants()
    }

    private func faults(of stack: StackID) -> [String] {
      let frame = stacks[stack]
      var result: [String] = []
      if !isFrameSound(frame) {
        result.append("frame \(stack) (\(frame.kind)) names what is not there")
      }
      if frame.parent == .max {
        let isBottom = [.end, .bottom, .rule].contains(frame.kind)
        if !isBottom, !isApart(frame) {
          result.append("frame \(stack) (\(frame.kind)) stands on nothing")
        }
      } else if frame.parent >= stack {
        result.append("frame \(stack) stands on a younger one, \(frame.parent)")
      } else if !Self.stands(frame, on: stacks[frame.parent]) {
        result.append("frame \(stack) (\(frame.kind)) stands on \(stacks[frame.parent].kind)")
      }
      if Int(stack) < canonicalStacks.count, canonicalStacks[Int(stack)] != .max {
        let canonical = canonicalStacks[Int(stack)]
        let kind = stacks[canonical].kind
        if kind != frame.kind {
          result.append("stack \(stack) (\(frame.kind)) has a canonical \(kind)")
        }
        if Int(canonical) < canonicalStacks.count,
          ![.max, canonical].contains(canonicalStacks[Int(canonical)])
        {
          result.append("the canonical stack \(canonical) of \(stack) has another one")
        }
      }
      return result
    }

    /// Whether a frame may be looked at without what lies below it, as completions look at containers.
    private func isApart(_ frame: Frame) -> Bool {
      [.string, .key, .object, .array].contains(frame.kind)
    }

    /// Whether a frame can be open inside another one.
    private static func stands(_ frame: Frame, on parent: Frame) -> Bool {
      switch (frame.kind, parent.kind) {
      case (_, .bottom), (_, .rule): true
      case (.end, _), (.bottom, _): false
      case (.key, .object): true
      case (.key, _): false
      // A key of an object that must be one of some.
      case (.string, .object) where parent.c != Frame.Phase.afterValue.rawValue:
        parent.e != 0 && frame.e != 0
      case (.member, .object), (.colon, .object), (.colon, .member): true
      case (.member, _), (.colon, _): false
      // A frame below is as it will be after the value.
      case (_, .object), (_, .array): parent.c == Frame.Phase.afterValue.rawValue
      case (_, .member), (_, .end): true
      default: false
      }
    }

    /// Whether what the words of a frame name is there.
    private func isFrameSound(_ frame: Frame) -> Bool {
      switch frame.kind {
      case .value, .colon: Int(frame.a) < obligations.goals.count && frame.a != obligations.nothing
      case .literal:
        Int(frame.a) < Self.spellings.count && Int(frame.b) < Self.spellings[Int(frame.a)].count
      case .number: Int(frame.a) < obligations.numbers.states.count
      case .string:
        Int(frame.a) < obligations.languages.definitions.count && frame.c <= frame.d
      case .key: Int(frame.a) < obligations.keyTuples.count
      case .object:
        Int(frame.a) < obligations.objects.count && Int(frame.b) < objectStates.count
          && Frame.Phase(rawValue: frame.c) != nil && Int(frame.e) <= recordings.count
          && objectStates.word(Self.position, of: frame.b)
            <= obligations.objects[Int(frame.a)].orderedCount
      case .array:
        Int(frame.a) < obligations.arrays.count && Int(frame.b) < arrayStates.count
          && Frame.Phase(rawValue: frame.c) != nil && Int(frame.e) <= recordings.count
      case .rule: rules.map { Int(frame.a) < $0.nodes.count } ?? false
      case .member, .end, .bottom: true
      }
    }
  }
#endif
