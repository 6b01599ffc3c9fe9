// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The numbers of a state.
///
/// The kernels change it in place by pointers, from several threads; an array would be copied or
/// checked for every head. Invariants of the unsafe memory: allocated and written in `init`, of the
/// length that `count` says. Written to by a pass only while one cache alone has it.
final class RecurrentState: Sendable {
  nonisolated(unsafe) let numbers: UnsafeMutablePointer<Float>
  private let count: Int

  /// Zeros.
  init(count: Int) {
    self.count = count
    numbers = .allocate(capacity: count)
    numbers.initialize(repeating: 0, count: count)
  }

  init(copying other: RecurrentState) {
    count = other.count
    numbers = .allocate(capacity: count)
    numbers.initialize(from: other.numbers, count: count)
  }

  deinit { numbers.deallocate() }
}

/// What layers without attention remember of the tokens read.
///
/// A state has one size, and the next token changes it: no way leads back. So some states on the way
/// are kept, and a sequence that goes back to a place between two of them goes back to the earlier one:
///
///     kept: 64, 128, 192; read: 200; back to 150 → 128, and the tokens 128…149 are read again
///
/// The longer ago, the fewer are kept.
struct RecurrenceMemory: Sendable {
  private(set) var current: RecurrentState
  private var kept: [(position: Int, state: RecurrentState)] = []
  private let count: Int

  /// How many positions lie between two states that are kept, and how many states are.
  private static var interval: Int { 64 }
  private static var limit: Int { 8 }

  /// - Parameter count: How many numbers a state has.
  init(_ state: RecurrentState? = nil, count: Int) {
    self.count = count
    current = state ?? RecurrentState(count: count)
  }

  /// Makes the state one that may be written to.
  ///
  /// - Parameter position: How many tokens were read.
  mutating func beginReading(after position: Int) {
    if position - (kept.last?.position ?? 0) >= Self.interval {
      kept.append((position, current))
      if kept.count > Self.limit { dropOne() }
    }
    if !isKnownUniquelyReferenced(&current) { current = RecurrentState(copying: current) }
  }

  /// Drops the state that is nearest to its neighbours, for how long ago it is.
  private mutating func dropOne() {
    guard let end = kept.last?.position else { return }
    let choice = kept.indices.dropLast().min { a, b in
      func loss(_ index: Int) -> Double {
        let before = index == 0 ? 0 : kept[index - 1].position
        return Double(kept[index + 1].position - before) / Double(end - before)
      }
      return loss(a) < loss(b)
    }
    if let choice { kept.remove(at: choice) }
  }

  /// Goes back to the last state that is kept before a position.
  ///
  /// - Returns: How many tokens that state has read.
  mutating func goBack(to position: Int) -> Int {
    kept.removeAll { $0.position > position }
    current = kept.last?.state ?? RecurrentState(count: count)
    return kept.last?.position ?? 0
  }
}
