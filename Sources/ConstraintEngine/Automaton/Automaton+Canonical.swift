// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Stacks that cannot be told apart by what a token can read.
///
/// The undeclared keys that an object has had, and the text of the key being read, decide only
/// whether a later key repeats one of them. Without them many stacks are the same, and one mask
/// serves them all: in an object that takes any key, every undeclared one would otherwise have masks of
/// its own. Bounds on a string's length that no token reaches are set to the nearest that none does, and
/// so is the number of digits that a number has room for.
/// How many items an array has, and which of those that it must contain, matters only where one token
/// can bring the last that is asked for or allowed.
extension Automaton {
  /// The stack that a mask is computed for in place of another; where they differ, tokens that can
  /// repeat a key have to be looked at again.
  package mutating func canonical(_ stack: StackID, reach: TokenReach) -> StackID {
    // Of several vocabularies the one that reaches furthest decides for all.
    if reach.union(canonicalReach) != canonicalReach {
      canonicalReach = reach.union(canonicalReach)
      canonicalStacks = []
    }
    if let known = knownCanonical(stack) { return known }
    let parent = stacks[stack].parent
    if parent == .max || knownCanonical(parent) != nil {
      findCanonical(stack, reach: canonicalReach)
      return knownCanonical(stack) ?? stack
    }
    // From the lowest frame that is not known yet to the top: a stack may be very deep.
    var path: [StackID] = []
    var at = stack
    while at != .max, knownCanonical(at) == nil {
      path.append(at)
      at = stacks[at].parent
    }
    for stack in path.reversed() { findCanonical(stack, reach: canonicalReach) }
    return knownCanonical(stack) ?? stack
  }

  private mutating func knownCanonical(_ stack: StackID) -> StackID? {
    guard Int(stack) < canonicalStacks.count, canonicalStacks[Int(stack)] != .max else {
      return nil
    }
    return canonicalStacks[Int(stack)]
  }

  private mutating func findCanonical(_ stack: StackID, reach: TokenReach) {
    let original = stacks[stack]
    var frame = original
    if frame.parent != .max { frame.parent = knownCanonical(frame.parent) ?? frame.parent }
    switch frame.kind {
    case .object:
      if frame.f != 0, !keyEnds(frame).contains(.canRunOut) { frame.f = PersistentSets.empty }
    case .key:
      if !mustRepeat(frame) { frame.e = TextTable.unknown }
    case .string:
      if frame.a == RegularLanguages.dead { break }
      if obligations.languages.isFreeState(frame.a) {
        // A recorded string with any content differs from all that its language excluded, and there
        // is always another one after it; but not where nothing more fits into it.
        if frame.e != 0, frame.d > 0, !mustRepeat(frame) { frame.e = TextTable.unknown }
        let bound = UInt32(reach.scalars)
        if frame.c > bound { frame.c = bound + 1 }
        if frame.d != .max, frame.d > bound { frame.d = max(bound, frame.c) + 1 }
      } else if frame.c == 0, frame.d != .max {
        let slack = obligations.languages.slack(frame.a)
        if Int(frame.d) - reach.scalars > slack { frame.d = .max }
      } else if frame.e != 0, frame.d == .max, obligations.languages.isInexhaustible(frame.a),
        !mustRepeat(frame)
      {
        frame.e = TextTable.unknown
      }
    case .number: frame.a = obligations.numbers.canonical(frame.a, reach: reach.scalars)
    case .array: frame.b = canonical(array: frame, reach: reach)
    default: break
    }
    let result = frame == original ? stack : stacks.intern(frame)
    while canonicalStacks.count <= Int(stack) { canonicalStacks.append(.max) }
    canonicalStacks[Int(stack)] = result
  }

  /// The state of an array with as few items as can be, of all that one token takes alike: those far
  /// from all bounds on their number, that may close or that may not.
  private mutating func canonical(array frame: Frame, reach: TokenReach) -> UInt32 {
    let array = Int(frame.a)
    let start = obligations.arrays[array].uniformFrom
    let count = Int(arrayStates.word(0, of: frame.b))
    // The item that is being read is counted already; a comma begins another, and so does the start.
    guard count >= start, frame.e == 0, !obligations.arrays[array].isUnique,
      !obligations.arrays[array].needsDuplicate,
      (obligations.arrays[array].maximum ?? .max) - count > reach.commas
    else { return frame.b }
    let containments = obligations.arrays[array].containments
    // What is asked for and bounded depends on each other.
    if !containments.isEmpty, obligations.arrays[array].isBounded { return frame.b }
    let minimum = obligations.arrays[array].minimum
    let missing = containments.isEmpty ? 0 : missingContained(array: array, frame.b)
    if max(minimum - count, missing) > reach.commas {
      let none = [UInt32](repeating: 0, count: containments.count)
      let isCompletable = obligations.canComplete(array: array, count: start, found: none)
      return isCompletable ? arrayStates.intern([UInt32(start), 0] + none) : frame.b
    }
    guard containments.isEmpty, count > minimum else { return frame.b }
    return arrayStates.intern([UInt32(max(start, minimum)), 0])
  }

  /// Whether the text being read is part of a value that may have to equal another one: then a text
  /// that is like no other would not do.
  private mutating func mustRepeat(_ top: Frame) -> Bool {
    var at = top.parent
    while at != .max {
      let frame = stacks[at]
      switch frame.kind {
      case .member: break
      case .object, .array:
        if frame.kind == .array, lacksDuplicate(array: Int(frame.a), frame.b) { return true }
        if frame.e == 0 { return false }
        if comparison(frame).isOneOf { return true }
      default: return false
      }
      at = frame.parent
    }
    return false
  }

  /// Whether what is read is a part of a container that must become one of some.
  mutating func isPartOfOneOf(_ top: Frame) -> Bool {
    var container = stacks[top.parent]
    if container.kind == .member { container = stacks[container.parent] }
    return (container.kind == .object || container.kind == .array)
      && comparison(container).isOneOf
  }

  /// The texts that the key or string being read may not become: the undeclared keys that its
  /// object has had, or the strings that its array has, where they must differ.
  mutating func earlierTexts(_ top: Frame) -> [UInt32] {
    let parent = stacks[top.parent]
    switch parent.kind {
    case .object:
      let excluded = wordSets.words(of: comparison(parent).values).flatMap { values.keys(of: $0) }
      return wordSets.words(of: parent.f) + excluded
    case .member:
      let object = stacks[parent.parent]
      return texts(comparison(object), key: parent.a)
    case .array:
      let isUnique = obligations.arrays[Int(parent.a)].isUnique
      let seen = isUnique ? seen(arrayState: parent.b) : []
      let own = seen.compactMap { id -> UInt32? in
        guard case .string(let text) = values.scalar(id), text != TextTable.unknown else {
          return nil
        }
        return text
      }
      return own + texts(comparison(parent), key: nil)
    default: return []
    }
  }
}
