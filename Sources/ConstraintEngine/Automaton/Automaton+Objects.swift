// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Where reading stands in an object.
struct ObjectPosition: Hashable {
  var object: Int
  var state: UInt32
  /// The undeclared keys so far.
  var keys = PersistentSets.empty
  var phase: Frame.Phase
}

/// The shortest completion of an object, and the keys that it adds.
struct ObjectCompletion {
  var text: [UInt8]
  var keys: [[UInt8]]
}

/// Reading objects.
///
/// An object's state is a sequence of words: in declared order the index of the first member that
/// may still come; the number of members as far as it matters; what the members so far leave of the
/// object's formula; and, where members may come in any order, a bit for each one that has come. The
/// undeclared keys so far stand beside it in the frame: few questions depend on them
/// (`Automaton+EarlierKeys`).
extension Automaton {
  static let position = 0
  static let count = 1
  static let formula = 2
  static let seen = 3

  mutating func startState(object: Int) -> UInt32 {
    while objectStarts.count < obligations.objects.count { objectStarts.append(.max) }
    if objectStarts[object] == .max { objectStarts[object] = computeStartState(object) }
    return objectStarts[object]
  }

  private mutating func computeStartState(_ object: Int) -> UInt32 {
    let node = obligations.objects[object]
    var words: [UInt32] = [0, 0, node.formula]
    if !propertiesInOrder || node.orderedCount < node.members.count {
      words += [UInt32](repeating: 0, count: (node.members.count + 31) / 32)
    }
    return objectStates.intern(words)
  }

  /// What the members so far leave of an object's formula.
  mutating func formula(_ state: UInt32) -> ObjectFormulas.ID {
    objectStates.word(Self.formula, of: state)
  }

  /// Whether a member without a place in an order has come.
  private mutating func isTaken(_ index: Int, _ state: UInt32) -> Bool {
    objectStates.word(Self.seen + index / 32, of: state) >> UInt32(index % 32) & 1 == 1
  }

  /// Whether a member of a range has not come, where members may come in any order. In texts of
  /// thousands of members most of a range has.
  mutating func hasUntaken(in members: ClosedRange<Int>, _ state: UInt32) -> Bool {
    let (first, last) = (members.lowerBound / 32, members.upperBound / 32)
    for place in (first...last).reversed() {
      var untaken = ~objectStates.word(Self.seen + place, of: state)
      if place == first { untaken &= .max << UInt32(members.lowerBound % 32) }
      if place == last { untaken &= .max >> UInt32(31 - members.upperBound % 32) }
      if untaken != 0 { return true }
    }
    return false
  }

  private mutating func hasMember(_ index: Int, _ object: Int, _ state: UInt32) -> Bool {
    hasPlace(index, object)
      ? index < Int(objectStates.word(Self.position, of: state))
      : isTaken(index, state)
  }

  /// Whether a member has a place in an order that is kept.
  mutating func hasPlace(_ index: Int, _ object: Int) -> Bool {
    propertiesInOrder && index < obligations.objects[object].orderedCount
  }

  /// Whether a declared member may come next, as far as the order goes.
  mutating func isInOrder(_ index: Int, _ object: Int, _ state: UInt32) -> Bool {
    if !hasPlace(index, object) {
      return allowsExtrasNext(object, state) && !hasMember(index, object, state)
    }
    let position = Int(objectStates.word(Self.position, of: state))
    return index >= position && index <= nextRequired(object, position)
  }

  /// A number for an object in a state.
  @inline(__always)
  mutating func place(of object: UInt32, _ state: UInt32) -> UInt32 {
    let key = UInt64(object) << 32 | UInt64(state)
    if let known = objectPlaces[key] { return known }
    let place = UInt32(objectPlaces.count)
    objectPlaces.set(key, place)
    return place
  }

  /// The first required member from a position on; the number of members where there is none.
  mutating func nextRequired(_ object: Int, _ position: Int) -> Int {
    while nextRequired.count <= object { nextRequired.append([]) }
    if nextRequired[object].isEmpty {
      let members = obligations.objects[object].members.prefix(
        obligations.objects[object].orderedCount)
      var next = [Int32](repeating: Int32(members.count), count: members.count + 1)
      for index in members.indices.reversed() {
        next[index] = members[index].isRequired ? Int32(index) : next[index + 1]
      }
      nextRequired[object] = next
    }
    return Int(nextRequired[object][position])
  }

  /// Whether undeclared members may come next, as far as the order goes.
  mutating func allowsExtrasNext(_ object: Int, _ state: UInt32) -> Bool {
    if !propertiesInOrder { return true }
    let position = Int(objectStates.word(Self.position, of: state))
    return nextRequired(object, position) == obligations.objects[object].orderedCount
  }

  /// Whether no undeclared member without patterns may come next.
  package mutating func isClosed(_ object: Frame) -> Bool {
    !allowsExtrasNext(Int(object.a), object.b)
      || extraChoices(object: Int(object.a), object.b, class: 0).isEmpty
  }

  /// Whether an object can still be completed: whether the members that must come can come.
  mutating func isLive(object: Int, _ state: UInt32) -> Bool {
    let key = UInt64(object) << 32 | UInt64(state)
    if let known = liveObjects[key] { return known == 1 }
    let result = computeIsLive(object, state)
    liveObjects.set(key, result ? 1 : 0)
    return result
  }

  private mutating func computeIsLive(_ object: Int, _ state: UInt32) -> Bool {
    guard obligations.objects[object].counts || formula(state) != ObjectFormulas.always else {
      return true
    }
    return obligations.canComplete(object: object, progress(of: state))
  }

  /// How far an object has come.
  mutating func progress(of state: UInt32) -> ObjectProgress {
    ObjectProgress(
      formula: formula(state), count: Int(objectStates.word(Self.count, of: state)),
      position: Int(objectStates.word(Self.position, of: state)),
      seen: objectStates[state].dropFirst(Self.seen))
  }

  /// Whether an object may be closed.
  package mutating func mayClose(_ object: Int, _ state: UInt32) -> Bool {
    if !obligations.alternatives.formulas.isTrueAtEnd(formula(state)) { return false }
    let minimum = obligations.objects[object].minimum
    if minimum > 0, Int(objectStates.word(Self.count, of: state)) < minimum { return false }
    if propertiesInOrder {
      let position = Int(objectStates.word(Self.position, of: state))
      return nextRequired(object, position) == obligations.objects[object].orderedCount
    }
    // Those that must come are held against those that came, a word at a time.
    let required = obligations.objects[object].required
    for place in required.indices {
      let seen = objectStates.word(Self.seen + place, of: state)
      if required[place] & ~seen != 0 { return false }
    }
    return true
  }

  mutating func step(
    object frame: Frame, _ stack: StackID, _ byte: UInt8, into reached: inout [StackID]
  ) {
    if isWhitespace(byte) { return spend(byte, stack, frame, into: &reached) }
    let phase = Frame.Phase(rawValue: frame.c) ?? .opened
    switch byte {
    case UInt8(ascii: "\""):
      guard phase != .afterValue, !awaitsSpace(frame) else { return }
      if comparison(frame).isOneOf { return open(keyOf: frame, into: &reached) }
      let tuple = obligations.startTuple(Int(frame.a))
      guard canComplete(key: tuple, TextTable.empty, frame) else { return }
      var object = frame
      object.d = 0
      let parent = stacks.intern(object)
      reached.append(
        stacks.intern(Frame(kind: .key, a: tuple, e: TextTable.empty, parent: parent)))
    case UInt8(ascii: ","):
      guard phase == .afterValue, canTakeMember(frame) else { return }
      var next = frame
      next.c = Frame.Phase.afterComma.rawValue
      next.d = 0
      reached.append(stacks.intern(next))
    case UInt8(ascii: "}"):
      guard phase != .afterComma, mayClose(Int(frame.a), frame.b),
        mayEnd(comparison(frame), isArray: false)
      else { return }
      var value = UInt32.max
      if frame.e != 0 {
        let list = Array(recordings[frame.e - 1])
        let members = stride(from: 1, to: list.count, by: 2).map {
          (key: list[$0], value: list[$0 + 1])
        }
        value = values.id(ofObject: members)
      }
      complete(frame.parent, value, into: &reached)
    default: return
    }
  }

  /// Starts a key of an object that must become one of some: it is read as a string, of few.
  private mutating func open(keyOf frame: Frame, into reached: inout [StackID]) {
    guard let language = keyLanguage(frame) else { return }
    var object = frame
    object.d = 0
    reached.append(
      stacks.intern(
        Frame(
          kind: .string, a: language, d: .max, e: TextTable.empty, parent: stacks.intern(object))))
  }

  /// Whether one more member may come.
  mutating func canTakeMember(_ frame: Frame) -> Bool {
    if comparison(frame).isOneOf { return keyLanguage(frame) != nil }
    return canComplete(key: obligations.startTuple(Int(frame.a)), TextTable.empty, frame)
  }
}
