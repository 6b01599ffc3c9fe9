// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads the pattern syntax of ECMA-262 (the `u` flag's semantics, with the tolerant spellings of
/// Annex B that schemas in the wild use), by recursive descent.
///
/// The flags `i`, `m` and `s` hold for a group, as in `(?i:yes|no)`, or from where they stand to the
/// end of the group around them, as in `(?i)yes|no`; the latter is not ECMA-262's, and schemas have
/// it. They are gone once the pattern is read: `(?i:a)` is `[aA]`. So are back-references.
package struct RegularExpressionParser {
  /// What is wrong with a pattern, and where.
  package struct Failure: Error {
    package var offset: Int
    package var message: String
  }

  private let scalars: [Unicode.Scalar]
  var at = 0
  private var depth = 0
  var flags = Flags()
  var groups = Groups()
  /// The size of the expression with its repetitions written out.
  private let depthLimit = 250

  /// Reads a whole pattern.
  package static func parse(_ pattern: String) throws(Failure) -> RegularExpression {
    var parser = RegularExpressionParser(pattern)
    let result = try parser.whole()
    let referenced = parser.groups.referenced.sorted()
    guard !referenced.isEmpty else { return result }
    return try parser.written(out: referenced)
  }

  /// Reads the pattern from its beginning.
  mutating func whole() throws(Failure) -> RegularExpression {
    at = 0
    groups.beginReading()
    let result = try choice()
    if at < scalars.count { throw failure("unmatched `)`") }
    guard groups.greatestMention <= groups.count else {
      throw failure(
        "`\\\(groups.greatestMention)` refers to a group that the pattern does not have")
    }
    return result
  }

  private init(_ pattern: String) {
    scalars = Array(pattern.unicodeScalars)
  }

  func failure(_ message: String) -> Failure { Failure(offset: at, message: message) }

  var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    at += 1
    return true
  }

  mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard at + wanted.count <= scalars.count, scalars[at..<at + wanted.count].elementsEqual(wanted)
    else { return false }
    at += wanted.count
    return true
  }

  private mutating func choice() throws(Failure) -> RegularExpression {
    depth += 1
    let outer = flags
    defer {
      depth -= 1
      flags = outer
    }
    guard depth < depthLimit else {
      throw failure("groups nest deeper than \(depthLimit) levels")
    }
    var branches: [RegularExpression] = []
    var taken: [Int] = []
    repeat {
      let before = groups.takenCount
      branches.append(try sequence())
      taken.append(groups.takenCount - before)
    } while take("|")
    return branches.count == 1 ? branches[0] : .choice(self.branches(branches, taken: taken))
  }

  private mutating func sequence() throws(Failure) -> RegularExpression {
    var parts: [RegularExpression] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      if try takeFlags() { continue }
      parts.append(try term())
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func term() throws(Failure) -> RegularExpression {
    let isAnchor = next == "^" || next == "$"
    let before = groups.takenCount
    let atom = try atom()
    guard let (minimum, maximum) = try quantifier() else { return atom }
    _ = take("?")
    guard next != "+" else {
      throw failure("ECMA-262 has no possessive repetitions; leave out the `+`")
    }
    guard !isAnchor else { throw failure("an anchor cannot be repeated") }
    guard groups.takenCount == before else { return try repetitionOnce(atom, maximum) }
    return .repetition(atom, minimum: minimum, maximum: maximum)
  }

  private mutating func quantifier() throws(Failure) -> (Int, Int?)? {
    switch next {
    case "*":
      at += 1
      return (0, nil)
    case "+":
      at += 1
      return (1, nil)
    case "?":
      at += 1
      return (0, 1)
    case "{":
      let start = at
      at += 1
      guard let minimum = number() else {
        at = start
        return nil
      }
      var maximum: Int? = minimum
      if take(",") { maximum = number() }
      guard take("}") else {
        at = start
        return nil
      }
      if let maximum, maximum < minimum { throw failure("the bounds of `{}` are out of order") }
      return (minimum, maximum)
    default:
      return nil
    }
  }

  mutating func number() -> Int? {
    var value: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1 << 27)
      at += 1
    }
    return value
  }

  private mutating func atom() throws(Failure) -> RegularExpression {
    guard let scalar = next else { throw failure("the pattern ends too early") }
    switch scalar {
    case "^":
      at += 1
      return flags.isMultiline ? .choice([.start, Self.lineTerminator(ahead: false)]) : .start
    case "$":
      at += 1
      return flags.isMultiline ? .choice([.end, Self.lineTerminator(ahead: true)]) : .end
    case ".":
      at += 1
      return .scalar(flags.dotIsAny ? .all : ScalarSet.lineTerminators.complement)
    case "(":
      at += 1
      return try group()
    case "[":
      at += 1
      return .scalar(try characterClass())
    case "\\":
      at += 1
      return try escape()
    case "*", "+", "?":
      throw failure("`\(scalar)` has nothing to repeat")
    default:
      // A lone `{`, `}` or `]` stands for itself (Annex B).
      at += 1
      return .scalar(cased(ScalarSet([scalar.value...scalar.value])))
    }
  }

  private static func lineTerminator(ahead: Bool) -> RegularExpression {
    .look(.scalar(.lineTerminators), ahead: ahead, negated: false)
  }

  private mutating func group() throws(Failure) -> RegularExpression {
    var look: (ahead: Bool, negated: Bool)?
    let outer = flags
    defer { flags = outer }
    var name: String?
    var number: Int?
    var isCounted = next != "?"
    if take("?") {
      if take(":") {
      } else if let changed = try changedFlags(), take(":") {
        flags = changed
      } else if take("=") {
        look = (true, false)
      } else if take("!") {
        look = (true, true)
      } else if take("<=") {
        look = (false, false)
      } else if take("<!") {
        look = (false, true)
      } else if take("<") || take("P<") {
        // Python's spelling, in the schemas that its libraries write.
        name = try groupName()
        isCounted = true
      } else {
        throw failure(
          "`(?` must be followed by `:`, `=`, `!`, `<=`, `<!`, a name in `<>` or flags among `ims`")
      }
    }
    if isCounted {
      groups.count += 1
      number = groups.count
    }
    let (before, mentions) = (groups.takenCount, groups.mentionCount)
    let body = try choice()
    guard take(")") else { throw failure("`(` is not closed") }
    if let look {
      guard groups.takenCount == before else {
        throw failure(
          "a back-reference to a group in a look-around is not supported (write the cases out)")
      }
      return .look(body, ahead: look.ahead, negated: look.negated)
    }
    guard let number else { return body }
    if groups.known[number] == nil {
      groups.known[number] = Group(
        body: body, name: name, holdsReference: groups.mentionCount > mentions)
    }
    guard groups.takenCount == before || groups.captures[number] == nil else {
      throw failure(
        "back-references to groups within each other are not supported (write the cases out)")
    }
    return try captured(number, body)
  }

  private mutating func escape() throws(Failure) -> RegularExpression {
    switch next {
    case "b":
      at += 1
      return wordBoundary(negated: false)
    case "B":
      at += 1
      return wordBoundary(negated: true)
    // ECMA-262 has no such anchors, with the `u` flag no such escapes; no schema means the letters.
    case "A":
      at += 1
      return .start
    case "Z", "z":
      at += 1
      return .end
    case "k", .some("1"..."9"):
      return try reference()
    default:
      let set = try escapedSet(inClass: false)
      guard !set.ranges.contains(where: Self.endsInSurrogate) else {
        throw failure(Self.loneSurrogate)
      }
      return .scalar(cased(set))
    }
  }

  private func wordBoundary(negated: Bool) -> RegularExpression {
    let word = RegularExpression.scalar(cased(.wordCharacters))
    func look(_ ahead: Bool, _ negated: Bool) -> RegularExpression {
      .look(word, ahead: ahead, negated: negated)
    }
    return .choice([
      .sequence([look(false, false), look(true, !negated)]),
      .sequence([look(false, true), look(true, negated)]),
    ])
  }

  private mutating func characterClass() throws(Failure) -> ScalarSet {
    let negated = take("^")
    var ranges: [ClosedRange<UInt32>] = []
    while true {
      guard let scalar = next else { throw failure("`[` is not closed") }
      if scalar == "]" {
        at += 1
        break
      }
      let low = try classAtom(into: &ranges)
      if next == "-", at + 1 < scalars.count, scalars[at + 1] != "]" {
        at += 1
        let high = try classAtom(into: &ranges)
        guard let from = low, let to = high else {
          // `[\w-.]`: the hyphen stands for itself (Annex B).
          for scalar in [low, high, 0x2D] {
            if let scalar { ranges.append(scalar...scalar) }
          }
          continue
        }
        guard from <= to else { throw failure("a range of characters is out of order") }
        ranges.append(from...to)
      } else if let low {
        ranges.append(low...low)
      }
    }
    // A class that leaves surrogates out says what holds for every text.
    guard negated || !ranges.contains(where: Self.endsInSurrogate) else {
      throw failure(Self.loneSurrogate)
    }
    let set = cased(ScalarSet(ranges))
    return negated ? set.complement : set.withoutSurrogates
  }

  /// A character of a class; `nil` for an escape that stands for several, which are added.
  private mutating func classAtom(
    into ranges: inout [ClosedRange<UInt32>]
  ) throws(Failure) -> UInt32? {
    guard let scalar = next else { throw failure("`[` is not closed") }
    at += 1
    guard scalar == "\\" else { return scalar.value }
    let set = try escapedSet(inClass: true)
    if set.ranges.count == 1, set.ranges[0].lowerBound == set.ranges[0].upperBound {
      return set.ranges[0].lowerBound
    }
    ranges += set.ranges
    return nil
  }

  private static let loneSurrogate =
    "a lone surrogate (`\\uD800` to `\\uDFFF`) is in no text; write the character, or both halves"

  private static func endsInSurrogate(_ range: ClosedRange<UInt32>) -> Bool {
    let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF
    return surrogates.contains(range.lowerBound) || surrogates.contains(range.upperBound)
  }

  private mutating func escapedSet(inClass: Bool) throws(Failure) -> ScalarSet {
    guard let scalar = next else { throw failure("`\\` ends the pattern") }
    at += 1
    switch scalar {
    case "d": return .digits
    case "D": return ScalarSet.digits.complement
    case "w": return .wordCharacters
    case "W": return ScalarSet.wordCharacters.complement
    case "s": return .whiteSpace
    case "S": return ScalarSet.whiteSpace.complement
    case "t": return ScalarSet("\t")
    case "n": return ScalarSet("\n")
    case "v": return ScalarSet("\u{0B}")
    case "f": return ScalarSet("\u{0C}")
    case "r": return ScalarSet("\r")
    case "b" where inClass: return ScalarSet("\u{08}")
    case "0":
      if let digit = next, ("0"..."9").contains(digit) { throw failure("octal escapes") }
      return ScalarSet("\0")
    case "c":
      guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else {
        throw failure("`\\c` must be followed by a letter")
      }
      at += 1
      return ScalarSet([letter.value % 32...letter.value % 32])
    case "x":
      guard let value = hexadecimal(2) else { return ScalarSet("x") }
      return ScalarSet([value...value])
    case "u":
      return try unicodeEscape()
    case "p", "P":
      return try propertyEscape(negated: scalar == "P")
    default:
      // ECMA-262 with the `u` flag knows no identity escape of a letter; Annex B does.
      return ScalarSet([scalar.value...scalar.value])
    }
  }

  private mutating func unicodeEscape() throws(Failure) -> ScalarSet {
    if take("{") {
      var value: UInt32 = 0
      while let scalar = next, let digit = UInt8(clamping: scalar.value).hexadecimalValue {
        value = min(value << 4 | UInt32(digit), 0x110000)
        at += 1
      }
      guard take("}"), value <= 0x10FFFF else { throw failure("`\\u{…}` is not a code point") }
      return ScalarSet([value...value])
    }
    guard let unit = hexadecimal(4) else { return ScalarSet("u") }
    if (0xD800..<0xDC00).contains(unit) {
      let start = at
      if take("\\u"), let low = hexadecimal(4), (0xDC00..<0xE000).contains(low) {
        let value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        return ScalarSet([value...value])
      }
      at = start
    }
    return ScalarSet([unit...unit])
  }

  private mutating func propertyEscape(negated: Bool) throws(Failure) -> ScalarSet {
    guard take("{") else { throw failure("`\\p` must be followed by a property in `{}`") }
    var name = ""
    while let scalar = next, scalar != "}" {
      name.unicodeScalars.append(scalar)
      at += 1
    }
    guard take("}") else { throw failure("`\\p{` is not closed") }
    guard let set = ScalarSet.property(name) else {
      throw failure("the Unicode property `\(name)` is not known")
    }
    return negated ? set.complement : set
  }

  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    guard at + count <= scalars.count else { return nil }
    var value: UInt32 = 0
    for scalar in scalars[at..<at + count] {
      guard scalar.isASCII, let digit = UInt8(scalar.value).hexadecimalValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    at += count
    return value
  }
}
