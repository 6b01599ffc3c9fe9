// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A part of a pattern that means something in another dialect, and not in ECMA-262.
///
/// Annex B of ECMA-262 has a `\` before a letter stand for the letter. Whoever writes `\h` means white
/// space, and gets an `h`.
struct ForeignSyntax: Equatable {
  /// The part as it is written.
  var text: String
  /// Its place, in characters from 0.
  var offset: Int
  /// What it is read as.
  var reading: String
  /// What to write instead.
  var advice: String

  /// The most that are told of one pattern.
  private static let most = 5

  /// The parts of a pattern, which has no errors.
  static func parts(of pattern: String) -> [ForeignSyntax] {
    let bytes = pattern.utf8
    let first = Set("\\:&/-".utf8)
    guard bytes.contains(where: { first.contains($0) }) else { return [] }
    var scan = Scan(scalars: Array(pattern.unicodeScalars))
    scan.literal()
    while scan.at < scan.scalars.count, scan.found.count < most { scan.step() }
    return scan.found
  }

  private struct Scan {
    let scalars: [Unicode.Scalar]
    var at = 0
    /// Where the class began in which the place is.
    var classStart: Int?
    var found: [ForeignSyntax] = []

    func scalar(_ offset: Int) -> Unicode.Scalar? {
      at + offset < scalars.count ? scalars[at + offset] : nil
    }

    func text(_ count: Int) -> String {
      var result = String.UnicodeScalarView()
      result.append(contentsOf: scalars[at..<min(at + count, scalars.count)])
      return String(result)
    }

    mutating func note(_ count: Int, _ reading: String, _ advice: String) {
      found.append(
        ForeignSyntax(text: text(count), offset: at, reading: reading, advice: advice))
    }

    mutating func step() {
      switch scalars[at] {
      case "\\":
        escape()
        at += 2
      case "[" where classStart == nil:
        namedClass(bracketed: false)
        classStart = at
        at += 1
        if scalar(0) == "^" { at += 1 }
      case "[":
        namedClass(bracketed: true)
        at += 1
      case "&" where classStart != nil && scalar(1) == "&":
        note(
          2, "the character `&`",
          "write a look-ahead before the class for what is in both: `(?=[…])[…]`")
        at += 2
      case "-" where classStart != nil && scalar(1) == "[":
        subtraction()
        at += 1
      case "]":
        classStart = nil
        at += 1
      default: at += 1
      }
    }

    /// A whole pattern in slashes, as JavaScript's literals have them: `/^[a-z]+$/i`.
    mutating func literal() {
      let flags = scalars.reversed().prefix { "dgimsuvy".unicodeScalars.contains($0) }
      let end = scalars.count - flags.count - 1
      guard scalars.first == "/", end > 1, scalars[end] == "/",
        scalars[1] == "^" || scalars[end - 1] == "$"
      else { return }
      note(1, "a slash that the string has", "leave out the slashes and what follows them")
    }

    /// `[a-z-[aeiou]]`, of .NET and XML Schema: a class without the characters of another one.
    private mutating func subtraction() {
      var end = 2
      while let next = scalar(end), next != "]" { end += next == "\\" ? 2 : 1 }
      guard scalar(end) == "]", scalar(end + 1) == "]" else { return }
      note(
        end + 2, "`-`, `[` and characters, and a `]` behind the class",
        "write a look-ahead before the class for what is left out: `(?![…])[…]`")
    }

    /// `[:alpha:]`, of POSIX: in a class, or, as it is often mistaken, as one.
    private mutating func namedClass(bracketed: Bool) {
      guard scalar(1) == ":" else { return }
      var end = 2
      var name = ""
      while let letter = scalar(end), letter.isASCII, letter.properties.isAlphabetic {
        name.unicodeScalars.append(letter)
        end += 1
      }
      guard scalar(end) == ":", scalar(end + 1) == "]", let set = ForeignSyntax.classes[name]
      else { return }
      let reading =
        bracketed
        ? "single characters, and its `]` ends the class" : "one of these characters"
      note(end + 2, reading, bracketed ? "write `\(set)` in the brackets" : "write `[\(set)]`")
    }

    private mutating func escape() {
      guard let letter = scalar(1), letter.isASCII, letter.properties.isAlphabetic else { return }
      if letter == "x" || letter == "u" { return codePoint(letter) }
      if ForeignSyntax.known.contains(letter) { return }
      if classStart == nil, ForeignSyntax.knownOutside.contains(letter) { return }
      var reading = "the letter `\(letter)`"
      if classStart == nil, let known = ForeignSyntax.escapes[letter] {
        return note(2, reading, known)
      }
      if let known = ForeignSyntax.escapesInClass[letter] { return note(2, reading, known) }
      reading += classStart == nil ? "" : " in a class"
      note(2, reading, "leave out the `\\`, or write what is meant as ECMA-262 has it")
    }

    /// `\x{41}`, and `\x` or `\u` without its digits.
    private mutating func codePoint(_ letter: Unicode.Scalar) {
      if letter == "u", scalar(2) == "{" { return }
      func digits(from start: Int) -> String {
        var result = ""
        while let digit = scalar(start + result.utf8.count), digit.isASCII,
          digit.properties.isASCIIHexDigit, result.utf8.count < 8
        {
          result.unicodeScalars.append(digit)
        }
        return result
      }
      if letter == "x", scalar(2) == "{" {
        let code = digits(from: 3)
        guard !code.isEmpty, scalar(3 + code.utf8.count) == "}" else { return }
        let count = classStart == nil ? Int(code) : nil
        let padded = String(repeating: "0", count: max(0, 4 - code.utf8.count)) + code
        note(
          4 + code.utf8.count, count.map { "\($0) times the letter `x`" } ?? "these letters",
          code.utf8.count > 4 ? "write `\\u{\(code)}`" : "write `\\u\(padded)`")
        return
      }
      let wanted = letter == "x" ? 2 : 4
      guard digits(from: 2).utf8.count < wanted else { return }
      note(
        2, "the letter `\(letter)`",
        "write \(wanted) hexadecimal digits after `\\\(letter)`")
    }
  }

  /// Letters that mean the same after a `\` everywhere.
  private static let known = Set("dDwWsStnvfrbcpP".unicodeScalars)
  /// Those that do outside classes; the last are not ECMA-262's and are read as they are meant.
  private static let knownOutside = Set("BkAZz".unicodeScalars)

  /// What to write for the escapes of other dialects.
  private static let escapes: [Unicode.Scalar: String] = [
    "h": "write `[ \\t]` for white space in a line", "H": "write `[^ \\t]`",
    "R": "write `(?:\\r\\n|[\\n\\r])` for the end of a line", "X": "write `.` for a character",
    "N": "write `.` for a character", "G": "leave it out, or write `^`", "K": "leave it out",
    "V": "write `[^\\n\\r]`", "Q": "write a `\\` before each character that means more than itself",
    "E": "leave it out", "e": "write `\\u001B`", "a": "write `\\u0007`",
    "y": "write `\\b` for the edge of a word", "m": "write `\\b` for the edge of a word",
    "M": "write `\\b` for the edge of a word", "l": "write `[a-z]`", "L": "write `[^a-z]`",
    "U": "write `\\u{…}` for a code point",
  ]
  private static let escapesInClass: [Unicode.Scalar: String] = [
    "h": "write ` \\t` for white space in a line", "R": "write `\\n\\r` for ends of lines",
    "e": "write `\\u001B`", "a": "write `\\u0007`", "U": "write `\\u{…}` for a code point",
  ]

  /// The classes of POSIX, as they stand within brackets.
  private static let classes: [String: String] = [
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z",
    "space": "\\s", "blank": " \\t", "word": "\\w", "xdigit": "0-9A-Fa-f",
    "punct": "!-\\/:-@\\[-\\x60{-~", "cntrl": "\\x00-\\x1F\\x7F", "print": " -~", "graph": "!-~",
    "ascii": "\\x00-\\x7F",
  ]
}
