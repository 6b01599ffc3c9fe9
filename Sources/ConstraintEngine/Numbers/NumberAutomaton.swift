// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The spellings of numbers in a ``NumberConstraint``, byte by byte.
///
/// JSON's syntax of a number has eight places (after `-`, after a leading `0`, among the digits,
/// after the point …). For a constraint that depends on the value, a state also holds the text read
/// so far, reduced to what can still matter: with `minimum: 3`, the text `7` can only go on to
/// larger numbers, so that it becomes the same state as any digits without a constraint. A prefix
/// is refused as soon as no spelling that starts with it has an allowed value.
package struct NumberAutomaton {
  /// Places in the syntax of RFC 8259, section 6.
  package enum Place: UInt32 {
    case start, sign, zero, digits, point, fraction, exponent, exponentSign, exponentDigits

    package var mayEnd: Bool {
      switch self {
      case .zero, .digits, .fraction, .exponentDigits: true
      default: false
      }
    }

    func after(_ byte: UInt8) -> Place? {
      switch (self, byte) {
      case (.start, 0x2D): .sign
      case (.start, 0x30), (.sign, 0x30): .zero
      case (.start, 0x31...0x39), (.sign, 0x31...0x39), (.digits, 0x30...0x39): .digits
      case (.zero, 0x2E), (.digits, 0x2E): .point
      case (.point, 0x30...0x39), (.fraction, 0x30...0x39): .fraction
      case (.zero, 0x65), (.digits, 0x65), (.fraction, 0x65): .exponent
      case (.zero, 0x45), (.digits, 0x45), (.fraction, 0x45): .exponent
      case (.exponent, 0x2B), (.exponent, 0x2D): .exponentSign
      case (.exponent, 0x30...0x39), (.exponentSign, 0x30...0x39), (.exponentDigits, 0x30...0x39):
        .exponentDigits
      default: nil
      }
    }
  }

  /// Which spellings a state without a text allows.
  package enum Freedom: UInt32 {
    case any, integer, decimal

    func allows(_ place: Place) -> Bool {
      switch self {
      case .any: true
      case .integer: [.start, .sign, .zero, .digits].contains(place)
      case .decimal: ![.exponent, .exponentSign, .exponentDigits].contains(place)
      }
    }
  }

  /// Constraints that need no text, or little of one.
  private enum Kind {
    case none, integers, spelledIntegers, other

    init(_ constraint: NumberConstraint) {
      var integers = NumberConstraint.none
      integers.onlyIntegers = true
      var spelled = integers
      spelled.spelledAsInteger = true
      switch constraint {
      case .none: self = .none
      case integers: self = .integers
      case spelled: self = .spelledIntegers
      default: self = .other
      }
    }
  }

  package typealias State = UInt32

  let spelling: CompilationOptions.Numbers
  /// Whether numbers that nothing bounds end before a `Double` does (``Extent``).
  let isWithinDouble: Bool
  package private(set) var constraints: [NumberConstraint] = []
  /// By constraint, the values that it lists.
  private(set) var lists: [ListedNumbers?] = []
  private var kinds: [Kind] = []
  /// By constraint, what the residues of its numbers are taken by, or zero (``residueModulus(of:)``).
  private(set) var moduli: [Int] = []
  /// By constraint, what its numbers are multiples of, where that and its bounds decide.
  private(set) var steps: [NumberPrefix.Step?] = []
  /// Texts of more bytes are read by their runs (``LongNumberText``); a variable for tests.
  var longTextLength = 64
  private(set) var extents: [Extent] = []
  private var indices: [NumberConstraint: Int] = [:]
  private var withoutExclusions: [Int: Int] = [:]
  private var withoutBound: [Int: Int] = [:]
  /// `[freedom, place, count]` or `[3 + constraint, place, count, runs of bytes…]` (``NumberText``):
  /// the count is that of the digits of the integer part, the fraction or the exponent, where it
  /// matters.
  package private(set) var states = SequenceInterner()
  private var transitions = FlatMap()
  /// By state: -1 where it has not been asked, else whether the number may end.
  private var ends: [Int8] = []

  /// The state after a byte that no allowed number has there.
  package static let dead = State.max

  /// The memory held, in bytes.
  var byteCount: Int { states.byteCount + transitions.count * 20 + ends.count * 8 }

  /// - Parameter isWithinDouble: `nil` where the spelling decides: what is written in plain spellings
  ///   is meant to be read.
  package init(spelling: CompilationOptions.Numbers, isWithinDouble: Bool? = nil) {
    self.spelling = spelling
    self.isWithinDouble = isWithinDouble ?? (spelling == .plain)
  }

  /// The state before the first byte of a number.
  package mutating func start(_ constraint: NumberConstraint) -> State {
    reduced(index(of: constraint), .start, 0, [])
  }

  private mutating func index(of constraint: NumberConstraint) -> Int {
    if let known = indices[constraint] { return known }
    let result = add(constraint, isWithinDouble ? Extent(constraint) : .unlimited)
    indices[constraint] = result
    return result
  }

  private mutating func add(_ constraint: NumberConstraint, _ extent: Extent) -> Int {
    constraints.append(constraint)
    lists.append(ListedNumbers(constraint, spelling))
    kinds.append(Kind(constraint))
    moduli.append(Self.residueModulus(of: constraint))
    steps.append(constraint.step)
    extents.append(extent)
    return constraints.count - 1
  }

  /// The state after one more byte, or ``dead``.
  package mutating func next(_ state: State, _ byte: UInt8) -> State {
    let key = UInt64(state) << 8 | UInt64(byte)
    if let known = transitions[key] { return known }
    let result = compute(state, byte)
    transitions.set(key, result)
    return result
  }

  /// Whether the number may end here.
  package mutating func mayEnd(_ state: State) -> Bool {
    while ends.count <= Int(state) { ends.append(-1) }
    if ends[Int(state)] >= 0 { return ends[Int(state)] == 1 }
    // Copied: a slice of the interner's storage would make the next insertion copy all of it.
    let words = Array(states[state])
    var result = false
    if let place = Place(rawValue: words[1]), place.mayEnd {
      let tag = Int(words[0])
      result = tag < 3 || admits(tag - 3, place, words.dropFirst(3))
    }
    ends[Int(state)] = result ? 1 : 0
    return result
  }

  private func admits(_ index: Int, _ place: Place, _ runs: ArraySlice<UInt32>) -> Bool {
    if let wanted = constraints[index].spelledAsInteger,
      wanted != (place == .zero || place == .digits)
    {
      return false
    }
    guard let value = LongNumberText(runs: runs)?.value ?? ExactDecimal(NumberText.bytes(runs))
    else { return false }
    return lists[index]?.contains(value) ?? constraints[index].admits(value)
  }

  /// Whether some allowed number has a spelling that starts with a text.
  private func isViable(_ index: Int, _ place: Place, _ text: [UInt8], room: Int) -> Bool {
    guard let list = lists[index] else {
      if let known = isKnownToBeViable(index, place, text) { return known }
      return isViable(constraints[index], place, text, room: room)
    }
    return spelling == .any && constraints[index].spelledAsInteger != true
      ? list.hasSpelling(startingWith: text) : list.hasPlainSpelling(startingWith: text)
  }

  private mutating func compute(_ state: State, _ byte: UInt8) -> State {
    let words = Array(states[state])
    guard let place = Place(rawValue: words[1])?.after(byte) else {
      return Self.dead
    }
    let tag = words[0]
    let count = countDigits(at: place, after: words)
    if let freedom = Freedom(rawValue: tag) {
      guard freedom.allows(place), count <= Extent.limit(at: place) else { return Self.dead }
      return free(freedom, place, count)
    }
    let constraint = Int(tag) - 3
    if constraints[constraint].spelledAsInteger == true, !Freedom.integer.allows(place) {
      return Self.dead
    }
    if spelling == .plain {
      let freedom: Freedom = constraints[constraint].onlyIntegers ? .integer : .decimal
      guard freedom.allows(place) else { return Self.dead }
    }
    if let after = stateAfterLongText(constraint, words, byte, place, count) { return after }
    var text = NumberText.bytes(words.dropFirst(3))
    // `1e007` goes on as `1e7` does.
    if place == .exponentDigits, text.last == 0x30, Self.beginsExponent(text.dropLast().last) {
      text.removeLast()
    }
    text.append(byte)
    let room = room(of: constraint, text, place, count)
    guard room >= 0, isViable(constraint, place, text, room: room) else { return Self.dead }
    return reduced(constraint, place, count, text)
  }

  private static func beginsExponent(_ byte: UInt8?) -> Bool {
    byte == 0x65 || byte == 0x45 || byte == 0x2B || byte == 0x2D
  }

  /// How many digits the integer part or the exponent has with the byte that led to a place; of a
  /// fraction, how many since its digits decide nothing.
  private func countDigits(at place: Place, after words: [UInt32]) -> Int {
    let isCounted =
      place == .digits || place == .exponentDigits
      || place == .fraction && Freedom(rawValue: words[0]) != nil
    guard isWithinDouble, isCounted else { return 0 }
    return words[1] == place.rawValue ? Int(words[2]) + 1 : 1
  }

  private mutating func free(_ freedom: Freedom, _ place: Place, _ count: Int) -> State {
    states.intern([freedom.rawValue, place.rawValue, UInt32(count)])
  }

  private mutating func reduced(
    _ index: Int, _ place: Place, _ count: Int, _ text: [UInt8]
  ) -> State {
    switch kinds[index] {
    case .none: return free(.any, place, count)
    case .spelledIntegers: return free(.integer, place, count)
    case .integers:
      if spelling == .plain { return free(.integer, place, count) }
      return state(index, place, count, NumberText.runs(Self.reducedForIntegrality(text)))
    case .other: break
    }
    let constraint = constraints[index]
    if !constraint.excluded.isEmpty,
      !constraint.excluded.contains(where: { Self.mayBecome($0, text) })
    {
      let bare = indexWithoutExclusions(index)
      // What was bounded keeps its spellings.
      if spelling == .plain, kinds[bare] == .none { return free(.decimal, place, count) }
      return reduced(bare, place, count, text)
    }
    var text = text
    if Self.dependsOnDecimalPlaces(constraint, text) {
      text = Self.reducedForIntegrality(text)
    } else if spelling == .plain, isUnconstrained(constraint, place, text) {
      return free(constraint.onlyIntegers ? .integer : .decimal, place, count)
    } else if moduli[index] > 0, Self.isDecidedByResidue(text, under: constraint, at: place) {
      text = Self.residue(of: text, by: moduli[index])
    } else if moduli[index] > 0 || constraint.onlyIntegers && !isWithinDouble,
      Self.isBeyondBound(text, of: constraint, at: place, spelling)
    {
      return reduced(indexWithoutBound(index), place, count, text)
    } else {
      text = Self.representative(of: text, under: constraint, at: place, spelling)
    }
    return state(index, place, count, NumberText.runs(text))
  }

  /// The constraint without the values that it leaves out: none of them can come any more.
  private mutating func indexWithoutExclusions(_ index: Int) -> Int {
    if let known = withoutExclusions[index] { return known }
    var constraint = constraints[index]
    constraint.excluded = []
    let result = self.index(of: constraint)
    withoutExclusions[index] = result
    return result
  }

  /// The constraint without its one bound: no number can fail it any more. As many digits may come as
  /// with it.
  mutating func indexWithoutBound(_ index: Int) -> Int {
    if let known = withoutBound[index] { return known }
    var constraint = constraints[index]
    constraint.lower = nil
    constraint.upper = nil
    let result = add(constraint, extents[index])
    withoutBound[index] = result
    return result
  }

  /// Whether a value may have a spelling that starts with a text: wherever the point comes to stand,
  /// its digits do.
  private static func mayBecome(_ value: ExactDecimal, _ text: [UInt8]) -> Bool {
    var place = 0
    for byte in text {
      switch byte {
      case 0x2D: if !value.isNegative, !value.isZero { return false }
      case 0x30...0x39:
        if place == 0, byte == 0x30 { continue }
        if byte - 0x30 != (place < value.digits.count ? value.digits[place] : 0) { return false }
        place += 1
      case 0x65, 0x45: return true
      default: break
      }
    }
    return place == 0 || text.first == 0x2D || !value.isNegative
  }

  /// Whether a constraint is that of integers, and nothing else.
  func isOfIntegers(_ index: Int) -> Bool { kinds[index] == .integers }

  mutating func state(_ index: Int, _ place: Place, _ count: Int, _ runs: [UInt32]) -> State {
    states.intern([UInt32(index) + 3, place.rawValue, UInt32(count)] + runs)
  }

  /// The state that stands for all from which no token of so many bytes comes to the end of what is
  /// left of the digits.
  mutating func canonical(_ state: State, reach: Int) -> State {
    let count = Int(states.word(2, of: state))
    guard count > 1 else { return state }
    switch Place(rawValue: states.word(1, of: state)) {
    case .digits?: guard hasRoom(state, for: reach) else { return state }
    case .fraction?: guard reach <= room(state, at: .fraction) else { return state }
    default: return state
    }
    var words = Array(states[state])
    words[2] = 1
    return states.intern(words)
  }
}
