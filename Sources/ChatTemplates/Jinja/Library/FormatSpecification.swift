// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a value is written into its place of a format.
struct FormatSpecification {
  var fill: Unicode.Scalar = " "
  var alignment: Unicode.Scalar?
  var sign: Unicode.Scalar?
  var isAlternate = false
  var width = 0
  var grouping: Unicode.Scalar?
  var precision: Int?
  var type: Unicode.Scalar?

  /// The largest width and precision that is read as it is; no limit of a template allows as much.
  static let mostColumns = 1 << 27

  init() {}

  /// Reads what follows the colon of a field: `[[fill]align][sign][#][0][width][,][.precision][type]`.
  ///
  /// - Throws: Where the text is none.
  init(_ text: String) throws(ChatTemplateError) {
    var rest = Array(text.unicodeScalars)[...]
    let alignments = "<>^=".unicodeScalars
    if rest.count >= 2, alignments.contains(rest[rest.startIndex + 1]) {
      fill = rest.removeFirst()
      alignment = rest.removeFirst()
    } else if let first = rest.first, alignments.contains(first) {
      alignment = rest.removeFirst()
    }
    if let first = rest.first, "+- ".unicodeScalars.contains(first) { sign = rest.removeFirst() }
    if rest.first == "#" {
      isAlternate = true
      rest.removeFirst()
    }
    if rest.first == "0" {
      if alignment == nil { (fill, alignment) = ("0", "=") }
      rest.removeFirst()
    }
    width = Self.number(&rest) ?? 0
    if let first = rest.first, first == "," || first == "_" { grouping = rest.removeFirst() }
    if rest.first == "." {
      rest.removeFirst()
      precision = Self.number(&rest)
      guard precision != nil else {
        throw ChatTemplateError(message: "A format lacks its precision.", line: nil)
      }
    }
    type = rest.popFirst()
    guard rest.isEmpty else {
      throw ChatTemplateError(message: "'\(text)' is no format.", line: nil)
    }
  }

  private static func number(_ rest: inout ArraySlice<Unicode.Scalar>) -> Int? {
    var value: Int?
    while let digit = rest.first, ("0"..."9").contains(digit) {
      value = min((value ?? 0) * 10 + Int(digit.value) - 48, mostColumns)
      rest.removeFirst()
    }
    return value
  }
}
