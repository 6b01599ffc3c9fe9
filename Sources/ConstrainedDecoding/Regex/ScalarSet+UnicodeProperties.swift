extension ScalarSet {
  /// The set that `\p{…}` names: a general category (short or long name) or a binary property.
  ///
  /// - Returns: `nil` where the property is not known here.
  static func property(_ expression: String) -> ScalarSet? {
    let parts = expression.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2 {
      switch parts[0] {
      case "General_Category", "gc": return generalCategory(parts[1])
      case "Script", "sc", "Script_Extensions", "scx": return script(parts[1])
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

  /// The blocks that the most used scripts live in (Unicode 15, Scripts.txt, letters and digits).
  private static func script(_ name: String) -> ScalarSet? {
    let blocks: [ClosedRange<UInt32>]? =
      switch name {
      case "Latin", "Latn":
        [
          0x41...0x5A, 0x61...0x7A, 0xAA...0xAA, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6,
          0xF8...0x2B8, 0x2E0...0x2E4, 0x1D00...0x1D25, 0x1D2C...0x1D5C, 0x1D62...0x1D65,
          0x1D6B...0x1D77, 0x1D79...0x1DBE, 0x1E00...0x1EFF, 0x2071...0x2071, 0x207F...0x207F,
          0x2090...0x209C, 0x212A...0x212B, 0x2132...0x2132, 0x214E...0x214E, 0x2160...0x2188,
          0x2C60...0x2C7F, 0xA722...0xA787, 0xA78B...0xA7CA, 0xA7D0...0xA7D1, 0xA7D3...0xA7D3,
          0xA7D5...0xA7D9, 0xA7F2...0xA7FF, 0xAB30...0xAB5A, 0xAB5C...0xAB64, 0xAB66...0xAB69,
          0xFB00...0xFB06, 0xFF21...0xFF3A, 0xFF41...0xFF5A,
        ]
      case "Greek", "Grek":
        [
          0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F...0x37F, 0x384...0x384,
          0x386...0x386, 0x388...0x38A, 0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3E1,
          0x3F0...0x3FF, 0x1D26...0x1D2A, 0x1D5D...0x1D61, 0x1D66...0x1D6A, 0x1DBF...0x1DBF,
          0x1F00...0x1F15, 0x1F18...0x1F1D, 0x1F20...0x1F45, 0x1F48...0x1F4D, 0x1F50...0x1F57,
          0x1F59...0x1F59, 0x1F5B...0x1F5B, 0x1F5D...0x1F5D, 0x1F5F...0x1F7D, 0x1F80...0x1FB4,
          0x1FB6...0x1FC4, 0x1FC6...0x1FD3, 0x1FD6...0x1FDB, 0x1FDD...0x1FEF, 0x1FF2...0x1FF4,
          0x1FF6...0x1FFE, 0x2126...0x2126,
        ]
      case "Cyrillic", "Cyrl":
        [
          0x400...0x484, 0x487...0x52F, 0x1C80...0x1C88, 0x1D2B...0x1D2B, 0x1D78...0x1D78,
          0x2DE0...0x2DFF, 0xA640...0xA69F, 0xFE2E...0xFE2F,
        ]
      case "Han", "Hani":
        [
          0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3005...0x3005, 0x3007...0x3007,
          0x3021...0x3029, 0x3038...0x303B, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFA6D,
          0xFA70...0xFAD9, 0x16FE2...0x16FE3, 0x16FF0...0x16FF1, 0x20000...0x2A6DF,
          0x2A700...0x2B739, 0x2B740...0x2B81D, 0x2B820...0x2CEA1, 0x2CEB0...0x2EBE0,
          0x2F800...0x2FA1D, 0x30000...0x3134A, 0x31350...0x323AF,
        ]
      case "Hiragana", "Hira":
        [0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F, 0x1B132...0x1B132, 0x1B150...0x1B152]
      case "Katakana", "Kana":
        [0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357]
      case "Hebrew", "Hebr": [0x591...0x5C7, 0x5D0...0x5EA, 0x5EF...0x5F4, 0xFB1D...0xFB4F]
      case "Thai": [0xE01...0xE3A, 0xE40...0xE5B]
      case "Hangul", "Hang":
        [
          0x1100...0x11FF, 0x302E...0x302F, 0x3131...0x318E, 0x3200...0x321E, 0x3260...0x327E,
          0xA960...0xA97C, 0xAC00...0xD7A3, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB, 0xFFA0...0xFFDC,
        ]
      default: nil
      }
    return blocks.map { ScalarSet($0) }
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

  /// The scalar values of every general category, read once from the standard library's tables.
  private static let categories: [String: ScalarSet] = {
    var ranges: [String: [ClosedRange<UInt32>]] = [:]
    var current = ""
    var start: UInt32 = 0
    var previous: UInt32 = 0
    for block in all.ranges {
      for value in block {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let code = code(of: scalar.properties.generalCategory)
        if code != current || value != previous + 1 {
          if !current.isEmpty { ranges[current, default: []].append(start...previous) }
          current = code
          start = value
        }
        previous = value
      }
    }
    ranges[current, default: []].append(start...previous)
    return ranges.mapValues { ScalarSet($0) }
  }()

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
