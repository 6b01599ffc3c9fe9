// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a byte does in a state: one table for the whole grammar of JSON.
///
/// Most bytes of most texts only lead from one state to the next. With a table that costs the same
/// for each of them, whatever it is; branches by what the byte is, which no processor foresees in
/// pieces of a few bytes, took half of the time.
///
/// An entry says which row of the table comes next, whether the byte is where a string or a number
/// starts, and what there is to do. A row has a column for each kind of bytes.
@usableFromInline
final class JSONTransitions: Sendable {
  /// What there is to do at a byte beside going on to the next state.
  enum Action: UInt16 {
    case none, endString, endName, openObject, openArray, closeObject, closeArray
    /// The byte comes after a number, and is read again after that.
    case endNumber
    case endNull, endTrue, endFalse, beginEscape, readEscape
    /// The byte cannot stand there, or is not of UTF-8.
    case refuse, refuseEncoding
  }

  static let columns = 64
  /// The bits of an entry for the action, for the start of a token, and for the next row.
  static let actionBits: UInt16 = 0x1F
  static let startBit: UInt16 = 0x20
  static let rowBits: UInt16 = 0xFFC0

  static let shared = JSONTransitions()

  /// The column of each byte, and the rows one after the other. Both stay for ever and never change.
  ///
  /// Pointers: with arrays and their spans pieces of four bytes take a tenth more instructions, and
  /// 2 to 9 % more time (medians of 15 runs in turn).
  nonisolated(unsafe) let kinds: UnsafePointer<UInt8>
  nonisolated(unsafe) let entries: UnsafePointer<UInt16>

  /// The first entry of the row of a state.
  @inlinable @inline(__always)
  static func row(of state: JSONParserState) -> UInt16 { UInt16(state.rawValue) &<< 6 }

  /// The bytes of each kind; all bytes of a kind do the same in every state.
  private static let kindsOfBytes: [[ClosedRange<UInt8>]] = [
    [0x00...0x08, 0x0B...0x0C, 0x0E...0x1F], [0x09...0x0A, 0x0D...0x0D], [0x20...0x20],
    // What JSON gives a meaning to: punctuation, the characters of numbers, letters of literals.
    single("\""), single("\\"), single("{"), single("}"), single("["), single("]"), single(":"),
    single(","), single("-"), single("+"), single("."), single("0"), [0x31...0x39], single("e"),
    single("E"), single("t"), single("r"), single("u"), single("f"), single("a"), single("l"),
    single("s"), single("n"),
    // The bytes of characters beyond ASCII, by what may follow them.
    [0x80...0x8F], [0x90...0x9F], [0xA0...0xBF], [0xC2...0xDF], [0xE0...0xE0],
    [0xE1...0xEC, 0xEE...0xEF], [0xED...0xED], [0xF0...0xF0], [0xF1...0xF3], [0xF4...0xF4],
    [0xC0...0xC1, 0xF5...0xFF],
  ]

  private static func single(_ byte: Unicode.Scalar) -> [ClosedRange<UInt8>] {
    let byte = UInt8(ascii: byte)
    return [byte...byte]
  }

  private init() {
    var kindOfByte = [UInt8](repeating: UInt8(Self.kindsOfBytes.count), count: 256)
    for (kind, ranges) in Self.kindsOfBytes.enumerated() {
      for byte in ranges.joined() { kindOfByte[Int(byte)] = UInt8(kind) }
    }
    var table = JSONTransitionTable(kindOfByte: kindOfByte)
    table.addStructure()
    table.addStrings()
    table.addNumbers()
    table.addLiterals()
    kinds = UnsafePointer(Self.kept(kindOfByte))
    entries = UnsafePointer(Self.kept(table.entries))
  }

  private static func kept<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    memory.initialize(from: elements, count: elements.count)
    return memory
  }
}

/// The table while it is being filled. What is not said of a state and a byte is an error.
private struct JSONTransitionTable {
  private(set) var entries: [UInt16]
  private let kindOfByte: [UInt8]

  init(kindOfByte: [UInt8]) {
    self.kindOfByte = kindOfByte
    entries = [UInt16](
      repeating: JSONTransitions.Action.refuse.rawValue,
      count: JSONParserState.allCases.count * JSONTransitions.columns)
  }

  private mutating func add(
    _ state: JSONParserState, _ bytes: some Sequence<UInt8>, to next: JSONParserState,
    _ action: JSONTransitions.Action = .none, startsToken: Bool = false
  ) {
    for byte in bytes {
      let index = Int(JSONTransitions.row(of: state)) + Int(kindOfByte[Int(byte)])
      entries[index] =
        JSONTransitions.row(of: next) | action.rawValue
        | (startsToken ? JSONTransitions.startBit : 0)
    }
  }

  private mutating func add(
    _ state: JSONParserState, _ characters: String, to next: JSONParserState,
    _ action: JSONTransitions.Action = .none, startsToken: Bool = false
  ) {
    add(state, Array(characters.utf8), to: next, action, startsToken: startsToken)
  }

  // Where an action says itself what comes next, the state given here is not used.

  mutating func addStructure() {
    for state in [JSONParserState.value, .firstElement] {
      add(state, "\"", to: .string, startsToken: true)
      add(state, "{", to: .firstKey, .openObject)
      add(state, "[", to: .firstElement, .openArray)
      add(state, "-", to: .minus, startsToken: true)
      add(state, "0", to: .zero, startsToken: true)
      add(state, "1", to: .integer, startsToken: true)
      add(state, "n", to: .n)
      add(state, "t", to: .t)
      add(state, "f", to: .f)
    }
    add(.firstElement, "]", to: .end, .closeArray)
    for state in [JSONParserState.firstKey, .key] {
      add(state, "\"", to: .name, startsToken: true)
    }
    add(.firstKey, "}", to: .end, .closeObject)
    add(.colon, ":", to: .value)
    add(.afterElement, ",", to: .value)
    add(.afterElement, "]", to: .end, .closeArray)
    add(.afterMember, ",", to: .key)
    add(.afterMember, "}", to: .end, .closeObject)
    for state in JSONParserState.allCases[...7] { add(state, " \t\n\r", to: state) }
  }

  mutating func addStrings() {
    addCharacters(
      .string, .stringTail1, .stringTail2, .stringTail3, .stringE0, .stringED, .stringF0,
      .stringF4)
    add(.string, "\"", to: .end, .endString)
    add(.string, "\\", to: .stringEscape, .beginEscape)
    addCharacters(
      .name, .nameTail1, .nameTail2, .nameTail3, .nameE0, .nameED, .nameF0, .nameF4)
    add(.name, "\"", to: .colon, .endName)
    add(.name, "\\", to: .nameEscape, .beginEscape)
    for state in [JSONParserState.stringEscape, .nameEscape] {
      add(state, 0...0xFF, to: state, .readEscape)
    }
  }

  /// The well-formed sequences of UTF-8 (Unicode, table 3-7).
  private mutating func addCharacters(
    _ string: JSONParserState, _ tail1: JSONParserState, _ tail2: JSONParserState,
    _ tail3: JSONParserState, _ afterE0: JSONParserState, _ afterED: JSONParserState,
    _ afterF0: JSONParserState, _ afterF4: JSONParserState
  ) {
    add(string, 0x20...0x7F, to: string)
    for state in [string, tail1, tail2, tail3, afterE0, afterED, afterF0, afterF4] {
      let wrong: ClosedRange<UInt8> = state == string ? 0x80...0xFF : 0x00...0xFF
      add(state, wrong, to: state, .refuseEncoding)
    }
    add(string, 0xC2...0xDF, to: tail1)
    add(string, 0xE1...0xEF, to: tail2)
    add(string, [0xE0], to: afterE0)
    add(string, [0xED], to: afterED)
    add(string, [0xF0], to: afterF0)
    add(string, 0xF1...0xF3, to: tail3)
    add(string, [0xF4], to: afterF4)
    add(tail1, 0x80...0xBF, to: string)
    add(tail2, 0x80...0xBF, to: tail1)
    add(tail3, 0x80...0xBF, to: tail2)
    add(afterE0, 0xA0...0xBF, to: tail1)
    add(afterED, 0x80...0x9F, to: tail1)
    add(afterF0, 0x90...0xBF, to: tail2)
    add(afterF4, 0x80...0x8F, to: tail2)
  }

  mutating func addNumbers() {
    for state in [JSONParserState.zero, .integer, .fraction, .exponentDigits] {
      add(state, 0...0xFF, to: .end, .endNumber)
    }
    add(.minus, "0", to: .zero)
    add(.minus, "1", to: .integer)
    add(.zero, 0x30...0x39, to: .zero, .refuse)
    add(.integer, 0x30...0x39, to: .integer)
    for state in [JSONParserState.zero, .integer] { add(state, ".", to: .point) }
    for state in [JSONParserState.point, .fraction] { add(state, 0x30...0x39, to: .fraction) }
    for state in [JSONParserState.zero, .integer, .fraction] { add(state, "eE", to: .exponent) }
    add(.exponent, "+-", to: .exponentSign)
    for state in [JSONParserState.exponent, .exponentSign, .exponentDigits] {
      add(state, 0x30...0x39, to: .exponentDigits)
    }
  }

  mutating func addLiterals() {
    add(.n, "u", to: .nu)
    add(.nu, "l", to: .nul)
    add(.nul, "l", to: .end, .endNull)
    add(.t, "r", to: .tr)
    add(.tr, "u", to: .tru)
    add(.tru, "e", to: .end, .endTrue)
    add(.f, "a", to: .fa)
    add(.fa, "l", to: .fal)
    add(.fal, "s", to: .fals)
    add(.fals, "e", to: .end, .endFalse)
  }
}
