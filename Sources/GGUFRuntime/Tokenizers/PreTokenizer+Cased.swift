// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Words that end where a small letter is followed by a capital one:
//
//     [^\r\nLN]?U*W+(?i:'s|…)?|[^\r\nLN]?U+W*(?i:'s|…)?|…
//
// where U are letters that are not small, W letters that are not capital, and letters without case and
// marks are both. As `helloWORLDWide's` → hello, WORLDWide's: after `WORLDW` come small letters, which
// the capital ones before may begin.

extension PreTokenizer {
  func casedWords(_ text: ScannedText, digits: Int, _ body: (Range<Int>) -> Void) {
    var start = 0
    while start < text.count {
      var end = casedEnd(text, from: start)
      if let word = end, word < text.count, style == .cased {
        end = word + (text.contraction(at: word, text.count, ignoresCase: true) ?? 0)
      }
      let next =
        end
        ?? endOfOther(
          text, from: start, digits: digits, symbolsTake: [0x0D, 0x0A, 0x2F])
      body(start..<next)
      start = next
    }
  }

  /// The end of a word; nil where none begins.
  private func casedEnd(_ text: ScannedText, from start: Int) -> Int? {
    let isBreak = text[start] == 0x0D || text[start] == 0x0A
    let canLead = !isBreak && !text.isNumber(start) && !text.isLetter(start)
    // With one more character before the letters, or without.
    let starts = canLead ? [start + 1, start] : [start]
    for first in starts {
      if let end = endAfterSmall(text, from: first) { return end }
    }
    for first in starts {
      var end = first
      while end < text.count, text.isUpper(end) { end += 1 }
      if end > first { return end }
    }
    return nil
  }

  /// The end of `U*W+`.
  private func endAfterSmall(_ text: ScannedText, from start: Int) -> Int? {
    var end = start
    while end < text.count, text.isUpper(end) { end += 1 }
    let capitals = end
    while end < text.count, text.isLower(end) { end += 1 }
    if end > capitals { return end }
    // The last of the first that may be of the second kind, too.
    return (start..<capitals).last { text.isLower($0) }.map { $0 + 1 }
  }
}
