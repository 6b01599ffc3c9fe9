// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is asked of an object, in parts that are decided apart.
///
/// Worked example: of *`a` is a number, and `b` or `c` is there, and `a` is below 9* the first and the last
/// speak of `a` and are one part; *`b` or `c`* is another.
extension Obligations {
  /// The parts of a formula that must all be true, such that no two speak of the same member.
  mutating func parts(of formula: ObjectFormulas.ID) -> [ObjectFormulas.ID] {
    if formula == ObjectFormulas.always { return [] }
    guard alternatives.formulas.form(of: formula) == .all else { return [formula] }
    if let known = formulaParts[formula] { return known }
    let result = hasKeyAtoms(formula) ? [formula] : findParts(of: formula)
    formulaParts[formula] = result
    return result
  }

  private mutating func findParts(of formula: ObjectFormulas.ID) -> [ObjectFormulas.ID] {
    let conjuncts = alternatives.formulas.conjuncts(of: formula)
    // Trees of places that belong together; the root of each is its lowest place.
    var roots = Array(conjuncts.indices)
    func root(_ place: Int) -> Int {
      var at = place
      while roots[at] != at {
        roots[at] = roots[roots[at]]
        at = roots[at]
      }
      return at
    }
    var firsts: [SchemaNode.Name: Int] = [:]
    for (place, conjunct) in conjuncts.enumerated() {
      for signed in alternatives.formulas.support(of: conjunct) {
        guard case .member(let name, _) = alternatives.formulas.atoms[Int(signed >> 1)] else {
          continue
        }
        guard let first = firsts[name] else {
          firsts[name] = place
          continue
        }
        let (mine, other) = (root(place), root(first))
        roots[max(mine, other)] = min(mine, other)
      }
    }
    var members: [Int: [ObjectFormulas.ID]] = [:]
    for (place, conjunct) in conjuncts.enumerated() {
      members[root(place), default: []].append(conjunct)
    }
    var result: [ObjectFormulas.ID] = []
    for place in members.keys.sorted() {
      result.append(alternatives.formulas.all(members[place] ?? []))
    }
    return result
  }
}
