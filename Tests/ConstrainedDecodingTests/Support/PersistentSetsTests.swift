// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

@Suite(.computesForLong) struct PersistentSetsTests {
  @Test func setsHoldTheWordsThatWerePutInAndEqualOnesAreTheSame() {
    for seed in 0..<50 {
      var random = SeededGenerator(seed: UInt64(seed))
      var sets = PersistentSets()
      var ids: [Set<UInt32>: PersistentSets.Set] = [[]: PersistentSets.empty]
      for _ in 0..<20 {
        var words: Set<UInt32> = []
        var set = PersistentSets.empty
        for _ in 0..<Int.random(in: 0...6, using: &random) {
          let word = Bool.random(using: &random) ? UInt32.random(in: 0...7, using: &random) : .max
          set = sets.inserting(word, into: set)
          words.insert(word)
        }
        #expect(sets.set(of: Array(words) + words) == set, "seed \(seed), \(words)")
        #expect(ids[words, default: set] == set, "seed \(seed), \(words)")
        ids[words] = set
        #expect(Set(sets.words(of: set)) == words, "seed \(seed)")
        #expect(sets.count(of: set) == words.count, "seed \(seed), \(words)")
        for word in (0...8) as ClosedRange<UInt32> {
          #expect(sets.contains(word, in: set) == words.contains(word), "seed \(seed), \(words)")
        }
      }
      #expect(Set(ids.values).count == ids.count, "seed \(seed)")
    }
  }

  /// What is kept of a set is the set that would be made of it anew.
  @Test func containersOfOneKindAreKept() {
    var random = SeededGenerator(seed: 1)
    var (sets, values) = (PersistentSets(), ValueTable())
    let scalars = [nil, true, false].map { $0.map { .boolean($0) } ?? ValueTable.Scalar.null }
      .map { values.id(of: $0) }
    let arrays = scalars.map { values.id(ofArray: [$0]) } + [values.id(ofArray: [])]
    let objects = scalars.map { values.id(ofObject: [(key: 1, value: $0)]) }
    for _ in 0..<100 {
      let words = (scalars + arrays + objects).filter { _ in Bool.random(using: &random) }
      let set = sets.set(of: words)
      for (isArray, kind) in [(true, arrays), (false, objects)] {
        let kept = values.containers(among: set, isArray: isArray, in: &sets)
        #expect(kept == sets.set(of: words.filter(kind.contains)), "\(words), \(isArray)")
      }
    }
  }
}
