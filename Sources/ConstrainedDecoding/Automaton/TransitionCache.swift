// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The transitions of an automaton that were used last: a direct-mapped table of fixed size.
///
/// A configuration is stepped once for each byte that is read in it; texts repeat few of these pairs
/// very often.
struct TransitionCache {
  private struct Entry {
    var configuration: Automaton.Configuration
    var byte: UInt32
    var next: Automaton.Configuration
  }

  private static let sizeBits = 12
  private var entries: [Entry] = []

  @inline(__always)
  private static func slot(_ configuration: Automaton.Configuration, _ byte: UInt8) -> Int {
    let hash = (UInt64(configuration) << 8 | UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash >> UInt64(64 - sizeBits))
  }

  /// Where a byte leads from a configuration, if that is known.
  @inline(__always)
  subscript(
    configuration: Automaton.Configuration, byte: UInt8
  ) -> Automaton.Configuration? {
    if entries.isEmpty { return nil }
    let entry = entries[Self.slot(configuration, byte)]
    guard entry.configuration == configuration, entry.byte == UInt32(byte) else { return nil }
    return entry.next
  }

  mutating func set(
    _ configuration: Automaton.Configuration, _ byte: UInt8, _ next: Automaton.Configuration
  ) {
    if entries.isEmpty {
      entries = [Entry](
        repeating: Entry(configuration: Automaton.dead, byte: .max, next: Automaton.dead),
        count: 1 << Self.sizeBits)
    }
    entries[Self.slot(configuration, byte)] = Entry(
      configuration: configuration, byte: UInt32(byte), next: next)
  }
}
