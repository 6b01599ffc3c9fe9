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
    merges = Self.mergeTable(tables.merges, table)
  }

  private static func mergeTable(_ rules: ByteStrings, _ table: ByteStringTable) -> MergeTable {
    var merges = MergeTable(capacity: rules.count)
    var whole: [UInt8] = []
    rules.withBuffers { text, ends in
      var start = 0
      for rank in 0..<ends.count {
        let end = ends[rank]
        defer { start = end }
        var space = start + 1
        while space < end, text[space] != 0x20 { space += 1 }
        guard space < end else { continue }
        whole.removeAll(keepingCapacity: true)
        for place in start..<end where place != space { whole.append(text[place]) }
        guard let first = table.index(of: UnsafeBufferPointer(rebasing: text[start..<space])),
          let second = table.index(of: UnsafeBufferPointer(rebasing: text[(space + 1)..<end])),
          let merged = table.index(of: whole)
        else { continue }
        merges.insert(first, second, rank: rank, merged: merged)
      }
    }
    return merges
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
      mergeKnown(word[start..<index], into: &tokens)
      start = index + 1
    }
    mergeKnown(word[start...], into: &tokens)
  }

  private func mergeKnown(_ word: ArraySlice<UInt8>, into tokens: inout [Int]) {
    var parts = word.map { byteTokens[Int($0)] }
    if parts.count > 64 {
      tokens += LongWordMerger(parts: parts, merges: merges).run()
      return
    }
    while parts.count > 1 {
      var best: (rank: Int, index: Int, merged: Int)?
      for index in 0..<(parts.count - 1) {
        guard let merge = merges[parts[index], parts[index + 1]] else { continue }
        if merge.rank < best?.rank ?? Int.max { best = (merge.rank, index, merge.merged) }
      }
      guard let best else { break }
      parts[best.index] = best.merged
      parts.remove(at: best.index + 1)
    }
    tokens += parts
  }
}

/// What pairs of tokens become.
struct MergeTable: Sendable {
  private var keys: [UInt64]
  private var ranks: [Int32]
  private var results: [Int32]

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    keys = Array(repeating: .max, count: size)
    ranks = Array(repeating: 0, count: size)
    results = ranks
  }

  private func slot(of key: UInt64) -> Int {
    var slot =
      Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 20) & (keys.count - 1)
    while keys[slot] != .max && keys[slot] != key { slot = (slot + 1) & (keys.count - 1) }
    return slot
  }

  mutating func insert(_ first: Int, _ second: Int, rank: Int, merged: Int) {
    let key = UInt64(first) << 32 | UInt64(second)
    let slot = slot(of: key)
    guard keys[slot] == .max else { return }
    keys[slot] = key
    ranks[slot] = Int32(truncatingIfNeeded: rank)
    results[slot] = Int32(truncatingIfNeeded: merged)
  }

  subscript(first: Int, second: Int) -> (rank: Int, merged: Int)? {
    let slot = slot(of: UInt64(first) << 32 | UInt64(second))
    return keys[slot] == .max ? nil : (Int(ranks[slot]), Int(results[slot]))
  }
}
