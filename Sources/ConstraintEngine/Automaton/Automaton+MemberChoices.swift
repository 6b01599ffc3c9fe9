// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One way to take a member into an object: what its value must satisfy, and the object's state
/// afterwards.
package struct MemberChoice {
  var goal: Obligations.Goal
  var state: UInt32
}

/// The ways to take a member into an object.
///
/// A member's value may decide the object's formula: with
/// `{"not": {"properties": {"a": {"const": 1}}}}` an `a` that is 1 leaves it open, and any other one
/// makes it true. These are two ways, each with what it asks of the value and the object's state after
/// it (``MemberSplit``).
extension Automaton {
  /// Whether a declared member may come next.
  package mutating func canTake(member: Int, _ object: Int, _ state: UInt32) -> Bool {
    guard isInOrder(member, object, state) else { return false }
    if obligations.objects[object].isPlain {
      return obligations.isSatisfiable(obligations.objects[object].members[member].goal)
    }
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(member)
    if let known = memberChoices[key] { return !choiceLists[Int(known)].isEmpty }
    if let known = takenMembers[key] { return known == 1 }
    let result = computeCanTake(member, object, state)
    takenMembers.set(key, result ? 1 : 0)
    return result
  }

  /// Whether there is any way to take a member. All of them are looked for once it is read.
  private mutating func computeCanTake(_ member: Int, _ object: Int, _ state: UInt32) -> Bool {
    let declared = obligations.objects[object].members[member]
    guard obligations.isSatisfiable(declared.goal) else { return false }
    if declared.atoms == 0, !obligations.objects[object].counts, !propertiesInOrder { return true }
    let whole = formula(state)
    if !obligations.objects[object].counts, !propertiesInOrder, !obligations.hasKeyAtoms(whole) {
      // What other members decide stays as it is.
      let progress = progress(of: state)
      for part in obligations.parts(of: whole) where obligations.isAbout(part, declared.atoms) {
        return hasSplit(of: part, declared) { automaton, split in
          automaton.obligations.parts(of: split.formula).allSatisfy {
            automaton.obligations.canComplete(object: object, part: $0, progress)
          }
        }
      }
      return true
    }
    guard let words = counted(object, words(after: member, object, state)) else { return false }
    return hasSplit(of: whole, declared) { automaton, split in
      automaton.isLive(object: object, words, after: split)
    }
  }

  /// Whether some way in which a member decides a formula leads on. The first that is found mostly does.
  private mutating func hasSplit(
    of formula: ObjectFormulas.ID, _ member: ObjectNode.Member,
    where leadsOn: (inout Automaton, MemberSplit) -> Bool
  ) -> Bool {
    if let split = obligations.anySplit(of: formula, member.goal, member.atoms),
      leadsOn(&self, split)
    {
      return true
    }
    return obligations.splits(of: formula, member.goal, member.atoms).contains {
      leadsOn(&self, $0)
    }
  }

  /// Whether an object can be completed whose state a kind of values has decided further.
  private mutating func isLive(object: Int, _ words: [UInt32], after split: MemberSplit) -> Bool {
    var words = words
    words[Self.formula] = split.formula
    return isLive(object: object, objectStates.intern(words))
  }

  /// The ways to take a declared member.
  mutating func choices(object: Int, _ state: UInt32, member: Int) -> [MemberChoice] {
    guard isInOrder(member, object, state) else { return [] }
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(member)
    if let known = memberChoices[key] { return choiceLists[Int(known)] }
    let declared = obligations.objects[object].members[member]
    let result = choices(
      object, words(after: member, object, state), goal: declared.goal, declared.atoms)
    choiceLists.append(result)
    memberChoices.set(key, UInt32(choiceLists.count - 1))
    return result
  }

  /// The words of a state after a declared member, whose value and number are not yet in them.
  private mutating func words(after member: Int, _ object: Int, _ state: UInt32) -> [UInt32] {
    var words = Array(objectStates[state])
    let orderedCount = obligations.objects[object].orderedCount
    if propertiesInOrder { words[Self.position] = UInt32(min(member + 1, orderedCount)) }
    if !hasPlace(member, object) {
      words[Self.seen + member / 32] |= 1 << UInt32(member % 32)
    }
    return words
  }

  /// Some words with one member more; `nil` where that is too many.
  private mutating func counted(_ object: Int, _ words: [UInt32]) -> [UInt32]? {
    if obligations.objects[object].isPlain || !obligations.objects[object].counts { return words }
    var words = words
    words[Self.count] += 1
    if let maximum = obligations.objects[object].maximum {
      if Int(words[Self.count]) > maximum { return nil }
    } else {
      words[Self.count] = min(words[Self.count], UInt32(obligations.objects[object].minimum))
    }
    return words
  }

  /// The ways to take an undeclared member whose key has a class.
  mutating func extraChoices(
    object: Int, _ state: UInt32, class keyClass: UInt32
  ) -> [MemberChoice] {
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(keyClass)
    if let known = extraMemberChoices[key] { return choiceLists[Int(known)] }
    var result: [MemberChoice] = []
    if allowsExtrasNext(object, state) {
      let extra = obligations.extraGoal(object, keyClass)
      var words = Array(objectStates[state])
      if propertiesInOrder {
        words[Self.position] = UInt32(obligations.objects[object].orderedCount)
      }
      result = choices(object, words, goal: extra.goal, extra.atoms)
    }
    choiceLists.append(result)
    extraMemberChoices.set(key, UInt32(choiceLists.count - 1))
    return result
  }

  private mutating func choices(
    _ object: Int, _ words: [UInt32], goal: Obligations.Goal, _ atoms: UInt32
  ) -> [MemberChoice] {
    guard let words = counted(object, words) else { return [] }
    var result: [MemberChoice] = []
    for split in obligations.splits(of: words[Self.formula], goal, atoms) {
      var words = words
      words[Self.formula] = split.formula
      let state = objectStates.intern(words)
      if isLive(object: object, state) {
        result.append(MemberChoice(goal: split.goal, state: state))
      }
    }
    return result
  }
}
