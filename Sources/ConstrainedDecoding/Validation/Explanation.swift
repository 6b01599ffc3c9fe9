// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Finds out why a byte is refused: the value at fault, the keyword, and what was expected.
///
/// The automaton knows that no way is left, not whose fault that is. So the value at fault is read
/// again under each of its keywords alone: those that refuse it at the same byte are the reason.
/// `{"age": 200}` under `{properties: {age: {type: integer, maximum: 120}}}` is refused at `}`; the
/// innermost value there is `200`, held to the subschema `#/properties/age`, of which `type` alone
/// takes `200` and `maximum` alone does not.
struct Explanation {
  let text: [UInt8]
  /// Where the outermost value starts.
  let start: Int
  /// The byte that is refused, or the end of the text.
  let offset: Int
  /// The configuration before it.
  let configuration: Automaton.Configuration

  /// After this no keyword is named any more: subschemas that stand for themselves share no work.
  fileprivate static let patience = Duration.seconds(2)

  func violation(_ automaton: inout Automaton) -> Violation {
    var result = reason(&automaton)
    result.found += formNote(result)
    return result
  }

  /// What tells a text from the one that was expected where both look the same: `é` may be one code
  /// point or two, and JSON takes these for different texts.
  private func formNote(_ violation: Violation) -> String {
    let quoted = violation.found.unicodeScalars
    guard quoted.count > 2, quoted.first == "`", quoted.last == "`" else { return "" }
    let found = String(quoted.dropFirst().dropLast())
    guard let range = violation.expected.firstRange(of: found),
      let (own, other) = zip(found, violation.expected[range]).first(where: {
        !$0.unicodeScalars.elementsEqual($1.unicodeScalars)
      })
    else { return "" }
    return ", where `\(own)` is \(String(own).codePoints), not \(String(other).codePoints)"
  }

  private func reason(_ automaton: inout Automaton) -> Violation {
    let position = InstancePosition(text[start..<offset])
    var result = Violation(
      offset: offset, instanceLocation: "", keyword: "", schemaLocation: "",
      expected: automaton.expectation(configuration),
      found: automaton.rules == nil ? describe(position) : describe())
    guard automaton.rules == nil else { return result }
    let member = refusedMember(position)
    if let member {
      result.found = "`\(member)`"
      let earlier = position.levels.last?.keys.map { InstancePosition.unquoted(text[$0]) } ?? []
      if earlier.contains(member) {
        result.expected = "a key unlike those before it"
        result.instanceLocation = position.pointer(depth: position.levels.count - 1, in: text)
        return result
      }
    }
    let subjects = subjects(position)
    result.instanceLocation = position.pointer(
      depth: subjects.first?.depth ?? 0, in: text)
    // Where no JSON text goes on like this, no keyword is to blame.
    if offset < text.count,
      !automaton.isPrefix(text[start...offset], of: automaton.obligations.anything)
    {
      let isUnfinished = subjects.contains { $0.isNumber && !isNumberByte(text[offset]) }
      if !isUnfinished || position.levels.isEmpty == false { return result }
    }
    if offset == text.count, !subjects.contains(where: { $0.isNumber }) { return result }
    blame(subjects, position, &automaton, &result)
    return result
  }

  /// Names the keyword that refuses one of some values, if one does.
  private func blame(
    _ subjects: [Subject], _ position: InstancePosition, _ automaton: inout Automaton,
    _ result: inout Violation
  ) {
    var exact = automaton.tellingEqualsApart()
    for subject in subjects {
      let goals = goals(before: subject.start, &exact)
      guard !goals.isEmpty else { continue }
      let bytes = text[subject.start..<min(offset + 1, text.count)]
      var search = BlameSearch(exact, goals: goals)
      guard
        let blame = search.search(
          bytes, isNumber: subject.isNumber, isAtEnd: offset == text.count)
      else { continue }
      result.instanceLocation = position.pointer(depth: subject.depth, in: text)
      result.keyword = blame.keyword
      result.schemaLocation = blame.location
      var refusal = BlameSearch.Refusal(isNumber: subject.isNumber)
      if position.levels.indices.contains(subject.depth) {
        let keys = position.levels[subject.depth].keys
        refusal.keys = keys.map { InstancePosition.unquoted(text[$0]) }
        refusal.isKey = position.keyStart != nil
        refusal.isComma = offset < text.count && text[offset] == UInt8(ascii: ",")
      }
      guard let words = search.expectation(blame, refusal) else { return }
      result.expected = words
      let isAboutScalar = subject.depth == position.levels.count || blame.keyword == "uniqueItems"
      if isAboutScalar, let scalar = scalar(position) { result.found = scalar }
      return
    }
  }

  /// The scalar that the refused byte ends, or the number it would go on, where it is short enough to
  /// be shown.
  private func scalar(_ position: InstancePosition) -> String? {
    guard let start = position.scalarStart else { return nil }
    if text[start] == UInt8(ascii: "\"") {
      guard offset < text.count, text[offset] == UInt8(ascii: "\""), offset - start < 40 else {
        return nil
      }
      return String(validating: text[start...offset], as: UTF8.self).map { "`\($0)`" }
    }
    guard "-0123456789".utf8.contains(text[start]) else { return nil }
    let digits = text[start...].prefix(while: isNumberByte).prefix(40)
    return "`\(String(decoding: digits, as: UTF8.self))`"
  }

  /// The key that is refused, or before which a comma is.
  private func refusedMember(_ position: InstancePosition) -> String? {
    if let start = position.keyStart { return key(from: start) }
    guard position.levels.last?.isObject == true, offset < text.count,
      text[offset] == UInt8(ascii: ","), position.scalarStart.map({ text[$0] }) != 0x22,
      let quote = text[(offset + 1)...].firstIndex(where: { !" \t\n\r".utf8.contains($0) }),
      text[quote] == 0x22
    else { return nil }
    return key(from: quote)
  }

  /// The key that starts at a quote, where all of it is there and it is short enough to be shown.
  private func key(from quote: Int) -> String? {
    var end = quote + 1
    while end < min(text.count, quote + 82), text[end] != 0x22 {
      end += text[end] == 0x5C ? 2 : 1
    }
    guard end < text.count, text[end] == 0x22 else { return nil }
    return String(validating: text[(quote + 1)..<end], as: UTF8.self)
  }

  private func isNumberByte(_ byte: UInt8) -> Bool { "0123456789.eE+-".utf8.contains(byte) }

  /// A value that may be at fault.
  private struct Subject {
    /// Where it starts; the refused byte itself where it is the first.
    var start: Int
    /// The number of containers around it.
    var depth: Int
    var isNumber = false
  }

  /// The values that may be at fault, the innermost first.
  private func subjects(_ position: InstancePosition) -> [Subject] {
    let depth = position.levels.count
    var result: [Subject] = []
    if let scalar = position.scalarStart {
      let isNumber = "-0123456789".utf8.contains(text[scalar])
      result.append(Subject(start: scalar, depth: depth, isNumber: isNumber))
    } else if let top = position.levels.last {
      // A bracket that closes, or a comma, is no value.
      let isClosing = offset < text.count && ByteSet("]},:".utf8).contains(text[offset])
      if top.expectsValue, position.keyStart == nil, !isClosing {
        result.append(Subject(start: offset, depth: depth))
      }
    } else {
      result.append(Subject(start: offset, depth: 0))
    }
    if let top = position.levels.last {
      result.append(Subject(start: top.start, depth: depth - 1))
    }
    return result
  }

  /// What the value that starts at a place must satisfy.
  private func goals(before place: Int, _ automaton: inout Automaton) -> [Obligations.Goal] {
    var configuration = automaton.start
    for byte in text[start..<place] { configuration = automaton.next(configuration, byte) }
    var result: [Obligations.Goal] = []
    for stack in automaton.stacks(of: configuration) {
      let frame = automaton.stacks[stack]
      switch frame.kind {
      case .value: result.append(frame.a)
      case .array where frame.c == Frame.Phase.opened.rawValue:
        result += automaton.items(frame).map(\.goal)
      default: break
      }
    }
    return result
  }

  /// The refused byte in words, with what JSON says of it.
  private func describe(_ position: InstancePosition) -> String {
    let found = describe()
    guard offset < text.count else { return found }
    let byte = text[offset]
    let quoted = position.keyStart ?? position.scalarStart.flatMap { text[$0] == 0x22 ? $0 : nil }
    if quoted != nil {
      return byte < 0x20 ? found + ", which is written `\(Self.escape(byte))` in a string" : found
    }
    switch byte {
    case UInt8(ascii: "/") where text.dropFirst(offset + 1).first.map("/*".utf8.contains) == true:
      return "a comment, which JSON does not have"
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let number = position.scalarStart.map { text[$0..<offset] } ?? []
      let isZero = number.elementsEqual("0".utf8) || number.elementsEqual("-0".utf8)
      if isZero { return found + " after a leading zero, which JSON does not have" }
      // Between members a digit is met where somebody wrote 1,5.
      let isDecimal =
        position.levels.last?.isObject == true && offset > start + 1
        && text[offset - 1] == UInt8(ascii: ",") && isNumberByte(text[offset - 2])
      return isDecimal ? found + " after a decimal comma; JSON has a point there" : found
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      let before = text[start..<offset].last { !" \t\n\r".utf8.contains($0) }
      return before == UInt8(ascii: ",")
        ? found + " after a comma, which JSON does not have" : found
    case UInt8(ascii: "'"): return found + "; the quotes of JSON are double"
    case 0xEF where found == Self.byteOrderMark:
      return found + ", which JSON text does not start with"
    case 0x80...:
      let mark = text.scalar(at: offset, from: start).flatMap { Self.markOfJSON(for: $0.scalar) }
      return mark.map { found + "; JSON writes `\($0)`" } ?? found
    default: return found
    }
  }

  /// What JSON has in the place of a mark or a digit of another script, as keyboards write them.
  private static func markOfJSON(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "“", "”", "„", "‟", "«", "»", "「", "」", "『", "』", "‘", "’", "‚": return "\""
    case "、", "،", "，": return ","
    case "−", "–": return "-"
    default: break
    }
    if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
      return Unicode.Scalar(0x30 + UInt8(digit))
    }
    // Full width.
    guard "｛｝［］：＂－．".unicodeScalars.contains(scalar) else { return nil }
    return Unicode.Scalar(scalar.value - 0xFEE0)
  }

  private static let byteOrderMark = "a byte order mark"

  /// How a control character is written in a JSON string.
  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case 0x08: return "\\b"
    case 0x09: return "\\t"
    case 0x0A: return "\\n"
    case 0x0C: return "\\f"
    case 0x0D: return "\\r"
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private func describe() -> String {
    guard offset < text.count else { return "the end of the text" }
    let byte = text[offset]
    if byte < 0x20, ![0x09, 0x0A, 0x0D].contains(byte) {
      return "the control character U+00\(byte < 0x10 ? "0" : "")"
        + String(byte, radix: 16, uppercase: true)
    }
    if byte <= 0x20 { return Automaton.quoted(byte) }
    if let scalar = text.scalar(at: offset, from: start)?.scalar {
      return scalar == "\u{FEFF}"
        ? Self.byteOrderMark : text.characterInWords(at: offset, from: start) ?? ""
    }
    return "the byte 0x\(String(byte, radix: 16, uppercase: true)), which is not UTF-8 here"
  }
}

extension Automaton {
  /// The automaton of the same schema in which every subschema stands for itself.
  fileprivate borrowing func tellingEqualsApart() -> Automaton {
    var exact = Obligations(
      graph: obligations.graph, languages: obligations.languages, options: options,
      tellsEqualsApart: true)
    exact.languages.deadline = Deadline(after: Explanation.patience)
    let goal = exact.goal([Obligations.literal(0)])
    return Automaton(obligations: exact, goal: goal, options: options)
  }
}
