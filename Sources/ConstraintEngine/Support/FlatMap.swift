// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A map from 64-bit keys to 32-bit values in two flat arrays: open addressing, no removal.
///
/// For keys that are packed ids the standard dictionary spends most of its time on hashing that
/// resists attackers; these keys are the automaton's own numbers.
struct FlatMap {
  private var keys: [UInt64]
  private var values: [UInt32]
  private var mask: Int
  private(set) var count = 0

  /// The one key that cannot be stored.
  private static let vacant = UInt64.max

  init() {
    keys = [UInt64](repeating: Self.vacant, count: 64)
    values = [UInt32](repeating: 0, count: 64)
    mask = 63
  }

  /// The memory held, in bytes.
  var byteCount: Int { keys.count * 12 }

  @inline(__always)
  private func slot(_ key: UInt64) -> Int {
    var hash = key &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 32
    return Int(truncatingIfNeeded: hash) & mask
  }

  /// The value of a key.
  subscript(key: UInt64) -> UInt32? {
    @inline(__always)
    get {
      var at = slot(key)
      while keys[at] != Self.vacant {
        if keys[at] == key { return values[at] }
        at = (at + 1) & mask
      }
      return nil
    }
  }

  /// Sets the value of a key.
  mutating func set(_ key: UInt64, _ value: UInt32) {
    var at = slot(key)
    while keys[at] != Self.vacant {
      if keys[at] == key {
        values[at] = value
        return
      }
      at = (at + 1) & mask
    }
    keys[at] = key
    values[at] = value
    count += 1
    if count * 2 > keys.count { grow() }
  }

  private mutating func grow() {
    let before = (keys, values)
    keys = [UInt64](repeating: Self.vacant, count: before.0.count * 2)
    values = [UInt32](repeating: 0, count: keys.count)
    mask = keys.count - 1
    for (key, value) in zip(before.0, before.1) where key != Self.vacant {
      var at = slot(key)
      while keys[at] != Self.vacant { at = (at + 1) & mask }
      keys[at] = key
      values[at] = value
    }
  }
}

#if DEBUG
  extension FlatMap {
    /// What is wrong with the table, for the tests: every key is found where it stands, and there is room
    /// for the search for others to end.
    func _checkInvariants() -> [String] {
      var found: [String] = []
      let taken = keys.indices.filter { keys[$0] != Self.vacant }
      if taken.count != count { found.append("\(taken.count) keys, counted as \(count)") }
      if count * 2 > keys.count { found.append("\(count) keys in \(keys.count) places") }
      for place in taken {
        var at = slot(keys[place])
        while keys[at] != Self.vacant, keys[at] != keys[place] { at = (at + 1) & mask }
        if at != place { found.append("the key \(keys[place]) stands at \(place), found at \(at)") }
      }
      return found
    }
  }
#endif
