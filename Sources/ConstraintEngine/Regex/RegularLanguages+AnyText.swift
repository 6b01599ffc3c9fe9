// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Languages in which any text may come next.
extension RegularLanguages {
  /// The most states that ``allowsAnyText(_:)`` goes through.
  private static let anyTextLimit = 40

  /// Whether a string may start with anything whatever: every well-formed continuation can still
  /// become a string of the language. Found for languages with few states alone; where there are
  /// more, all that were gone through are taken not to be.
  mutating func allowsAnyText(_ state: State) -> Bool {
    if let known = anyTextStates[UInt64(state)] { return known != 0 }
    // A product's states are dear to make, and rarely allow any text.
    guard case .threads = definitions[Int(state)] else { return false }
    if lingeringKinds(state) == CharacterKinds.all {
      anyTextStates.set(UInt64(state), 1)
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
        let known = after == Self.free ? anyTextStates[UInt64(target)] : nil
        // Only what is known to be live without a search.
        if target == Self.dead || liveness[Int(target)] != .live || known == 0 {
          // What leads here does not allow any text either.
          var at = current
          while at >= 0 {
            if found[at].place == Self.free { anyTextStates.set(UInt64(found[at].state), 0) }
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
      if found.count > Self.anyTextLimit {
        for entry in found { anyTextStates.set(UInt64(entry.state), 0) }
        return false
      }
    }
    // What a language that allows any text leads to does too.
    for entry in found where entry.place == Self.free { anyTextStates.set(UInt64(entry.state), 1) }
    return true
  }

  /// Whether every well-formed continuation is a string of a language.
  ///
  /// - Parameter place: Where in a scalar the string is: a state of the language of all strings.
  /// - Returns: `nil` where that was not found out.
  mutating func isEverything(_ state: State, from place: State) -> Bool? {
    let key = UInt64(state) << 32 | UInt64(place)
    if let known = everything[key] { return known == Self.unknownEverything ? nil : known != 0 }
    // By pair, the one that it was come to from.
    var origins: [UInt64: UInt64] = [key: key]
    var pending = [key]
    var failing = accepts(place) && !accepts(state) ? key : nil
    var visited = 0
    while failing == nil, let pair = pending.popLast() {
      visited += 1
      if visited > Self.mostContinuations {
        everything.set(key, Self.unknownEverything)
        return nil
      }
      let (state, place) = (State(pair >> 32), State(truncatingIfNeeded: pair))
      // ASCII lies last, and is gone down first: where characters are counted that is the shortest way.
      for run in runStarts(of: state).union(runStarts(of: place)).runs.reversed() {
        let byte = UInt8(run.lowerBound)
        let after = next(place, byte)
        let target = next(state, byte)
        if after == Self.dead || isFreeState(target) { continue }
        let longer = UInt64(target) << 32 | UInt64(after)
        let known = everything[longer]
        if target == Self.dead || accepts(after) && !accepts(target) || known == 0 {
          failing = pair
          break
        }
        if known == 1 || origins[longer] != nil { continue }
        origins[longer] = pair
        pending.append(longer)
      }
    }
    // What leads to a pair that lacks some lacks it too, and where none does, none lacks any.
    guard var pair = failing else {
      for pair in origins.keys { everything.set(pair, 1) }
      return true
    }
    while pair != key, let origin = origins[pair] {
      everything.set(pair, 0)
      pair = origin
    }
    everything.set(key, 0)
    return false
  }

  private static let unknownEverything: UInt32 = 2

  /// The most states that ``isEverything(_:from:)`` goes through.
  private static let mostContinuations = 1000
}
