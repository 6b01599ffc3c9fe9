// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One kind of values of a member: the goal that they meet, and what they leave of the object's
/// formula.
struct MemberSplit {
  var goal: Obligations.Goal
  var formula: ObjectFormulas.ID
}

/// The kinds of values that a member of an object can have, by what they decide of its formula.
///
/// With `{"not": {"properties": {"a": {"const": 1}}}}` an `a` that is 1 leaves the object to be refused
/// at its end, and any other one makes the formula true: two kinds.
///
/// Where a formula asks for many listed values of a member, as a discriminator has them, the values
/// are grouped by the atoms that list them. Each group is a kind, and all other values are one more.
/// Other atoms split in two, each, where both can be and the formula tells them apart. Where a value
/// comes before its discriminator, a split for every subset of a hundred branches would be made; then
/// the discriminator is decided first, in advance: each of its values is a kind, and must come later.
/// A member whose value lists nothing can be decided in advance too, where it has fewer kinds: with
/// `{"meta": {"degree": n}}` as the condition of what `data` must be, the kinds of `data` would be the
/// subsets of what follows for any `n`, and those of `meta` exclude each other.
extension Obligations {
  /// More subschemas of containers than this are not told apart before another member is decided in
  /// advance.
  private static let mostHeavy = 3
  /// More kinds than this are not told apart before it is tried to decide another member in advance.
  private static let mostKinds = 64

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
    split(formula, goal, Array(atomLists[atoms]), into: &search)
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
    split(formula, goal, Array(atomLists[atoms]), into: &search)
    return search.found.first
  }

  /// What has been found of the kinds of a member.
  private struct SplitSearch {
    /// With more kinds the search ends.
    var limit: Int
    var found: [MemberSplit] = []
    var isOver: Bool { found.count > limit }
  }

  private mutating func split(
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
      } else if case .member = content, graph.listsScalars(Int(content.literal >> 1)) {
        listing.append(atom)
      } else {
        others.append(atom)
      }
    }
    let formula = alternatives.formulas.assigning(known, in: formula)
    if formula == ObjectFormulas.never { return }
    if listing.count < 2 { return splitEach(formula, goal, listing + others, into: &search) }
    let cases = FormulaCases(formula, listing, &alternatives.formulas)
    for group in groups(of: listing) where !search.isOver {
      let kind = self.goal(goal, and: literals(group.atoms, without: group.excluded))
      guard isSatisfiable(kind) else { continue }
      let left = cases.formula(where: group.atoms, &alternatives.formulas)
      splitEach(left, kind, others, into: &search)
    }
    let left = cases.formula(where: [], &alternatives.formulas)
    if left == ObjectFormulas.never { return }
    let rest = self.goal(goal, and: literals([], without: listing))
    guard isSatisfiable(rest) else { return }
    splitEach(left, rest, others, into: &search)
  }

  /// Splits values by each of some atoms. Where that makes many kinds, another member is decided in
  /// advance, if fewer are left then.
  private mutating func splitEach(
    _ formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: [ObjectFormulas.Atom],
    into search: inout SplitSearch
  ) {
    let few = min(Self.mostKinds, search.limit)
    var own = SplitSearch(limit: few)
    splitInTwo(formula, goal, atoms, into: &own)
    if !own.isOver || search.limit == 0 { return search.found.append(contentsOf: own.found) }
    let beside = membersBeside(formula, atoms, of: atoms).map { member in
      member.atoms.filter {
        isDiscriminator(Int(alternatives.formulas.atoms[Int($0)].literal >> 1))
      }
    }
    if let deciding = beside.max(by: { $0.count < $1.count }),
      let decided = kinds(of: deciding, in: formula, atMost: few)
    {
      var other = SplitSearch(limit: few)
      for formula in decided { splitInTwo(formula, goal, atoms, into: &other) }
      if !other.isOver { return search.found.append(contentsOf: other.found) }
    }
    splitInTwo(formula, goal, atoms, into: &search)
  }

  /// The groups of the values that some atoms list.
  private mutating func groups(
    of atoms: [ObjectFormulas.Atom]
  ) -> [(atoms: [ObjectFormulas.Atom], excluded: [ObjectFormulas.Atom])] {
    let schemas = atoms.map { Int(alternatives.formulas.atoms[Int($0)].literal >> 1) }
    return ValueGroups(schemas, graph).groups.map { group in
      (group.listing.map { atoms[$0] }, group.excluded.map { atoms[$0] })
    }
  }

  private mutating func literals(
    _ atoms: [ObjectFormulas.Atom], without excluded: [ObjectFormulas.Atom]
  ) -> [Literal] {
    atoms.map { alternatives.formulas.atoms[Int($0)].literal }
      + excluded.map { alternatives.formulas.atoms[Int($0)].literal ^ 1 }
  }

  /// Splits values by the atoms one after the other. What cannot be is not followed.
  private mutating func splitInTwo(
    _ formula: ObjectFormulas.ID, _ goal: Goal, _ atoms: [ObjectFormulas.Atom],
    into search: inout SplitSearch
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
        and: forced.map { alternatives.formulas.atoms[Int($0.atom)].literal ^ ($0.isTrue ? 0 : 1) })
      guard isSatisfiable(kind) else { return }
      let rest = alternatives.formulas.assigning(forced, in: formula)
      return splitInTwo(rest, kind, left, into: &search)
    }
    let heavy = left.filter { isHeavy($0) }
    if heavy.count > Self.mostHeavy,
      let decided = decidingInAdvance(formula, beside: heavy, of: left)
    {
      for formula in decided { splitInTwo(formula, goal, left, into: &search) }
      return
    }
    let others = Array(left.dropFirst())
    let content = alternatives.formulas.atoms[Int(atom)]
    let signs = alternatives.formulas.signs(of: atom, in: formula)
    let isTrue = alternatives.formulas.assigning([(atom, true)], in: formula)
    var isFalse = formula
    // Of a class of keys another member may still make the atom true.
    if case .member = content {
      isFalse = alternatives.formulas.assigning([(atom, false)], in: formula)
    }
    if isTrue == isFalse { return splitInTwo(isTrue, goal, others, into: &search) }
    let isCheap = !isHeavy(atom)
    // A formula that only gains by an atom may be told less than the value says.
    let yes = signs.positive || isCheap ? self.goal(goal, and: content.literal) : goal
    let no = signs.negative || isCheap ? self.goal(goal, and: content.literal ^ 1) : goal
    let canHold = isTrue != ObjectFormulas.never && isSatisfiable(yes)
    let canFail = (isCheap || isFalse != ObjectFormulas.never) && isSatisfiable(no)
    if canHold {
      let isCertain = isCheap && !canFail
      splitInTwo(isTrue, isCertain ? goal : yes, others, into: &search)
    }
    if canFail { splitInTwo(isFalse, no, others, into: &search) }
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
    let id = Int(alternatives.formulas.atoms[Int(atom)].literal >> 1)
    if graph.listsScalars(id) { return false }
    let node = graph.nodes[id]
    return !JSONTypes.each.allSatisfy { node.isFlat($0) } || node.hasOwnAssertions(.object)
      || node.hasOwnAssertions(.array)
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

  // MARK: Deciding another member in advance

  /// The formula for each kind of values of another member that decides between some atoms; `nil`
  /// where there is none.
  private mutating func decidingInAdvance(
    _ formula: ObjectFormulas.ID, beside atoms: [ObjectFormulas.Atom],
    of own: [ObjectFormulas.Atom]
  ) -> [ObjectFormulas.ID]? {
    let listing = membersBeside(formula, atoms, of: own).compactMap { member in
      let deciding = member.atoms.filter {
        graph.listsScalars(Int(alternatives.formulas.atoms[Int($0)].literal >> 1))
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

  /// The formula for each way in which a member can make some of its atoms true and others false, or
  /// not come; `nil` where there are more, or where they are not found in four times as many steps.
  private mutating func kinds(
    of atoms: [ObjectFormulas.Atom], in formula: ObjectFormulas.ID, atMost limit: Int
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
      let literal = alternatives.formulas.atoms[Int(atom)].literal
      for isTrue in [false, true] {
        pending.append(
          (
            alternatives.formulas.assigning([(atom, isTrue)], in: formula),
            self.goal(goal, and: isTrue ? literal : literal ^ 1), open.dropFirst(),
            later + [alternatives.formulas.formula(atom, isNegated: !isTrue)]
          ))
      }
    }
    return result
  }
}

/// The scalars that some subschemas list, grouped by the subschemas that list them.
struct ValueGroups {
  /// By place among the subschemas.
  struct Group {
    /// Those that list the values.
    var listing: [Int]
    /// Others that list some of what those list together.
    var excluded: [Int]
  }

  private enum Scalar: Hashable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case string(SchemaNode.Name)
  }

  private(set) var groups: [Group] = []

  init(_ schemas: [SchemaNode.ID], _ graph: SchemaGraph) {
    var listing: [Scalar: [Int]] = [:]
    var order: [Scalar] = []
    let lists = schemas.map { Self.scalars(graph.nodes[$0]) }
    for (place, list) in lists.enumerated() {
      for scalar in list {
        if listing[scalar] == nil { order.append(scalar) }
        listing[scalar, default: []].append(place)
      }
    }
    var known = Set<[Int]>()
    for scalar in order {
      guard let places = listing[scalar], known.insert(places).inserted else { continue }
      let shortest = places.min { lists[$0].count < lists[$1].count }
      var excluded: [Int] = []
      for other in shortest.map({ lists[$0] }) ?? [] {
        let mine = listing[other] ?? []
        guard mine.count > places.count, places.allSatisfy(mine.contains) else { continue }
        for place in mine where !places.contains(place) && !excluded.contains(place) {
          excluded.append(place)
        }
      }
      groups.append(Group(listing: places, excluded: excluded))
    }
  }

  private static func scalars(_ node: SchemaNode) -> [Scalar] {
    guard let values = node.values else { return [] }
    var result: [Scalar] = []
    if node.types.contains(.string) { result += values.stringNames.map { .string($0) } }
    if node.types.contains(.number) { result += values.numbers.map { .number($0) } }
    if node.types.contains(.boolean) {
      result += [false, true].filter(values.booleans.contains).map { .boolean($0) }
    }
    if node.types.contains(.null), values.null { result.append(.null) }
    return result
  }
}
