// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tokens that can hold or complete a whole key or string, found by their quotes.
///
/// Whether a key repeats an earlier one is not in the state that a mask is made for. Of 128,256
/// tokens a few thousand have a quote, and those that can repeat a given key are found by what
/// stands between their quotes: `","id":"` holds `,`, `id` and `:`.
struct QuotedTexts: Sendable {
  /// The tokens in which a text stands between two quotes where a key can.
  private(set) var tokens: [[UInt8]: [Holder]] = [:]

  struct Holder: Sendable {
    var token: Int32
    /// Whether only white space and a comma are before the text, so that where a key may come next
    /// it is the key.
    var isLeading: Bool
  }

  /// The tokens that close a string by their first quote and have the string's own text, if that
  /// was empty so far, between two later ones, or after the last quote: a string that has as many
  /// characters as it may have is repeated before it is closed.
  private(set) var selfRepeating: [Int32] = []
  /// The tokens that close a string and have a text between two later quotes, by its first byte.
  private(set) var laterTexts: [[Int32]] = [[Int32]](repeating: [], count: 256)
  /// Those of ``selfRepeating`` and ``laterTexts`` in which the later text can be a key.
  private(set) var selfRepeatingKeys: [Int32] = []
  private(set) var laterKeys: [[Int32]] = [[Int32]](repeating: [], count: 256)
  /// The tokens in which a bracket closes after a quote.
  private(set) var ending: [Int32] = []
  /// The tokens with a quote.
  private(set) var all: [Int32] = []
  /// What stands after a quote of tokens up to their end, where that is something: a key or string can
  /// begin so.
  private(set) var openings: [(text: [UInt8], tokens: [Int32])] = []
  /// The tokens in which a comma comes after a colon that comes after a quote: a key can close in them,
  /// and another one begin.
  private(set) var reopening: [Int32] = []

  init(_ trie: TokenTrie) {
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var quotes = [UInt16](repeating: 0, count: trie.maximumDepth + 1)
    var escapes = [Bool](repeating: false, count: trie.maximumDepth + 1)
    var openings: [[UInt8]: [Int32]] = [:]
    for node in 0..<trie.count {
      let depth = Int(trie.nodes[node].depth)
      text[depth] = trie.nodes[node].byte
      quotes[depth] = quotes[depth - 1] + (text[depth] == 0x22 ? 1 : 0)
      escapes[depth] = escapes[depth - 1] || text[depth] == 0x5C
      guard quotes[depth] > 0, trie.nodes[node].token >= 0 else { continue }
      var same: [Int32] = []
      trie.forEachToken(of: node) { same.append($0) }
      all += same
      let afterQuote = text[1...depth].drop { $0 != 0x22 }
      if afterQuote.contains(0x5D) || afterQuote.contains(0x7D) { ending += same }
      for quote in 1..<depth where text[quote] == 0x22 {
        let opening = text[(quote + 1)...depth]
        if Self.isInside(opening) { openings[Array(opening), default: []] += same }
      }
      if afterQuote.drop(while: { $0 != 0x3A }).contains(0x2C) { reopening += same }
      if quotes[depth] > 1 { add(text[1...depth], isEscaped: escapes[depth], same) }
    }
    self.openings = openings.map { (text: $0.key, tokens: $0.value) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }
  }

  private mutating func add(_ text: ArraySlice<UInt8>, isEscaped: Bool, _ same: [Int32]) {
    let quotes = text.indices.filter { text[$0] == 0x22 }
    var keys: Set<[UInt8]> = []
    for first in quotes.indices where isEscaped || Self.canBeKey(text[..<quotes[first]]) {
      // With escapes a quote may be part of a text: then every pair of them counts.
      let last = isEscaped ? quotes.count - 1 : min(first + 1, quotes.count - 1)
      for second in first..<last {
        let piece = text[(quotes[first] + 1)..<quotes[second + 1]]
        if let content = Self.content(piece, isEscaped: isEscaped) { keys.insert(content) }
      }
    }
    let first = text[(quotes[0] + 1)..<quotes[1]]
    let isLeading =
      !isEscaped
      && text[..<quotes[0]].allSatisfy { $0 == 0x2C || ByteSet.whitespace.contains($0) }
    for content in keys {
      let leads = isLeading && first.elementsEqual(content)
      tokens[content, default: []] += same.map { Holder(token: $0, isLeading: leads) }
    }
    addLater(text, isEscaped: isEscaped, same)
  }

  /// What a token has that starts inside a string, between two characters: it closes it by its first
  /// quote that no escape hides, opens another by the next, and so on.
  private mutating func addLater(_ text: ArraySlice<UInt8>, isEscaped: Bool, _ same: [Int32]) {
    var quotes: [Int] = []
    var isHidden = false
    for place in text.indices {
      let isInside = quotes.count.isMultiple(of: 2)
      if isHidden {
        isHidden = false
      } else if text[place] == 0x22 {
        quotes.append(place)
      } else if text[place] == 0x5C, isInside {
        isHidden = true
      }
    }
    guard quotes.count > 1 else { return }
    let opening = Self.content(text[..<quotes[0]], isEscaped: isEscaped)
    var texts: Set<[UInt8]> = []
    var keys: Set<[UInt8]> = []
    for first in stride(from: 1, to: quotes.count - 1, by: 2) {
      let piece = text[(quotes[first] + 1)..<quotes[first + 1]]
      guard let content = Self.content(piece, isEscaped: isEscaped) else { continue }
      texts.insert(content)
      if Self.canBeKey(text[(quotes[first - 1] + 1)..<quotes[first]]) { keys.insert(content) }
    }
    if quotes.count.isMultiple(of: 2), let last = quotes.last,
      let content = Self.content(text[(last + 1)...], isEscaped: isEscaped)
    {
      texts.insert(content)
    }
    for byte in Set(texts.compactMap(\.first)) { laterTexts[Int(byte)] += same }
    for byte in Set(keys.compactMap(\.first)) { laterKeys[Int(byte)] += same }
    guard let opening else { return }
    if texts.contains(opening) { selfRepeating += same }
    if keys.contains(opening) { selfRepeatingKeys += same }
  }

  /// Whether a string goes on after some bytes of it: all quotes among them are escaped.
  private static func isInside(_ text: ArraySlice<UInt8>) -> Bool {
    var isHidden = false
    for byte in text {
      if byte == 0x22, !isHidden { return false }
      isHidden = byte == 0x5C && !isHidden
    }
    return true
  }

  /// Whether the text after some bytes of a token can be a key of an object that has others: one
  /// comes after a comma. What comes before the token is not known.
  private static func canBeKey(_ before: ArraySlice<UInt8>) -> Bool {
    guard let last = before.last(where: { !ByteSet.whitespace.contains($0) }) else {
      return true
    }
    return last == 0x2C
  }

  /// What a piece of a token stands for inside a string, or `nil` where it cannot stand there.
  private static func content(_ piece: ArraySlice<UInt8>, isEscaped: Bool) -> [UInt8]? {
    if !isEscaped { return Array(piece) }
    let quoted = [0x22] + piece + [0x22]
    guard let json = try? JSONDocument(parsing: quoted[...], depthLimit: 1),
      json.kind(0) == .string
    else { return nil }
    return Array(json.text(0))
  }
}
