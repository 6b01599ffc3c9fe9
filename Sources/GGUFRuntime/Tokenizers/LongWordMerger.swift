// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Merges the pairs of a long word with a heap of candidates, so that a text without a space takes
/// n log n steps and not n².
struct LongWordMerger {
  private var parts: [Int]
  private var next: [Int]
  private var previous: [Int]
  private let merges: MergeTable
  private var heap = BinaryHeap<Candidate>()

  private struct Candidate: Comparable {
    var rank: Int
    var index: Int
    var first: Int
    var second: Int

    static func < (a: Candidate, b: Candidate) -> Bool {
      a.rank != b.rank ? a.rank < b.rank : a.index < b.index
    }
  }

  init(parts: [Int], merges: MergeTable) {
    self.parts = parts
    self.merges = merges
    next = Array(1...parts.count)
    previous = Array(-1..<(parts.count - 1))
    for index in 0..<(parts.count - 1) { propose(index) }
  }

  private mutating func propose(_ index: Int) {
    guard index >= 0, next[index] < parts.count else { return }
    let (first, second) = (parts[index], parts[next[index]])
    guard let merge = merges[first, second] else { return }
    heap.insert(Candidate(rank: merge.rank, index: index, first: first, second: second))
  }

  consuming func run() -> [Int] {
    while let candidate = heap.removeFirst() {
      let index = candidate.index
      let follower = next[index]
      guard parts[index] == candidate.first, follower < parts.count,
        parts[follower] == candidate.second,
        let merge = merges[candidate.first, candidate.second]
      else { continue }
      parts[index] = merge.merged
      parts[follower] = -1
      next[index] = next[follower]
      if next[index] < parts.count { previous[next[index]] = index }
      propose(previous[index])
      propose(index)
    }
    return parts.filter { $0 >= 0 }
  }
}

/// A heap whose first element is the least.
struct BinaryHeap<Element: Comparable> {
  private var elements: [Element] = []

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return first }
    elements[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && elements[child] < elements[least] { least = child }
      guard least != parent else { return first }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}
