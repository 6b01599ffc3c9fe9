// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Dispatch

/// How many masks a second threads make that share one warm grammar, each with a sequence of its own.
///
/// One thread goes through all instances until everything is known. Then the same work is timed on one
/// thread and on several at once, in turns, so that a machine that slows down slows both.
struct ThreadMeasurement {
  let threads: Int
  private(set) var masks = 0
  /// The time for those masks on one thread, and for as many on each of several, in nanoseconds.
  private(set) var alone = 0
  private(set) var together = 0

  /// So many turns of both.
  private static let turns = 3
  /// At least so long one turn takes, in nanoseconds.
  private static let shortest = 20_000_000

  init(threads: Int) { self.threads = threads }

  mutating func measure(_ grammar: Grammar, _ vocabulary: Vocabulary, _ tests: [[Int]]) {
    let clock = BenchClock.wall
    // What is worked out now is not worked out later; on several threads, that they have met too.
    let masks = Self.read(tests, grammar, vocabulary)
    if masks == 0 { return }
    Self.run(threads) { _ = Self.read(tests, grammar, vocabulary) }
    let start = clock.now()
    _ = Self.read(tests, grammar, vocabulary)
    let rounds = max(1, Self.shortest / max(1, clock.now() - start))
    for _ in 0..<Self.turns {
      let start = clock.now()
      Self.run(1) { for _ in 0..<rounds { _ = Self.read(tests, grammar, vocabulary) } }
      let middle = clock.now()
      Self.run(threads) { for _ in 0..<rounds { _ = Self.read(tests, grammar, vocabulary) } }
      alone += middle - start
      together += clock.now() - middle
      self.masks += masks * rounds
    }
  }

  /// How many times the masks of one thread several make.
  var ratio: Double { Double(alone) * Double(threads) / Double(max(1, together)) }

  /// Million masks a second on one thread.
  var rate: Double { Double(masks) * 1000 / Double(max(1, alone)) }

  private static func run(_ threads: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in body() }
  }

  private static func read(
    _ tests: [[Int]], _ grammar: Grammar, _ vocabulary: Vocabulary
  ) -> Int {
    var bits = TokenBitmask(vocabulary: vocabulary)
    var masks = 0
    for tokens in tests {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      for token in tokens {
        matcher.fill(&bits)
        masks += 1
        guard bits[token], (try? matcher.accept(token)) != nil else { break }
      }
    }
    return masks
  }
}
