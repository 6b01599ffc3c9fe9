// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What pairs of tokens become.
struct MergeTable: Sendable {
  private var keys: [UInt64]
  private var ranks: [Int32]
  private var results: [Int32]

  /// - Parameters:
  ///   - rules: The pairs, a space between the two, in the order in which they were learnt.
  ///   - table: The tokens.
  init(_ rules: ByteStrings, _ table: ByteStringTable) {
    self.init(capacity: rules.count)
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
        insert(first, second, rank: rank, merged: merged)
      }
    }
  }

  private init(capacity: Int) {
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

  private mutating func insert(_ first: Int, _ second: Int, rank: Int, merged: Int) {
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

  /// Merges the tokens of a word pair by pair, the pair that was learnt first before the others, the
  /// leftmost of equals first.
  func merge(_ word: [Int]) -> [Int] {
    guard word.count <= 64 else { return LongWordMerger(parts: word, merges: self).run() }
    var parts = word
    while parts.count > 1 {
      var best: (rank: Int, index: Int, merged: Int)?
      for index in 0..<(parts.count - 1) {
        guard let merge = self[parts[index], parts[index + 1]] else { continue }
        if merge.rank < best?.rank ?? Int.max { best = (merge.rank, index, merge.merged) }
      }
      guard let best else { break }
      parts[best.index] = best.merged
      parts.remove(at: best.index + 1)
    }
    return parts
  }
}
