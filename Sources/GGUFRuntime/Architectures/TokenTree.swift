// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tokens that may follow a sequence, each after the sequence or after another of them.
///
///     the sequence ─┬─ "no" ─┬─ "rth"          tokens   no  rth  r   new
///                   │        └─ "r"            parents  nil  0   0   nil
///                   └─ "new"                   depths    0   1   1    0
package struct TokenTree: Sendable {
  package private(set) var tokens: [Int] = []
  /// The place of the token before; nil for those that follow the sequence.
  private(set) var parents: [Int?] = []
  /// How many tokens of the tree are before.
  private(set) var depths: [Int] = []

  /// The greatest number of tokens that follow each other.
  package var depth: Int { (depths.max() ?? -1) + 1 }

  package init() {}

  /// - Parameter parent: The place of a token of the tree.
  package mutating func append(_ token: Int, after parent: Int?) {
    tokens.append(token)
    parents.append(parent)
    depths.append(parent.map { depths[$0] + 1 } ?? 0)
  }
}

extension Transformer {
  /// Reads the tokens of a tree in one pass: each sees the sequence and the tokens that lead to it.
  ///
  /// The sequence remembers none of them, so nothing is copied. Not for every model
  /// (``ModelParameters/readsTrees``).
  ///
  /// - Parameters:
  ///   - tree: The tokens, each within the vocabulary.
  ///   - cache: What is remembered of the sequence.
  /// - Returns: For each token the hidden numbers after it, to the bit those of reading the tokens that
  ///   lead to it alone; without a meaning where the task was cancelled.
  /// - Throws: ``GGUFError`` where rows that stayed in the file cannot be read.
  package func read(
    _ tree: TokenTree, after cache: KeyValueCache
  ) throws(GGUFError) -> [[Float]] {
    guard !tree.tokens.isEmpty, parameters.readsTrees else { return [] }
    let space = workspaces.take(parameters, capacity: tree.tokens.count)
    defer { workspaces.giveBack(space) }
    for (row, token) in tree.tokens.enumerated() { try embed(token, row: row, space) }
    let positions = tree.depths.map { cache.count + $0 }
    cache.withPages { pages in
      let sequence = Attention.Sequence(
        rows: 0..<tree.tokens.count, start: cache.count, pages: pages)
      compute.team.step { run(pass(positions, [sequence], tree: tree), [], space) }
    }
    return states(after: 0..<tree.tokens.count, space)
  }
}

extension Attention {
  /// Attention of the rows of a tree to the sequence before it and to the rows that lead to each.
  ///
  /// A row is the end of a sequence of its own, whose pages are those of the sequence as far as they
  /// are full. After them are pages of each worker's own, in which the branch changes from row to row:
  /// a few positions, little beside what attention reads.
  func run(
    _ space: Workspace, _ tree: TokenTree, after sequence: Sequence, _ shape: CacheShape,
    _ compute: Compute
  ) {
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let sequence = sequence
    let p = parameters
    let total = tree.tokens.count * memory.heads
    let deepest = sequence.start + tree.depth - 1
    compute.team.forEachRange(
      of: total, costOfOne: 2 * deepest * p.heads / memory.heads * memory.size
    ) { range in
      let length = deepest / CachePage.positions + 1
      let capacity = length * CachePage.positions
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: (4 * capacity + 4 * memory.valueSize + 16) * 4, alignment: 64)
      defer { scratch.deallocate() }
      let numbers = scratch.bindMemory(to: Float.self, capacity: 4 * capacity)
      let unpacked = memory.precision == .float32 ? nil : UnpackedPages(memory, count: length)
      let branch = BranchPages(sequence, shape, memory, count: length)
      for part in range {
        // One head for all rows, then the next.
        let (head, row) = part.quotientAndRemainder(dividingBy: tree.tokens.count)
        branch.write(row, of: tree, space, head: head)
        attend(
          Sequence(
            rows: row..<row + 1, start: sequence.start + tree.depths[row], pages: branch.pages),
          0..<1, head, space, numbers, capacity, unpacked, compute.kernels)
      }
    }
  }
}

/// The pages of a sequence with one branch of a tree.
///
/// Invariants of the unsafe memory: `pages` has `count` places. Those from `shared` on are pages of an
/// object's own, allocated in `init`; of each only the head that was last written is read. An
/// object stays within one worker's part of a pass.
private final class BranchPages {
  let pages: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let layer: CacheShape.Layer
  private let sequence: Attention.Sequence
  private let count: Int
  /// How many pages are the sequence's.
  private let shared: Int
  /// Where the head that was last written is in a page.
  private var place = -1

  init(
    _ sequence: Attention.Sequence, _ shape: CacheShape, _ layer: CacheShape.Layer, count: Int
  ) {
    (self.sequence, self.layer, self.count) = (sequence, layer, count)
    shared = sequence.start / CachePage.positions
    pages = .allocate(capacity: count)
    pages.initialize(from: sequence.pages, count: shared)
    for page in shared..<count {
      (pages + page).initialize(
        to: UnsafeMutableRawPointer.allocate(byteCount: shape.pageCount * 4, alignment: 64)
          .bindMemory(to: Float.self, capacity: shape.pageCount))
    }
  }

  deinit {
    for page in shared..<count { pages[page].deallocate() }
    pages.deallocate()
  }

  /// Writes a head of the rows that lead to a row.
  func write(_ row: Int, of tree: TokenTree, _ space: Workspace, head: Int) {
    begin(layer.keys(head: head))
    var next: Int? = row
    while let row = next {
      let position = sequence.start + tree.depths[row]
      let start = (row * layer.heads + head) * layer.size
      layer.write(
        space.key + start, space.value + start, position: position % CachePage.positions,
        into: pages[position / CachePage.positions] + place)
      next = tree.parents[row]
    }
  }

  /// Writes a head of what the sequence has after its full pages.
  private func begin(_ place: Int) {
    guard place != self.place else { return }
    self.place = place
    for page in shared..<count {
      let head = pages[page] + place
      if page == shared, sequence.start % CachePage.positions > 0 {
        head.update(from: sequence.pages[page] + place, count: layer.headCount)
      } else {
        // A position that a row does not see has the weight 0, which no number must make another.
        head.update(repeating: 0, count: layer.headCount)
      }
    }
  }
}
