// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the tokens of a vocabulary do inside a string: one walk over their trie finds it.
///
/// A quote that closes the string leaves all tokens below it in the trie to their rests, whatever these
/// say of further strings.
struct TokensInString {
  /// The tokens that stay inside, as bits, and with the scalars that each of them starts.
  private(set) var inside: [UInt32]
  private(set) var insideByLength: [(scalars: Int32, token: Int32)] = []
  /// Those with an escape, by their text before it.
  private(set) var escaped: [[UInt8]: [(tail: [UInt8], token: Int32)]] = [:]
  /// The tokens that close the string, by their rests.
  var closing: [[UInt8]: [StringSplit.Closing]] = [:]
  /// The most scalars that a token starts in the string.
  private(set) var maximumScalars = 0

  /// The prefixes, in the order in which they are met (``StringSplit``).
  private(set) var prefixStarts: [Int32] = [0]
  private(set) var prefixBytes: [UInt8] = []
  private(set) var areEscaped: [Bool] = []
  private(set) var escapedPrefixes: [(prefix: Int32, text: [UInt8])] = []
  private(set) var emptyPrefix: Int32 = -1
  private var prefixIndices: [[UInt8]: Int32] = [:]

  init(trie: TokenTrie, tokenCount: Int, scanner: StringScanner) {
    inside = [UInt32](repeating: 0, count: (tokenCount + 31) / 32)
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var scalars = [Int32](repeating: 0, count: trie.maximumDepth + 1)
    var text = [UInt8](repeating: 0, count: trie.maximumDepth)
    /// The depth of the quote that has closed the string, or `.max` while the walk is inside.
    var closedAt = Int.max
    var node = 0
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let byte = trie.nodes[node].byte
      text[depth - 1] = byte
      if depth <= closedAt { closedAt = .max }
      if closedAt == .max {
        let before = states[depth - 1]
        let next = scanner.next(before, byte)
        if next == StringScanner.dead {
          node = Int(trie.nodes[node].end)
          continue
        }
        if next == StringScanner.closed { closedAt = depth }
        states[depth] = next
        // Between two scalars one begins: with a lead byte, or with the backslash of an escape that is
        // not the second half of a surrogate pair.
        let startsScalar = before == StringScanner.boundary && next != StringScanner.closed
        scalars[depth] = scalars[depth - 1] + (startsScalar ? 1 : 0)
      }
      var token = trie.nodes[node].token
      while token >= 0 {
        if closedAt == .max {
          addInside(token, text[..<depth], scalars[depth])
        } else {
          addClosing(token, text[..<depth], quote: closedAt - 1, scalars[closedAt - 1])
        }
        token = trie.duplicates[Int(token)]
      }
      node += 1
    }
  }

  private mutating func addInside(_ token: Int32, _ text: ArraySlice<UInt8>, _ scalars: Int32) {
    inside[Int(token) >> 5] |= 1 << UInt32(token & 31)
    insideByLength.append((scalars, token))
    maximumScalars = max(maximumScalars, Int(scalars))
    guard let escape = text.firstIndex(of: 0x5C) else { return }
    escaped[Array(text[..<escape]), default: []].append((Array(text[escape...]), token))
  }

  private mutating func addClosing(
    _ token: Int32, _ text: ArraySlice<UInt8>, quote: Int, _ scalars: Int32
  ) {
    let prefix = index(ofPrefix: Array(text[..<quote]))
    closing[Array(text[(quote + 1)...]), default: []].append(
      StringSplit.Closing(scalars: scalars, token: token, prefix: prefix))
    maximumScalars = max(maximumScalars, Int(scalars))
  }

  /// The index of a prefix, which is new where it was not met before.
  private mutating func index(ofPrefix spelling: [UInt8]) -> Int32 {
    if let known = prefixIndices[spelling] { return known }
    let index = Int32(prefixStarts.count - 1)
    prefixIndices[spelling] = index
    prefixBytes += spelling
    prefixStarts.append(Int32(prefixBytes.count))
    areEscaped.append(spelling.contains(0x5C))
    if spelling.contains(0x5C),
      let content = try? JSONDocument(parsing: ([0x22] + spelling + [0x22])[...], depthLimit: 1)
    {
      escapedPrefixes.append((index, Array(content.text(0))))
    }
    if spelling.isEmpty { emptyPrefix = index }
    return index
  }
}
