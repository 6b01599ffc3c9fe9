// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Languages of few strings, as lists.
///
/// What a schema spells out is always listed: an `enum` of ten thousand names, or a pattern that names
/// two hundred words. What it only describes is listed where that is short: `^\d{2}$` is, and
/// `^\d{9}$` is not.
extension RegularLanguages {
  /// A language that is not spelled out is not listed where it has more strings.
  private static let longestList = 128

  /// The strings of a language that has few or that is spelled out; `nil` for any other.
  mutating func strings(of language: State) -> [[UInt8]]? {
    if let known = finiteLanguages[language] { return known }
    let result: [[UInt8]]?
    if case .trie(let node) = definitions[Int(language)] {
      result = trie.strings(from: node)
    } else {
      var list = List(limit: max(Self.longestList, spelled(language)))
      result = collect(language, &list) ? list.strings : nil
    }
    finiteLanguages[language] = .some(result)
    return result
  }

  /// How many strings what a language is made of could spell out one by one.
  private func spelled(_ language: State) -> Int {
    switch definitions[Int(language)] {
    case .dead: 0
    case .threads(let program, _): programs[program].nodes.count
    case .trie(let node): trie.strings(from: node).count
    case .product(let key):
      products[key].reduce(0) { $1 & 1 == 0 ? max($0, spelled($1 >> 1)) : $0 }
    }
  }

  private struct List {
    let limit: Int
    var strings: [[UInt8]] = []
    var text: [UInt8] = []
  }

  private mutating func collect(_ language: State, _ list: inout List) -> Bool {
    guard list.text.count <= 256, !isFreeState(language) else { return false }
    if accepts(language) {
      list.strings.append(list.text)
      if list.strings.count > list.limit { return false }
    }
    purge(language)
    let row = rows[Int(language)]
    guard row >= 0 else { return true }
    for byte in 0..<256 {
      let next = transitions[row + byte]
      if next == Self.dead { continue }
      list.text.append(UInt8(byte))
      guard collect(next, &list) else { return false }
      list.text.removeLast()
    }
    return true
  }
}
