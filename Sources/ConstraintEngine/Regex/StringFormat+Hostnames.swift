// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Names of hosts: RFC 1123, section 2.1, and internationalized ones by RFC 5890 to 5893.
///
/// A label with hyphens in its third and fourth place is reserved; those that start with `xn--` stand
/// for other labels in Punycode. Whether one of those is well-formed no regular language of a useful
/// size can tell, so that they are refused: whatever is accepted is valid.
extension StringFormat {
  static let plainHostname: String = "\(plainLabel)(?:\\.\(plainLabel))*"

  /// Letters and digits, and hyphens between them: no more than 63, and no hyphens in both the third and
  /// the fourth place.
  private static let plainLabel: String = {
    let (inner, outer) = ("[A-Za-z0-9-]", "[A-Za-z0-9]")
    let third = "\(outer)(?:\(inner){0,59}\(outer))?|-\(outer)(?:\(inner){0,58}\(outer))?"
    return "\(outer)(?:\(outer)|\(inner)(?:\(third)))?"
  }()

  /// Labels of characters that RFC 5892 allows, some of them in a context only (its appendix A), and
  /// by the rule of RFC 5893 for labels from right to left: a name that has one starts no label with
  /// a digit.
  ///
  /// How long a label is, and where its hyphens are, are conditions of their own. Languages of their own
  /// have few states. In one pattern each count would have all states of the contexts: a mask took a second.
  static let internationalHostname: String = {
    let separator = "[\(separators)]"
    let leftToRight = leftToRightLabel(first: "")
    let mixed = "(?:\(rightToLeftLabel)|\(leftToRightLabel(first: "(?![0-9\\u06F0-\\u06F9])")))"
    let labels =
      "(?:\(leftToRight)(?:\(separator)\(leftToRight))*|\(mixed)(?:\(separator)\(mixed))*)"
    // The Punycode of a label with other letters than ASCII is longer than the label by two at least,
    // and has 59 characters at most.
    let anyLabel = "(?:[A-Za-z0-9-]{1,63}|[^\(separators)]{1,57})"
    let lengths = "\(anyLabel)(?:\(separator)\(anyLabel))*"
    let reserved = "(?:[^]*\(separator))?[^\(separators)]{2}--"
    return "(?=\(lengths)$)(?!\(reserved))\(labels)"
  }()

  private static let separators = ".\\u3002\\uFF0E\\uFF61"

  // Blocks of scripts; letters outside them that belong to the script are few.
  private static let rightToLeft =
    "\\u0590-\\u06EF\\u06FA-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC"
    + "\\u{10800}-\\u{10FFF}\\u{1E800}-\\u{1EFFF}"
  private static let greek = "\\u0370-\\u0373\\u0376-\\u03FF\\u1F00-\\u1FFF"
  private static let japanese =
    "\\u3005\\u3007\\u3041-\\u3096\\u309D-\\u309F\\u30A1-\\u30FA\\u30FC-\\u30FF\\u31F0-\\u31FF"
    + "\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\u{20000}-\\u{323AF}"
  private static let virama =
    "\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA\\u0E3A\\u0EBA\\u0F84"
    + "\\u1039\\u103A\\u1714\\u1734\\u17D2\\u1A60\\u1B44\\u1BAA\\u1BAB\\u1BF2\\u1BF3\\u2D7F\\uA806"
    + "\\uA8C4\\uA953\\uA9C0\\uAAF6\\uABED"
  private static let disallowed =
    "\\u0640\\u07FA\\u302E\\u302F\\u3031-\\u3035\\u303B"
  private static let letters = "\\p{Ll}\\p{Lo}\\p{Lm}\\p{Mn}\\p{Mc}\\p{Nd}\\u0F0B\\u3007"
  /// Arabic letters that join to the next one, and those that join to the one before.
  private static let joiningOnwards =
    "\\u0626\\u0628\\u062A-\\u062E\\u0633-\\u063F\\u0641-\\u0647\\u0649\\u064A\\u066E\\u066F"
    + "\\u0678-\\u0687\\u069A-\\u06BF\\u06C1\\u06C2\\u06CC\\u06CE\\u06D0\\u06D1\\u06FA-\\u06FC"
  private static let joiningBackwards =
    joiningOnwards
    + "\\u0622-\\u0625\\u0627\\u0629\\u062F-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677"
    + "\\u0688-\\u0699\\u06C0\\u06C3-\\u06CB\\u06CD\\u06CF\\u06D2\\u06D3\\u06D5"

  /// The joiners where they may stand: after a virama, or between letters that join.
  private static let joiners =
    "(?<=[\(virama)])[\\u200C\\u200D]|(?<=[\(joiningOnwards)])\\u200C(?=[\(joiningBackwards)])"

  private static func leftToRightLabel(first: String) -> String {
    let plain = "(?![\(rightToLeft)\(disallowed)])[\(letters)A-Za-z]"
    let middleDot = "(?<=l)\\u00B7(?=l)"
    let numeralSign = "\\u0375(?=[\(greek)])"
    let unit = "(?:\(plain)|-|\(middleDot)|\(numeralSign)|\(joiners))"
    let start = "\(first)(?![\\p{M}-])"
    let withDot = "(?:\(unit)|\\u30FB)"
    let japaneseLabel = "\(start)(?=\(withDot)*[\(japanese)])\(withDot)+(?<!-)"
    return "(?:\(start)\(unit)+(?<!-)|\(japaneseLabel))"
  }

  private static let rightToLeftLabel: String = {
    let letter =
      "(?![\(disallowed)\\u0660-\\u0669\\u05F3\\u05F4])(?=[\(rightToLeft)])"
      + "[\(letters)\\u06FD\\u06FE]"
    let hebrewSign = "(?<=[\\u0591-\\u05F2])[\\u05F3\\u05F4]"
    func label(digits: String) -> String {
      let unit = "(?:\(letter)|[\(digits)]|-|\(hebrewSign)|\(joiners))"
      return "(?!\\p{M})\(letter)\(unit)*(?<!-)"
    }
    return "(?:\(label(digits: "0-9\\u06F0-\\u06F9"))|\(label(digits: "\\u0660-\\u0669")))"
  }()
}
