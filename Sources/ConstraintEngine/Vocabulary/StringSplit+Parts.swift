// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The parts of a split that are found apart.
extension StringSplit {
  // MARK: Lengths

  /// By a number of scalars below the most, the tokens that have no more.
  static func limited(_ found: QuoteIndex, most: Int, wordCount: Int) -> [MaskBase] {
    var ofLength = [[UInt32]](repeating: [], count: most + 1)
    for (token, scalars) in zip(found.inside, found.insideScalars) {
      ofLength[Int(scalars)].append(token)
    }
    var result: [MaskBase] = []
    for tokens in ofLength.dropLast() {
      if tokens.isEmpty, let last = result.last {
        result.append(last)
      } else {
        result.append(
          MaskBase(tokens: tokens, wordCount: wordCount, besides: result.last))
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

  // MARK: Rests

  /// The rests of the tokens that close a string, whether they begin in it or open it.
  static func restsOfStrings(_ trie: TokenTrie, _ scanner: StringScanner) -> Set<[UInt8]> {
    let quotes = QuoteIndex(
      trie: trie, below: [TokenTrie.root] + QuoteIndex.quotes(of: trie), scanner: scanner,
      rests: [:])
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
