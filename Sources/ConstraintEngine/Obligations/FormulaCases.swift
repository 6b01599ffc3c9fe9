// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A formula in which one of many atoms is true and all others are false, one after the other: what
/// the listed values of a discriminator make of it.
///
/// What becomes of each part where all are false is found once, so that a value costs no more than
/// the parts that speak of it.
struct FormulaCases {
  private let form: ObjectFormulas.Form
  private let parts: [ObjectFormulas.ID]
  /// By part, what is left where all atoms are false.
  private var others: [ObjectFormulas.ID] = []
  /// The parts of which something is left then.
  private var left: [Int] = []
  /// By atom, the parts that have it.
  private var places: [ObjectFormulas.Atom: [Int]] = [:]
  /// The cases of parts that have many of the atoms.
  private var inner: [Int: FormulaCases] = [:]

  /// A part with more atoms than this has cases of its own.
  private static let few = 4

  init(
    _ formula: ObjectFormulas.ID, _ atoms: [ObjectFormulas.Atom],
    _ formulas: inout ObjectFormulas
  ) {
    form = formulas.form(of: formula)
    switch form {
    case .all, .some, .one: parts = formulas.parts(of: formula)
    case .atom, .notAtom, .notOne: parts = [formula]
    }
    let wanted = Set(atoms)
    let neutral =
      form == .some || form == .one ? ObjectFormulas.never : ObjectFormulas.always
    for (place, part) in parts.enumerated() {
      var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
      for signed in formulas.support(of: part) where wanted.contains(signed >> 1) {
        if known.last?.atom == signed >> 1 { continue }
        known.append((signed >> 1, false))
        places[signed >> 1, default: []].append(place)
      }
      if parts.count > 1, known.count > Self.few {
        let cases = FormulaCases(part, known.map(\.atom), &formulas)
        others.append(cases.formula(where: [], &formulas))
        inner[place] = cases
      } else {
        others.append(known.isEmpty ? part : formulas.assigning(known, in: part))
      }
      if others[place] != neutral { left.append(place) }
    }
  }

  /// What is left of the formula where some of the atoms are true.
  func formula(
    where known: [ObjectFormulas.Atom], _ formulas: inout ObjectFormulas
  ) -> ObjectFormulas.ID {
    var touched: [Int: ObjectFormulas.ID] = [:]
    for atom in known {
      for place in places[atom] ?? [] where touched[place] == nil {
        if let cases = inner[place] {
          touched[place] = cases.formula(where: known, &formulas)
          continue
        }
        var values: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
        for signed in formulas.support(of: parts[place]) where places[signed >> 1] != nil {
          values.append((signed >> 1, known.contains(signed >> 1)))
        }
        touched[place] = formulas.assigning(values, in: parts[place])
      }
    }
    var result: [ObjectFormulas.ID] = []
    for place in left where touched[place] == nil { result.append(others[place]) }
    result += touched.sorted { $0.key < $1.key }.map(\.value)
    switch form {
    case .some: return formulas.some(result)
    case .one: return formulas.one(result)
    default: return formulas.settling(formulas.all(result))
    }
  }
}
