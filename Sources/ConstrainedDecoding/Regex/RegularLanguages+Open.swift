// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Languages in which any text may come next.
extension RegularLanguages {
  /// The most states that ``isOpen(_:)`` goes through.
  private static let openSearchLimit = 40

  /// Whether a string may start with anything whatever: every well-formed continuation can still
  /// become a string of the language. Found for languages with few states alone; where there are
  /// more, all that were gone through are taken not to be.
  mutating func isOpen(_ state: State) -> Bool {
    if let known = openStates[UInt64(state)] { return known != 0 }
    // A product's states are dear to make, and rarely open.
    guard case .threads = definitions[Int(state)] else { return false }
    if lingeringKinds(state) == TokenSignatures.all {
      openStates.set(UInt64(state), 1)
      return true
    }
    var seen: Set<UInt64> = [UInt64(state) << 32 | UInt64(Self.free)]
    var found: [(state: State, place: State, from: Int)] = [(state, Self.free, -1)]
    var pending = [0]
    while let current = pending.popLast() {
      let (state, place) = (found[current].state, found[current].place)
      let starts = runStarts(of: state).union(runStarts(of: place))
      for run in starts.runs {
        let byte = UInt8(run.lowerBound)
        let after = next(place, byte)
        if after == Self.dead { continue }
        let target = next(state, byte)
        let known = after == Self.free ? openStates[UInt64(target)] : nil
        // Only what is known to be live without a search.
        if target == Self.dead || liveness[Int(target)] != .live || known == 0 {
          // What leads here is not open either.
          var at = current
          while at >= 0 {
            if found[at].place == Self.free { openStates.set(UInt64(found[at].state), 0) }
            at = found[at].from
          }
          return false
        }
        if isFreeState(target) || known == 1 { continue }
        if seen.insert(UInt64(target) << 32 | UInt64(after)).inserted {
          found.append((target, after, current))
          pending.append(found.count - 1)
        }
      }
      if found.count > Self.openSearchLimit {
        for entry in found { openStates.set(UInt64(entry.state), 0) }
        return false
      }
    }
    // What an open language leads to is open.
    for entry in found where entry.place == Self.free { openStates.set(UInt64(entry.state), 1) }
    return true
  }

  /// Whether every well-formed continuation is a string of a language.
  ///
  /// - Parameter place: Where in a scalar the string is: a state of the language of all strings.
  /// - Returns: `nil` where that was not found out.
  mutating func isEverything(_ state: State, from place: State) -> Bool? {
    let key = UInt64(state) << 32 | UInt64(place)
    if let known = everything[key] { return known != 0 }
    var seen: Set<UInt64> = [key]
    var pending = [(state, place)]
    var lacksSome = accepts(place) && !accepts(state)
    while !lacksSome, let (state, place) = pending.popLast() {
      for run in runStarts(of: state).union(runStarts(of: place)).runs {
        let byte = UInt8(run.lowerBound)
        let after = next(place, byte)
        let target = next(state, byte)
        if after == Self.dead || isFreeState(target) { continue }
        let pair = UInt64(target) << 32 | UInt64(after)
        if target == Self.dead || accepts(after) && !accepts(target) || everything[pair] == 0 {
          lacksSome = true
          break
        }
        if seen.insert(pair).inserted { pending.append((target, after)) }
      }
      if seen.count > Self.mostContinuations { return nil }
    }
    if lacksSome {
      everything.set(key, 0)
      return false
    }
    everything.set(key, 1)
    return true
  }

  /// The most states that ``isEverything(_:from:)`` goes through.
  private static let mostContinuations = 1000
}
