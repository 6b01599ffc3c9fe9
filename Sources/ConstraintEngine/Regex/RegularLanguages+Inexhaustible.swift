// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Languages of which no beginning of a string can be used up.
///
/// Where strings must differ, one that came before has to be refused; mostly it is enough to refuse its
/// closing quote, because another string goes on from there. That is so if infinitely many strings go on
/// from wherever one goes on at all, that is if every live state leads to a live state.
///
/// Worked example: `^[^,]+$` is inexhaustible. `^(on|[0-9]+)$` is not: after `o` only `on` can come, so
/// once that has come `o` leads nowhere.
extension RegularLanguages {
  /// A language of more states counts as exhaustible, and is looked at string by string.
  private static let mostStates = 2000

  /// Whether infinitely many strings go on from every beginning of a string of a live language.
  ///
  /// - Complexity: linear in the states that can be reached, of which a number is looked at at most;
  ///   of states one after the other each is looked at once.
  mutating func isInexhaustible(_ state: State) -> Bool {
    if isFreeState(state) { return true }
    if let known = inexhaustible[state] { return known }
    var parents: [State: State] = [state: state]
    var pending = [state]
    while let current = pending.popLast() {
      let following = successors(current)
      if following.isEmpty || following.contains(where: { inexhaustible[$0.state] == false })
        || parents.count > Self.mostStates || reachedLimit != nil
      {
        // What leads here can be used up too.
        var at = current
        while inexhaustible.updateValue(false, forKey: at) == nil, let parent = parents[at] {
          at = parent
        }
        return false
      }
      for (target, _) in following
      where inexhaustible[target] == nil && parents[target] == nil {
        parents[target] = current
        pending.append(target)
      }
    }
    for reached in parents.keys { inexhaustible[reached] = true }
    return true
  }
}
