/// For every quote in a trie: what the nodes below it do if it opens a string with any content.
struct QuoteIndex: Sendable {
  /// For each node the index of its entry, or -1 where it is no quote.
  private(set) var entries: [Int32] = []
  private(set) var insideStarts: [Int32] = [0]
  /// The tokens below a quote that stay inside the string.
  private(set) var inside: [Int32] = []
  /// How many scalars of the string each of them starts.
  private(set) var insideScalars: [UInt16] = []
  private(set) var closingStarts: [Int32] = [0]
  /// The nodes of the quotes that close the string.
  private(set) var closing: [UInt32] = []
  /// How many scalars the string has at each of them.
  private(set) var closingScalars: [UInt16] = []
  private(set) var contentStarts: [Int32] = [0]
  /// The spelling between the two quotes.
  private(set) var contents: [UInt8] = []
  /// For each closing quote, whether its content has an escape, or a rest that may follow a key has
  /// another string.
  private(set) var isUnusual: [Bool] = []
  /// For each closing quote, where its tokens start in `closers`.
  private(set) var closerStarts: [Int32] = [0]
  /// The tokens from a closing quote on, with their rests after it.
  private(set) var closers: [(rest: Int32, token: Int32)] = []

  /// - Parameter rests: the indices of the rests after closing quotes; where it is empty, closers
  ///   are not listed.
  init(trie: TokenTrie, scanner: StringScanner, rests: [[UInt8]: Int32]) {
    entries = [Int32](repeating: -1, count: trie.count)
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var scalars = [UInt16](repeating: 0, count: trie.maximumDepth + 1)
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    for quote in 0..<trie.count where trie.bytes[quote] == 0x22 {
      entries[quote] = Int32(insideStarts.count - 1)
      let base = Int(trie.depths[quote])
      states[base] = StringScanner.boundary
      scalars[base] = 0
      var token = trie.tokens[quote]
      while token >= 0 {
        inside.append(token)
        insideScalars.append(0)
        token = trie.duplicates[Int(token)]
      }
      var node = quote + 1
      while node < Int(trie.ends[quote]) {
        let depth = Int(trie.depths[node])
        let next = scanner.next(states[depth - 1], trie.bytes[node])
        text[depth] = trie.bytes[node]
        if next == StringScanner.closed {
          closing.append(UInt32(node))
          closingScalars.append(scalars[depth - 1])
          contents += text[(base + 1)..<depth]
          contentStarts.append(Int32(contents.count))
          if !rests.isEmpty { addClosers(trie, node, rests) }
          closerStarts.append(Int32(closers.count))
          let content = contents[Int(contentStarts[contentStarts.count - 2])...]
          let below = trie.bytes[(node + 1)..<Int(trie.ends[node])]
          isUnusual.append(
            content.contains(0x5C) || Self.goesOnAfterKey(trie, node) && below.contains(0x22))
        }
        if next >= StringScanner.closed {
          node = Int(trie.ends[node])
          continue
        }
        states[depth] = next
        scalars[depth] =
          scalars[depth - 1] + (states[depth - 1] == StringScanner.boundary ? 1 : 0)
        token = trie.tokens[node]
        while token >= 0 {
          inside.append(token)
          insideScalars.append(scalars[depth])
          token = trie.duplicates[Int(token)]
        }
        node += 1
      }
      insideStarts.append(Int32(inside.count))
      closingStarts.append(Int32(closing.count))
    }
  }

  /// Whether a colon may follow a quote, or white space before that.
  private static func goesOnAfterKey(_ trie: TokenTrie, _ quote: Int) -> Bool {
    [0x3A, 0x20, 0x09, 0x0A, 0x0D].contains { trie.child($0, of: quote) != nil }
  }

  private mutating func addClosers(_ trie: TokenTrie, _ quote: Int, _ rests: [[UInt8]: Int32]) {
    var text: [UInt8] = []
    let base = Int(trie.depths[quote])
    for node in quote..<Int(trie.ends[quote]) {
      let depth = Int(trie.depths[node]) - base
      if depth > 0 {
        text.removeSubrange((depth - 1)...)
        text.append(trie.bytes[node])
      }
      var token = trie.tokens[node]
      guard token >= 0, let rest = rests[text] else { continue }
      while token >= 0 {
        closers.append((rest, token))
        token = trie.duplicates[Int(token)]
      }
    }
  }
}
