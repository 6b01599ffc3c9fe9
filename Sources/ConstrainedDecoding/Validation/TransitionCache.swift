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

  mutating func next(
    _ configuration: Automaton.Configuration, _ byte: UInt8, _ automaton: inout Automaton
  ) -> Automaton.Configuration {
    if entries.isEmpty {
      entries = [Entry](
        repeating: Entry(configuration: Automaton.dead, byte: .max, next: Automaton.dead),
        count: 1 << Self.sizeBits)
    }
    let hash = (UInt64(configuration) << 8 | UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
    let slot = Int(truncatingIfNeeded: hash >> UInt64(64 - Self.sizeBits))
    if entries[slot].configuration == configuration, entries[slot].byte == UInt32(byte) {
      return entries[slot].next
    }
    let next = automaton.next(configuration, byte)
    entries[slot] = Entry(configuration: configuration, byte: UInt32(byte), next: next)
    return next
  }
}
