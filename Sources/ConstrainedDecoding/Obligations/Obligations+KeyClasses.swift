/// Which patterns the keys of an object can match.
///
/// Worked example: the keys of `{"patternProperties": {"^a": …, "z$": …}}` have the classes {}, {`^a`},
/// {`z$`} and {`^a`, `z$`}; once `a` was read {`^a`} and {`^a`, `z$`} are left, for the first is decided
/// and of the second it is known that some texts match and some do not.
extension Obligations {
  /// The class of keys where there are no patterns.
  private static let noPatterns: [UInt32] = [0]

  /// The classes that keys starting with what was read can have.
  ///
  /// Where several patterns are still open, the states that can be reached form a graph; the classes
  /// are collected backwards from its accepting states, once for all of its states.
  mutating func keyClasses(_ object: Int, tuple: UInt32) -> [UInt32] {
    if keyTuples.length(of: tuple) == 2 { return Self.noPatterns }
    let words = Array(keyTuples[tuple].dropFirst())
    let start = keyTuples.intern([0] + words)
    if let known = keyClasses[UInt64(start)] { return known }
    if let classes = decidedClasses(words) {
      keyClasses[UInt64(start)] = classes
      return classes
    }
    var classes: [UInt32: Set<UInt32>] = [:]
    var order: [UInt32] = [start]
    var seen: Set<UInt32> = [start]
    var edges: [UInt32: [UInt32]] = [:]
    var at = 0
    while at < order.count {
      let current = order[at]
      at += 1
      var targets: [UInt32] = []
      var after: [UInt32] = []
      let states = Array(keyTuples[current].dropFirst())
      if let known = keyClasses[UInt64(current)] ?? decidedClasses(states) {
        classes[current] = Set(known)
        continue
      }
      var starts = ByteSet()
      for state in states { starts.formUnion(languages.runStarts(of: state)) }
      for run in starts.runs {
        let byte = UInt8(run.lowerBound)
        after.removeAll(keepingCapacity: true)
        after.append(0)
        for state in states { after.append(languages.next(state, byte)) }
        if after[1] == RegularLanguages.dead { continue }
        let target = keyTuples.intern(after)
        if !targets.contains(target) { targets.append(target) }
        if seen.insert(target).inserted { order.append(target) }
      }
      edges[current] = targets
      if order.count > 20_000 {
        noteFailure(
          "patternProperties", at: objects[object].sources.first,
          "the patterns of one object have more than 20,000 joint states; simplify them")
        return []
      }
    }
    for current in order where classes[current] == nil && isBoundary(current) {
      classes[current] = [keyClass(current)]
    }
    var changed = true
    while changed {
      changed = false
      for current in order.reversed() {
        var mine = classes[current] ?? []
        let before = mine.count
        for target in edges[current] ?? [] { mine.formUnion(classes[target] ?? []) }
        if mine.count != before {
          classes[current] = mine
          changed = true
        }
      }
    }
    for current in order { keyClasses[UInt64(current)] = (classes[current] ?? []).sorted() }
    return keyClasses[UInt64(start)] ?? []
  }

  /// What is decided of a key over which no more than one pattern is still open; `nil` where more
  /// are.
  ///
  /// - Parameter states: The states of the key's content and of each pattern.
  private func decided(_ states: [UInt32]) -> (matched: UInt32, open: Int?)? {
    guard languages.isFreeState(states[0]) else { return nil }
    var matched: UInt32 = 0
    var open: Int?
    for index in 1..<states.count where states[index] != RegularLanguages.dead {
      if languages.isFreeState(states[index]) {
        matched |= 1 << UInt32(index - 1)
      } else if open == nil {
        open = index
      } else {
        return nil
      }
    }
    return (matched, open)
  }

  /// The classes of keys over which no more than one pattern is still open; `nil` where more are.
  private mutating func decidedClasses(_ states: [UInt32]) -> [UInt32]? {
    guard let (matched, open) = decided(states) else { return nil }
    guard let open else { return [matched] }
    guard let isEverything = languages.isEverything(states[open], from: states[0]) else {
      return nil
    }
    var classes = isEverything ? [] : [matched]
    if languages.isLive(states[open]) { classes.append(matched | 1 << UInt32(open - 1)) }
    return classes
  }

  /// The kinds of characters over which a key can go on for ever to be one of a class.
  mutating func lingering(
    key tuple: UInt32
  ) -> (kinds: TokenSignatures.Signature, keyClass: UInt32)? {
    if keyTuples.length(of: tuple) == 2 { return nil }
    let states = Array(keyTuples[tuple].dropFirst())
    guard let (matched, open) = decided(states), let open,
      let lingering = languages.lingering(states[open])
    else { return nil }
    return (lingering.kinds, matched | 1 << UInt32(open - 1))
  }
}
