// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Sets of words that share their parts: a set with one word more costs the logarithm of its size,
/// and equal sets have equal ids, in whatever order they were filled.
///
/// A set is a binary tree over the bits of its words, from the lowest on, in which a path without a
/// choice takes no nodes (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998). The tree is
/// determined by the words, so that interning its nodes makes equal sets the same.
struct PersistentSets {
  typealias Set = UInt32

  /// The set without words.
  static let empty: Set = 0

  /// `bit` zero: a leaf, with its word in `prefix`.
  private struct Node {
    var prefix: UInt32 = 0
    var bit: UInt32 = 0
    var low: Set = 0
    var high: Set = 0
  }

  private var nodes: [Node] = []
  private var counts: [Int] = []
  /// The nodes as words: the id of those is the set.
  private var ids = SequenceInterner()

  init() {
    // No leaf has sets below it, so that the set without words is none of them.
    _ = intern(Node(low: .max, high: .max), count: 0)
  }

  /// The memory held, in bytes.
  var byteCount: Int { nodes.count * 24 + ids.byteCount }

  /// The number of words of a set.
  func count(of set: Set) -> Int { counts[Int(set)] }

  func contains(_ word: UInt32, in set: Set) -> Bool {
    var at = set
    while at != Self.empty {
      let node = nodes[Int(at)]
      if node.bit == 0 { return node.prefix == word }
      at = word & node.bit == 0 ? node.low : node.high
    }
    return false
  }

  /// The set with a word more.
  mutating func inserting(_ word: UInt32, into set: Set) -> Set {
    let leaf = intern(Node(prefix: word))
    if set == Self.empty { return leaf }
    var path: [Node] = []
    var at = set
    var whole = leaf
    while true {
      let node = nodes[Int(at)]
      let mask = node.bit == 0 ? UInt32.max : node.bit - 1
      if node.prefix & mask != word & mask || node.bit == 0 {
        if node.bit == 0, node.prefix == word { return set }
        let difference = node.prefix ^ word
        let bit = difference & (~difference &+ 1)
        let isHigh = word & bit != 0
        whole = intern(
          Node(
            prefix: word & (bit - 1), bit: bit, low: isHigh ? at : leaf, high: isHigh ? leaf : at))
        break
      }
      path.append(node)
      at = word & node.bit == 0 ? node.low : node.high
    }
    for var node in path.reversed() {
      if word & node.bit == 0 { node.low = whole } else { node.high = whole }
      whole = intern(node)
    }
    return whole
  }

  /// The set of some words: many at once make no sets on the way.
  mutating func set(of words: some Sequence<UInt32>) -> Set {
    var words = Array(words)
    return words.isEmpty ? Self.empty : set(&words, 0..<words.count)
  }

  private mutating func set(_ words: inout [UInt32], _ range: Range<Int>) -> Set {
    let first = words[range.lowerBound]
    var difference: UInt32 = 0
    for place in range { difference |= words[place] ^ first }
    if difference == 0 { return intern(Node(prefix: first)) }
    let bit = difference & (~difference &+ 1)
    let middle = words[range].partition { $0 & bit != 0 }
    let low = set(&words, range.lowerBound..<middle)
    let high = set(&words, middle..<range.upperBound)
    return intern(Node(prefix: first & (bit - 1), bit: bit, low: low, high: high))
  }

  /// The words of a set, in no order that means anything.
  func words(of set: Set) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(counts[Int(set)])
    var pending = set == Self.empty ? [] : [set]
    while let at = pending.popLast() {
      let node = nodes[Int(at)]
      if node.bit == 0 {
        result.append(node.prefix)
      } else {
        pending.append(node.low)
        pending.append(node.high)
      }
    }
    return result
  }

  /// The one word of a set that has no more than one; `nil` for others.
  func onlyWord(of set: Set) -> UInt32? {
    set != Self.empty && nodes[Int(set)].bit == 0 ? nodes[Int(set)].prefix : nil
  }

  /// The two sets that a set of several words is made of.
  func parts(of set: Set) -> (low: Set, high: Set) {
    (nodes[Int(set)].low, nodes[Int(set)].high)
  }

  /// A set of several words with fewer words in its two parts.
  mutating func replacingParts(of set: Set, low: Set, high: Set) -> Set {
    if low == Self.empty || high == Self.empty { return low == Self.empty ? high : low }
    var node = nodes[Int(set)]
    (node.low, node.high) = (low, high)
    return intern(node)
  }

  private mutating func intern(_ node: Node) -> Set {
    intern(node, count: node.bit == 0 ? 1 : counts[Int(node.low)] + counts[Int(node.high)])
  }

  private mutating func intern(_ node: Node, count: Int) -> Set {
    let set = ids.intern(SIMD4(node.prefix, node.bit, node.low, node.high))
    if Int(set) == nodes.count {
      nodes.append(node)
      counts.append(count)
    }
    return set
  }
}
