// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One kind of values of a member: the goal that they meet, and what they leave of the object's
/// formula.
struct MemberSplit {
  var goal: Obligations.Goal
  var formula: ObjectFormulas.ID
}

/// The kinds of values that a member of an object can have, by what they decide of its formula.
///
/// Atoms of the formula speak of the member (``ObjectFormulas``). A value makes some of them true and
/// others false, and what is left of the formula decides how the object goes on. Values that leave the
/// same are one kind: a goal that they meet, and the formula that they leave. All kinds together are the
/// values that meet the member's own goal, without those that leave no way on.
///
/// Worked example: the formula is "`kind` is not `cat`, or `lives` is there" and "`kind` is not `dog`, or
/// `breed` is there". The member `kind` has three kinds of values: `cat` leaves "`lives` is there", `dog`
/// leaves "`breed` is there", and every other value leaves nothing to be decided.
///
/// The steps, each only where the one before is not enough:
///
/// 1. *By lists.* Values that several atoms list, as branches list those of a discriminator, are grouped by
///    the atoms that list them; each group is a kind, and so are all other values together.
/// 2. *In two.* Every other atom splits in two, the values that make it true and those that do not, where
///    both exist and the formula tells them apart.
/// 3. *In advance.* Where that makes too many kinds, another member is decided first
///    (`Obligations+DecidingInAdvance`).
extension Obligations {
  /// The kinds of values that a member can have whose values meet a goal.
  ///
  /// - Parameter atoms: The atoms that the member can make true, as a place in `atomLists`.
  mutating func splits(
    of formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: UInt32
  ) -> [MemberSplit] {
    if formula == ObjectFormulas.always || atoms == 0 {
      return isSatisfiable(goal) ? [MemberSplit(goal: goal, formula: formula)] : []
    }
    let key = SIMD4(formula, goal, atoms, 0)
    if let known = splitPlaces[key] { return splitLists[known] }
    let outer = reliesOn
    reliesOn = .max
    var search = SplitSearch(limit: options.limits.alternatives)
    splitByLists(formula, goal, Array(atomLists[atoms]), into: &search)
    if search.isOver {
      noteFailure(
        "not", at: nil,
        "one member decides more than \(search.limit) combinations of subschemas; simplify the "
          + "overlapping branches or raise the limit `alternatives`")
    }
    // What relied on a conjunction in progress may become another answer later.
    if reliesOn == .max {
      splitPlaces[key] = splitLists.count
      splitLists.append(search.found)
    }
    reliesOn = min(outer, reliesOn)
    return search.found
  }

  /// One of those kinds, looked for without the others; `nil` where there is none.
  mutating func anySplit(
    of formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: UInt32
  ) -> MemberSplit? {
    if formula == ObjectFormulas.always || atoms == 0 {
      return splits(of: formula, goal, atoms).first
    }
    if let known = splitPlaces[SIMD4(formula, goal, atoms, 0)] { return splitLists[known].first }
    var search = SplitSearch(limit: 0)
    splitByLists(formula, goal, Array(atomLists[atoms]), into: &search)
    return search.found.first
  }

  /// What has been found of the kinds of a member.
  private struct SplitSearch {
    /// With more kinds the search ends.
    var limit: Int
    var found: [MemberSplit] = []
    var isOver: Bool { found.count > limit }
  }

  // MARK: By lists

  private mutating func splitByLists(
    _ formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: [ObjectFormulas.Atom],
    into search: inout SplitSearch
  ) {
    guard isSatisfiable(goal) else { return }
    let anything = Self.literal(graph.anything)
    var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
    var listing: [ObjectFormulas.Atom] = []
    var others: [ObjectFormulas.Atom] = []
    for atom in atoms where alternatives.formulas.depends(formula, on: atom) {
      let content = alternatives.formulas.atoms[Int(atom)]
      if content.literal == anything {
        known.append((atom, true))
      } else if case .member = content, graph.listsScalars(Self.schema(of: content.literal)) {
        listing.append(atom)
      } else {
        others.append(atom)
      }
    }
    let formula = alternatives.formulas.assigning(known, in: formula)
    if formula == ObjectFormulas.never { return }
    if listing.count < 2 {
      return splitInTwoOrAdvance(formula, goal, listing + others, into: &search)
    }
    let cases = FormulaCases(formula, listing, &alternatives.formulas)
    for group in groups(of: listing) where !search.isOver {
      let kind = self.goal(goal, and: literals(group.atoms, without: group.excluded))
      guard isSatisfiable(kind) else { continue }
      let left = cases.formula(where: group.atoms, &alternatives.formulas)
      splitInTwoOrAdvance(left, kind, others, into: &search)
    }
    let left = cases.formula(where: [], &alternatives.formulas)
    if left == ObjectFormulas.never { return }
    let rest = self.goal(goal, and: literals([], without: listing))
    guard isSatisfiable(rest) else { return }
    splitInTwoOrAdvance(left, rest, others, into: &search)
  }

  /// The groups of the values that some atoms list.
  mutating func groups(
    of atoms: [ObjectFormulas.Atom]
  ) -> [(atoms: [ObjectFormulas.Atom], excluded: [ObjectFormulas.Atom])] {
    let schemas = atoms.map { alternatives.formulas.schema(of: $0) }
    return ValueGroups(schemas, graph).groups.map { group in
      (group.listing.map { atoms[$0] }, group.excluded.map { atoms[$0] })
    }
  }

  private mutating func literals(
    _ atoms: [ObjectFormulas.Atom], without excluded: [ObjectFormulas.Atom]
  ) -> [Literal] {
    atoms.map { alternatives.formulas.literal(of: $0) }
      + excluded.map { Self.negation(of: alternatives.formulas.literal(of: $0)) }
  }

  // MARK: In two

  /// With more kinds than this it is tried to decide another member in advance.
  private static let mostKinds = 64

  /// Splits values by each of some atoms. Where that makes many kinds, another member is decided in
  /// advance, if fewer are left then.
  private mutating func splitInTwoOrAdvance(
    _ formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: [ObjectFormulas.Atom],
    into search: inout SplitSearch
  ) {
    let few = min(Self.mostKinds, search.limit)
    var own = SplitSearch(limit: few)
    splitInTwo(formula, goal, atoms, into: &own)
    if !own.isOver || search.limit == 0 { return search.found.append(contentsOf: own.found) }
    if let decided = formulasAfterDiscriminator(formula, beside: atoms, atMost: few) {
      var other = SplitSearch(limit: few)
      for formula in decided { splitInTwo(formula, goal, atoms, into: &other) }
      if !other.isOver { return search.found.append(contentsOf: other.found) }
    }
    splitInTwo(formula, goal, atoms, into: &search)
  }

  /// With more atoms than this that are costly to negate, it is tried to decide another member in advance.
  private static let mostHeavy = 3

  /// Splits values by the atoms one after the other. What cannot be is not followed.
  ///
  /// - Parameter met: The last atom that all values of the goal make true: others that exclude it are
  ///   false at once, so that of a hundred conditions that exclude each other no two are tried together.
  private mutating func splitInTwo(
    _ formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: [ObjectFormulas.Atom],
    after met: ObjectFormulas.Atom? = nil, into search: inout SplitSearch
  ) {
    if formula == ObjectFormulas.never || search.isOver { return }
    let left = atoms.filter { alternatives.formulas.depends(formula, on: $0) }
    guard let atom = left.first else {
      return search.found.append(MemberSplit(goal: goal, formula: formula))
    }
    let forced = forcedAtoms(of: formula, among: left)
    if forced.count > 1 {
      let kind = self.goal(
        goal,
        and: forced.map { atom, isTrue in
          let literal = alternatives.formulas.literal(of: atom)
          return isTrue ? literal : Self.negation(of: literal)
        })
      guard isSatisfiable(kind) else { return }
      let rest = alternatives.formulas.assigning(forced, in: formula)
      return splitInTwo(rest, kind, left, after: met, into: &search)
    }
    if let met, left.count > Self.mostHeavy {
      let excluded = atomsApart(from: met, among: left, in: goal)
      if !excluded.isEmpty {
        let rest = alternatives.formulas.assigning(
          excluded.map { (atom: $0, isTrue: false) }, in: formula)
        return splitInTwo(rest, goal, left, after: met, into: &search)
      }
    }
    let heavy = left.filter { isHeavy($0) }
    if heavy.count > Self.mostHeavy,
      let decided = formulasAfterListing(formula, beside: heavy, of: left)
    {
      for formula in decided { splitInTwo(formula, goal, left, after: met, into: &search) }
      return
    }
    split(formula, goal, by: atom, before: Array(left.dropFirst()), after: met, into: &search)
  }

  /// Splits values by one atom, and what is left by the others.
  private mutating func split(
    _ formula: ObjectFormulas.ID, _ goal: Goal, by atom: ObjectFormulas.Atom,
    before others: [ObjectFormulas.Atom], after met: ObjectFormulas.Atom?,
    into search: inout SplitSearch
  ) {
    let content = alternatives.formulas.atoms[Int(atom)]
    let signs = alternatives.formulas.signs(of: atom, in: formula)
    let isTrue = alternatives.formulas.assigning([(atom, true)], in: formula)
    var isFalse = formula
    // Of a class of keys another member may still make the atom true.
    if case .member = content {
      isFalse = alternatives.formulas.assigning([(atom, false)], in: formula)
    }
    if isTrue == isFalse { return splitInTwo(isTrue, goal, others, after: met, into: &search) }
    let isCheap = !isHeavy(atom)
    // A formula that only gains by an atom may be told less than the value says.
    let isMet =
      signs.positive || isCheap
      || others.count >= Self.mostHeavy && excludes(atom, anyOf: others, in: goal)
    let yes = isMet ? self.goal(goal, and: content.literal) : goal
    let no =
      signs.negative || isCheap ? self.goal(goal, and: Self.negation(of: content.literal)) : goal
    let canHold = isTrue != ObjectFormulas.never && isSatisfiable(yes)
    let canFail = (isCheap || isFalse != ObjectFormulas.never) && isSatisfiable(no)
    if canHold {
      let isCertain = isCheap && !canFail
      splitInTwo(
        isTrue, isCertain ? goal : yes, others, after: isMet ? atom : met, into: &search)
    }
    if canFail { splitInTwo(isFalse, no, others, after: met, into: &search) }
  }

  // MARK: Atoms that exclude each other

  /// Those atoms of a member that no value of a goal makes true together with another one.
  private mutating func atomsApart(
    from other: ObjectFormulas.Atom, among atoms: [ObjectFormulas.Atom], in goal: Goal
  ) -> [ObjectFormulas.Atom] {
    let types = JSONTypes.each.filter { mayHave($0, goal) }
    return atoms.filter { atom in
      guard case .member = alternatives.formulas.atoms[Int(atom)] else { return false }
      return types.allSatisfy { areDisjoint(atom, other, $0) }
    }
  }

  /// Whether an atom and one of some others that speak of values of the same type exclude each other there.
  private mutating func excludes(
    _ atom: ObjectFormulas.Atom, anyOf others: [ObjectFormulas.Atom], in goal: Goal
  ) -> Bool {
    let own = graph.nodes[alternatives.formulas.schema(of: atom)].types
    let types = JSONTypes.each.filter { own.contains($0) && mayHave($0, goal) }
    return others.contains { other in
      guard case .member = alternatives.formulas.atoms[Int(other)] else { return false }
      let shared = graph.nodes[alternatives.formulas.schema(of: other)].types
      return types.contains { shared.contains($0) && areDisjoint(atom, other, $0) }
    }
  }

  private mutating func areDisjoint(
    _ atom: ObjectFormulas.Atom, _ other: ObjectFormulas.Atom, _ type: JSONTypes
  ) -> Bool {
    swap(&alternatives.languages, &languages)
    defer { swap(&alternatives.languages, &languages) }
    return alternatives.areDisjoint(
      alternatives.formulas.schema(of: atom), alternatives.formulas.schema(of: other), type)
  }

  /// Whether a goal may have values of a type, as far as the keywords of its subschemas alone tell.
  private func mayHave(_ type: JSONTypes, _ goal: Goal) -> Bool {
    goals[goal].contains { conjunction in
      conjunctions[conjunction].allSatisfy { literal in
        let node = graph.nodes[Self.schema(of: literal)]
        if !Self.isNegated(literal) { return node.types.contains(type) }
        // What asserts nothing of a type holds for all its values.
        return node.boolean != nil || !node.types.contains(type) || !node.isFlat(type)
          || node.hasOwnAssertions(type)
      }
    }
  }

  /// The atoms that a formula leaves no choice about: of a union's branches all others, once one is
  /// chosen. Asked for one after the other, each would make a goal of its own.
  private func forcedAtoms(
    of formula: ObjectFormulas.ID, among atoms: [ObjectFormulas.Atom]
  ) -> [(atom: ObjectFormulas.Atom, isTrue: Bool)] {
    guard alternatives.formulas.form(of: formula) == .all else { return [] }
    let open = Set(atoms)
    return alternatives.formulas.parts(of: formula).compactMap { part in
      guard let atom = alternatives.formulas.atom(of: part), open.contains(atom),
        case .member = alternatives.formulas.atoms[Int(atom)]
      else { return nil }
      return (atom, alternatives.formulas.form(of: part) == .atom)
    }
  }

  /// Whether values that do not satisfy an atom's subschema are costly to describe.
  private mutating func isHeavy(_ atom: ObjectFormulas.Atom) -> Bool {
    let id = alternatives.formulas.schema(of: atom)
    if graph.listsScalars(id) { return false }
    let node = graph.nodes[id]
    return !JSONTypes.each.allSatisfy { node.isFlat($0) } || node.hasOwnAssertions(.object)
      || node.hasOwnAssertions(.array)
  }
}
