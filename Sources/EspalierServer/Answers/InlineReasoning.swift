// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tells reasoning from the answer where a server leaves both in one text: `<think>…</think>…`.
///
/// Only a text that begins with the mark is taken apart; the mark within an answer is text.
struct InlineReasoning {
  enum Part: Equatable {
    case reasoning(String)
    case text(String)
  }

  private enum State { case undecided, reasoning, afterReasoning, text }

  private var state = State.undecided
  private var held = ""
  private static let opening = "<think>".unicodeScalars
  private static let closing = "</think>".unicodeScalars
  /// How many bytes of white space may stand before the reasoning and after it. What comes later is
  /// text, so that whoever reads it notices white space that does not end.
  private static let whiteSpaceLimit = 512
  private var whiteSpaceAfter = 0

  /// Takes more text apart. What could be a part of a mark waits.
  mutating func take(_ text: String) -> [Part] {
    if state == .text { return text.isEmpty ? [] : [.text(text)] }
    if state == .afterReasoning { return begin(text) }
    held += text
    if state == .undecided {
      let trimmed = held.unicodeScalars.drop(while: \.properties.isWhitespace)
      if trimmed.starts(with: Self.opening) {
        state = .reasoning
        held = String(trimmed.dropFirst(Self.opening.count))
      } else if Self.opening.starts(with: trimmed), held.utf8.count <= Self.whiteSpaceLimit {
        return []
      } else {
        state = .text
        defer { held = "" }
        return [.text(held)]
      }
    }
    // By code points: a mark and a sign of some script after it are one character.
    if let range = held.unicodeScalars.firstRange(of: Self.closing) {
      let thought = String(held[..<range.lowerBound])
      let rest = String(held[range.upperBound...])
      state = .afterReasoning
      held = ""
      return (thought.isEmpty ? [] : [.reasoning(thought)]) + begin(rest)
    }
    let kept =
      (1..<Self.closing.count).reversed().first {
        held.unicodeScalars.suffix($0).elementsEqual(Self.closing.prefix($0))
      } ?? 0
    let thought = String(held.unicodeScalars.dropLast(kept))
    held = String(held.unicodeScalars.suffix(kept))
    return thought.isEmpty ? [] : [.reasoning(thought)]
  }

  /// The answer begins after the white space that follows the reasoning.
  private mutating func begin(_ text: String) -> [Part] {
    let rest = text.drop(while: \.isWhitespace)
    whiteSpaceAfter += text.utf8.count - rest.utf8.count
    guard !rest.isEmpty || whiteSpaceAfter > Self.whiteSpaceLimit else { return [] }
    state = .text
    guard !rest.isEmpty else { return [] }
    return [.text(String(rest))]
  }

  /// Ends the text.
  mutating func finish() -> [Part] {
    defer { held = "" }
    guard !held.isEmpty else { return [] }
    return [state == .reasoning ? .reasoning(held) : .text(held)]
  }
}
