/// How far an object has come, for the question whether it can be completed.
struct ObjectProgress {
  /// By member: whether it can still come, as far as the order goes.
  var isOpen: [Bool]
  /// By member: whether it has come, where its absence matters.
  var isTaken: [Bool]
  /// The number of members that count.
  var count = 0
  /// The clauses that are not yet true, as bits.
  var pending: UInt64
}

/// Whether an object can still be completed: a search for members that make every clause true.
///
/// Clauses are gone through one after the other; each is made true in one of its ways, by the absence
/// of a name, by a member that is there anyway and whose value satisfies a literal more, or by a
/// member that comes for it. What was chosen binds the clauses after it. Required members are there
/// from the beginning. In the end the number of members must fit its bounds.
///
/// Worked example: with `absent(a) or present(b)`, `present(a) or present(c)` and at most one member,
/// the absence of `a` asks for `c`: that is one member, and the object can be completed.
extension Obligations {
  /// The members that a search has chosen so far.
  struct CompletionPlan {
    /// The goals of the members that are to come.
    var goals: [Int: Goal] = [:]
    /// The members that must not come.
    var absent: Set<Int> = []
    /// The undeclared members that are to come.
    var extras: [(accepted: UInt32, goal: Goal)] = []
  }

  private static let searchLimit = 20_000

  mutating func canComplete(object: Int, _ progress: ObjectProgress) -> Bool {
    completionPlan(object: object, progress) != nil
  }

  /// Members that complete an object, but for those that only its number of members asks for; `nil`
  /// where it cannot be completed.
  mutating func completionPlan(object: Int, _ progress: ObjectProgress) -> CompletionPlan? {
    var choice = CompletionPlan()
    for (index, member) in objects[object].members.enumerated()
    where member.isRequired && progress.isOpen[index] {
      choice.goals[index] = member.goal
    }
    var steps = 0
    return search(object, progress, progress.pending, choice, &steps)
  }

  private mutating func search(
    _ object: Int, _ progress: ObjectProgress, _ pending: UInt64, _ choice: CompletionPlan,
    _ steps: inout Int
  ) -> CompletionPlan? {
    if let maximum = objects[object].maximum,
      progress.count + choice.goals.count + choice.extras.count > maximum
    {
      return nil
    }
    guard pending != 0 else { return hasEnough(object, progress, choice) ? choice : nil }
    steps += 1
    guard steps <= Self.searchLimit else {
      noteFailure(
        "not", at: objects[object].sources.first,
        "whether an object can be completed takes more than \(Self.searchLimit) steps to "
          + "find out; simplify the overlapping branches")
      return nil
    }
    let index = pending.trailingZeroBitCount
    let rest = pending & (pending - 1)
    let clause = objects[object].clauses[index]
    for case .absent(let name) in clause.ways {
      guard let member = objects[object].places[name], !progress.isTaken[member],
        choice.goals[member] == nil
      else { continue }
      var next = choice
      next.absent.insert(member)
      if let found = search(object, progress, rest, next, &steps) { return found }
    }
    // Members that come anyway before those that would come for this clause alone.
    for isChosen in [true, false] {
      for (place, member) in objects[object].members.enumerated()
      where progress.isOpen[place] && !choice.absent.contains(place) {
        guard (choice.goals[place] != nil) == isChosen else { continue }
        for fulfilment in member.fulfils where fulfilment.clause == index {
          let before = choice.goals[place] ?? member.goal
          guard let goal = narrowed(before, by: fulfilment.literal) else { continue }
          var next = choice
          next.goals[place] = goal
          if let found = search(object, progress, rest, next, &steps) { return found }
        }
      }
    }
    return searchExtras(object, progress, index, rest, choice, &steps)
  }

  /// The goal with a literal more, or as it is where it implies that; `nil` where it excludes it.
  private mutating func narrowed(_ goal: Goal, by literal: Literal) -> Goal? {
    let both = self.goal(goal, and: literal)
    guard isSatisfiable(both) else { return nil }
    return isSatisfiable(self.goal(goal, and: literal ^ 1)) ? both : goal
  }

  private mutating func searchExtras(
    _ object: Int, _ progress: ObjectProgress, _ clause: Int, _ rest: UInt64,
    _ choice: CompletionPlan,
    _ steps: inout Int
  ) -> CompletionPlan? {
    let isAboutKeys = objects[object].clauses[clause].ways.contains {
      if case .keys = $0 { true } else { false }
    }
    guard isAboutKeys else { return nil }
    for (place, extra) in choice.extras.enumerated() {
      for fulfilment in extraGoal(object, extra.accepted).fulfils where fulfilment.clause == clause
      {
        guard let goal = narrowed(extra.goal, by: fulfilment.literal) else { continue }
        var next = choice
        next.extras[place].goal = goal
        if let found = search(object, progress, rest, next, &steps) { return found }
      }
    }
    for accepted in keyClasses(object, tuple: startTuple(object)) {
      let extra = extraGoal(object, accepted)
      for fulfilment in extra.fulfils where fulfilment.clause == clause {
        guard let goal = narrowed(extra.goal, by: fulfilment.literal) else { continue }
        var next = choice
        next.extras.append((accepted, goal))
        if let found = search(object, progress, rest, next, &steps) { return found }
      }
    }
    return nil
  }

  /// Whether there can be as many members as must be.
  private mutating func hasEnough(
    _ object: Int, _ progress: ObjectProgress, _ choice: CompletionPlan
  ) -> Bool {
    let minimum = objects[object].minimum
    var available = progress.count + choice.goals.count + choice.extras.count
    if available >= minimum { return true }
    for (place, member) in objects[object].members.enumerated()
    where progress.isOpen[place] && choice.goals[place] == nil && !choice.absent.contains(place) {
      if isSatisfiable(member.goal) { available += 1 }
    }
    return available >= minimum || canHaveExtras(object, tuple: startTuple(object))
  }
}

extension RegularLanguages {
  /// A language of more strings is not listed.
  private static let longestList = 128

  /// The strings of a language that has few; `nil` for a larger one.
  mutating func strings(of language: State) -> [[UInt8]]? {
    if let known = finiteLanguages[language] { return known }
    var result: [[UInt8]] = []
    var text: [UInt8] = []
    let found = collect(language, &text, &result) ? result : nil
    finiteLanguages[language] = .some(found)
    return found
  }

  private mutating func collect(
    _ language: State, _ text: inout [UInt8], _ result: inout [[UInt8]]
  ) -> Bool {
    guard text.count <= 256 else { return false }
    if accepts(language) {
      result.append(text)
      if result.count > Self.longestList { return false }
    }
    purge(language)
    let row = rows[Int(language)]
    guard row >= 0 else { return true }
    for byte in 0..<256 {
      let next = transitions[row + byte]
      if next == Self.dead { continue }
      text.append(UInt8(byte))
      guard collect(next, &text, &result) else { return false }
      text.removeLast()
    }
    return true
  }
}
