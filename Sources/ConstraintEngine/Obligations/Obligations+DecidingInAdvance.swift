// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Deciding what another member will be, before the values of a member are split.
///
/// Where a value comes before its discriminator, a split for every subset of the branches would be made.
/// So the discriminator is decided first, though it comes later: for each of its values the formula keeps
/// what is left, and that this value must still come.
///
/// Worked example: of a hundred branches, branch i asks that `data` satisfies Sᵢ and that `kind` is i, and
/// `data` comes first. Which of the hundred Sᵢ it satisfies can be answered in 2¹⁰⁰ ways. With `kind`
/// decided to be 7 the formula is "`data` satisfies S₇, and `kind` is 7", and `data` has one kind of
/// values: a hundred in all, and one more where `kind` is something else or is missing.
///
/// Not every discriminator is a list of scalars. With `{"meta": {"degree": n}}` as the condition of what
/// `data` must be, the kinds of `data` would be the subsets of what follows for any `n`, and those of
/// `meta` exclude each other.
extension Obligations {
  /// The formulas after another member whose values are listed; `nil` where there is none.
  ///
  /// - Parameters:
  ///   - atoms: Those between which the other member is to decide.
  ///   - own: All atoms of the member whose values are split.
  mutating func formulasAfterListing(
    _ formula: ObjectFormulas.ID, beside atoms: [ObjectFormulas.Atom],
    of own: [ObjectFormulas.Atom]
  ) -> [ObjectFormulas.ID]? {
    let listing = membersBeside(formula, atoms, of: own).compactMap { member in
      let deciding = member.atoms.filter {
        graph.listsScalars(alternatives.formulas.schema(of: $0))
      }
      return deciding.isEmpty ? nil : (name: member.name, atoms: deciding)
    }
    guard let (name, deciding) = listing.max(by: { $0.atoms.count < $1.atoms.count }) else {
      return nil
    }
    let cases = FormulaCases(formula, deciding, &alternatives.formulas)
    let isThere = alternatives.formulas.atom(
      .member(name, literal: Self.literal(graph.anything)))
    var result: [ObjectFormulas.ID] = []
    for group in groups(of: deciding) {
      var left = cases.formula(where: group.atoms, &alternatives.formulas)
      left = alternatives.formulas.assigning([(isThere, true)], in: left)
      let later =
        group.atoms.map { alternatives.formulas.formula($0) }
        + group.excluded.map { alternatives.formulas.formula($0, isNegated: true) }
      result.append(alternatives.formulas.all([left] + later))
    }
    let left = cases.formula(where: [], &alternatives.formulas)
    let later = deciding.map { alternatives.formulas.formula($0, isNegated: true) }
    // With another value, or without the member, where the formula tells these apart.
    guard alternatives.formulas.depends(left, on: isThere) else {
      return result + [alternatives.formulas.all([left] + later)]
    }
    for isPresent in [true, false] {
      let decided = alternatives.formulas.assigning([(isThere, isPresent)], in: left)
      let presence = alternatives.formulas.formula(isThere, isNegated: !isPresent)
      result.append(alternatives.formulas.all([decided, presence] + (isPresent ? later : [])))
    }
    return result
  }

  /// The other members that the parts of a formula with some atoms speak of, with their atoms there.
  ///
  /// - Parameter own: All atoms of the member itself.
  private mutating func membersBeside(
    _ formula: ObjectFormulas.ID, _ atoms: [ObjectFormulas.Atom],
    of own: [ObjectFormulas.Atom]
  ) -> [(name: SchemaNode.Name, atoms: [ObjectFormulas.Atom])] {
    let wanted = Set(atoms)
    let own = Set(own)
    var members: [SchemaNode.Name: [ObjectFormulas.Atom]] = [:]
    var order: [SchemaNode.Name] = []
    var seen = Set<ObjectFormulas.Atom>()
    for part in alternatives.formulas.conjuncts(of: formula) {
      let support = alternatives.formulas.support(of: part)
      guard support.contains(where: { wanted.contains($0 >> 1) }) else { continue }
      for signed in support where !own.contains(signed >> 1) && seen.insert(signed >> 1).inserted {
        guard case .member(let name, _) = alternatives.formulas.atoms[Int(signed >> 1)] else {
          continue
        }
        if members[name] == nil { order.append(name) }
        members[name, default: []].append(signed >> 1)
      }
    }
    return order.map { ($0, members[$0] ?? []) }
  }

  /// The formulas after the other member that has the most conditions of a discriminator; `nil` where
  /// there is none, or where they are more than a limit.
  ///
  /// - Parameter own: All atoms of the member whose values are split.
  mutating func formulasAfterDiscriminator(
    _ formula: ObjectFormulas.ID, beside own: [ObjectFormulas.Atom], atMost limit: Int
  ) -> [ObjectFormulas.ID]? {
    let candidates = membersBeside(formula, own, of: own).map { member in
      member.atoms.filter { isDiscriminator(alternatives.formulas.schema(of: $0)) }
    }
    return candidates.max { $0.count < $1.count }.flatMap {
      formulas(after: $0, in: formula, atMost: limit)
    }
  }

  /// The formula for each way in which a member can make some of its atoms true and others false, or
  /// not come; `nil` where there are more, or where they are not found in four times as many steps.
  private mutating func formulas(
    after atoms: [ObjectFormulas.Atom], in formula: ObjectFormulas.ID, atMost limit: Int
  ) -> [ObjectFormulas.ID]? {
    let anything = Self.literal(graph.anything)
    guard case .member(let name, _)? = atoms.first.map({ alternatives.formulas.atoms[Int($0)] })
    else { return nil }
    let isThere = alternatives.formulas.atom(.member(name, literal: anything))
    // Where it has to come, no formula says so.
    let mayBeAbsent = alternatives.formulas.depends(formula, on: isThere)
    let all = mayBeAbsent ? [isThere] : atoms
    let none = (atoms + [isThere]).map { (atom: $0, isTrue: false) }
    let absent = alternatives.formulas.assigning(none, in: formula)
    let noneLater = all.map { alternatives.formulas.formula($0, isNegated: true) }
    var result = [alternatives.formulas.all([absent] + noneLater)]
    let present = alternatives.formulas.assigning([(isThere, true)], in: formula)
    var pending = [
      (
        formula: present, goal: self.goal([anything]), left: atoms[...],
        later: mayBeAbsent ? [alternatives.formulas.formula(isThere)] : []
      )
    ]
    var steps = 0
    while let (formula, goal, left, later) = pending.popLast() {
      steps += 1
      if steps > 4 * limit { return nil }
      guard isSatisfiable(goal), formula != ObjectFormulas.never else { continue }
      let open = left.drop { !alternatives.formulas.depends(formula, on: $0) }
      guard let atom = open.first else {
        result.append(alternatives.formulas.all([formula] + later))
        if result.count > limit { return nil }
        continue
      }
      let literal = alternatives.formulas.literal(of: atom)
      for isTrue in [false, true] {
        pending.append(
          (
            alternatives.formulas.assigning([(atom, isTrue)], in: formula),
            self.goal(goal, and: isTrue ? literal : Self.negation(of: literal)), open.dropFirst(),
            later + [alternatives.formulas.formula(atom, isNegated: !isTrue)]
          ))
      }
    }
    return result
  }

  /// Whether a subschema says of a value no more than its type or some scalars that it is, and of an
  /// object which members it has and the same of these: such conditions mostly exclude each other, and
  /// the values that fail them are cheap to describe.
  private mutating func isDiscriminator(_ id: SchemaNode.ID) -> Bool {
    let node = graph.nodes[id]
    if node.boolean != nil || graph.listsScalars(id) { return true }
    guard JSONTypes.each.allSatisfy({ node.isFlat($0) }),
      JSONTypes.each.allSatisfy({ $0 == .object || !node.hasOwnAssertions($0) }),
      node.patternProperties.isEmpty, node.additionalProperties == nil, node.propertyNames == nil,
      node.minProperties == nil, node.maxProperties == nil
    else { return false }
    return node.properties.allSatisfy { isDiscriminator($0.schema) }
  }
}
