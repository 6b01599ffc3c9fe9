// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Entering and completing values.
extension Automaton {
  static let null: UInt32 = 0
  static let `true`: UInt32 = 1
  static let `false`: UInt32 = 2
  package static let spellings: [[UInt8]] = [
    Array("null".utf8), Array("true".utf8), Array("false".utf8),
  ]

  /// Steps one stack over a byte.
  mutating func step(_ stack: StackID, _ byte: UInt8, into reached: inout [StackID]) {
    let frame = stacks[stack]
    switch frame.kind {
    case .value:
      if isWhitespace(byte) {
        spend(byte, stack, frame, into: &reached)
      } else if !awaitsSpace(frame) {
        enter(frame.a, byte, recorded: frame.b, parent: frame.parent, into: &reached)
      }
    case .literal:
      let spelling = Self.spellings[Int(frame.a)]
      guard spelling[Int(frame.b)] == byte else { return }
      if Int(frame.b) + 1 == spelling.count {
        let value = frame.c == 1 ? values.id(of: Self.scalar(frame.a)) : .max
        complete(frame.parent, value, into: &reached)
      } else {
        var next = frame
        next.b += 1
        reached.append(stacks.intern(next))
      }
    case .number:
      let state = obligations.numbers.next(frame.a, byte)
      if state != NumberAutomaton.dead {
        var next = frame
        next.a = state
        if frame.e != 0 { next.e = texts.append(byte, to: frame.e) }
        reached.append(stacks.intern(next))
      }
      // In JSON a digit never follows a number; what follows in a rule may start with one.
      if state == NumberAutomaton.dead || stacks[frame.parent].kind == .rule,
        obligations.numbers.mayEnd(frame.a)
      {
        var after: [StackID] = []
        complete(number: frame, into: &after)
        for stack in after { step(stack, byte, into: &reached) }
      }
    case .string: step(string: frame, byte, into: &reached)
    case .key: step(key: frame, byte, into: &reached)
    case .colon:
      if isWhitespace(byte) {
        spend(byte, stack, frame, into: &reached)
      } else if byte == UInt8(ascii: ":") {
        reached.append(
          stacks.intern(
            Frame(kind: .value, a: frame.a, b: frame.c, parent: frame.parent)))
      }
    case .object: step(object: frame, stack, byte, into: &reached)
    case .array: step(array: frame, stack, byte, into: &reached)
    case .member, .bottom: return
    case .end:
      if isWhitespace(byte) { spend(byte, stack, frame, into: &reached) }
    case .rule: step(rule: frame, stack, byte, into: &reached)
    }
  }

  package mutating func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The frame of a value that no colon and no comma comes before: no space is due.
  package mutating func outermostValue(_ goal: Obligations.Goal, parent: StackID) -> Frame {
    Frame(kind: .value, a: goal, d: isSpaced ? 1 : 0, parent: parent)
  }

  /// Whether the space after a colon or a comma is due.
  mutating func awaitsSpace(_ frame: Frame) -> Bool {
    guard isSpaced, frame.d == 0 else { return false }
    return frame.kind == .value
      || frame.kind == .object && frame.c == Frame.Phase.afterComma.rawValue
  }

  /// One more character of white space, where the policy has room for it; its count is the frame's
  /// fourth word.
  mutating func spend(
    _ byte: UInt8, _ stack: StackID, _ frame: Frame, into reached: inout [StackID]
  ) {
    if whitespaceLimit == .max { return reached.append(stack) }
    if isSpaced, byte != 0x20 || !awaitsSpace(frame) { return }
    guard frame.d < whitespaceLimit else { return }
    var next = frame
    next.d += 1
    reached.append(stacks.intern(next))
  }

  private static func scalar(_ literal: UInt32) -> ValueTable.Scalar {
    switch literal {
    case null: .null
    case `true`: .boolean(true)
    default: .boolean(false)
    }
  }

  /// Starts a value with its first byte; `recorded` is zero, or one more than what it is compared
  /// with.
  mutating func enter(
    _ goal: Obligations.Goal, _ byte: UInt8, recorded: UInt32, parent: StackID,
    into reached: inout [StackID]
  ) {
    let comparison = Comparison(recorded: recorded)
    // Many values are listed where that is asked for alone: mostly what comes is compared at its end.
    let isLong = isLong(comparison)
    switch byte {
    case UInt8(ascii: "\""):
      for case .string(let node) in obligations.nodes(goal, .string) {
        guard let node = isLong && isInexhaustible(node) ? node : compared(node, comparison) else {
          continue
        }
        reached.append(
          stacks.intern(
            stringFrame(node, text: recorded != 0 ? TextTable.empty : 0, parent: parent)))
      }
    case UInt8(ascii: "-"), 0x30...0x39:
      for case .number(let index) in obligations.nodes(goal, .number) {
        let start = numberStart(index, comparison)
        let state = obligations.numbers.next(start, byte)
        guard state != NumberAutomaton.dead else { continue }
        let text = recorded != 0 ? texts.append(byte, to: TextTable.empty) : 0
        reached.append(stacks.intern(Frame(kind: .number, a: state, e: text, parent: parent)))
      }
    case UInt8(ascii: "{"): enterObject(goal, recorded: recorded, parent: parent, into: &reached)
    case UInt8(ascii: "["): enterArray(goal, recorded: recorded, parent: parent, into: &reached)
    case UInt8(ascii: "n"):
      guard !obligations.nodes(goal, .null).isEmpty, admits(.null, comparison) else { return }
      reached.append(
        stacks.intern(
          Frame(kind: .literal, a: Self.null, b: 1, c: min(recorded, 1), parent: parent)))
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      let wanted = byte == UInt8(ascii: "t")
      guard admits(.boolean(wanted), comparison) else { return }
      for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean)
      where wanted ? allowsTrue : allowsFalse {
        reached.append(
          stacks.intern(
            Frame(
              kind: .literal, a: wanted ? Self.true : Self.false, b: 1, c: min(recorded, 1),
              parent: parent)))
        return
      }
    default: return
    }
  }

  private mutating func enterObject(
    _ goal: Obligations.Goal, recorded: UInt32, parent: StackID, into reached: inout [StackID]
  ) {
    let comparison = Comparison(recorded: recorded)
    // See `enter`.
    let isLong = isLong(comparison)
    for case .object(let index) in obligations.nodes(goal, .object) {
      let state = startState(object: index)
      guard isLive(object: index, state) else { continue }
      var object = Frame(
        kind: .object, a: UInt32(index), b: state, c: Frame.Phase.opened.rawValue, parent: parent)
      if recorded != 0 || obligations.objects[index].listing != nil {
        let isFree = isLong && obligations.isInexhaustible(object: index)
        let objects = isFree ? .none : standing(comparison, object: index)
        guard canFinish(object: index, state, objects) else { continue }
        object.e = recordings.intern([objects.word]) + 1
      }
      reached.append(stacks.intern(object))
    }
  }

  private mutating func enterArray(
    _ goal: Obligations.Goal, recorded: UInt32, parent: StackID, into reached: inout [StackID]
  ) {
    let comparison = Comparison(recorded: recorded)
    for case .array(let index) in obligations.nodes(goal, .array) {
      let state = startState(array: index)
      var array = Frame(
        kind: .array, a: UInt32(index), b: state, c: Frame.Phase.opened.rawValue, parent: parent)
      let isListed = obligations.arrays[index].listing != nil
      if recorded != 0 || isListed || obligations.arrays[index].isUnique {
        let arrays = standing(comparison, array: index)
        guard canFinish(array: index, state, arrays) else { continue }
        if recorded != 0 || isListed { array.e = recordings.intern([arrays.word]) + 1 }
      }
      reached.append(stacks.intern(array))
    }
  }

  /// Completes a number without reading anything.
  mutating func complete(number frame: Frame, into reached: inout [StackID]) {
    var value = UInt32.max
    if frame.e == TextTable.unknown {
      value = values.id(of: .string(TextTable.unknown))
    } else if frame.e != 0, let number = ExactDecimal(texts.bytes(of: frame.e)) {
      value = values.id(of: .number(number))
    }
    complete(frame.parent, value, into: &reached)
  }

  /// Goes on after a value: with its parent, told of the value where that is recorded.
  mutating func complete(_ parent: StackID, _ value: UInt32, into reached: inout [StackID]) {
    if value == .max { return reached.append(parent) }
    var frame = stacks[parent]
    switch frame.kind {
    case .object where frame.c != Frame.Phase.afterValue.rawValue:
      // A key that was read as a string of few.
      guard case .string(let text) = values.scalar(value) else { return }
      close(key: text, of: frame, into: &reached)
    case .member:
      var object = stacks[frame.parent]
      object.e = recording(of: object, key: frame.a, value: value)
      guard canFinish(object: Int(object.a), object.b, comparison(object)) else { return }
      reached.append(stacks.intern(object))
    case .array:
      guard let state = state(array: Int(frame.a), frame.b, after: value) else { return }
      frame.b = state
      if frame.e != 0 {
        frame.e = recording(frame.e, item: value)
      }
      guard canFinish(array: Int(frame.a), frame.b, comparison(frame)) else { return }
      reached.append(stacks.intern(frame))
    default: reached.append(parent)
    }
  }

  /// A string that was opened; characters that a pattern counts are counted as for bounds of length.
  private mutating func stringFrame(_ node: StringNode, text: UInt32, parent: StackID) -> Frame {
    var node = node
    if let counted = obligations.languages.counted[node.language] {
      node.language = counted.language
      node.minimum = max(node.minimum, counted.minimum)
      if let most = counted.maximum { node.maximum = min(node.maximum ?? most, most) }
    }
    return Frame(
      kind: .string, a: node.language, c: UInt32(node.minimum),
      d: node.maximum.map { UInt32($0) } ?? .max, e: text, parent: parent)
  }
}
