// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Where the parser is.
///
/// A state alone tells, with the next byte, what the state after it is and what there is to do:
/// see ``JSONTransitions``. What it does not tell, the machine keeps: the containers around, and
/// where in an escape it is.
@usableFromInline
enum JSONParserState: UInt8, CaseIterable, Sendable {
  /// Before a value, the first element of an array or its end, and so on; after an element of an
  /// array, after a member of an object, after the value at the top.
  case value, firstElement, firstKey, key, colon, afterElement, afterMember, end
  // In a string: between its characters, and within one of several bytes, with as many still to
  // come; after E0, ED, F0 and F4 not all bytes may.
  case string, stringTail1, stringTail2, stringTail3, stringE0, stringED, stringF0, stringF4
  // The same in a key.
  case name, nameTail1, nameTail2, nameTail3, nameE0, nameED, nameF0, nameF4
  /// In an escape of a string, or of a key: the machine reads it.
  case stringEscape, nameEscape
  // In a number, by what has just been read.
  case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
  // In a literal, by what has been read.
  case n, nu, nul, t, tr, tru, f, fa, fal, fals

  /// Whether the parser is in the middle of a string, not of a key.
  var isInString: Bool {
    Self.string.rawValue...Self.stringF4.rawValue ~= rawValue || self == .stringEscape
  }

  /// Whether the parser is in the middle of a character of several bytes.
  var isInCharacter: Bool {
    Self.stringTail1.rawValue...Self.stringF4.rawValue ~= rawValue
      || Self.nameTail1.rawValue...Self.nameF4.rawValue ~= rawValue
  }

  /// Whether a number may end here.
  var endsNumber: Bool {
    switch self {
    case .zero, .integer, .fraction, .exponentDigits: true
    default: false
    }
  }

  /// What may stand here, for an error.
  var expectation: String {
    switch self {
    case .value: "a value"
    case .firstElement: "a value or ']'"
    case .firstKey: "a property name or '}'"
    case .key: "a property name"
    case .colon: "a colon"
    case .afterElement: "a comma or ']'"
    case .afterMember: "a comma or '}'"
    case .end: "nothing more"
    case .string, .stringTail1, .stringTail2, .stringTail3, .stringE0, .stringED, .stringF0,
      .stringF4, .name, .nameTail1, .nameTail2, .nameTail3, .nameE0, .nameED, .nameF0, .nameF4:
      "a character of a string (control characters are escaped)"
    case .stringEscape, .nameEscape: "an escape: one of \"\\/bfnrtu"
    case .minus, .point, .exponentSign: "a digit"
    case .exponent: "a digit or a sign"
    case .zero: "a point, an exponent or the end of the number"
    case .integer, .fraction, .exponentDigits: "a digit or the end of the number"
    case .n, .nu, .nul: "'null'"
    case .t, .tr, .tru: "'true'"
    case .f, .fa, .fal, .fals: "'false'"
    }
  }
}
