// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates

/// Reads the calls of a turn while they are written, as far as nothing that follows can change it.
///
///     {"name": "fore         ·
///     {"name": "forecast",   forecast
///     … "arguments": {"ci    {"ci
///
/// Arguments that are not written in JSON are left to the end, and so is what has another form.
struct ToolCallStream {
  /// What was read of a call.
  struct Piece: Equatable {
    /// The number of the call in its turn.
    var call: Int
    var name: String
    /// What the arguments go on with, as JSON.
    var arguments: String
  }

  private enum Part {
    case literal(String)
    case piece(ToolCallSyntax.Piece)
  }

  private let form: ToolCallForm
  private let names: [String]
  private var rest = "".unicodeScalars[...]
  private var parts: [Part]
  private var position = 0
  private var call = 0
  private var name = ""
  private var object = ObjectEnd()
  /// Whether nothing more is read.
  private var hasEnded = false

  init(_ form: ToolCallForm, names: [String]) {
    self.form = form
    // Of names that begin alike the longest one that what follows agrees with.
    self.names = names.sorted { $0.count > $1.count }
    parts = [.literal(form.start)] + form.pieces.map(Part.piece)
  }

  /// Takes in what was written next.
  mutating func append(_ text: String) -> [Piece] {
    // Copied, so that what was read is let go of.
    rest = (String(rest) + text).unicodeScalars[...]
    var pieces: [Piece] = []
    while !hasEnded, !rest.isEmpty, readPart(&pieces) {
      position += 1
      guard position == parts.count else { continue }
      parts =
        [.literal(form.end + form.syntax.separator + form.lead)] + form.pieces.map(Part.piece)
      position = 0
      call += 1
    }
    return pieces
  }

  /// Whether the part that comes next is whole.
  private mutating func readPart(_ pieces: inout [Piece]) -> Bool {
    switch parts[position] {
    case .literal(let text), .piece(.literal(let text)):
      guard rest.starts(with: text.unicodeScalars) else {
        hasEnded = !text.unicodeScalars.starts(with: rest)
        return false
      }
      rest.removeFirst(text.unicodeScalars.count)
    case .piece(.identifier):
      guard rest.count >= 9 else { return false }
      rest.removeFirst(9)
    case .piece(.index):
      let after = rest.drop { $0.properties.numericType != nil }
      guard !after.isEmpty else { return false }
      rest = after
    case .piece(.name):
      guard let found = names.first(where: mayBegin) else {
        hasEnded = true
        return false
      }
      guard rest.starts(with: (found + literalAfterName).unicodeScalars) else { return false }
      name = found
      rest.removeFirst(found.unicodeScalars.count)
      pieces.append(Piece(call: call, name: name, arguments: ""))
    case .piece(.arguments):
      guard form.syntax.arguments == .json else {
        hasEnded = true
        return false
      }
      let end = rest.indices.first { object.isEnd(rest[$0]) }
      let after = end.map { rest.index(after: $0) } ?? rest.endIndex
      pieces.append(Piece(call: call, name: name, arguments: String(rest[..<after])))
      rest = rest[after...]
      guard end != nil else { return false }
      object = ObjectEnd()
    }
    return true
  }

  /// Whether a name, and what follows it, is what was written so far.
  private func mayBegin(_ name: String) -> Bool {
    let text = (name + literalAfterName).unicodeScalars
    return rest.starts(with: text) || text.starts(with: rest)
  }

  private var literalAfterName: String {
    guard let index = form.pieces.firstIndex(of: .name), index + 1 < form.pieces.count,
      case .literal(let text) = form.pieces[index + 1]
    else { return "" }
    return text
  }
}

/// Finds the end of an object of JSON.
struct ObjectEnd {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Whether the object ends with the character that follows.
  mutating func isEnd(_ scalar: Unicode.Scalar) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isInString = false
      }
      return false
    }
    switch scalar {
    case "\"": isInString = true
    case "{", "[": depth += 1
    case "}", "]": depth -= 1
    default: break
    }
    return depth == 0 && scalar == "}"
  }
}
