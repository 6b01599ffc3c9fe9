// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What an object's members must make true, as formulas that are decided while the members are read.
///
/// An *atom* says that there is a member with a name, or with a key of a class, whose value satisfies
/// a literal. Formulas combine atoms with *and*, *or* and *not*; equal ones have equal ids. A member
/// that comes gives some atoms a value, and what is left of the formula is again a formula: the state
/// of the object. So `allOf` of a thousand conditions on a discriminator are a thousand parts of one
/// formula, of which the discriminator's value leaves one, and never the product of their branches.
///
/// Worked example: `{if: {properties: {type: {const: "a"}}}, then: {required: [x]}}` is
/// `(type there and not "a") or (x there)`. After `"type": "b"` it is true; after `"type": "a"` it is
/// `x there`.
package struct ObjectFormulas {
  package typealias ID = UInt32
  typealias Atom = UInt32

  /// The formula that nothing makes true, and the one that holds from the start.
  static let never: ID = 0
  package static let always: ID = 1

  /// A member whose value satisfies a literal.
  enum AtomContent: Hashable {
    /// The member of a name, which comes once at most. The literal is no negation.
    case member(SchemaNode.Name, literal: UInt32)
    /// Some member with a key of a class.
    case keys(ObjectNode.Keys, literal: UInt32)

    var literal: UInt32 {
      switch self {
      case .member(_, let literal), .keys(_, let literal): literal
      }
    }
  }

  /// What a formula is made of: one of others at least, all of them, exactly one or not exactly one,
  /// or an atom.
  enum Form: UInt32 { case some, all, atom, notAtom, one, notOne }

  private(set) var atoms: [AtomContent] = []
  private var atomIDs: [AtomContent: Atom] = [:]
  /// A form and the formulas or the atom below it.
  private var nodes = SequenceInterner()
  /// By formula, its atoms with their signs (`atom << 1 | negated`) in ascending order.
  private var supports: [UInt32] = []
  private var supportLists = SequenceInterner()
  /// By formula, whether it is true once no member comes any more.
  private var closed: [Bool] = []

  /// The value that an assignment in progress gives to an atom: 0 none, 1 false, 2 true, and from 3 on the
  /// atom that stands for it.
  private var values: [UInt32] = []
  /// What has become of formulas in the assignment in progress, where it was found in that round.
  private var results: [ID] = []
  private var rounds: [UInt32] = []
  private var round: UInt32 = 0

  init() {
    _ = intern([Form.some.rawValue])
    _ = intern([Form.all.rawValue])
  }

  /// The memory held, in bytes.
  var byteCount: Int {
    nodes.byteCount + supportLists.byteCount + atoms.count * 120 + supports.count * 14
  }

  // MARK: Making formulas

  /// The atom with a content.
  mutating func atom(_ content: AtomContent) -> Atom {
    if let known = atomIDs[content] { return known }
    atoms.append(content)
    values.append(0)
    let atom = Atom(atoms.count - 1)
    atomIDs[content] = atom
    return atom
  }

  /// The formula that an atom is true, or false.
  mutating func formula(_ atom: Atom, isNegated: Bool = false) -> ID {
    intern([isNegated ? Form.notAtom.rawValue : Form.atom.rawValue, atom])
  }

  /// The formula that all of some formulas are true.
  mutating func all(_ parts: some Sequence<ID>) -> ID { combined(parts, .all) }

  /// The formula that one of some formulas is true.
  mutating func some(_ parts: some Sequence<ID>) -> ID { combined(parts, .some) }

  /// The formula that exactly one of some formulas is true. Written with the other forms it would be
  /// as large as their number squared.
  mutating func one(_ parts: some Sequence<ID>) -> ID { counted(parts, .one) }

  private mutating func counted(_ parts: some Sequence<ID>, _ form: Form) -> ID {
    var (hasTrue, open): (Bool, [ID]) = (false, [])
    for part in parts where part != Self.never {
      if part != Self.always {
        open.append(part)
      } else if hasTrue {
        return form == .one ? Self.never : Self.always
      } else {
        hasTrue = true
      }
    }
    if hasTrue {
      return form == .one ? all(open.map { negation(of: $0) }) : some(open)
    }
    if open.count < 2 {
      guard let part = open.first else { return form == .one ? Self.never : Self.always }
      return form == .one ? part : negation(of: part)
    }
    open.sort()
    // A part that is there twice is not the one that is true.
    if let twice = open.indices.dropFirst().first(where: { open[$0] == open[$0 - 1] }) {
      let part = open[twice]
      let rest = counted(open.filter { $0 != part }, form)
      return form == .one
        ? all([negation(of: part), rest]) : some([part, rest])
    }
    let shared = sharedConjuncts(open)
    if !shared.isEmpty {
      let rest = counted(
        open.map { part in all(conjuncts(of: part).filter { !shared.contains($0) }) }, form)
      return form == .one
        ? all(shared + [rest]) : some(shared.map { negation(of: $0) } + [rest])
    }
    return intern([form.rawValue] + open)
  }

  /// What all of some formulas ask for: branches of a union often have members in common, which need
  /// not be counted in each.
  private func sharedConjuncts(_ parts: [ID]) -> [ID] {
    var shared = parts.first.map { conjuncts(of: $0) } ?? []
    for part in parts.dropFirst() where !shared.isEmpty {
      let others = conjuncts(of: part)
      shared.removeAll { !others.contains($0) }
    }
    return shared
  }

  private mutating func combined(_ parts: some Sequence<ID>, _ form: Form) -> ID {
    if form == .one || form == .notOne { return counted(parts, form) }
    let (neutral, decisive) =
      form == .all ? (Self.always, Self.never) : (Self.never, Self.always)
    var kept: [UInt32] = []
    for part in parts {
      if part == decisive { return decisive }
      if part == neutral { continue }
      if self.form(of: part) == form {
        kept.append(contentsOf: nodes[part].dropFirst())
      } else {
        kept.append(part)
      }
    }
    if kept.isEmpty { return neutral }
    kept.sort()
    var count = 0
    for part in kept where count == 0 || kept[count - 1] != part {
      kept[count] = part
      count += 1
    }
    kept.removeSubrange(count...)
    if kept.count == 1 { return kept[0] }
    return isContrary(kept) ? decisive : intern([form.rawValue] + kept)
  }

  /// Whether an atom and its negation are among some formulas.
  private func isContrary(_ parts: [ID]) -> Bool {
    var signed: [UInt32] = []
    for part in parts {
      switch form(of: part) {
      case .atom: signed.append(nodes.word(1, of: part) << 1)
      case .notAtom: signed.append(nodes.word(1, of: part) << 1 | 1)
      default: break
      }
    }
    if signed.count < 2 { return false }
    signed.sort()
    return zip(signed, signed.dropFirst()).contains { $0 ^ 1 == $1 && $0 & 1 == 0 }
  }

  /// The formula that another one is false.
  mutating func negation(of formula: ID) -> ID {
    var known: [ID: ID] = [:]
    return negation(of: formula, &known)
  }

  private mutating func negation(of formula: ID, _ known: inout [ID: ID]) -> ID {
    if let result = known[formula] { return result }
    let result: ID
    switch form(of: formula) {
    case .atom: result = self.formula(nodes.word(1, of: formula), isNegated: true)
    case .notAtom: result = self.formula(nodes.word(1, of: formula))
    case .some:
      result = all(parts(of: formula).map { negation(of: $0, &known) })
    case .all:
      result = some(parts(of: formula).map { negation(of: $0, &known) })
    case .one: result = counted(parts(of: formula), .notOne)
    case .notOne: result = counted(parts(of: formula), .one)
    }
    known[formula] = result
    return result
  }

  private mutating func intern(_ words: [UInt32]) -> ID {
    let id = nodes.intern(words)
    if Int(id) < supports.count { return id }
    var support: [UInt32] = []
    switch Form(rawValue: words[0]) ?? .some {
    case .atom:
      support = [words[1] << 1]
      closed.append(false)
    case .notAtom:
      support = [words[1] << 1 | 1]
      closed.append(true)
    case .all:
      for part in words.dropFirst() { support.append(contentsOf: self.support(of: part)) }
      closed.append(words.dropFirst().allSatisfy { closed[Int($0)] })
    case .some:
      for part in words.dropFirst() { support.append(contentsOf: self.support(of: part)) }
      closed.append(words.dropFirst().contains { closed[Int($0)] })
    case .one, .notOne:
      // Each part counts where it is true and where it is false.
      for part in words.dropFirst() {
        for signed in self.support(of: part) { support += [signed, signed ^ 1] }
      }
      let isOne = words.dropFirst().count { closed[Int($0)] } == 1
      closed.append(isOne == (words[0] == Form.one.rawValue))
    }
    if words.count > 2 {
      support.sort()
      var count = 0
      for word in support where count == 0 || support[count - 1] != word {
        support[count] = word
        count += 1
      }
      support.removeSubrange(count...)
    }
    supports.append(supportLists.intern(support))
    results.append(id)
    rounds.append(0)
    return id
  }

  // MARK: Looking at formulas

  func form(of formula: ID) -> Form { Form(rawValue: nodes.word(0, of: formula)) ?? .some }

  /// The formulas that a formula is put together of.
  func parts(of formula: ID) -> [ID] { Array(nodes[formula].dropFirst()) }

  /// The formulas that must all be true: the parts of a conjunction, or the formula itself.
  func conjuncts(of formula: ID) -> [ID] {
    if formula == Self.always { return [] }
    return form(of: formula) == .all ? parts(of: formula) : [formula]
  }

  /// The literal that an atom asks for.
  func literal(of atom: Atom) -> UInt32 { atoms[Int(atom)].literal }

  /// The subschema of that literal.
  func schema(of atom: Atom) -> SchemaNode.ID { Obligations.schema(of: literal(of: atom)) }

  /// The atom of a formula that is one or the negation of one.
  func atom(of formula: ID) -> Atom? {
    switch form(of: formula) {
    case .atom, .notAtom: nodes.word(1, of: formula)
    default: nil
    }
  }

  /// The atoms of a formula with their signs, `atom << 1 | negated`, in ascending order.
  func support(of formula: ID) -> ArraySlice<UInt32> { supportLists[supports[Int(formula)]] }

  /// How many atoms, by their signs, a formula has.
  func weight(of formula: ID) -> Int { supportLists.length(of: supports[Int(formula)]) }

  /// In which signs a formula has an atom.
  func signs(of atom: Atom, in formula: ID) -> (positive: Bool, negative: Bool) {
    let support = support(of: formula)
    var (low, high) = (support.startIndex, support.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if support[middle] < atom << 1 { low = middle + 1 } else { high = middle }
    }
    let isPositive = low < support.endIndex && support[low] == atom << 1
    let next = isPositive ? low + 1 : low
    return (isPositive, next < support.endIndex && support[next] == atom << 1 | 1)
  }

  /// Whether a formula has an atom.
  func depends(_ formula: ID, on atom: Atom) -> Bool {
    let signs = signs(of: atom, in: formula)
    return signs.positive || signs.negative
  }

  /// Whether a formula is true once no member comes any more.
  func isTrueAtEnd(_ formula: ID) -> Bool { closed[Int(formula)] }

  // MARK: Assignments

  /// What is left of a formula once some atoms are known.
  mutating func assigning(_ known: [(atom: Atom, isTrue: Bool)], in formula: ID) -> ID {
    let result = assigningOnly(known, in: formula)
    return result == formula ? result : settling(result)
  }

  /// A formula in which the atoms that must be true, or false, have decided the other parts: of
  /// `a and (a or b)` and of `a and (a or c)` the same is left.
  mutating func settling(_ formula: ID) -> ID {
    var settled: [ID] = []
    var left = formula
    while form(of: left) == .all {
      let parts = parts(of: left)
      var known: [(atom: Atom, isTrue: Bool)] = []
      for part in parts {
        if let atom = atom(of: part) { known.append((atom, form(of: part) == .atom)) }
      }
      if known.isEmpty { break }
      settled += parts.filter { atom(of: $0) != nil }
      left = assigningOnly(known, in: all(parts.filter { atom(of: $0) == nil }))
    }
    return settled.isEmpty ? formula : all(settled + [left])
  }

  private mutating func assigningOnly(
    _ known: [(atom: Atom, isTrue: Bool)], in formula: ID
  ) -> ID {
    for (atom, isTrue) in known { values[Int(atom)] = isTrue ? 2 : 1 }
    round &+= 1
    let result = assigned(formula)
    for (atom, _) in known { values[Int(atom)] = 0 }
    return result
  }

  /// A formula in which other atoms stand for some that say the same.
  mutating func replacing(_ equals: [(atom: Atom, by: Atom)], in formula: ID) -> ID {
    for (atom, other) in equals { values[Int(atom)] = other + 3 }
    round &+= 1
    let result = assigned(formula)
    for (atom, _) in equals { values[Int(atom)] = 0 }
    return result == formula ? result : settling(result)
  }

  private mutating func assigned(_ formula: ID) -> ID {
    if rounds[Int(formula)] == round { return results[Int(formula)] }
    let form = form(of: formula)
    var result = formula
    switch form {
    case .atom, .notAtom:
      let value = values[Int(nodes.word(1, of: formula))]
      if value >= 3 {
        result = self.formula(value - 3, isNegated: form == .notAtom)
      } else if value != 0 {
        result = (value == 2) == (form == .atom) ? Self.always : Self.never
      }
    case .all, .some, .one, .notOne:
      // No single part decides how many are true.
      let decisive: ID? = form == .all ? Self.never : form == .some ? Self.always : nil
      var parts: [ID] = []
      var hasChanged = false
      for place in 1..<max(1, nodes.length(of: formula)) {
        let part = nodes.word(place, of: formula)
        let after = assigned(part)
        if let decisive, after == decisive {
          parts = [after]
          hasChanged = true
          break
        }
        if after != part { hasChanged = true }
        parts.append(after)
      }
      if hasChanged { result = combined(parts, form) }
    }
    rounds[Int(formula)] = round
    results[Int(formula)] = result
    return result
  }
}
