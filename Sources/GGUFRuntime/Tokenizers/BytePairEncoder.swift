// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Byte-level byte-pair encoding: a word's bytes are merged pair by pair, the pair that was learnt
/// first before the others, the leftmost of equals first.
///
/// Source: Sennrich et al. 2016; bytes in place of characters as in GPT-2.
///
/// Example: with the merges `h e`, `l l`, `he ll`, the word `hello` goes h e l l o → he l l o →
/// he ll o → hell o.
struct BytePairEncoder: Sendable {
  private let table: ByteStringTable
  private let merges: MergeTable
  private let byteTokens: [Int]
  private let preTokenizer: PreTokenizer
  private let ignoresMergesOfWholeWords: Bool

  init(_ tables: TokenizerTables) throws(GGUFError) {
    preTokenizer = try PreTokenizer(name: tables.preTokenizer)
    ignoresMergesOfWholeWords =
      preTokenizer.style == .tekken || PreTokenizer.llama3Names.contains(tables.preTokenizer)
    let table = ByteStringTable(tables.tokens)
    self.table = table
    byteTokens = ByteAlphabet.spellings.map { table.index(of: $0) ?? -1 }
    merges = MergeTable(tables.merges, table)
  }

  func encode(_ text: ArraySlice<UInt8>, into tokens: inout [Int]) {
    preTokenizer.words(of: text) { word in
      if ignoresMergesOfWholeWords,
        let token = table.index(of: word.flatMap { ByteAlphabet.spellings[Int($0)] })
      {
        tokens.append(token)
      } else {
        merge(word, into: &tokens)
      }
    }
  }

  private func merge(_ word: ArraySlice<UInt8>, into tokens: inout [Int]) {
    // A byte without a token is left out, as a model without it cannot read it; what stands on its
    // two sides is not merged.
    var start = word.startIndex
    for index in word.indices where byteTokens[Int(word[index])] < 0 {
      tokens += merges.merge(word[start..<index].map { byteTokens[Int($0)] })
      start = index + 1
    }
    tokens += merges.merge(word[start...].map { byteTokens[Int($0)] })
  }
}
