// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which lengths, in scalar values, the strings of a language have, however large: after some length
/// they repeat with a period.
///
/// The states that strings of *n* scalars lead to are a set, and the set for *n* + 1 depends on that
/// alone. So once a set comes again everything does. `(ab)*` has the sets {0}, {1}, {0}: period 2.
struct LengthPattern {
  /// For each number of scalars whether some string has it, up to where the sets come again.
  var isLength: [Bool]
  /// The number of scalars whose set comes again after the last one.
  var repeatsFrom: Int

  /// Whether some string has between two numbers of scalars.
  ///
  /// - Complexity: linear in the width of the window, but at most one period.
  func contains(_ lengths: ClosedRange<Int>) -> Bool {
    let period = isLength.count - repeatsFrom
    var looked = 0
    for length in lengths {
      if looked > repeatsFrom + period { return false }
      let place =
        length < isLength.count ? length : repeatsFrom + (length - repeatsFrom) % period
      if isLength[place] { return true }
      looked += 1
    }
    return false
  }
}

extension RegularLanguages {
  /// The most members of all sets together that are looked at.
  private static let patternLimit = 1 << 21

  /// The pattern of the lengths of a live language; `nil` where its sets do not come again within
  /// the limit.
  mutating func lengthPattern(_ state: State) -> LengthPattern? {
    if let known = lengthPatterns[state] { return known }
    var places: [[State]: Int] = [:]
    var isLength: [Bool] = []
    var current = inside([state])
    var size = 0
    while places[current] == nil {
      places[current] = isLength.count
      isLength.append(current.contains { accepts($0) })
      size += current.count + 1
      if size > Self.patternLimit || reachedLimit != nil { return nil }
      var next: Set<State> = []
      for member in current {
        for edge in liveSuccessors(member) where edge.scalars == 1 { next.insert(edge.state) }
      }
      current = inside(next)
    }
    let pattern = LengthPattern(isLength: isLength, repeatsFrom: places[current] ?? 0)
    lengthPatterns[state] = pattern
    return pattern
  }

  /// Some states with those that the rest of a scalar leads to, in order.
  private mutating func inside(_ states: Set<State>) -> [State] {
    var result = states
    var pending = Array(states)
    while let state = pending.popLast() {
      for edge in liveSuccessors(state) where edge.scalars == 0 {
        if result.insert(edge.state).inserted { pending.append(edge.state) }
      }
    }
    return result.sorted()
  }

  private mutating func liveSuccessors(_ state: State) -> [(state: State, scalars: Int)] {
    if let known = successorLists[state] { return known }
    let result = successors(state)
    successorLists[state] = result
    return result
  }

  /// The number of states that a language leads to.
  mutating func reachableCount(_ state: State) -> Int {
    var seen: Set<State> = [state]
    var pending = [state]
    while let current = pending.popLast() {
      for edge in liveSuccessors(current) where seen.insert(edge.state).inserted {
        pending.append(edge.state)
      }
    }
    return seen.count
  }
}
