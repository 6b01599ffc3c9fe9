/// One way to take a member into an object: what its value must satisfy, and the object's state
/// afterwards.
struct MemberChoice {
  var goal: Obligations.Goal
  var state: UInt32
}

/// The ways to take a member into an object.
///
/// A member's value may decide clauses of the object: with `{"not": {"properties": {"a": {"const": 1}}}}`
/// an `a` that is 1 leaves the clause open, and any other one makes it true. These are two ways, each
/// with what it asks of the value and the object's state after it.
extension Automaton {
  /// Whether a declared member may come next.
  mutating func canTake(member: Int, _ object: Int, _ state: UInt32) -> Bool {
    guard isInOrder(member, object, state) else { return false }
    if obligations.objects[object].isPlain {
      return obligations.isSatisfiable(obligations.objects[object].members[member].goal)
    }
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(member)
    if let known = memberChoices[key] { return !choiceLists[Int(known)].isEmpty }
    if let known = takenMembers[key] { return known == 1 }
    // One way is enough. All of them are looked for once the member is read.
    let declared = obligations.objects[object].members[member]
    var result = false
    if obligations.isSatisfiable(declared.goal),
      let words = counted(object, words(after: member, object, state))
    {
      result = canDecide(object, words, declared.goal, declared.fulfils[...])
    }
    takenMembers.set(key, result ? 1 : 0)
    return result
  }

  /// The ways to take a declared member.
  mutating func choices(object: Int, _ state: UInt32, member: Int) -> [MemberChoice] {
    guard isInOrder(member, object, state) else { return [] }
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(member)
    if let known = memberChoices[key] { return choiceLists[Int(known)] }
    let declared = obligations.objects[object].members[member]
    let result = choices(
      object, words(after: member, object, state), goal: declared.goal, fulfils: declared.fulfils)
    choiceLists.append(result)
    memberChoices.set(key, UInt32(choiceLists.count - 1))
    return result
  }

  /// The words of a state after a declared member, whose value and number are not yet in them.
  private func words(after member: Int, _ object: Int, _ state: UInt32) -> [UInt32] {
    var words = Array(objectStates[state])
    let orderedCount = obligations.objects[object].orderedCount
    if propertiesInOrder { words[Self.position] = UInt32(min(member + 1, orderedCount)) }
    if !hasPlace(member, object) || obligations.objects[object].members[member].isTracked {
      words[Self.seen + member / 32] |= 1 << UInt32(member % 32)
    }
    return words
  }

  /// Some words with one member more; `nil` where that is too many.
  private func counted(_ object: Int, _ words: [UInt32]) -> [UInt32]? {
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
    object: Int, _ state: UInt32, class accepted: UInt32
  ) -> [MemberChoice] {
    let key = UInt64(place(of: UInt32(object), state)) << 32 | UInt64(accepted)
    if let known = extraMemberChoices[key] { return choiceLists[Int(known)] }
    var result: [MemberChoice] = []
    if allowsExtrasNext(object, state) {
      let extra = obligations.extraGoal(object, accepted)
      var words = Array(objectStates[state])
      if propertiesInOrder {
        words[Self.position] = UInt32(obligations.objects[object].orderedCount)
      }
      result = choices(object, words, goal: extra.goal, fulfils: extra.fulfils)
    }
    choiceLists.append(result)
    extraMemberChoices.set(key, UInt32(choiceLists.count - 1))
    return result
  }

  private mutating func choices(
    _ object: Int, _ words: [UInt32], goal: Obligations.Goal,
    fulfils: [ObjectNode.Fulfilment]
  ) -> [MemberChoice] {
    guard obligations.isSatisfiable(goal), let words = counted(object, words) else { return [] }
    var result: [MemberChoice] = []
    decide(object, words, goal, fulfils[...], into: &result)
    return result
  }

  /// Splits a member by the clauses that its value can make true: for each one the value satisfies
  /// the literal, and the clause is true, or it does not. What cannot be is not followed, so that
  /// there are as many choices as kinds of values that differ.
  private mutating func decide(
    _ object: Int, _ words: [UInt32], _ goal: Obligations.Goal,
    _ fulfils: ArraySlice<ObjectNode.Fulfilment>, into result: inout [MemberChoice]
  ) {
    guard let next = fulfils.first else {
      let state = objectStates.intern(words)
      if isLive(object: object, state) { result.append(MemberChoice(goal: goal, state: state)) }
      return
    }
    let word = Self.pending + next.clause / 32
    let bit = UInt32(1) << UInt32(next.clause % 32)
    if words[word] & bit == 0 {
      return decide(object, words, goal, fulfils.dropFirst(), into: &result)
    }
    if result.count > options.limits.alternatives {
      if obligations.failure == nil {
        obligations.failure = ObligationFailure(
          keyword: "not",
          pointer: obligations.objects[object].sources.first.map {
            obligations.graph.nodes[$0].pointer
          } ?? "#",
          message: "one member decides more than \(options.limits.alternatives) combinations of "
            + "negations; simplify the overlapping branches or raise the limit `alternatives`")
      }
      return
    }
    var fulfilled = words
    fulfilled[word] &= ~bit
    let yes = obligations.goal(goal, and: next.literal)
    let no = obligations.goal(goal, and: next.literal ^ 1)
    let canFail = obligations.isSatisfiable(no)
    if obligations.isSatisfiable(yes) {
      decide(object, fulfilled, canFail ? yes : goal, fulfils.dropFirst(), into: &result)
      if canFail { decide(object, words, no, fulfils.dropFirst(), into: &result) }
    } else {
      decide(object, words, goal, fulfils.dropFirst(), into: &result)
    }
  }

  /// Whether there is any of those choices.
  private mutating func canDecide(
    _ object: Int, _ words: [UInt32], _ goal: Obligations.Goal,
    _ fulfils: ArraySlice<ObjectNode.Fulfilment>
  ) -> Bool {
    guard let next = fulfils.first else {
      let state = objectStates.intern(words)
      return isLive(object: object, state)
    }
    let word = Self.pending + next.clause / 32
    let bit = UInt32(1) << UInt32(next.clause % 32)
    let others = fulfils.dropFirst()
    if words[word] & bit == 0 { return canDecide(object, words, goal, others) }
    let yes = obligations.goal(goal, and: next.literal)
    guard obligations.isSatisfiable(yes) else { return canDecide(object, words, goal, others) }
    var fulfilled = words
    fulfilled[word] &= ~bit
    if canDecide(object, fulfilled, yes, others) { return true }
    let no = obligations.goal(goal, and: next.literal ^ 1)
    return obligations.isSatisfiable(no) && canDecide(object, words, no, others)
  }
}
