// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore
import Foundation

/// `espalier validate`: reads JSON as it comes, and stops at the first byte after which no value of
/// the schema can come any more.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract:
      "Say whether JSON satisfies a schema, or a text a grammar; if not, where it stops doing so.")

  @OptionGroup var input: GrammarArgument
  @Argument(help: "The JSON or text; the standard input where left out.", completion: .file())
  var file = "-"
  @OptionGroup var limits: LimitArgument
  @Flag(help: "Report as JSON.") var json = false

  func run() throws {
    let grammar = try input.grammar(policy: .validation, limits: limits)
    var validator = StreamValidator(grammar: grammar)
    var read: [UInt8] = []
    // A stream is judged as it comes: what is wrong is said before it has ended.
    let pieces = try Inputs.pieces(of: file)
    while let piece = try pieces.next() {
      read += piece
      if try isRefused(read, validator.append(piece)) { return }
    }
    if try isRefused(read, validator.finish()) { return }
    if json {
      Terminal.writeLine(GeneratedContent.report(["valid": true]).jsonString)
    } else {
      Terminal.writeLine(Terminal.styled("valid", .green))
    }
  }

  /// Reports a text that is refused.
  ///
  /// - Throws: the limit that left it undecided, if one did.
  private func isRefused(_ bytes: [UInt8], _ verdict: StreamValidator.Verdict) throws -> Bool {
    switch verdict {
    case .possible, .complete: return false
    case .violated(let violation):
      try refuse(bytes, violation)
      return true
    case .undecided(let limit):
      throw Failure.no.report(
        "the value cannot be judged:\n\(limit)\(LimitArgument.hint([limit]) ?? "")")
    }
  }

  private func refuse(_ bytes: [UInt8], _ violation: Violation) throws {
    let place = SourcePlace(bytes: bytes, offset: violation.offset)
    let value = violation.instanceLocation.isEmpty ? "" : "at \(violation.instanceLocation), "
    let source = violation.schemaLocation.isEmpty ? "" : " (\(violation.schemaLocation))"
    var hint = ""
    if violation.expected == "the end of the text" {
      // JSON Lines are met as one value and more, and editors end files with a line break.
      hint =
        input.notation == .schema
        ? ": the value is whole, and only one is read"
        : bytes[violation.offset...] == [0x0A]
          ? ": the text is whole without its last line break" : ""
    }
    let message = "\(value)expected \(violation.expected), found \(violation.found)\(hint)"
    if json {
      Terminal.writeLine(
        GeneratedContent.report([
          "valid": false, "offset": violation.offset, "line": place.line, "column": place.column,
          "instanceLocation": violation.instanceLocation, "keyword": violation.keyword,
          "schemaLocation": violation.schemaLocation, "message": message,
        ]).jsonString)
    } else {
      Terminal.writeLine(
        "\(Terminal.styled("not valid", .red)) at \(place.line):\(place.column) "
          + "(byte \(violation.offset)): \((message + source).withVisibleControls)")
      Terminal.writeLine(place.excerpt)
      Terminal.writeLine(
        String(repeating: " ", count: place.caretColumn) + Terminal.styled("^", .red))
    }
    throw Failure.no.exit
  }
}

/// A byte's place in a text, as people count: line and column from 1, columns in characters.
struct SourcePlace {
  let line: Int
  let column: Int
  /// The line, as far as 60 bytes before and 20 after the place.
  let excerpt: String
  /// How many columns of a terminal the excerpt takes before the place.
  let caretColumn: Int

  init(bytes: [UInt8], offset: Int) {
    let place = min(offset, bytes.count)
    let lineStart = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    var start = max(lineStart, place - 60)
    while start < place, bytes[start] & 0xC0 == 0x80 { start += 1 }
    var end = min(place + 20, bytes[place...].firstIndex(of: 0x0A) ?? bytes.count)
    while end > place, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    let before = String(decoding: bytes[start..<place], as: UTF8.self)
    line = bytes[..<place].count { $0 == 0x0A } + 1
    column = String(decoding: bytes[lineStart..<place], as: UTF8.self).count + 1
    excerpt = (before + String(decoding: bytes[place..<end], as: UTF8.self)).withVisibleControls
    caretColumn = before.withVisibleControls.terminalWidth
  }
}
