// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether a language has any string, which decides what may come next: a byte after which none is left is
/// refused.
extension RegularLanguages {
  /// Whether a language has any string.
  ///
  /// Threads without look-around are live by construction; products and look-aheads are explored
  /// until an accepting state is found, those first that may be closest to one: of two patterns that
  /// both count to a thousand most states are far from any. Each state is explored once: linear in
  /// the states that can be reached.
  package mutating func isLive(_ state: State) -> Bool {
    switch liveness[Int(state)] {
    case .live: return true
    case .dead: return false
    case .unknown: break
    }
    var parents: [State: State] = [state: state]
    var pending = NearestFirst()
    pending.add(state, at: 0)
    while let current = pending.popNearest() {
      if rows[Int(current)] < 0 { expand(current) }
      if reachedLimit != nil { return false }
      let row = rows[Int(current)]
      var previous = Self.dead
      for byte in 0..<256 {
        let target = transitions[row + byte]
        if target == previous || target == Self.dead { continue }
        previous = target
        if parents[target] != nil { continue }
        parents[target] = current
        switch liveness[Int(target)] {
        case .live:
          var at = current
          while true {
            liveness[Int(at)] = .live
            guard let parent = parents[at], parent != at else { break }
            at = parent
          }
          return true
        case .dead: break
        case .unknown: pending.add(target, at: leastLength(target))
        }
      }
    }
    for explored in parents.keys where liveness[Int(explored)] == .unknown {
      liveness[Int(explored)] = .dead
    }
    return false
  }
}

/// States that wait to be looked at, by the distance to what is searched for.
private struct NearestFirst {
  /// The states at each distance, and in the last place those that are further.
  private var states = [[RegularLanguages.State]](repeating: [], count: 32)
  private var nearest = 0

  mutating func add(_ state: RegularLanguages.State, at distance: Int) {
    let distance = min(distance, states.count - 1)
    states[distance].append(state)
    nearest = min(nearest, distance)
  }

  mutating func popNearest() -> RegularLanguages.State? {
    while nearest < states.count {
      if let state = states[nearest].popLast() { return state }
      nearest += 1
    }
    nearest = 0
    return nil
  }
}
