// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading keys: which of them may still come while one is read, and what its closing quote leads to.
extension Automaton {
  /// No key that may come goes on so.
  static let deadKey = UInt32.max

  /// The tuple after a byte, or ``deadKey`` where no key that may come goes on with it.
  @inline(__always)
  mutating func liveNext(key tuple: UInt32, _ byte: UInt8, object: StackID) -> UInt32 {
    if keyRowsObject != object {
      keyRowsObject = object
      keyRows.removeAll()
    }
    let place = keyRows.place(tuple, byte)
    if keyRows[place] != ByteRows.unknown { return keyRows[place] }
    let after = obligations.nextTuple(tuple, byte)
    let target = canComplete(key: after, stacks[object]) ? after : Self.deadKey
    // Asking may have read other keys.
    if keyRowsObject == object { keyRows[keyRows.place(tuple, byte)] = target }
    return target
  }

  /// Whether a key that starts with what was read can become one that may come next.
  mutating func canComplete(key tuple: UInt32, _ frame: Frame) -> Bool {
    if isNarrow(frame) { return computeCanComplete(frame, tuple) }
    let key = UInt64(place(of: frame.a, frame.b)) << 32 | UInt64(tuple)
    if let known = liveKeys[key] { return known == 1 }
    let result = computeCanComplete(frame, tuple)
    liveKeys.set(key, result ? 1 : 0)
    return result
  }

  private mutating func computeCanComplete(_ frame: Frame, _ tuple: UInt32) -> Bool {
    let object = Int(frame.a)
    let state = frame.b
    if let name = obligations.nameNode(of: tuple), isLive(name: name, frame) { return true }
    if obligations.content(of: tuple) == RegularLanguages.dead { return false }
    guard allowsExtrasNext(object, state) else { return false }
    return allowsSomeUndeclared(object, state, tuple)
  }

  /// Whether a key that starts with what was read can become an undeclared one that may come.
  mutating func allowsSomeUndeclared(_ object: Int, _ state: UInt32, _ tuple: UInt32) -> Bool {
    var classes = KeyClassSearch(tuple, of: object, &obligations)
    while let keyClass = classes.next(&obligations) {
      if !extraChoices(object: object, state, class: keyClass).isEmpty { return true }
    }
    return false
  }

  /// An object in which the same undeclared keys go on from what was read as in another one: the first
  /// that takes the same of the classes that they can still have; `nil` where these cannot be listed,
  /// or where more decides.
  mutating func keyRepresentative(of object: StackID, after tuple: UInt32) -> StackID? {
    let frame = stacks[object]
    if isNarrow(frame) { return nil }
    let key = UInt64(place(of: frame.a, frame.b)) << 32 | UInt64(tuple)
    if let known = keyRepresentatives[key] { return known == .max ? nil : known }
    guard let classes = obligations.classes(ofKeys: tuple) else {
      keyRepresentatives.set(key, .max)
      return nil
    }
    var coming = [tuple]
    if allowsExtrasNext(Int(frame.a), frame.b) {
      for keyClass in classes
      where !extraChoices(object: Int(frame.a), frame.b, class: keyClass).isEmpty {
        coming.append(keyClass)
      }
    }
    let taken = Int(takenClasses.intern(coming))
    if taken == takenClassStacks.count { takenClassStacks.append(object) }
    keyRepresentatives.set(key, takenClassStacks[taken])
    return takenClassStacks[taken]
  }

  /// What is left of the patterns that decide which undeclared keys go on from what was read: those
  /// that match one of them may come, and no others; empty where no undeclared key goes on, and nil
  /// where there are no such patterns.
  mutating func decidingPatterns(
    key tuple: UInt32, _ frame: Frame
  ) -> [RegularLanguages.State]? {
    if isNarrow(frame) { return nil }
    if !allowsExtrasNext(Int(frame.a), frame.b) { return [] }
    guard let classes = obligations.classes(ofKeys: tuple) else {
      guard obligations.takesUnmatchedKeys(Int(frame.a), tuple) == false else { return nil }
      return stride(from: 2, to: obligations.keyTuples.length(of: tuple), by: 2).map {
        obligations.keyTuples.word($0 + 1, of: tuple)
      }
    }
    var coming: [UInt32] = []
    var inSomeOther = Set<UInt32>()
    for keyClass in classes {
      if extraChoices(object: Int(frame.a), frame.b, class: keyClass).isEmpty {
        inSomeOther.formUnion(obligations.keyClasses[keyClass])
      } else {
        coming.append(keyClass)
      }
    }
    var deciding = Set<UInt32>()
    for keyClass in coming {
      let own = obligations.keyClasses[keyClass].filter { !inSomeOther.contains($0) }
      if own.isEmpty { return nil }
      deciding.formUnion(own)
    }
    var result: [RegularLanguages.State] = []
    for place in stride(from: 2, to: obligations.keyTuples.length(of: tuple), by: 2)
    where deciding.contains(obligations.keyTuples.word(place, of: tuple)) {
      result.append(obligations.keyTuples.word(place + 1, of: tuple))
    }
    return result
  }

  /// Whether a declared name at or below a node of the trie of names may come next.
  mutating func isLive(name node: Int, _ frame: Frame) -> Bool {
    let object = Int(frame.a)
    var search = NameSearch(object: object, state: frame.b)
    if isNarrow(frame) { search.comparison = comparison(frame) }
    if propertiesInOrder {
      let position = Int(objectStates.word(Self.position, of: frame.b))
      let next = position...max(position, nextRequired(object, position))
      let ordered = obligations.objects[object].orderedCount
      // All names are below the root: the next members are looked at, and not the trie.
      if node == obligations.objects[object].trie {
        for member in next where member < ordered && canTake(member: member, search) {
          return true
        }
        for member in ordered..<obligations.objects[object].members.count
        where canTake(member: member, search) {
          return true
        }
        return false
      }
      search.next = next
      search.ordered = ordered
    }
    return isLive(name: node, search)
  }

  /// What names are looked for in an object.
  private struct NameSearch {
    var object: Int
    var state: UInt32
    /// What members are compared with, if anything.
    var comparison: Comparison?
    /// Which members may come next of those that have an order, and how many have one.
    var next: ClosedRange<Int>?
    var ordered = 0
  }

  private mutating func canTake(member: Int, _ search: NameSearch) -> Bool {
    if let comparison = search.comparison {
      return canTake(member: member, search.object, search.state, comparison)
    }
    return canTake(member: member, search.object, search.state)
  }

  /// Names may be as long as a schema: no call is made for each of their bytes.
  private mutating func isLive(name node: Int, _ search: NameSearch) -> Bool {
    let base = pendingNames.count
    defer { while pendingNames.count > base { pendingNames.removeLast() } }
    pendingNames.append(node)
    while pendingNames.count > base {
      let node = pendingNames.removeLast()
      guard let indices = obligations.languages.trie.indices(through: node) else { continue }
      if let next = search.next {
        if !indices.overlaps(next), indices.upperBound < search.ordered { continue }
      } else if !hasUntaken(in: indices, search.state) {
        continue
      }
      if indices.lowerBound == indices.upperBound {
        // The one name that is left ends here or below.
        if canTake(member: indices.lowerBound, search) { return true }
        continue
      }
      if let member = obligations.languages.trie.index(at: node), canTake(member: member, search) {
        return true
      }
      // Texts mostly follow the declared order: of the later names more are left.
      let first = pendingNames.count
      var child = obligations.languages.trie.firstChild(of: node)
      while child >= 0 {
        pendingNames.append(child)
        child = obligations.languages.trie.nextSibling(of: child)
      }
      reversePendingNames(from: first)
    }
    return false
  }

  /// In place: `reverse()` of a slice copies it.
  private mutating func reversePendingNames(from first: Int) {
    var (low, high) = (first, pendingNames.count - 1)
    while low < high {
      pendingNames.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Ends a key at its closing quote.
  mutating func close(key frame: Frame, object: Frame, into reached: inout [StackID]) {
    guard let member = obligations.member(Int(object.a), frame.a) else {
      return close(
        undeclared: frame.e, class: obligations.keyClass(frame.a), object: object, into: &reached)
    }
    close(declared: member, key: frame.e, object: object, into: &reached)
  }

  /// Ends a key that is a declared name.
  mutating func close(
    declared member: Int, key text: UInt32, object: Frame, into reached: inout [StackID]
  ) {
    let found = choices(object: Int(object.a), object.b, member: member)
    var text = text
    if text == TextTable.unknown, object.e != 0 {
      text = self.text(ofMember: member, Int(object.a))
    }
    for choice in found { expectColon(choice, key: text, object: object, into: &reached) }
  }

  /// Ends an undeclared key with its text and its class.
  mutating func close(
    undeclared text: UInt32, class keyClass: UInt32, object: Frame, into reached: inout [StackID]
  ) {
    if wordSets.contains(text, in: object.f) { return }
    let found = extraChoices(object: Int(object.a), object.b, class: keyClass)
    if found.isEmpty { return }
    var grown = object
    grown.f = wordSets.inserting(text, into: object.f)
    for choice in found { expectColon(choice, key: text, object: grown, into: &reached) }
  }

  private mutating func expectColon(
    _ choice: MemberChoice, key text: UInt32, object: Frame, into reached: inout [StackID]
  ) {
    var recorded: UInt32 = 0
    if object.e != 0 {
      let values = self.comparison(
        ofMember: text, after: choice.state, object: Int(object.a), comparison(object))
      guard values == .none || canMeet(choice.goal, values) else { return }
      recorded = values.recorded
    }
    var after = object
    after.b = choice.state
    after.c = Frame.Phase.afterValue.rawValue
    after.d = 0
    var parent = stacks.intern(after)
    if object.e != 0 {
      parent = stacks.intern(Frame(kind: .member, a: text, parent: parent))
    }
    reached.append(
      stacks.intern(
        Frame(kind: .colon, a: choice.goal, c: recorded, parent: parent)))
  }
}
