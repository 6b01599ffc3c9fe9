// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ScalarSet {
  /// The set that `\p{…}` names: a general category, a script (by their short or long names) or a
  /// binary property.
  ///
  /// - Returns: `nil` where the property is not known here.
  static func property(_ expression: String) -> ScalarSet? {
    let parts = expression.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2 {
      switch parts[0] {
      case "General_Category", "gc": return generalCategory(parts[1])
      case "Script", "sc": return script(parts[1])
      case "Script_Extensions", "scx": return scriptWithExtensions(parts[1])
      default: return nil
      }
    }
    guard parts.count == 1 else { return nil }
    return generalCategory(parts[0]) ?? binaryProperty(parts[0])
  }

  private static func generalCategory(_ name: String) -> ScalarSet? {
    guard let codes = categoryCodes[name] else { return nil }
    return codes.reduce(ScalarSet()) { set, code in set.union(categories[code] ?? ScalarSet()) }
  }

  private static func binaryProperty(_ name: String) -> ScalarSet? {
    switch name {
    case "Any": .all
    case "ASCII": ScalarSet([0...0x7F])
    case "Assigned": categories["Cn"]?.complement
    case "Alphabetic", "Alpha": matching { $0.isAlphabetic }
    case "Lowercase", "Lower": matching { $0.isLowercase }
    case "Uppercase", "Upper": matching { $0.isUppercase }
    case "White_Space", "space": matching { $0.isWhitespace }
    case "Emoji": matching { $0.isEmoji }
    case "Emoji_Presentation", "EPres": matching { $0.isEmojiPresentation }
    case "Emoji_Modifier", "EMod": matching { $0.isEmojiModifier }
    case "Emoji_Modifier_Base", "EBase": matching { $0.isEmojiModifierBase }
    case "ID_Start", "IDS": matching { $0.isIDStart }
    case "ID_Continue", "IDC": matching { $0.isIDContinue }
    case "XID_Start", "XIDS": matching { $0.isXIDStart }
    case "XID_Continue", "XIDC": matching { $0.isXIDContinue }
    case "Math": matching { $0.isMath }
    case "Hex_Digit", "Hex": matching { $0.isHexDigit }
    case "ASCII_Hex_Digit", "AHex": matching { $0.isASCIIHexDigit }
    case "Ideographic", "Ideo": matching { $0.isIdeographic }
    case "Cased": matching { $0.isCased }
    case "Dash": matching { $0.isDash }
    case "Diacritic", "Dia": matching { $0.isDiacritic }
    case "Noncharacter_Code_Point", "NChar": matching { $0.isNoncharacterCodePoint }
    case "Default_Ignorable_Code_Point", "DI": matching { $0.isDefaultIgnorableCodePoint }
    default: nil
    }
  }

  private static func matching(
    _ predicate: (Unicode.Scalar.Properties) -> Bool
  ) -> ScalarSet {
    var ranges: [ClosedRange<UInt32>] = []
    for block in all.ranges {
      for value in block {
        guard let scalar = Unicode.Scalar(value), predicate(scalar.properties) else { continue }
        if let last = ranges.last, last.upperBound + 1 == value {
          ranges[ranges.count - 1] = last.lowerBound...value
        } else {
          ranges.append(value...value)
        }
      }
    }
    return ScalarSet(ranges)
  }

  /// Planes that have no characters, and the two for private use: none of them is looked up value by
  /// value, which would take most of the time.
  static let uniformPlanes: [(range: ClosedRange<UInt32>, category: Unicode.GeneralCategory)] = [
    (0x40000...0xDFFFF, .unassigned), (0xF0000...0xFFFFD, .privateUse),
    (0x100000...0x10FFFD, .privateUse),
  ]

  /// The scalar values of every general category, read once from the standard library's tables.
  private static let categories: [String: ScalarSet] = {
    var ranges: [Unicode.GeneralCategory: [ClosedRange<UInt32>]] = [:]
    var next: UInt32 = 0
    for plane in uniformPlanes {
      addRuns(of: next..<plane.range.lowerBound, to: &ranges)
      ranges[plane.category, default: []].append(plane.range)
      next = plane.range.upperBound + 1
    }
    addRuns(of: next..<0x110000, to: &ranges)
    var sets: [String: ScalarSet] = [:]
    for (category, ranges) in ranges { sets[code(of: category)] = ScalarSet(ranges) }
    return sets
  }()

  /// Adds the runs of scalars of one category, looking each scalar up.
  private static func addRuns(
    of values: Range<UInt32>, to ranges: inout [Unicode.GeneralCategory: [ClosedRange<UInt32>]]
  ) {
    var current: Unicode.GeneralCategory?
    var start = values.lowerBound
    for value in values {
      let category = Unicode.Scalar(value)?.properties.generalCategory
      if category == current { continue }
      if let current { ranges[current, default: []].append(start...(value - 1)) }
      current = category
      start = value
    }
    if let current, start < values.upperBound {
      ranges[current, default: []].append(start...(values.upperBound - 1))
    }
  }

  private static func code(of category: Unicode.GeneralCategory) -> String {
    switch category {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark: "Mn"
    case .spacingMark: "Mc"
    case .enclosingMark: "Me"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation: "Pc"
    case .dashPunctuation: "Pd"
    case .openPunctuation: "Ps"
    case .closePunctuation: "Pe"
    case .initialPunctuation: "Pi"
    case .finalPunctuation: "Pf"
    case .otherPunctuation: "Po"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol: "Sk"
    case .otherSymbol: "So"
    case .spaceSeparator: "Zs"
    case .lineSeparator: "Zl"
    case .paragraphSeparator: "Zp"
    case .control: "Cc"
    case .format: "Cf"
    case .surrogate: "Cs"
    case .privateUse: "Co"
    case .unassigned: "Cn"
    @unknown default: "Cn"
    }
  }

  /// Names of general categories (ECMA-262, table of `General_Category` values) with the
  /// two-letter codes that they cover.
  private static let categoryCodes: [String: [String]] = {
    let groups: [([String], [String])] = [
      (["L", "Letter"], ["Lu", "Ll", "Lt", "Lm", "Lo"]),
      (["LC", "Cased_Letter"], ["Lu", "Ll", "Lt"]),
      (["Lu", "Uppercase_Letter"], ["Lu"]), (["Ll", "Lowercase_Letter"], ["Ll"]),
      (["Lt", "Titlecase_Letter"], ["Lt"]), (["Lm", "Modifier_Letter"], ["Lm"]),
      (["Lo", "Other_Letter"], ["Lo"]),
      (["M", "Mark", "Combining_Mark"], ["Mn", "Mc", "Me"]),
      (["Mn", "Nonspacing_Mark"], ["Mn"]), (["Mc", "Spacing_Mark"], ["Mc"]),
      (["Me", "Enclosing_Mark"], ["Me"]),
      (["N", "Number"], ["Nd", "Nl", "No"]),
      (["Nd", "Decimal_Number", "digit"], ["Nd"]), (["Nl", "Letter_Number"], ["Nl"]),
      (["No", "Other_Number"], ["No"]),
      (["P", "Punctuation", "punct"], ["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"]),
      (["Pc", "Connector_Punctuation"], ["Pc"]), (["Pd", "Dash_Punctuation"], ["Pd"]),
      (["Ps", "Open_Punctuation"], ["Ps"]), (["Pe", "Close_Punctuation"], ["Pe"]),
      (["Pi", "Initial_Punctuation"], ["Pi"]), (["Pf", "Final_Punctuation"], ["Pf"]),
      (["Po", "Other_Punctuation"], ["Po"]),
      (["S", "Symbol"], ["Sm", "Sc", "Sk", "So"]),
      (["Sm", "Math_Symbol"], ["Sm"]), (["Sc", "Currency_Symbol"], ["Sc"]),
      (["Sk", "Modifier_Symbol"], ["Sk"]), (["So", "Other_Symbol"], ["So"]),
      (["Z", "Separator"], ["Zs", "Zl", "Zp"]),
      (["Zs", "Space_Separator"], ["Zs"]), (["Zl", "Line_Separator"], ["Zl"]),
      (["Zp", "Paragraph_Separator"], ["Zp"]),
      (["C", "Other"], ["Cc", "Cf", "Cs", "Co", "Cn"]),
      (["Cc", "Control", "cntrl"], ["Cc"]), (["Cf", "Format"], ["Cf"]),
      (["Cs", "Surrogate"], ["Cs"]), (["Co", "Private_Use"], ["Co"]),
      (["Cn", "Unassigned"], ["Cn"]),
    ]
    var result: [String: [String]] = [:]
    for (names, codes) in groups {
      for name in names { result[name] = codes }
    }
    return result
  }()
}
