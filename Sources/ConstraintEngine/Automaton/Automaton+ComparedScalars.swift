// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Scalars that must be none of some values, or one of them (``Comparison``).
extension Automaton {
  /// The state before the first byte of the numbers of a constraint that stand a comparison.
  mutating func numberStart(
    _ index: Int, _ comparison: Comparison
  ) -> NumberAutomaton.State {
    let constraint = obligations.numberConstraints[index]
    if comparison == .none { return obligations.numberStart(index) }
    if isLong(comparison), Self.isInexhaustible(constraint) {
      let ended = Self.numbersWithoutEnd(of: constraint).filter { !admits(.number($0), comparison) }
      if ended.isEmpty { return obligations.numberStart(index) }
      var result = constraint
      result.excluded.formUnion(ended)
      return obligations.numbers.start(result)
    }
    let key = UInt64(comparison.word) << 32 | UInt64(index)
    if comparison.isOneOf, let known = chosenNumbers[key] { return known }
    let result = obligations.numbers.start(
      Self.compared(constraint, comparison, scalars(comparison)))
    if comparison.isOneOf { chosenNumbers.set(key, result) }
    return result
  }

  /// Above this many values seen, a new one is compared with them once it is complete, where there
  /// are always others that it can become.
  private static let exclusionLimit = 64

  /// Whether a value may be none of so many that it is compared with them at its end, where there are
  /// always others that it can become.
  mutating func isLong(_ comparison: Comparison) -> Bool {
    !comparison.isOneOf && wordSets.count(of: comparison.values) > Self.exclusionLimit
  }

  /// Whether there is always another string than those seen, however one begins: that it was seen shows
  /// at its quote. Of strings with any content that holds for all that are shorter than they may be,
  /// since a scalar more makes a million of them.
  mutating func isInexhaustible(_ node: StringNode) -> Bool {
    guard let maximum = node.maximum else {
      return obligations.languages.isInexhaustible(node.language)
    }
    return obligations.languages.isFreeState(node.language) && maximum > texts.longest
  }

  /// Whether there is always another number.
  private static func isInexhaustible(_ constraint: NumberConstraint) -> Bool {
    constraint.values == nil && (constraint.lower == nil || constraint.upper == nil)
  }

  /// The numbers of such a constraint that may not become another one by more digits: 0, as an integer
  /// `05` is none, and those on the side of a bound, where that holds few: each is looked up before
  /// each item.
  private static func numbersWithoutEnd(of constraint: NumberConstraint) -> [ExactDecimal] {
    let few = 128
    var result = [ExactDecimal(0)]
    if let upper = constraint.upper?.value, !upper.isNegative, !upper.isZero {
      result.append(upper)
      if constraint.onlyIntegers, let last = upper.integer, last <= few {
        result += (1..<max(1, last)).map { ExactDecimal($0) }
      }
    }
    if let lower = constraint.lower?.value, lower.isNegative {
      result.append(lower)
      if constraint.onlyIntegers, let first = lower.integer, first >= -few {
        result += (first + 1..<0).map { ExactDecimal($0) }
      }
    }
    return result
  }

  /// The states of the numbers that a value, or the first item of an array, may start with.
  mutating func numberStarts(_ frame: Frame) -> [NumberAutomaton.State] {
    let ways =
      frame.kind == .array
      ? items(frame).map { (goal: $0.goal, recorded: $0.recorded) }
      : [(goal: frame.a, recorded: frame.b)]
    var result: [NumberAutomaton.State] = []
    for way in ways {
      let comparison = Comparison(recorded: way.recorded)
      for case .number(let index) in obligations.nodes(way.goal, .number) {
        let start = numberStart(index, comparison)
        if !result.contains(start) { result.append(start) }
      }
    }
    return result
  }

  /// Whether a scalar stands a comparison.
  mutating func admits(_ scalar: ValueTable.Scalar, _ comparison: Comparison) -> Bool {
    if comparison == .none { return true }
    let isKnown =
      values.known(scalar).map { wordSets.contains($0, in: comparison.values) } ?? false
    return isKnown == comparison.isOneOf
  }

  /// Those of some strings that stand a comparison.
  mutating func compared(_ node: StringNode, _ comparison: Comparison) -> StringNode? {
    if comparison == .none { return node }
    if !comparison.isOneOf, isInexhaustible(node) { return node }
    // Each token that begins the value asks the same.
    let key = UInt64(comparison.word) << 32 | UInt64(node.language)
    if let known = comparedTexts[key] { return possible(node, known) }
    // Of strings with any content those of the greatest length alone can be used up.
    let isFree = !comparison.isOneOf && obligations.languages.isFreeState(node.language)
    let result = texts(of: node, comparison, ofGreatestLength: isFree)
    if !isFree { comparedTexts.set(key, result) }
    return possible(node, result)
  }

  /// The language of those of some strings that stand a comparison.
  private mutating func texts(
    of node: StringNode, _ comparison: Comparison, ofGreatestLength isLimited: Bool
  ) -> RegularLanguages.State {
    var known: [UInt32] = []
    for case .string(let text) in scalars(comparison) where text != TextTable.unknown {
      if isLimited, let maximum = node.maximum, texts.scalarCount(of: text) < maximum { continue }
      known.append(text)
    }
    if known.isEmpty { return comparison.isOneOf ? RegularLanguages.dead : node.language }
    let language = language(ofTexts: known.sorted())
    return comparison.isOneOf
      ? obligations.languages.intersection(of: [node.language, language])
      : obligations.languages.intersection(of: [node.language], without: [language])
  }

  /// Some strings in another language, if it has any.
  private mutating func possible(
    _ node: StringNode, _ language: RegularLanguages.State
  ) -> StringNode? {
    var node = node
    node.language = language
    let isPossible = obligations.languages.hasString(
      node.language, minimum: node.minimum, maximum: node.maximum)
    return isPossible ? node : nil
  }

  /// The language of some texts, given in ascending order.
  mutating func language(ofTexts texts: [UInt32]) -> RegularLanguages.State {
    if let known = textLanguages[texts] { return known }
    let result = obligations.languages.sharedFinite(texts.map { self.texts.bytes(of: $0) })
    textLanguages[texts] = result
    return result
  }

  /// Those of some numbers that stand a comparison with some scalars. Not a method of the value: to
  /// call one while the value changes would copy it.
  static func compared(
    _ constraint: NumberConstraint, _ comparison: Comparison, _ scalars: [ValueTable.Scalar]
  ) -> NumberConstraint {
    if comparison == .none { return constraint }
    var result = constraint
    if comparison.isOneOf {
      result.values = scalars.compactMap { scalar in
        guard case .number(let number) = scalar, constraint.admits(number) else { return nil }
        return number
      }
      return result
    }
    if scalars.count > Self.exclusionLimit, isInexhaustible(result) { return result }
    for case .number(let number) in scalars {
      if result.values != nil {
        result.values?.removeAll { $0 == number }
      } else {
        result.excluded.insert(number)
      }
    }
    return result
  }
}
