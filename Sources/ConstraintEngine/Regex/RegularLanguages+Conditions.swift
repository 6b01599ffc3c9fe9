// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Conditions at the start of a pattern, as in `^(?=.*[0-9])(?!(?:if|else)$)\\w+$`.
///
/// What is asked of the text from its start on is a language of its own: the pattern is the
/// intersection of these, and what is not to follow is left out. So each is an automaton without
/// conditions, where within one automaton every thread would carry the others along.
extension RegularLanguages {
  /// The language of a search whose pattern starts with `^` and conditions; `nil` where it does not.
  mutating func conjunction(of expression: RegularExpression) -> Result<State, RegexError>? {
    guard case .sequence(let parts) = expression, parts.first == .start else { return nil }
    let conditions = parts.dropFirst().prefix(while: \.looksAhead)
    if conditions.isEmpty { return nil }
    let rest = RegularExpression.sequence([.start] + parts.dropFirst(1 + conditions.count))
    guard case .success(let searched) = language(of: rest.asSearch) else { return nil }
    var included = [searched]
    var excluded: [State] = []
    for case .look(let body, _, let negated) in conditions {
      guard let state = start(of: body) else { return nil }
      if negated { excluded.append(state) } else { included.append(state) }
    }
    return .success(intersection(of: included, without: excluded))
  }

  /// The texts that start with what an expression describes.
  private mutating func start(of body: RegularExpression) -> State? {
    if case .sequence(let parts) = body, parts.last == .end,
      let strings = RegularExpression.sequence(Array(parts.dropLast())).strings
    {
      return finite(strings)
    }
    return try? language(of: .sequence([body, .anything])).get()
  }
}

extension RegularExpression {
  /// Whether it is a condition on what follows.
  var looksAhead: Bool {
    if case .look(_, ahead: true, _) = self { true } else { false }
  }

  /// Strings that have more bytes together are not listed: each part of a sequence copies them.
  private static let mostBytes = 1 << 14

  /// The strings that an expression without repetitions describes, if they are few and short.
  var strings: [[UInt8]]? {
    switch self {
    case .scalar(let set):
      guard set.ranges.count == 1, let range = set.ranges.first,
        range.lowerBound == range.upperBound, let scalar = Unicode.Scalar(range.lowerBound)
      else { return nil }
      return [Array(String(Character(scalar)).utf8)]
    case .sequence(let parts):
      var result: [[UInt8]] = [[]]
      for part in parts {
        guard let next = part.strings,
          Self.size(result) * next.count + Self.size(next) * result.count <= Self.mostBytes
        else { return nil }
        result = result.flatMap { start in next.map { start + $0 } }
      }
      return result
    case .choice(let branches):
      var result: [[UInt8]] = []
      for branch in branches {
        guard let more = branch.strings else { return nil }
        result += more
        if Self.size(result) > Self.mostBytes { return nil }
      }
      return result
    case .repetition, .look, .start, .end: return nil
    }
  }

  /// How much some strings take, an empty one as much as one of one byte.
  private static func size(_ strings: [[UInt8]]) -> Int {
    strings.reduce(0) { $0 + max($1.count, 1) }
  }
}
