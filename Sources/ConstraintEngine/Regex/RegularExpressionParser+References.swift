// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Back-references.
//
// `\1` asks for the text that the first group matched, which no automaton remembers. Where the group has
// few texts the pattern is read once for each of them: the group is that text there, and so is `\1`.
// Once more it is read with the group left out, where `\1` is the empty text. The whole is a choice.
//
// Example: `^(['"])\w+\1$` is `^'\w+'$|^"\w+"$`; and `^(-?)\d\d\1\d\d$` is `^-\d\d-\d\d$|^\d\d\d\d$`.

extension RegularExpressionParser {
  /// A group that a pattern counts.
  struct Group {
    var body: RegularExpression
    var name: String?
    /// Whether a back-reference stands in it: its texts depend on another group.
    var holdsReference: Bool
  }

  /// The groups of a pattern.
  struct Groups {
    /// How many began before the place where the parser is.
    var count = 0
    /// The groups by their numbers, as they were read first.
    var known: [Int: Group] = [:]
    /// Those that were referred to after they ended.
    var referenced: Set<Int> = []
    var greatestMention = 0
    /// How many back-references were read.
    var mentionCount = 0
    /// Those that ended before the place where the parser is.
    var closed: Set<Int> = []
    /// What they match in this reading.
    var captures: [Int: Capture] = [:]
    /// How many that match a text were read.
    var takenCount = 0

    mutating func beginReading() { (count, closed, takenCount) = (0, [], 0) }
  }

  /// What a group matches in one reading of a pattern.
  enum Capture {
    case text([Unicode.Scalar])
    /// The group is left out.
    case nothing
  }

  /// The most readings of one pattern.
  private static var readingLimit: Int { 64 }

  /// Reads a pattern that refers back to groups, once for each combination of their texts.
  mutating func written(out referenced: [Int]) throws(Failure) -> RegularExpression {
    var readings: [[Int: Capture]] = [[:]]
    // A group that matches nothing makes no more readings, and each takes longer.
    guard referenced.count <= Self.readingLimit else {
      throw failure("back-references to more than \(Self.readingLimit) groups are not supported")
    }
    for group in referenced {
      if groups.known[group]?.holdsReference == true {
        throw failure(
          "a back-reference to a group that has back-references is not supported (write the cases out)"
        )
      }
      guard let texts = groups.known[group].flatMap({ $0.body.texts(limit: Self.readingLimit) }),
        readings.count * (texts.count + 1) <= Self.readingLimit
      else {
        throw failure(
          "a back-reference to a group with many texts does not make a regular language "
            + "(at most \(Self.readingLimit) combinations are written out: give the group fewer)")
      }
      readings = readings.flatMap { reading in
        (texts.map(Capture.text) + [.nothing]).map { capture in
          var extended = reading
          extended[group] = capture
          return extended
        }
      }
    }
    var branches: [RegularExpression] = []
    for reading in readings {
      groups.captures = reading
      branches.append(try whole())
    }
    return .choice(branches)
  }

  /// Takes `\1` or `\k<name>`, whose digits or name come next.
  ///
  /// - Returns: What the group matched; empty where it is not closed yet, as ECMA-262 has it.
  mutating func reference() throws(Failure) -> RegularExpression {
    let group: Int
    if take("k<") {
      let name = try groupName()
      // By ECMA-262 the name of a later group matches the empty text, which nobody means.
      guard let named = groups.known.first(where: { $0.value.name == name })?.key else {
        throw failure("no group before `\\k<\(name)>` is named `\(name)`")
      }
      group = named
    } else {
      guard let number = number() else { throw failure("`\\k` must be followed by a name in `<>`") }
      group = number
    }
    groups.mentionCount += 1
    groups.greatestMention = max(groups.greatestMention, group)
    guard groups.closed.contains(group) else { return .empty }
    groups.referenced.insert(group)
    guard case .text(let text)? = groups.captures[group] else { return .empty }
    return .sequence(text.map { .scalar(cased(ScalarSet([$0.value...$0.value]))) })
  }

  /// Takes the name of a group and the `>` after it.
  mutating func groupName() throws(Failure) -> String {
    var name = ""
    while let scalar = next, scalar.properties.isIDContinue || scalar == "$" {
      name.unicodeScalars.append(scalar)
      at += 1
    }
    guard take(">") else { throw failure("a group name ends with `>`") }
    return name
  }

  /// What a group stands for in this reading.
  mutating func captured(_ group: Int, _ body: RegularExpression) throws(Failure)
    -> RegularExpression
  {
    groups.closed.insert(group)
    switch groups.captures[group] {
    case nil: return body
    case .nothing: return .choice([])
    case .text(let text):
      groups.takenCount += 1
      return .literal(text)
    }
  }

  /// The branches of a choice that are left where some hold groups with a text.
  ///
  /// - Parameter taken: How many such groups each branch holds.
  func branches(_ branches: [RegularExpression], taken: [Int]) -> [RegularExpression] {
    let chosen = taken.indices.filter { taken[$0] > 0 }
    switch chosen.count {
    case 0: return branches
    case 1: return [branches[chosen[0]]]
    default: return []
    }
  }

  /// A repetition whose body holds groups with a text: it is gone through once.
  func repetitionOnce(
    _ body: RegularExpression, _ maximum: Int?
  ) throws(Failure) -> RegularExpression {
    guard maximum == 1 else {
      throw failure(
        "a back-reference to a group that is repeated is not supported (write the repetitions out)")
    }
    return body
  }
}

extension RegularExpression {
  /// The texts of an expression without conditions; nil where there are more than a limit.
  fileprivate func texts(limit: Int) -> [[Unicode.Scalar]]? {
    switch self {
    case .scalar(let set):
      var scalars: [[Unicode.Scalar]] = []
      for range in set.ranges {
        guard scalars.count + range.count <= limit else { return nil }
        scalars += range.compactMap(Unicode.Scalar.init).map { [$0] }
      }
      return scalars
    case .sequence(let parts):
      var texts: [[Unicode.Scalar]] = [[]]
      for part in parts {
        guard let next = part.texts(limit: limit), texts.count * next.count <= limit else {
          return nil
        }
        texts = texts.flatMap { text in next.map { text + $0 } }
      }
      return Array(Set(texts)).sorted { $0.lexicographicallyPrecedes($1) }
    case .choice(let branches):
      var texts: Set<[Unicode.Scalar]> = []
      for branch in branches {
        guard let next = branch.texts(limit: limit) else { return nil }
        texts.formUnion(next)
      }
      guard texts.count <= limit else { return nil }
      return texts.sorted { $0.lexicographicallyPrecedes($1) }
    case .repetition(let body, let minimum, let maximum):
      guard let maximum, maximum <= limit else { return nil }
      return body.texts(repeated: minimum...maximum, limit: limit)
    case .look, .start, .end:
      return nil
    }
  }

  /// The texts of a number of copies. Those of one copy are found once: with repetitions in repetitions
  /// they would be found again for each copy of each.
  private func texts(repeated counts: ClosedRange<Int>, limit: Int) -> [[Unicode.Scalar]]? {
    var found: Set<[Unicode.Scalar]> = []
    var texts: Set<[Unicode.Scalar]> = [[]]
    let once = counts.upperBound == 0 ? [] : self.texts(limit: limit)
    guard let once else { return nil }
    for count in 0...counts.upperBound {
      if count > 0 {
        guard texts.count * once.count <= limit else { return nil }
        texts = Set(texts.flatMap { text in once.map { text + $0 } })
      }
      if count >= counts.lowerBound { found.formUnion(texts) }
    }
    guard found.count <= limit else { return nil }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
