// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The parts of a split that are found apart.
extension StringSplit {
  // MARK: Lengths

  /// Tokens in the order of their lengths, counted out: there are few lengths.
  static func sorted(
    _ tokens: [(scalars: Int32, token: Int32)], most: Int
  ) -> [(scalars: Int32, token: Int32)] {
    var places = [Int](repeating: 0, count: most + 2)
    for entry in tokens { places[Int(entry.scalars) + 1] += 1 }
    for length in 0...most { places[length + 1] += places[length] }
    var result = tokens
    for entry in tokens {
      result[places[Int(entry.scalars)]] = entry
      places[Int(entry.scalars)] += 1
    }
    return result
  }

  /// By a number of scalars below the most, the tokens that have no more.
  static func limited(
    _ tokens: [(scalars: Int32, token: Int32)], most: Int, wordCount: Int
  ) -> [MaskBase] {
    var result: [MaskBase] = []
    var words = [UInt32](repeating: 0, count: wordCount)
    var place = 0
    for limit in 0..<max(0, most) {
      let before = place
      while place < tokens.count, tokens[place].scalars <= Int32(limit) {
        words[Int(tokens[place].token) >> 5] |= 1 << UInt32(tokens[place].token & 31)
        place += 1
      }
      if place == before, let last = result.last {
        result.append(last)
      } else {
        result.append(MaskBase(words: words, count: place))
      }
    }
    return result
  }

  static func mostCommas(_ trie: TokenTrie) -> Int {
    var commas = [Int](repeating: 0, count: trie.maximumDepth + 1)
    var last = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var most = 0
    for node in trie.nodes {
      let depth = Int(node.depth)
      last[depth] = node.byte
      commas[depth] = commas[depth - 1] + (node.byte == 0x2C && last[depth - 1] != 0x2C ? 1 : 0)
      most = max(most, commas[depth])
    }
    return most
  }

  // MARK: Escapes

  /// The texts from the escape on and how many there are; the texts before it, and the tokens.
  static func tails(
    _ escaped: [[UInt8]: [(tail: [UInt8], token: Int32)]]
  ) -> (
    TokenTrie, Int, [(bytes: Range<Int>, entries: Range<Int>)], [UInt8],
    [(tail: Int32, token: Int32)]
  ) {
    var escapes: [(bytes: Range<Int>, entries: Range<Int>)] = []
    var bytes: [UInt8] = []
    var tokens: [(tail: Int32, token: Int32)] = []
    var texts: [UInt8] = []
    var starts = [0]
    var indices: [[UInt8]: Int32] = [:]
    for (prefix, entries) in escaped.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      escapes.append(
        (bytes.count..<bytes.count + prefix.count, tokens.count..<tokens.count + entries.count))
      bytes += prefix
      for (tail, token) in entries {
        if indices[tail] == nil {
          indices[tail] = Int32(starts.count - 1)
          texts += tail
          starts.append(texts.count)
        }
        tokens.append((indices[tail] ?? 0, token))
      }
    }
    let trie = TokenTrie(text: texts, starts: starts, special: [])
    return (trie, indices.count, escapes, bytes, tokens)
  }

  // MARK: Rests of other tokens

  /// The rests of the tokens that both open and close a string.
  static func restsOfQuoted(_ trie: TokenTrie, _ scanner: StringScanner) -> Set<[UInt8]> {
    let quotes = QuoteIndex(trie: trie, scanner: scanner, rests: [:])
    var result: Set<[UInt8]> = []
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    for closing in quotes.closing {
      let base = Int(trie.nodes[Int(closing)].depth)
      for node in Int(closing)..<Int(trie.nodes[Int(closing)].end) {
        let depth = Int(trie.nodes[node].depth)
        text[depth] = trie.nodes[node].byte
        if trie.nodes[node].token >= 0 { result.insert(Array(text[(base + 1)..<(depth + 1)])) }
      }
    }
    return result
  }

  /// What tokens go on with after a value that ends in them: white space, a comma or a bracket.
  static func restsOfValues(_ trie: TokenTrie) -> Set<[UInt8]> {
    let literals = [Array("true".utf8), Array("false".utf8), Array("null".utf8)]
    var result: Set<[UInt8]> = []
    var text = [UInt8](repeating: 0, count: trie.maximumDepth)
    for node in 0..<trie.count {
      let depth = Int(trie.nodes[node].depth)
      text[depth - 1] = trie.nodes[node].byte
      guard depth > 1 else { continue }
      switch trie.nodes[node].byte {
      case 0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x5D, 0x7D: break
      default: continue
      }
      switch text[depth - 2] {
      case 0x22, 0x30...0x39, 0x5D, 0x7D: break
      case 0x65, 0x6C:
        guard literals.contains(where: { text[..<(depth - 1)].suffix($0.count).elementsEqual($0) })
        else { continue }
      default: continue
      }
      var rest: [UInt8] = []
      for below in node..<Int(trie.nodes[node].end) {
        rest.removeSubrange((Int(trie.nodes[below].depth) - depth)...)
        rest.append(trie.nodes[below].byte)
        if trie.nodes[below].token >= 0 { result.insert(rest) }
      }
    }
    return result
  }
}
