/// All tokens with text as a trie in depth-first order.
///
/// The tokens `a`, `ab`, `b` give the nodes `a` (depth 1, ends before node 2), `b` (depth 2), `b`
/// (depth 1). A walk goes through the nodes in order; where a byte is refused it jumps to the end
/// of the node's subtree. No pointers are chased.
///
/// An object: as a value, copies of it took 3 % of the instructions that masks take, for each counts
/// the references to its arrays.
final class TokenTrie: Sendable {
  /// The last byte of the node's text.
  let bytes: [UInt8]
  /// The length of the node's text.
  let depths: [UInt16]
  /// The node after the node's subtree.
  let ends: [UInt32]
  /// The token that is the node's text, or -1.
  let tokens: [Int32]
  /// For each token the next one with the same bytes, or -1.
  let duplicates: [Int32]
  /// The first node over each first byte, and the one after the last.
  let roots: [UInt32]
  /// The children of nodes with many nodes below them, by the node and the byte.
  private let children: FlatMap
  /// For each node, as bits, whether a backslash is among its children.
  private let escapeBits: [UInt64]
  /// The length of the longest token.
  let maximumDepth: Int

  var count: Int { bytes.count }

  init(text: [UInt8], starts: [Int], special: Set<Int>) {
    struct Key {
      var prefix: UInt64
      var token: Int32
    }
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
    keys.sort {
      $0.prefix != $1.prefix
        ? $0.prefix < $1.prefix : precedes(Int($0.token), Int($1.token))
    }
    var (bytes, depths, ends, tokens) = ([UInt8](), [UInt16](), [UInt32](), [Int32]())
    var duplicates = [Int32](repeating: -1, count: starts.count - 1)
    var (roots, escapeBits) = ([UInt32](), [UInt64]())
    var maximumDepth = 0
    var open: [UInt32] = []
    var previous = 0..<0
    for key in keys {
      let token = Int(key.token)
      let range = starts[token]..<starts[token + 1]
      var shared = 0
      while shared < previous.count, shared < range.count,
        text[previous.lowerBound + shared] == text[range.lowerBound + shared]
      {
        shared += 1
      }
      if shared == range.count, shared == previous.count, let last = open.last {
        var at = tokens[Int(last)]
        while duplicates[Int(at)] >= 0 { at = duplicates[Int(at)] }
        duplicates[Int(at)] = key.token
        continue
      }
      while open.count > shared { ends[Int(open.removeLast())] = UInt32(bytes.count) }
      for place in shared..<range.count {
        if place == 0 {
          while roots.count <= Int(text[range.lowerBound]) { roots.append(UInt32(bytes.count)) }
        }
        if text[range.lowerBound + place] == 0x5C, let parent = open.last {
          while escapeBits.count <= Int(parent) >> 6 { escapeBits.append(0) }
          escapeBits[Int(parent) >> 6] |= 1 << UInt64(parent & 63)
        }
        open.append(UInt32(bytes.count))
        bytes.append(text[range.lowerBound + place])
        depths.append(UInt16(place + 1))
        ends.append(0)
        tokens.append(-1)
      }
      tokens[Int(open[range.count - 1])] = key.token
      maximumDepth = max(maximumDepth, range.count)
      previous = range
    }
    while let node = open.popLast() { ends[Int(node)] = UInt32(bytes.count) }
    while roots.count <= 256 { roots.append(UInt32(bytes.count)) }
    (self.bytes, self.depths, self.ends, self.tokens) = (bytes, depths, ends, tokens)
    (self.duplicates, self.roots, self.escapeBits) = (duplicates, roots, escapeBits)
    self.maximumDepth = maximumDepth
    children = Self.children(bytes, ends)
  }

  // MARK: Children

  /// The parent of the nodes over first bytes.
  static let root = -1

  /// Below so many nodes a child is looked up; among fewer it is found by going through them, which
  /// stays within two or three lines of the cache.
  static let wide = 48

  private static func children(_ bytes: [UInt8], _ ends: [UInt32]) -> FlatMap {
    var result = FlatMap()
    for parent in ends.indices where Int(ends[parent]) - parent > wide {
      var node = parent + 1
      while node < Int(ends[parent]) {
        result.set(key(parent, bytes[node]), UInt32(node))
        node = Int(ends[node])
      }
    }
    return result
  }

  @inline(__always)
  private static func key(_ node: Int, _ byte: UInt8) -> UInt64 { UInt64(node) << 8 | UInt64(byte) }

  /// The nodes below a node, or all below ``root``.
  @inline(__always)
  func below(_ node: Int) -> Range<Int> {
    node == Self.root ? 0..<count : node + 1..<Int(ends[node])
  }

  /// The child of a node over a byte.
  @inline(__always)
  func child(_ byte: UInt8, of parent: Int) -> Int? {
    if parent == Self.root { return root(byte) }
    let end = Int(ends[parent])
    if end - parent > Self.wide { return children[Self.key(parent, byte)].map { Int($0) } }
    var node = parent + 1
    while node < end {
      if bytes[node] == byte { return node }
      node = Int(ends[node])
    }
    return nil
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
  func root(_ byte: UInt8) -> Int? {
    let node = Int(roots[Int(byte)])
    return node < Int(roots[Int(byte) + 1]) ? node : nil
  }

  /// The text of a node without its last byte; linear in the nodes before it under the same byte.
  func text(before node: Int) -> [UInt8] {
    var wanted = Int(depths[node]) - 1
    var result: [UInt8] = []
    var at = node - 1
    while wanted > 0 {
      if Int(depths[at]) == wanted {
        result.append(bytes[at])
        wanted -= 1
      }
      at -= 1
    }
    return result.reversed()
  }
}
