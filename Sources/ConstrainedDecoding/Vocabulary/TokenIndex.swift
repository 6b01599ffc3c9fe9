/// What a vocabulary has ready for masks, for one policy on escapes.
struct TokenIndex: Sendable {
  let split: StringSplit
  let quotes: QuoteIndex
  /// The tokens that are white space alone.
  private(set) var whitespaceTokens: [Int32] = []
  /// For each byte the nodes that it leads to at the start of a token or after white space alone.
  private(set) var entryStarts: [Int32] = []
  private(set) var entries: [UInt32] = []
  /// The tokens in which a spelling stands between two quotes: the only ones that can hold a whole
  /// key.
  private(set) var quoted: [[UInt8]: [Int32]] = [:]
  /// The tokens that could repeat a key in a way that ``quoted`` does not show: those with three
  /// quotes, and those with an escape beside a quote.
  private(set) var unusual: [Int32] = []

  init(trie: TokenTrie, tokenCount: Int, anyEscapes: Bool) {
    let scanner = StringScanner(anyEscapes: anyEscapes)
    split = StringSplit(trie: trie, tokenCount: tokenCount, scanner: scanner)
    quotes = QuoteIndex(trie: trie, scanner: scanner)
    findWhitespace(trie)
    findQuotes(trie)
  }

  private mutating func findWhitespace(_ trie: TokenTrie) {
    var found = [[UInt32]](repeating: [], count: 256)
    var node = 0
    while node < trie.count {
      let byte = trie.bytes[node]
      if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        var token = trie.tokens[node]
        while token >= 0 {
          whitespaceTokens.append(token)
          token = trie.duplicates[Int(token)]
        }
        node += 1
      } else {
        found[Int(byte)].append(UInt32(node))
        node = Int(trie.ends[node])
      }
    }
    entryStarts = [0]
    for nodes in found {
      entries += nodes
      entryStarts.append(Int32(entries.count))
    }
  }

  private mutating func findQuotes(_ trie: TokenTrie) {
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var quotes = [Int](repeating: 0, count: trie.maximumDepth + 1)
    var escapes = [Bool](repeating: false, count: trie.maximumDepth + 1)
    for node in 0..<trie.count {
      let depth = Int(trie.depths[node])
      text[depth] = trie.bytes[node]
      quotes[depth] = quotes[depth - 1] + (text[depth] == 0x22 ? 1 : 0)
      escapes[depth] = escapes[depth - 1] || text[depth] == 0x5C
      guard quotes[depth] > 0, trie.tokens[node] >= 0 else { continue }
      let isUnusual = quotes[depth] >= 3 || escapes[depth]
      guard isUnusual || quotes[depth] == 2 else { continue }
      var token = trie.tokens[node]
      while token >= 0 {
        if isUnusual {
          unusual.append(token)
        } else {
          let piece = text[1...depth].split(separator: 0x22, omittingEmptySubsequences: false)[1]
          quoted[Array(piece), default: []].append(token)
        }
        token = trie.duplicates[Int(token)]
      }
    }
  }
}
