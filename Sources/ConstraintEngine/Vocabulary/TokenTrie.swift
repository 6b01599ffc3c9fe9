// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// All tokens with text as a trie in depth-first order.
///
/// The tokens `a`, `ab`, `b` give the nodes `a` (depth 1, ends before node 2), `b` (depth 2), `b`
/// (depth 1). A walk goes through the nodes in order; where a byte is refused it jumps to the end
/// of the node's subtree. No pointers are chased.
///
/// An object: as a value, copies of it took 3 % of the instructions that masks take, for each counts
/// the references to its arrays.
package final class TokenTrie: Sendable {
  /// In one place, so that what is asked of a node is in one line of the cache.
  struct Node: Sendable {
    /// The node after the node's subtree.
    var end: UInt32 = 0
    /// The token that is the node's text, or -1.
    var token: Int32 = -1
    /// The length of the node's text.
    var depth: UInt16
    /// The last byte of the node's text.
    var byte: UInt8
  }

  let nodes: [Node]
  /// For each token the next one with the same bytes, or -1.
  let duplicates: [Int32]
  /// Whether some token has another one with the same bytes.
  let hasDuplicates: Bool
  /// The first node over each first byte, and the one after the last.
  let roots: [UInt32]
  /// The children of nodes with many nodes below them, by the node and the byte.
  private let children: FlatMap
  /// For each node, as bits, whether a backslash is among its children.
  private let escapeBits: [UInt64]
  /// The length of the longest token.
  let maximumDepth: Int

  var count: Int { nodes.count }

  /// - Parameters:
  ///   - starts: Where each text starts in `text`, and the last one ends.
  ///   - special: Texts that are left out.
  ///   - tokens: For each text the token that it stands for; where it is left out, its index.
  init(text: [UInt8], starts: [Int], special: Set<Int>, tokens: [Int32]? = nil) {
    var keys: [Key] = []
    keys.reserveCapacity(starts.count)
    for token in 0..<(starts.count - 1) {
      let length = starts[token + 1] - starts[token]
      if length == 0 || length > Int(UInt16.max) || special.contains(token) { continue }
      var prefix: UInt64 = 0
      for place in 0..<8 {
        prefix = prefix << 8 | (place < length ? UInt64(text[starts[token] + place]) : 0)
      }
      keys.append(Key(prefix: prefix, token: Int32(token)))
    }
    func precedes(_ a: Int, _ b: Int) -> Bool {
      var i = starts[a]
      var j = starts[b]
      while i < starts[a + 1], j < starts[b + 1] {
        if text[i] != text[j] { return text[i] < text[j] }
        i += 1
        j += 1
      }
      let lengths = (starts[a + 1] - starts[a], starts[b + 1] - starts[b])
      return lengths.0 != lengths.1 ? lengths.0 < lengths.1 : a < b
    }
    Self.sort(&keys)
    // What is longer than the prefix, or shorter, is told apart by the texts.
    var first = 0
    while first < keys.count {
      var last = first + 1
      while last < keys.count, keys[last].prefix == keys[first].prefix { last += 1 }
      if last - first > 1 {
        keys[first..<last].sort { precedes(Int($0.token), Int($1.token)) }
      }
      first = last
    }
    var nodes: [Node] = []
    let tokenCount = tokens.map { Int($0.max() ?? -1) + 1 } ?? starts.count - 1
    var duplicates = [Int32](repeating: -1, count: tokenCount)
    var (roots, escapeBits) = ([UInt32](), [UInt64]())
    var maximumDepth = 0
    var open: [UInt32] = []
    var previous = 0..<0
    for key in keys {
      let range = starts[Int(key.token)]..<starts[Int(key.token) + 1]
      let token = tokens?[Int(key.token)] ?? key.token
      var shared = 0
      while shared < previous.count, shared < range.count,
        text[previous.lowerBound + shared] == text[range.lowerBound + shared]
      {
        shared += 1
      }
      if shared == range.count, shared == previous.count, let last = open.last {
        var at = nodes[Int(last)].token
        while duplicates[Int(at)] >= 0 { at = duplicates[Int(at)] }
        duplicates[Int(at)] = token
        continue
      }
      while open.count > shared { nodes[Int(open.removeLast())].end = UInt32(nodes.count) }
      for place in shared..<range.count {
        if place == 0 {
          while roots.count <= Int(text[range.lowerBound]) { roots.append(UInt32(nodes.count)) }
        }
        if text[range.lowerBound + place] == 0x5C, let parent = open.last {
          while escapeBits.count <= Int(parent) >> 6 { escapeBits.append(0) }
          escapeBits[Int(parent) >> 6] |= 1 << UInt64(parent & 63)
        }
        open.append(UInt32(nodes.count))
        nodes.append(Node(depth: UInt16(place + 1), byte: text[range.lowerBound + place]))
      }
      nodes[Int(open[range.count - 1])].token = token
      maximumDepth = max(maximumDepth, range.count)
      previous = range
    }
    while let node = open.popLast() { nodes[Int(node)].end = UInt32(nodes.count) }
    while roots.count <= 256 { roots.append(UInt32(nodes.count)) }
    self.nodes = nodes
    (self.duplicates, self.roots, self.escapeBits) = (duplicates, roots, escapeBits)
    hasDuplicates = duplicates.contains { $0 >= 0 }
    self.maximumDepth = maximumDepth
    children = Self.children(nodes)
  }

  /// A trie over a few texts.
  ///
  /// - Parameter tokens: What each text stands for; where it is left out, its index.
  convenience init(_ texts: [[UInt8]], tokens: [Int32]? = nil) {
    let starts = texts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    self.init(text: Array(texts.joined()), starts: starts, special: [], tokens: tokens)
  }

  // MARK: Order

  /// A token with the first bytes of its text.
  private struct Key {
    var prefix: UInt64
    var token: Int32
  }

  /// Puts keys in the order of their prefixes, byte by byte from the last to the first.
  private static func sort(_ keys: inout [Key]) {
    var others = keys
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      var places = [Int](repeating: 0, count: 257)
      for key in keys { places[Int(key.prefix >> shift & 0xFF) + 1] += 1 }
      for byte in 0..<256 { places[byte + 1] += places[byte] }
      for key in keys {
        let byte = Int(key.prefix >> shift & 0xFF)
        others[places[byte]] = key
        places[byte] += 1
      }
      swap(&keys, &others)
    }
  }

  // MARK: Children

  /// The parent of the nodes over first bytes.
  package static let root = -1

  /// Below so many nodes a child is looked up; among fewer it is found by going through them, which
  /// stays within two or three lines of the cache.
  static let wide = 48

  private static func children(_ nodes: [Node]) -> FlatMap {
    var result = FlatMap()
    for parent in nodes.indices where Int(nodes[parent].end) - parent > wide {
      var node = parent + 1
      while node < Int(nodes[parent].end) {
        result.set(key(parent, nodes[node].byte), UInt32(node))
        node = Int(nodes[node].end)
      }
    }
    return result
  }

  @inline(__always)
  private static func key(_ node: Int, _ byte: UInt8) -> UInt64 { UInt64(node) << 8 | UInt64(byte) }

  /// The nodes below a node, or all below ``root``.
  @inline(__always)
  package func below(_ node: Int) -> Range<Int> {
    node == Self.root ? 0..<count : node + 1..<Int(nodes[node].end)
  }

  /// The child of a node over a byte.
  @inline(__always)
  package func child(_ byte: UInt8, of parent: Int) -> Int? {
    if parent == Self.root { return root(byte) }
    let end = Int(nodes[parent].end)
    if end - parent > Self.wide { return children[Self.key(parent, byte)].map { Int($0) } }
    var node = parent + 1
    while node < end {
      if nodes[node].byte == byte { return node }
      node = Int(nodes[node].end)
    }
    return nil
  }

  /// The tokens that are a node's text.
  @inline(__always)
  func forEachToken(of node: Int, _ body: (Int32) -> Void) {
    var token = nodes[node].token
    while token >= 0 {
      body(token)
      token = duplicates[Int(token)]
    }
  }

  /// The node that is a text, if there is one.
  func node(_ text: some Sequence<UInt8>) -> Int? {
    var found = Self.root
    for byte in text {
      guard let node = child(byte, of: found) else { return nil }
      found = node
    }
    return found == Self.root ? nil : found
  }

  /// Whether a backslash may follow a node's text.
  func isBeforeEscape(_ node: Int) -> Bool {
    node >> 6 < escapeBits.count && escapeBits[node >> 6] >> UInt64(node & 63) & 1 == 1
  }

  /// The node over a first byte.
  package func root(_ byte: UInt8) -> Int? {
    let node = Int(roots[Int(byte)])
    return node < Int(roots[Int(byte) + 1]) ? node : nil
  }
}
