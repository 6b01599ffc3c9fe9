// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the strings of a language start with.
extension RegularLanguages {
  /// The bytes that some string of a language starts with.
  mutating func firstBytes(_ state: State) -> ByteSet {
    var result = ByteSet()
    purge(state)
    let row = rows[Int(state)]
    guard row >= 0 else { return result }
    for byte in 0..<256 where transitions[row + byte] != Self.dead { result.insert(UInt8(byte)) }
    return result
  }

  /// Computes a state's transitions and turns those to languages without strings into dead ones.
  mutating func purge(_ state: State) {
    if state == Self.dead || isPurged[Int(state)] { return }
    if rows[Int(state)] < 0 {
      expand(state)
      if isPurged[Int(state)] { return }
    }
    let start = rows[Int(state)]
    for run in runStarts(of: state).runs {
      let target = transitions[start + run.lowerBound]
      if target != Self.dead, !isLive(target) { setRun(run, at: start, Self.dead) }
    }
    isPurged[Int(state)] = true
  }
}
