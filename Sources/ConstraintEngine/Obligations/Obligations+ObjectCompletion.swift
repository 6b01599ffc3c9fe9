// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How far an object has come, for the question whether it can be completed.
struct ObjectProgress {
  /// What the members that are still to come must make true.
  var formula: ObjectFormulas.ID
  /// The number of members, where it counts.
  var count = 0
  /// Where members have an order: the first that may still come.
  var position = 0
  /// A bit for each member that has come, where the order is free.
  var seen: ArraySlice<UInt32> = []
}

/// Whether an object can still be completed: a search for members that make its formula true.
///
/// Members that must come are decided first, by the kinds of values that they can have
/// (``MemberSplit``). Then, as long as the formula would not be true if nothing more came, a member
/// that it asks for comes, in each kind, or does not. Parts of the formula that have no member in
/// common are searched apart, and what was found of a part is kept. In the end the number of members
/// must fit its bounds.
///
/// Worked example: with `a not there or b there`, `a there or c there` and at most one member, the
/// second part asks for `a`, which then asks for `b`: too many. Without `a` it asks for `c`: that is
/// one member, and the object can be completed.
extension Obligations {
  /// The members that a search has chosen so far.
  struct CompletionPlan {
    /// The goals of the members that are to come.
    var goals: [Int: Goal] = [:]
    /// The members that must not come.
    var absent: Set<Int> = []
    /// The undeclared members that are to come.
    var extras: [(keyClass: UInt32, goal: Goal)] = []
    /// The members of which it is chosen what they decide.
    var decided: Set<Int> = []
    /// Atoms that no further member may make true.
    var forbidden: [ObjectFormulas.Atom] = []
  }

  /// A search under way.
  private struct Search {
    let object: Int
    let progress: ObjectProgress
    /// What was found to have no answer.
    var failed: Set<Question> = []
    /// By formula, the members that can make atoms about keys true.
    var keyMembers: [ObjectFormulas.ID: [Int]] = [:]
    var steps = 0
    var depth = 0
  }

  /// What decides whether a search can go on, however it came there: as long as nothing counts and no
  /// key is chosen, members that are decided have left the formula but for its atoms about keys.
  private struct Question: Hashable {
    let formula: ObjectFormulas.ID
    /// The members that can make such atoms true and are not decided.
    let open: [Int]
  }

  /// The most steps of a search, for each alternative that the limit allows.
  private static let stepsPerAlternative = 8
  /// The levels for which any stack has room.
  private static let usualDepth = 24
  private static let depthLimit = 20_000

  /// Whether a member can still come, as far as what has come says.
  mutating func mayStillCome(_ member: Int, _ object: Int, _ progress: ObjectProgress) -> Bool {
    if options.propertyOrder == .declared, member < objects[object].orderedCount {
      return member >= progress.position
    }
    let place = progress.seen.startIndex + member / 32
    return place >= progress.seen.endIndex || progress.seen[place] >> UInt32(member % 32) & 1 == 0
  }

  mutating func canComplete(object: Int, _ progress: ObjectProgress) -> Bool {
    if objects[object].counts { return completionPlan(object: object, progress) != nil }
    for part in parts(of: openFormula(object, progress)) {
      if !canComplete(object: object, part: part, progress) { return false }
    }
    return true
  }

  /// Whether members can make a part of an object's formula true that has only members that can
  /// still come.
  mutating func canComplete(
    object: Int, part: ObjectFormulas.ID, _ progress: ObjectProgress
  ) -> Bool {
    if part == ObjectFormulas.never { return false }
    let key = UInt64(object) << 32 | UInt64(part)
    let isKept = !hasKeyAtoms(part)
    if isKept, let known = completableParts[key] { return known == 1 }
    let outer = reliesOn
    reliesOn = .max
    var search = Search(object: object, progress: progress)
    let result = find(part, CompletionPlan(), &search) != nil
    if isKept, reliesOn == .max { completableParts.set(key, result ? 1 : 0) }
    reliesOn = min(outer, reliesOn)
    return result
  }

  /// Members that complete an object, but for those that only its number of members asks for, and
  /// required ones about which nothing is decided; `nil` where it cannot be completed.
  mutating func completionPlan(object: Int, _ progress: ObjectProgress) -> CompletionPlan? {
    var plan = CompletionPlan()
    var search = Search(object: object, progress: progress)
    let formula = openFormula(object, progress)
    if objects[object].counts {
      for (index, member) in objects[object].members.enumerated()
      where member.isRequired && mayStillCome(index, object, progress) {
        plan.goals[index] = member.goal
      }
      return find(formula, plan, &search)
    }
    for part in parts(of: formula) {
      guard let found = find(part, plan, &search) else { return nil }
      plan = found
    }
    return plan
  }

  /// The formula where the members that can no longer come are left out.
  private mutating func openFormula(
    _ object: Int, _ progress: ObjectProgress
  ) -> ObjectFormulas.ID {
    if options.propertyOrder != .declared || progress.position == 0 { return progress.formula }
    var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
    for signed in alternatives.formulas.support(of: progress.formula) {
      if let member = member(of: signed >> 1, object), !mayStillCome(member, object, progress) {
        known.append((signed >> 1, false))
      }
    }
    if known.isEmpty { return progress.formula }
    return alternatives.formulas.assigning(known, in: progress.formula)
  }

  /// The declared member that an atom speaks of.
  private mutating func member(of atom: ObjectFormulas.Atom, _ object: Int) -> Int? {
    guard case .member(let name, _) = alternatives.formulas.atoms[Int(atom)] else { return nil }
    return objects[object].places[name]
  }

  /// Whether a formula speaks of classes of keys.
  mutating func hasKeyAtoms(_ formula: ObjectFormulas.ID) -> Bool {
    alternatives.formulas.support(of: formula).contains { signed in
      if case .keys = alternatives.formulas.atoms[Int(signed >> 1)] { true } else { false }
    }
  }

  /// Whether a formula has one of some atoms.
  mutating func isAbout(_ formula: ObjectFormulas.ID, _ atoms: UInt32) -> Bool {
    atomLists[atoms].contains { alternatives.formulas.depends(formula, on: $0) }
  }

  // MARK: Searching

  private mutating func find(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan, _ search: inout Search
  ) -> CompletionPlan? {
    if formula == ObjectFormulas.never { return nil }
    if !search.failed.isEmpty, let question = question(formula, plan, &search),
      search.failed.contains(question)
    {
      return nil
    }
    if let maximum = objects[search.object].maximum,
      search.progress.count + plan.goals.count + plan.extras.count > maximum
    {
      return nil
    }
    search.steps += 1
    search.depth += 1
    defer { search.depth -= 1 }
    let limit = Self.stepsPerAlternative * options.limits.alternatives
    guard search.steps <= limit else {
      noteFailure(
        "allOf", at: objects[search.object].sources.first,
        "whether an object can be completed takes more than \(limit) steps to find out; simplify "
          + "the overlapping branches or raise the limit `alternatives`")
      return nil
    }
    guard search.depth == Self.usualDepth else {
      if let found = choose(formula, plan, &search) { return found }
      if let question = question(formula, plan, &search) { search.failed.insert(question) }
      return nil
    }
    let result = LargeStack.run(levels: min(limit, Self.depthLimit)) {
      choose(formula, plan, &search)
    }
    if let result { return result }
    noteFailure(
      "allOf", at: objects[search.object].sources.first,
      "whether an object can be completed depends on more than \(Self.usualDepth) members, "
        + "\(LargeStack.absence); simplify the overlapping branches")
    return nil
  }

  private mutating func question(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan, _ search: inout Search
  ) -> Question? {
    if objects[search.object].counts || !plan.extras.isEmpty || !plan.forbidden.isEmpty {
      return nil
    }
    let members = search.keyMembers[formula] ?? keyMembers(of: formula, search.object)
    search.keyMembers[formula] = members
    var open: [Int] = []
    for member in members where isUndecided(member, plan, search) { open.append(member) }
    return Question(formula: formula, open: open)
  }

  /// The members that can make atoms about keys of a formula true.
  private func keyMembers(of formula: ObjectFormulas.ID, _ object: Int) -> [Int] {
    let keys = alternatives.formulas.support(of: formula).lazy.map { $0 >> 1 }.filter { atom in
      if case .keys = alternatives.formulas.atoms[Int(atom)] { true } else { false }
    }
    let wanted = Set(keys)
    if wanted.isEmpty { return [] }
    return objects[object].members.indices.filter { place in
      atomLists[objects[object].members[place].atoms].contains { wanted.contains($0) }
    }
  }

  private mutating func choose(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan, _ search: inout Search
  ) -> CompletionPlan? {
    if let member = undecidedRequired(formula, plan, search) {
      return find(formula, plan, with: member, &search)
    }
    if alternatives.formulas.isTrueAtEnd(formula) {
      return hasEnough(search, plan) ? plan : nil
    }
    let open = alternatives.formulas.conjuncts(of: formula).first {
      !alternatives.formulas.isTrueAtEnd($0)
    }
    if let open, alternatives.formulas.form(of: open) == .one {
      return choose(oneOf: open, formula, plan, &search)
    }
    // Copied: while a slice of the table is held, every formula made below would copy the table.
    for signed in Array(alternatives.formulas.support(of: open ?? formula)) where signed & 1 == 0 {
      let atom = signed >> 1
      switch alternatives.formulas.atoms[Int(atom)] {
      case .member(let name, _):
        guard let member = objects[search.object].places[name],
          isUndecided(member, plan, search)
        else { continue }
        if let found = find(formula, plan, with: member, &search) { return found }
        if failure != nil { return nil }
        var next = plan
        next.absent.insert(member)
        return find(without(name, formula), next, &search)
      case .keys:
        if let found = find(formula, plan, withKeysOf: atom, &search) { return found }
        if failure != nil { return nil }
        var next = plan
        next.forbidden.append(atom)
        return find(
          alternatives.formulas.assigning([(atom, false)], in: formula), next, &search)
      }
    }
    return nil
  }

  /// Goes on with one part of a formula after the other as the one that is true.
  private mutating func choose(
    oneOf open: ObjectFormulas.ID, _ formula: ObjectFormulas.ID, _ plan: CompletionPlan,
    _ search: inout Search
  ) -> CompletionPlan? {
    let rest = alternatives.formulas.conjuncts(of: formula).filter { $0 != open }
    let parts = alternatives.formulas.parts(of: open)
    let negations = parts.map { alternatives.formulas.negation(of: $0) }
    for place in parts.indices {
      var all = negations
      all[place] = parts[place]
      let decided = alternatives.formulas.settling(alternatives.formulas.all(all + rest))
      if let found = find(decided, plan, &search) { return found }
      if failure != nil { return nil }
    }
    return nil
  }

  private mutating func isUndecided(_ member: Int, _ plan: CompletionPlan, _ search: Search) -> Bool
  {
    mayStillCome(member, search.object, search.progress) && !plan.absent.contains(member)
      && !plan.decided.contains(member)
  }

  /// A member that must come and that can decide something.
  private mutating func undecidedRequired(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan, _ search: Search
  ) -> Int? {
    var last: Int?
    for signed in alternatives.formulas.support(of: formula) {
      guard let member = member(of: signed >> 1, search.object), member != last else { continue }
      last = member
      if objects[search.object].members[member].isRequired,
        isUndecided(member, plan, search)
      {
        return member
      }
    }
    guard hasKeyAtoms(formula) else { return nil }
    for (place, member) in objects[search.object].members.enumerated()
    where member.isRequired {
      let canDecide = atomLists[member.atoms].contains {
        alternatives.formulas.depends(formula, on: $0)
      }
      if canDecide, isUndecided(place, plan, search) { return place }
    }
    return nil
  }

  /// What is left of a formula where the member of a name does not come.
  private mutating func without(
    _ name: SchemaNode.Name, _ formula: ObjectFormulas.ID
  ) -> ObjectFormulas.ID {
    var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
    for signed in alternatives.formulas.support(of: formula) {
      if case .member(name, _) = alternatives.formulas.atoms[Int(signed >> 1)] {
        known.append((signed >> 1, false))
      }
    }
    return alternatives.formulas.assigning(known, in: formula)
  }

  /// Goes on with a declared member, in one of the kinds that it can have.
  private mutating func find(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan, with member: Int,
    needing atom: ObjectFormulas.Atom? = nil, _ search: inout Search
  ) -> CompletionPlan? {
    let declared = objects[search.object].members[member]
    var goal = allowed(declared.goal, declared.atoms, plan)
    if let atom {
      goal = self.goal(goal, and: alternatives.formulas.literal(of: atom))
    }
    for split in splits(of: formula, goal, declared.atoms) {
      var next = plan
      next.goals[member] = split.goal
      next.decided.insert(member)
      if let found = find(split.formula, next, &search) { return found }
      if failure != nil { return nil }
    }
    return nil
  }

  /// A goal without the values that would make a forbidden atom true.
  private mutating func allowed(_ goal: Goal, _ atoms: UInt32, _ plan: CompletionPlan) -> Goal {
    if plan.forbidden.isEmpty { return goal }
    let forbidden = plan.forbidden.filter { atomLists[atoms].contains($0) }
    return self.goal(
      goal, and: forbidden.map { Self.negation(of: alternatives.formulas.literal(of: $0)) })
  }

  /// Goes on with a member whose key is of the class that an atom speaks of.
  private mutating func find(
    _ formula: ObjectFormulas.ID, _ plan: CompletionPlan,
    withKeysOf atom: ObjectFormulas.Atom, _ search: inout Search
  ) -> CompletionPlan? {
    for (place, member) in objects[search.object].members.enumerated()
    where member.atoms != 0 && isUndecided(place, plan, search) {
      guard atomLists[member.atoms].contains(atom) else { continue }
      if let found = find(formula, plan, with: place, needing: atom, &search) { return found }
    }
    let literal = alternatives.formulas.literal(of: atom)
    // Keys can have many classes, all of which would be gone through.
    guard isSatisfiable(goal([literal])) else { return nil }
    for (place, chosen) in plan.extras.enumerated() {
      let extra = extraGoal(search.object, chosen.keyClass)
      guard atomLists[extra.atoms].contains(atom) else { continue }
      for split in splits(of: formula, goal(chosen.goal, and: literal), extra.atoms) {
        var next = plan
        next.extras[place].goal = split.goal
        if let found = find(split.formula, next, &search) { return found }
      }
    }
    var classes = KeyClassSearch(startTuple(search.object), of: search.object, &self)
    while let keyClass = classes.next(&self) {
      let extra = extraGoal(search.object, keyClass)
      guard atomLists[extra.atoms].contains(atom) else { continue }
      let goal = goal(allowed(extra.goal, extra.atoms, plan), and: literal)
      for split in splits(of: formula, goal, extra.atoms) {
        var next = plan
        next.extras.append((keyClass, split.goal))
        if let found = find(split.formula, next, &search) { return found }
        if failure != nil { return nil }
      }
    }
    return nil
  }

  /// Whether there can be as many members as must be.
  private mutating func hasEnough(_ search: Search, _ plan: CompletionPlan) -> Bool {
    let object = search.object
    let minimum = objects[object].minimum
    var available = search.progress.count + plan.goals.count + plan.extras.count
    if available >= minimum { return true }
    for (place, member) in objects[object].members.enumerated()
    where plan.goals[place] == nil && isUndecided(place, plan, search) {
      if isSatisfiable(member.goal) { available += 1 }
    }
    return available >= minimum || canHaveExtras(object, tuple: startTuple(object))
  }
}
