// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The turn of a probe with calls, taken apart: literals, names, arguments, identifiers.
///
///     <tool_call>\n{"name": " NAME ", "arguments": ARGUMENTS }\n</tool_call>\n<tool_call>\n{"name": " …
///     └─ before the first ─┘                               └─── between two calls ──────────┘
struct CallParts {
  private typealias Scalars = [Unicode.Scalar]

  /// A place in the text that a piece of a call takes.
  private struct Place {
    var range: Range<Int>
    var piece: ToolCallSyntax.Piece
  }

  private let text: Scalars
  /// The places of each call, in order.
  private var calls: [[Place]] = []
  private var arguments = ToolCallSyntax.Arguments.json

  /// Nil where not all calls are found, or their arguments stand in a form that is not known.
  init?(_ text: [Unicode.Scalar], count: Int) {
    self.text = text
    var start = 0
    for index in 0..<count {
      guard let places = places(of: index, from: start) else { return nil }
      calls.append(places)
      start = places.map(\.range.upperBound).max() ?? start
    }
  }

  private func find(_ word: String, from start: Int) -> Range<Int>? {
    let word = Array(word.unicodeScalars)
    return Marks.firstIndex(of: word, in: text, from: start).map { $0..<$0 + word.count }
  }

  private mutating func places(of index: Int, from start: Int) -> [Place]? {
    guard let name = find(TemplateProbe.names[index], from: start),
      let arguments = argumentsRange(from: start, after: name)
    else { return nil }
    var places = [Place(range: name, piece: .name), Place(range: arguments, piece: .arguments)]
    if let id = find(TemplateProbe.ids[index], from: start) {
      places.append(Place(range: id, piece: .identifier))
    }
    return places.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  // MARK: Arguments

  private func scalar(_ index: Int) -> Unicode.Scalar? {
    text.indices.contains(index) ? text[index] : nil
  }

  private mutating func argumentsRange(from start: Int, after name: Range<Int>) -> Range<Int>? {
    guard let firstKey = find(TemplateProbe.keys[0], from: start),
      let firstValue = find(TemplateProbe.values[0], from: firstKey.upperBound),
      let secondKey = find(TemplateProbe.keys[1], from: firstValue.upperBound),
      let secondValue = find(TemplateProbe.values[1], from: secondKey.upperBound)
    else { return nil }
    let keyStart = firstKey.lowerBound
    let valueEnd = secondValue.upperBound
    // A key in quotes without braces is an attribute: `<parameter name="KEY">` of MiniMax.
    if scalar(keyStart - 1) == "\"", let range = objectRange(from: keyStart - 1, to: valueEnd) {
      return range
    }
    // A list that Python wrote: the template wants JSON text instead.
    if scalar(keyStart - 1) == "'" { return nil }
    let between = text[firstKey.upperBound..<firstValue.lowerBound]
    if between.elementsEqual("=\"".unicodeScalars) || between.elementsEqual("='".unicodeScalars) {
      arguments = .python
      return keyStart..<valueEnd + 1
    }
    if between.elementsEqual(":<|\"|>".unicodeScalars) {
      arguments = .gemma
      return keyStart..<valueEnd + 5
    }
    guard name.upperBound <= keyStart, !between.isEmpty else { return nil }
    let first = Scalars(text[name.upperBound..<keyStart])
    let second = Scalars(text[firstValue.upperBound..<secondKey.lowerBound])
    let before = Marks.sharedEnd(first, second)
    let rest = Scalars(second.dropLast(before))
    let after = Marks.sharedStart(rest, Scalars(text[valueEnd...]))
    guard before > 0 || after > 0 else { return nil }
    arguments = .marked(
      ToolCallSyntax.MarkedArguments(
        beforeKey: Marks.string(second.suffix(before)), beforeValue: Marks.string(between),
        afterValue: Marks.string(rest.prefix(after)),
        separator: Marks.string(rest.dropFirst(after))))
    return keyStart - before..<valueEnd + after
  }

  /// The JSON object around its first key, given the key's quotation mark.
  private mutating func objectRange(from quote: Int, to valueEnd: Int) -> Range<Int>? {
    let isText = scalar(quote - 1) == "\\"
    var start = isText ? quote - 2 : quote - 1
    while let space = scalar(start), space.isPythonSpace { start -= 1 }
    guard scalar(start) == "{" else { return nil }
    var end = valueEnd + (isText ? 2 : 1)
    while let space = scalar(end), space.isPythonSpace { end += 1 }
    guard scalar(end) == "}" else { return nil }
    end += 1
    guard isText else { return start..<end }
    guard scalar(start - 1) == "\"", scalar(end) == "\"" else { return nil }
    arguments = .jsonText
    return start - 1..<end + 1
  }

  // MARK: The syntax

  /// - Parameter answerEnd: What ends a turn without calls.
  func syntax(answerEnd: [Unicode.Scalar]?) -> ToolCallSyntax {
    let first = calls[0]
    let start = first[0].range.lowerBound
    let inner = innerPieces()
    var before = Scalars(text[..<start])
    let lastEnd = calls[calls.count - 1].map(\.range.upperBound).max() ?? start
    var after = Scalars(text[lastEnd...])
    let turnEnd = takeTurnEnd(&after, answerEnd)
    var result = ToolCallSyntax(
      call: [], turnEnd: turnEnd, arguments: arguments, source: .rendered)
    guard calls.count > 1, let firstEnd = first.map(\.range.upperBound).max() else {
      result.call = Self.merged(before, inner, after)
      result.limit = 1
      return result
    }
    let between = Scalars(text[firstEnd..<calls[1][0].range.lowerBound])
    var rest = between
    var shared = Marks.sharedEnd(before, rest)
    var prefix: [ToolCallSyntax.Piece] = []
    func takeShared() {
      if shared > 0 { prefix.insert(.literal(Marks.string(before.suffix(shared))), at: 0) }
      before.removeLast(shared)
      rest.removeLast(shared)
    }
    takeShared()
    if before.last == "0", rest.last == "1" {
      before.removeLast()
      rest.removeLast()
      prefix.insert(.index, at: 0)
      shared = Marks.sharedEnd(before, rest)
      takeShared()
    }
    let suffix = Marks.sharedStart(rest, after)
    result.opening = Marks.string(before)
    result.call = prefix + Self.merged([], inner, Scalars(rest.prefix(suffix)))
    result.separator = Marks.string(rest.dropFirst(suffix))
    result.closing = Marks.string(after.dropFirst(suffix))
    return result
  }

  /// The pieces between the first and the last of a call; where the literals of two calls differ by
  /// their number, the number is a piece.
  private func innerPieces() -> [ToolCallSyntax.Piece] {
    let first = pieces(of: calls[0])
    guard calls.count > 1 else { return first }
    let second = pieces(of: calls[1])
    guard first.count == second.count else { return first }
    var result: [ToolCallSyntax.Piece] = []
    for (piece, other) in zip(first, second) {
      guard case .literal(let text) = piece, case .literal(let otherText) = other,
        let place = Self.number(in: Scalars(text.unicodeScalars), Scalars(otherText.unicodeScalars))
      else {
        result.append(piece)
        continue
      }
      let scalars = Scalars(text.unicodeScalars)
      result += Self.merged(Scalars(scalars[..<place]), [.index], Scalars(scalars[(place + 1)...]))
    }
    return result
  }

  /// Where one text has a 0 and the other, which is the same elsewhere, a 1.
  private static func number(in first: Scalars, _ second: Scalars) -> Int? {
    guard first.count == second.count,
      let place = first.indices.first(where: { first[$0] != second[$0] }),
      first[place] == "0", second[place] == "1",
      first[(place + 1)...].elementsEqual(second[(place + 1)...])
    else { return nil }
    return place
  }

  private func pieces(of places: [Place]) -> [ToolCallSyntax.Piece] {
    var result: [ToolCallSyntax.Piece] = []
    var end = places[0].range.lowerBound
    for place in places {
      if place.range.lowerBound > end {
        result.append(.literal(Marks.string(text[end..<place.range.lowerBound])))
      }
      result.append(place.piece)
      end = place.range.upperBound
    }
    return result
  }

  private static func merged(
    _ before: Scalars, _ inner: [ToolCallSyntax.Piece], _ after: Scalars
  ) -> [ToolCallSyntax.Piece] {
    (before.isEmpty ? [] : [.literal(Marks.string(before))]) + inner
      + (after.isEmpty ? [] : [.literal(Marks.string(after))])
  }

  /// Takes what ends the turn off: what ends an answer too, or else the last mark.
  private func takeTurnEnd(_ text: inout Scalars, _ answerEnd: Scalars?) -> String {
    let shared = Marks.sharedEnd(text, answerEnd ?? [])
    if shared > 0 {
      let end = Marks.string(text.suffix(shared))
      text.removeLast(shared)
      return end
    }
    let trailing = text.reversed().prefix { $0.isPythonSpace }.count
    let end = text.count - trailing
    guard end >= 2, text[end - 1] == ">", text[end - 2] == "|",
      let start = text[..<end].lastIndex(of: "<"), start + 1 < end, text[start + 1] == "|"
    else { return "" }
    let mark = Marks.string(text[start...])
    // A mark of calls belongs to them.
    guard !mark.contains("tool") || mark.contains("end_of") else { return "" }
    text.removeSubrange(start...)
    return mark
  }
}
