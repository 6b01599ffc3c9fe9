/// What the tokens of a vocabulary do inside a string with any content, worked out once.
///
/// In such a string a token either stays inside, or it closes the string with its first quote that
/// no escape hides, and its rest is up to what comes after the string. The first kind is one mask
/// for all strings; of the second kind only the few hundred distinct rests are walked. The tokens
/// `cat`, `cat"`, `s",` and `",` give the inside token `cat` and the rests `""` (one token) and
/// `","` (two).
struct StringSplit: Sendable {
  /// The tokens that stay inside, as bits.
  private(set) var inside: [UInt32]
  /// The tokens that stay inside and how many scalars they start, fewest first.
  private(set) var insideByLength: [(scalars: Int32, token: Int32)] = []
  /// The most scalars of any token.
  private(set) var maximumScalars = 0
  /// The distinct rests; a trie's tokens are indices of rests.
  let rests: TokenTrie
  let restQuotes: QuoteIndex
  /// For each rest, where its tokens start in `closing`; the last rest is the empty one.
  private(set) var restStarts: [Int32] = [0]
  /// The tokens that close the string, with the scalars before the quote and the spelling there.
  private(set) var closing: [Closing] = []
  /// Where each distinct spelling before a closing quote starts in `prefixBytes`.
  private(set) var prefixStarts: [Int32] = [0]
  private(set) var prefixBytes: [UInt8] = []

  struct Closing: Sendable {
    var scalars: Int32
    var token: Int32
    var prefix: Int32
  }
  /// The index of the empty rest.
  let emptyRest: Int

  init(trie: TokenTrie, tokenCount: Int, scanner: StringScanner) {
    inside = [UInt32](repeating: 0, count: (tokenCount + 31) / 32)
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var scalars = [Int32](repeating: 0, count: trie.maximumDepth + 1)
    var text: [UInt8] = []
    var closedAt = Int.max
    var found: [[UInt8]: [Closing]] = [:]
    var prefixes: [[UInt8]: Int32] = [:]
    text = [UInt8](repeating: 0, count: trie.maximumDepth)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      text[depth - 1] = byte
      if depth <= closedAt { closedAt = .max }
      if closedAt == .max {
        let next = scanner.next(states[depth - 1], byte)
        if next == StringScanner.dead {
          node = Int(trie.ends[node])
          continue
        }
        if next == StringScanner.closed { closedAt = depth }
        states[depth] = next
        scalars[depth] =
          scalars[depth - 1]
          + (Self.startsScalar(byte, in: states[depth - 1]) && next != StringScanner.closed ? 1 : 0)
      }
      var token = trie.tokens[node]
      while token >= 0 {
        if closedAt == .max {
          inside[Int(token) >> 5] |= 1 << UInt32(token & 31)
          insideByLength.append((scalars[depth], token))
          maximumScalars = max(maximumScalars, Int(scalars[depth]))
        } else {
          let spelling = Array(text[..<(closedAt - 1)])
          if prefixes[spelling] == nil {
            prefixes[spelling] = Int32(prefixStarts.count - 1)
            prefixBytes += spelling
            prefixStarts.append(Int32(prefixBytes.count))
          }
          found[Array(text[closedAt..<depth]), default: []].append(
            Closing(
              scalars: scalars[closedAt - 1], token: token, prefix: prefixes[spelling] ?? 0))
          maximumScalars = max(maximumScalars, Int(scalars[closedAt - 1]))
        }
        token = trie.duplicates[Int(token)]
      }
      node += 1
    }
    insideByLength.sort { $0.scalars != $1.scalars ? $0.scalars < $1.scalars : $0.token < $1.token }
    var texts: [UInt8] = []
    var starts = [0]
    for rest in found.keys.filter({ !$0.isEmpty }).sorted(by: { $0.lexicographicallyPrecedes($1) })
    {
      texts += rest
      starts.append(texts.count)
      closing += found[rest] ?? []
      restStarts.append(Int32(closing.count))
    }
    emptyRest = starts.count - 1
    closing += found[[]] ?? []
    restStarts.append(Int32(closing.count))
    rests = TokenTrie(text: texts, starts: starts, special: [])
    restQuotes = QuoteIndex(trie: rests, scanner: scanner)
  }

  /// Whether a byte counts as a scalar of the content: a lead byte, or the backslash of an escape
  /// that is not the second half of a surrogate pair.
  private static func startsScalar(_ byte: UInt8, in state: UInt8) -> Bool {
    state == StringScanner.boundary
  }
}

/// For every quote in a trie: what the nodes below it do if it opens a string with any content.
struct QuoteIndex: Sendable {
  /// For each node the index of its entry, or -1 where it is no quote.
  private(set) var entries: [Int32] = []
  private(set) var insideStarts: [Int32] = [0]
  /// The tokens below a quote that stay inside the string.
  private(set) var inside: [Int32] = []
  private(set) var closingStarts: [Int32] = [0]
  /// The nodes of the quotes that close the string.
  private(set) var closing: [UInt32] = []
  private(set) var contentStarts: [Int32] = [0]
  /// The spelling between the two quotes.
  private(set) var contents: [UInt8] = []

  init(trie: TokenTrie, scanner: StringScanner) {
    entries = [Int32](repeating: -1, count: trie.count)
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    for quote in 0..<trie.count where trie.bytes[quote] == 0x22 {
      entries[quote] = Int32(insideStarts.count - 1)
      let base = Int(trie.depths[quote])
      states[base] = StringScanner.boundary
      var token = trie.tokens[quote]
      while token >= 0 {
        inside.append(token)
        token = trie.duplicates[Int(token)]
      }
      var node = quote + 1
      while node < Int(trie.ends[quote]) {
        let depth = Int(trie.depths[node])
        let next = scanner.next(states[depth - 1], trie.bytes[node])
        text[depth] = trie.bytes[node]
        if next == StringScanner.closed {
          closing.append(UInt32(node))
          contents += text[(base + 1)..<depth]
          contentStarts.append(Int32(contents.count))
        }
        if next >= StringScanner.closed {
          node = Int(trie.ends[node])
          continue
        }
        states[depth] = next
        token = trie.tokens[node]
        while token >= 0 {
          inside.append(token)
          token = trie.duplicates[Int(token)]
        }
        node += 1
      }
      insideStarts.append(Int32(inside.count))
      closingStarts.append(Int32(closing.count))
    }
  }
}
