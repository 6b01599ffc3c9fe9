// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A text as Unicode scalars with what pre-tokenizers ask about them.
struct ScannedText {
  private enum Kind: UInt8 { case letter, number, space, symbol }

  private var scalars: [UInt32] = []
  private var kinds: [Kind] = []
  private var offsets: [Int] = []
  private let source: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>, marksAreLetters: Bool = false) {
    source = bytes
    scalars.reserveCapacity(bytes.count)
    kinds.reserveCapacity(bytes.count)
    offsets.reserveCapacity(bytes.count + 1)
    var offset = bytes.startIndex
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      scalars.append(scalar.value)
      let isMark = marksAreLetters && scalar.value > 0x7F && Self.isMark(scalar)
      kinds.append(isMark ? .letter : Self.kind(of: scalar))
      offsets.append(offset)
      offset += UTF8.width(scalar)
    }
    offsets.append(bytes.endIndex)
  }

  var count: Int { scalars.count }
  subscript(index: Int) -> UInt32 { scalars[index] }
  func isLetter(_ index: Int) -> Bool { kinds[index] == .letter }
  func isNumber(_ index: Int) -> Bool { kinds[index] == .number }
  func isSpace(_ index: Int) -> Bool { kinds[index] == .space }
  /// Punctuation, and what the default expression counts as such.
  func isPunctuation(_ index: Int, includingBacktick: Bool) -> Bool {
    guard kinds[index] == .symbol else { return false }
    switch scalars[index] {
    case 0x24, 0x2B, 0x3C...0x3E, 0x5E, 0x7C, 0x7E: return true
    case 0x60: return includingBacktick
    case let value:
      switch Unicode.Scalar(value)?.properties.generalCategory {
      case .connectorPunctuation?, .dashPunctuation?, .openPunctuation?, .closePunctuation?,
        .initialPunctuation?, .finalPunctuation?, .otherPunctuation?:
        return true
      default: return false
      }
    }
  }

  /// Letters that are not small, and marks.
  func isUpper(_ index: Int) -> Bool {
    isLetterOrMark(index) && category(index) != .lowercaseLetter
  }

  /// Letters that are not capital, and marks.
  func isLower(_ index: Int) -> Bool {
    guard isLetterOrMark(index) else { return false }
    let category = category(index)
    return category != .uppercaseLetter && category != .titlecaseLetter
  }

  private func category(_ index: Int) -> Unicode.GeneralCategory? {
    Unicode.Scalar(scalars[index])?.properties.generalCategory
  }

  private func isLetterOrMark(_ index: Int) -> Bool {
    switch kinds[index] {
    case .letter: true
    case .symbol: scalars[index] > 0x7F && Unicode.Scalar(scalars[index]).map(Self.isMark) == true
    case .number, .space: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  func isSymbol(_ index: Int) -> Bool { kinds[index] == .symbol }

  func bytes(of range: Range<Int>) -> ArraySlice<UInt8> {
    source[offsets[range.lowerBound]..<offsets[range.upperBound]]
  }

  /// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at a place.
  func contraction(at index: Int, _ end: Int, ignoresCase: Bool) -> Int? {
    guard scalars[index] == 0x27, index + 1 < end else { return nil }
    func letter(_ index: Int) -> UInt32 {
      let scalar = scalars[index]
      // U+017F, the long s, is an s where case is ignored.
      if ignoresCase, scalar == 0x17F { return 0x73 }
      return ignoresCase && (0x41...0x5A).contains(scalar) ? scalar + 0x20 : scalar
    }
    let first = letter(index + 1)
    if [0x73, 0x74, 0x6D, 0x64].contains(first) { return 2 }
    guard index + 2 < end else { return nil }
    let second = letter(index + 2)
    return [(0x72, 0x65), (0x76, 0x65), (0x6C, 0x6C)].contains { $0 == (first, second) } ? 3 : nil
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    if scalar.value < 0x80 {
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A: return .letter
      case 0x30...0x39: return .number
      case 0x09...0x0D, 0x20: return .space
      default: return .symbol
      }
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      return .letter
    case .decimalNumber, .letterNumber, .otherNumber: return .number
    default: return scalar.properties.isWhitespace ? .space : .symbol
    }
  }
}
