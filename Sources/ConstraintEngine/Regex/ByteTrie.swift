// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings as a trie of bytes, several of them side by side in one array.
package struct ByteTrie: TextTrie {
  private struct Node: Hashable {
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
    /// The index of the string that ends here, or -1.
    var end: Int32 = -1
    /// The lowest and highest index of the strings that go through the node.
    var lowest = Int32.max
    var highest: Int32 = -1
    var byte: UInt8
  }

  private var nodes: [Node] = []
  /// The nodes that were added to be shared.
  private var shared: [Node: Int32] = [:]

  /// The number of nodes.
  var count: Int { nodes.count }

  /// The memory held, in bytes.
  var byteCount: Int { (nodes.count + 2 * shared.capacity) * MemoryLayout<Node>.stride }

  /// Adds the trie of some strings; the end of each carries its index among them (the first where
  /// a string is repeated).
  ///
  /// - Returns: the root of the trie.
  mutating func add(_ strings: [[UInt8]]) -> Int {
    let root = nodes.count
    nodes.append(Node(byte: 0))
    for (index, string) in strings.enumerated() {
      var at = root
      pass(at, index)
      for byte in string {
        at = child(of: at, byte) ?? append(to: at, byte)
        pass(at, index)
      }
      if nodes[at].end < 0 { nodes[at].end = Int32(index) }
    }
    return root
  }

  /// A node that others may share, made where there is none yet.
  mutating func share(_ byte: UInt8, isEnd: Bool, firstChild: Int32, nextSibling: Int32) -> Int32 {
    let node = Node(
      firstChild: firstChild, nextSibling: nextSibling, end: isEnd ? 0 : -1, byte: byte)
    if let known = shared[node] { return known }
    let place = Int32(nodes.count)
    nodes.append(node)
    shared[node] = place
    return place
  }

  /// What the strings from a node on are: the same number for nodes that share their children.
  func content(of node: Int) -> UInt64 {
    UInt64(nodes[node].firstChild + 1) << 1 | (isEnd(node) ? 1 : 0)
  }

  /// Notes that a string goes through a node.
  private mutating func pass(_ node: Int, _ index: Int) {
    nodes[node].lowest = min(nodes[node].lowest, Int32(index))
    nodes[node].highest = Int32(index)
  }

  private mutating func append(to parent: Int, _ byte: UInt8) -> Int {
    let node = nodes.count
    nodes.append(Node(nextSibling: nodes[parent].firstChild, byte: byte))
    nodes[parent].firstChild = Int32(node)
    return node
  }

  /// The child of a node over a byte.
  func child(of node: Int, _ byte: UInt8) -> Int? {
    var child = firstChild(of: node)
    while child >= 0 {
      if nodes[child].byte == byte { return child }
      child = nextSibling(of: child)
    }
    return nil
  }

  /// The children of a node with their bytes.
  package func children(of node: Int) -> [(UInt8, Int)] {
    var result: [(UInt8, Int)] = []
    var child = firstChild(of: node)
    while child >= 0 {
      result.append((byte(of: child), child))
      child = nextSibling(of: child)
    }
    return result
  }

  @inline(__always)
  func forEachChild(of node: Int, _ body: (UInt8, Int) -> Void) {
    var child = firstChild(of: node)
    while child >= 0 {
      body(byte(of: child), child)
      child = nextSibling(of: child)
    }
  }

  /// The strings from a node on.
  package func strings(from node: Int) -> [[UInt8]] {
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

  /// The text from a node to the nearest end of a string.
  ///
  /// - Parameter cost: how far a byte leads, one at least.
  /// - Complexity: linear in the nodes that are nearer.
  func nearestEnd(from start: Int, cost: (UInt8) -> Int) -> [UInt8]? {
    var steps: [(node: Int, previous: Int, byte: UInt8)] = [(start, -1, 0)]
    var stepsByDistance = [[0]]
    var distance = 0
    while distance < stepsByDistance.count {
      for step in stepsByDistance[distance] {
        let node = steps[step].node
        if isEnd(node) {
          var text: [UInt8] = []
          var at = step
          while at > 0 {
            text.append(steps[at].byte)
            at = steps[at].previous
          }
          return text.reversed()
        }
        forEachChild(of: node) { byte, child in
          let after = distance + cost(byte)
          while stepsByDistance.count <= after { stepsByDistance.append([]) }
          stepsByDistance[after].append(steps.count)
          steps.append((child, step, byte))
        }
      }
      stepsByDistance[distance] = []
      distance += 1
    }
    return nil
  }

  /// The first child of a node, or -1; the others follow by ``nextSibling(of:)``.
  func firstChild(of node: Int) -> Int { Int(nodes[node].firstChild) }

  /// The next child of a node's parent, or -1.
  func nextSibling(of node: Int) -> Int { Int(nodes[node].nextSibling) }

  /// The byte that leads to a node.
  func byte(of node: Int) -> UInt8 { nodes[node].byte }

  /// Whether a string ends at a node.
  package func isEnd(_ node: Int) -> Bool { nodes[node].end >= 0 }

  /// The range that the indices of the strings through a node lie in.
  func indices(through node: Int) -> ClosedRange<Int>? {
    nodes[node].highest >= 0 ? Int(nodes[node].lowest)...Int(nodes[node].highest) : nil
  }

  /// The index of the string that ends at a node.
  func index(at node: Int) -> Int? { isEnd(node) ? Int(nodes[node].end) : nil }
}
