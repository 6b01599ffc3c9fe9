// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Patterns that count the characters of one set, such as `^[a-z][a-z0-9_]{0,199}$`.
///
/// As an automaton each of the 199 places has states of its own, and masks of its own. Where all else
/// in the pattern has one width, the count is a bound of the whole string's length: the strings of
/// `^[a-z][a-z0-9_]*$` with 1 to 200 characters. Counted outside, as the bounds of a string's length
/// are, a few states are enough. Conditions at the start, as in `^(?=.*[0-9])(?=.*[a-z]).{8,64}$`, are about
/// the whole string, and stay as they are.
extension RegularLanguages {
  /// A language as one that does not count, and the bounds of its strings' lengths in scalars.
  struct Counted {
    var language: State
    var minimum: Int
    var maximum: Int?
  }

  /// Notes that the strings of a pattern's language can be counted apart.
  mutating func noteCount(_ expression: RegularExpression, _ state: State) {
    guard let run = CountedRun(expression),
      case .success(let language) = conjunction(of: .sequence([.start] + run.uncounted + [.end]))
        ?? language(of: .sequence(run.uncounted))
    else { return }
    counted[state] = Counted(language: language, minimum: run.minimum, maximum: run.maximum)
  }
}

/// The parts of an expression between `^` and `$` without their count, and what the count says of the
/// length of its strings.
private struct CountedRun {
  var uncounted: [RegularExpression]
  /// In scalars, as the maximum.
  var minimum: Int
  var maximum: Int?

  /// Shorter runs stay what they are.
  private static let longRun = 16

  /// The one long run of an expression, where it is all between `^` and `$` but for parts of one
  /// width; `nil` where there is none.
  init?(_ expression: RegularExpression) {
    guard case .sequence(let whole) = expression, whole.count > 2, whole.first == .start,
      whole.last == .end
    else { return nil }
    var parts = RegularExpression.sequence(Array(whole[1..<(whole.count - 1)])).flattened
    let first = parts.firstIndex { !$0.looksAhead } ?? parts.endIndex
    var found: (place: Int, minimum: Int, maximum: Int?)?
    var width = 0
    for (place, part) in parts.enumerated().dropFirst(first) {
      if case .repetition(.scalar, let minimum, let maximum) = part,
        maximum ?? minimum >= Self.longRun
      {
        guard found == nil else { return nil }
        found = (place, minimum, maximum)
      } else {
        guard let sum = part.width.flatMap({ width.adding($0) }) else { return nil }
        width = sum
      }
    }
    guard let found, case .repetition(let set, _, _) = parts[found.place],
      let least = width.adding(found.minimum), let most = width.adding(found.maximum ?? 0)
    else { return nil }
    parts[found.place] = .repetition(set, minimum: min(found.minimum, 1), maximum: nil)
    uncounted = parts
    minimum = found.minimum > 1 ? least : 0
    maximum = found.maximum == nil ? nil : most
  }
}

extension RegularExpression {
  /// The parts one after the other, without sequences in sequences.
  fileprivate var flattened: [RegularExpression] {
    guard case .sequence(let parts) = self else { return [self] }
    return parts.flatMap(\.flattened)
  }

  /// The number of scalars that every match has; `nil` where they differ or conditions are asked.
  fileprivate var width: Int? {
    switch self {
    case .scalar: return 1
    case .sequence(let parts):
      var sum = 0
      for part in parts {
        guard let longer = part.width.flatMap({ sum.adding($0) }) else { return nil }
        sum = longer
      }
      return sum
    case .choice(let parts):
      let widths = parts.map(\.width)
      return widths.allSatisfy { $0 == widths.first } ? widths.first ?? nil : nil
    case .repetition(let body, let minimum, let maximum):
      guard minimum == maximum, let width = body.width else { return nil }
      let (product, overflow) = width.multipliedReportingOverflow(by: minimum)
      return overflow ? nil : product
    case .look, .start, .end: return nil
    }
  }
}

extension Int {
  /// The sum; `nil` where it is too large.
  fileprivate func adding(_ other: Int) -> Int? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }
}
