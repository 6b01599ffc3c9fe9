// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Patterns that ask for a number of characters of one set, such as `^[\\p{L}_]{1,200}$`.
///
/// As an automaton each of the 200 places has states of its own, and where the set has some scalars
/// beyond ASCII and not others, each of these many within a scalar. Counted outside, as the bounds of
/// a string's length are, one state is enough.
extension RegularLanguages {
  /// Some scalars of one set, and nothing else.
  struct CountedRun {
    var set: ScalarSet
    var minimum: Int
    var maximum: Int?
  }

  /// A language whose strings are counted apart.
  struct Counted {
    var language: State
    var minimum: Int
    var maximum: Int?
  }

  /// Shorter runs stay what they are: their characters are taken by their kinds.
  private static let longRun = 32

  /// A language as one that does not count and the bounds of its length, where its strings are better
  /// counted apart.
  mutating func counted(_ state: State) -> Counted? {
    guard !countedRuns.isEmpty, let run = countedRuns[state],
      run.maximum ?? run.minimum >= Self.longRun, !isUniformBeyondASCII(run.set)
    else { return nil }
    let any = RegularExpression.repetition(
      .scalar(run.set), minimum: min(run.minimum, 1), maximum: nil)
    guard case .success(let language) = language(of: any) else { return nil }
    return Counted(
      language: language, minimum: run.minimum > 1 ? run.minimum : 0, maximum: run.maximum)
  }

  private mutating func isUniformBeyondASCII(_ set: ScalarSet) -> Bool {
    automata[automata.index(of: set)].uniformBeyondASCII == CharacterKinds.anyBeyondASCII
  }
}

extension RegularExpression {
  /// What is counted, where the whole expression is `^`, a run of one set, and `$`.
  var countedRun: RegularLanguages.CountedRun? {
    guard case .sequence(let parts) = self, parts.count == 3, parts[0] == .start,
      parts[2] == .end, case .repetition(let body, let minimum, let maximum) = parts[1],
      case .scalar(let set) = body
    else { return nil }
    return RegularLanguages.CountedRun(set: set, minimum: minimum, maximum: maximum)
  }
}
