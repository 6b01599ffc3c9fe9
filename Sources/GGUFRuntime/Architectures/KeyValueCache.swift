// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where the keys and values of a position are.
struct CacheShape: Sendable, Equatable {
  /// Where in a page the keys and values of one layer are.
  struct Layer: Sendable, Equatable {
    var heads: Int
    var size: Int
    let precision: CachePrecision
    /// Where the first head is.
    fileprivate(set) var start = 0

    /// How many numbers a value takes: a multiple of 16.
    var valueSize: Int { (size + 15) / 16 * 16 }
    /// How much memory a page has for one head, in numbers of 32 bits.
    var headCount: Int {
      precision == .float32 ? unpackedHeadCount : packedHeadBytes / MemoryLayout<Float>.size
    }

    /// Where in a page the keys of a head are; the values follow them.
    func keys(head: Int) -> Int { start + head * headCount }
    func values(head: Int) -> Int { keys(head: head) + CachePage.positions * size }

    /// Writes a key and a value of a position.
    func write(
      _ key: UnsafePointer<Float>, _ value: UnsafePointer<Float>, position: Int,
      into head: UnsafeMutablePointer<Float>
    ) {
      guard precision == .float32 else { return pack(key, value, position: position, into: head) }
      let positions = CachePage.positions
      for i in 0..<size { head[position + i * positions] = key[i] }
      (head + positions * size + position * valueSize).update(from: value, count: size)
    }
  }

  /// The layers that remember keys and values of their own.
  let layers: [Layer]
  /// How many numbers the recurrences of all layers remember.
  let stateCount: Int
  let precision: CachePrecision
  /// How much memory a page has, in numbers of 32 bits.
  let pageCount: Int

  /// - Parameter layers: How many heads of keys and values each layer has, and of what size.
  init(
    _ layers: [(heads: Int, size: Int)], stateCount: Int = 0,
    precision: CachePrecision = .float32
  ) {
    var count = 0
    self.layers = layers.map {
      var layer = Layer(heads: $0.heads, size: $0.size, precision: precision)
      layer.start = count
      count += layer.heads * layer.headCount
      return layer
    }
    (self.stateCount, self.precision, pageCount) = (stateCount, precision, count)
  }
}

/// The keys and values of 16 positions, of all layers.
///
/// A page is written once, position by position, and shared by all sequences that begin with the same
/// tokens. Who writes the next position claims it; a sequence that comes second, or that went back,
/// goes on in a copy.
///
/// Invariants of the unsafe memory: allocated and zeroed in `init`, of the length that the shape says.
/// A position is written only by who has claimed it, and read only by sequences that hold it.
final class CachePage: Sendable {
  /// How many positions a page has.
  static var positions: Int { 16 }

  nonisolated(unsafe) let numbers: UnsafeMutablePointer<Float>
  let count: Int
  /// How many positions are claimed.
  private let claimed = Atomic<Int>(0)

  init(_ shape: CacheShape) {
    count = shape.pageCount
    numbers = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
      .bindMemory(to: Float.self, capacity: count)
    numbers.initialize(repeating: 0, count: count)
  }

  /// A copy, of which the first positions are claimed.
  init(_ other: CachePage, positions: Int) {
    count = other.count
    numbers = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
      .bindMemory(to: Float.self, capacity: count)
    numbers.initialize(from: other.numbers, count: count)
    claimed.store(positions, ordering: .relaxed)
  }

  /// A page that a closure writes, of which the first positions are claimed; nil where it cannot.
  init?(_ shape: CacheShape, positions: Int, writing body: (UnsafeMutableRawBufferPointer) -> Bool)
  {
    count = shape.pageCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
    numbers = memory.bindMemory(to: Float.self, capacity: count)
    guard body(UnsafeMutableRawBufferPointer(start: memory, count: count * 4)) else { return nil }
    claimed.store(positions, ordering: .relaxed)
  }

  deinit { numbers.deallocate() }

  /// Claims positions; false where another sequence has the first of them.
  func claim(_ range: Range<Int>) -> Bool {
    claimed.compareExchange(
      expected: range.lowerBound, desired: range.upperBound, ordering: .acquiringAndReleasing
    ).exchanged
  }
}

/// What the layers remember of the tokens read: a key and a value for each position, and the state of
/// layers without attention.
///
/// A cache is a value: a copy shares the pages of what was read so far.
package struct KeyValueCache: Sendable {
  private(set) var pages: [CachePage] = []
  private(set) var recurrence: RecurrenceMemory?
  let shape: CacheShape
  /// How many positions are remembered.
  package private(set) var count = 0

  package init(_ parameters: ModelParameters) { self.init(parameters.cacheShape) }

  init(_ shape: CacheShape) {
    self.shape = shape
    if shape.stateCount > 0 { recurrence = RecurrenceMemory(count: shape.stateCount) }
  }

  /// What was saved: a page for every 16 positions, and the state of recurrences.
  init(_ shape: CacheShape, pages: [CachePage], state: RecurrentState?, count: Int) {
    self.shape = shape
    self.pages = pages
    recurrence = state.map { RecurrenceMemory($0, count: shape.stateCount) }
    self.count = count
  }

  /// Gives all away and remembers nothing: who has a state alone goes on without a copy.
  package mutating func take() -> KeyValueCache {
    let all = self
    self = KeyValueCache(shape)
    return all
  }

  /// Makes room for more positions, which are remembered from here on.
  mutating func extend(by added: Int) {
    recurrence?.beginReading(after: count)
    let size = CachePage.positions
    pages.removeSubrange(min(pages.count, (count + size - 1) / size)...)
    var start = count
    while start < count + added {
      let end = min(count + added, (start / size + 1) * size)
      let range = start % size..<start % size + end - start
      if start / size == pages.count { pages.append(CachePage(shape)) }
      if !pages[start / size].claim(range) {
        let copy = CachePage(pages[start / size], positions: range.lowerBound)
        _ = copy.claim(range)
        pages[start / size] = copy
      }
      start = end
    }
    count += added
  }

  /// Forgets all but the first positions; more of them where the state of a layer without attention
  /// was not kept for that place.
  package mutating func truncate(to count: Int) {
    guard count < self.count else { return }
    self.count = max(0, recurrence?.goBack(to: count) ?? count)
  }

  /// The state of the layers without attention.
  var state: UnsafeMutablePointer<Float>? { recurrence?.current.numbers }

  /// Calls a closure with the numbers of the pages, of which there may be none.
  func withPages(_ body: (UnsafePointer<UnsafeMutablePointer<Float>>) -> Void) {
    // A place more: an empty array has no address.
    withUnsafeTemporaryAllocation(
      of: UnsafeMutablePointer<Float>.self, capacity: pages.count + 1
    ) { table in
      guard let base = table.baseAddress else { return }
      for (index, page) in pages.enumerated() { (base + index).initialize(to: page.numbers) }
      body(base)
    }
  }

  /// Writes the keys and values of positions, a row of all heads each.
  func store(
    _ keys: UnsafePointer<Float>, _ values: UnsafePointer<Float>, _ range: Range<Int>, layer: Int
  ) {
    let positions = CachePage.positions
    let layer = shape.layers[layer]
    let (size, width) = (layer.size, layer.heads * layer.size)
    for position in range {
      let page = pages[position / positions].numbers
      let row = (position - range.lowerBound) * width
      for head in 0..<layer.heads {
        layer.write(
          keys + row + head * size, values + row + head * size, position: position % positions,
          into: page + layer.keys(head: head))
      }
    }
  }
}
