// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The transitions of an automaton that were used last: a direct-mapped table that doubles, up to a size,
/// when as many were noted as it has places.
///
/// A configuration is stepped once for each byte, or each token, that is read in it; texts repeat few of
/// these pairs very often.
package struct TransitionCache {
  private struct Entry {
    var configuration: Automaton.Configuration
    var symbol: UInt32
    var next: Automaton.Configuration

    static let vacant = Entry(configuration: Automaton.dead, symbol: .max, next: Automaton.dead)
  }

  private static let greatestSizeBits = 12
  private var sizeBits = 7
  private var entries: [Entry] = []
  private var notedCount = 0

  @inline(__always)
  private func slot(_ configuration: Automaton.Configuration, _ symbol: UInt32) -> Int {
    let hash = (UInt64(configuration) << 32 | UInt64(symbol)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash >> UInt64(64 - sizeBits))
  }

  /// Where a byte or a token leads from a configuration, if that is known.
  @inline(__always)
  package subscript(
    configuration: Automaton.Configuration, symbol: UInt32
  ) -> Automaton.Configuration? {
    if entries.isEmpty { return nil }
    let entry = entries[slot(configuration, symbol)]
    guard entry.configuration == configuration, entry.symbol == symbol else { return nil }
    return entry.next
  }

  package mutating func set(
    _ configuration: Automaton.Configuration, _ symbol: UInt32, _ next: Automaton.Configuration
  ) {
    if entries.isEmpty || notedCount == entries.count && sizeBits < Self.greatestSizeBits {
      grow()
    }
    notedCount += 1
    entries[slot(configuration, symbol)] = Entry(
      configuration: configuration, symbol: symbol, next: next)
  }

  private mutating func grow() {
    let former = entries
    sizeBits += 1
    entries = [Entry](repeating: .vacant, count: 1 << sizeBits)
    for entry in former where entry.configuration != Automaton.dead {
      entries[slot(entry.configuration, entry.symbol)] = entry
    }
  }
}
