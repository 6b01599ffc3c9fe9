/// Strings as a trie of bytes, several of them side by side in one array.
struct ByteTrie {
  private var firstChild: [Int] = []
  private var nextSibling: [Int] = []
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The lowest and highest index of the strings that go through a node.
  private var lowest: [Int] = []
  private var highest: [Int] = []

  /// The memory held, in bytes.
  var byteCount: Int { bytes.count * 41 }

  /// Adds the trie of some strings; the end of each carries its index among them (the first where
  /// a string is repeated).
  ///
  /// - Returns: the root of the trie.
  mutating func add(_ strings: [[UInt8]]) -> Int {
    let root = node(byte: 0)
    for (index, string) in strings.enumerated() {
      var at = root
      lowest[at] = min(lowest[at], index)
      highest[at] = index
      for byte in string {
        at = child(of: at, byte) ?? append(to: at, byte)
        lowest[at] = min(lowest[at], index)
        highest[at] = index
      }
      if ends[at] < 0 { ends[at] = index }
    }
    return root
  }

  private mutating func node(byte: UInt8) -> Int {
    firstChild.append(-1)
    nextSibling.append(-1)
    bytes.append(byte)
    ends.append(-1)
    lowest.append(.max)
    highest.append(-1)
    return bytes.count - 1
  }

  private mutating func append(to parent: Int, _ byte: UInt8) -> Int {
    let node = node(byte: byte)
    nextSibling[node] = firstChild[parent]
    firstChild[parent] = node
    return node
  }

  /// The child of a node over a byte.
  func child(of node: Int, _ byte: UInt8) -> Int? {
    var child = firstChild[node]
    while child >= 0 {
      if bytes[child] == byte { return child }
      child = nextSibling[child]
    }
    return nil
  }

  /// The children of a node with their bytes.
  func children(of node: Int) -> [(UInt8, Int)] {
    var result: [(UInt8, Int)] = []
    var child = firstChild[node]
    while child >= 0 {
      result.append((bytes[child], child))
      child = nextSibling[child]
    }
    return result
  }

  /// The strings from a node on.
  func strings(from node: Int) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var pending: [(node: Int, text: [UInt8])] = [(node, [])]
    while let (node, text) = pending.popLast() {
      if isEnd(node) { result.append(text) }
      var child = firstChild(of: node)
      while child >= 0 {
        pending.append((child, text + [byte(of: child)]))
        child = nextSibling(of: child)
      }
    }
    return result
  }

  /// Whether some string goes through a node that goes through none of some others where it ends:
  /// those are read beside it, and only along their strings has anything to be looked at.
  func hasString(from node: Int, excluding excluded: [Int]) -> Bool {
    if excluded.isEmpty { return true }
    if isEnd(node), !excluded.contains(where: isEnd) { return true }
    var child = firstChild[node]
    while child >= 0 {
      if hasString(from: child, excluding: children(of: excluded, bytes[child])) { return true }
      child = nextSibling[child]
    }
    return false
  }

  /// The children of some nodes over a byte.
  func children(of nodes: [Int], _ byte: UInt8) -> [Int] {
    nodes.isEmpty ? [] : nodes.compactMap { child(of: $0, byte) }
  }

  /// The first child of a node, or -1; the others follow by ``nextSibling(of:)``.
  func firstChild(of node: Int) -> Int { firstChild[node] }

  /// The next child of a node's parent, or -1.
  func nextSibling(of node: Int) -> Int { nextSibling[node] }

  /// The byte that leads to a node.
  func byte(of node: Int) -> UInt8 { bytes[node] }

  /// Whether a string ends at a node.
  func isEnd(_ node: Int) -> Bool { ends[node] >= 0 }

  /// The range that the indices of the strings through a node lie in.
  func indices(through node: Int) -> ClosedRange<Int>? {
    lowest[node] <= highest[node] ? lowest[node]...highest[node] : nil
  }

  /// The index of the string that ends at a node.
  func index(at node: Int) -> Int? { ends[node] >= 0 ? ends[node] : nil }
}
