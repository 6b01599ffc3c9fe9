// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if DEBUG
  extension RegularLanguages {
    /// What is wrong with the tables, for the tests.
    ///
    /// A state is found again by its definition, it accepts what its definition says, its transitions lead
    /// to states that there are, and what is known of its liveness agrees with theirs.
    func _checkInvariants() -> [String] {
      var found = threadKeys._checkInvariants() + products._checkInvariants()
      let count = definitions.count
      if [accepting.count, liveness.count, rows.count, isPurged.count] != [
        count, count, count, count,
      ] {
        return found + ["\(count) states, but not as many answers about each"]
      }
      if accepting[Int(Self.dead)] || !accepting[Int(Self.free)] {
        found.append("the languages of no string and of all strings are not the first two")
      }
      for state in 0..<State(count) {
        found += definitionFaults(of: state) + transitionFaults(of: state)
        if found.count > 20 { break }
      }
      return found.map { "languages: " + $0 }
    }

    private func definitionFaults(of state: State) -> [String] {
      switch definitions[Int(state)] {
      case .dead: return state == Self.dead ? [] : ["state \(state) is a second empty language"]
      case .threads(let program, let key):
        return threadStates[UInt64(program) << 32 | UInt64(key)] == state
          ? [] : ["state \(state) is not found by its threads"]
      case .trie(let node):
        let isFound =
          trieStates[trie.content(of: node)] == state && accepting[Int(state)] == trie.isEnd(node)
        return isFound ? [] : ["state \(state) is not what its node of the trie is"]
      case .product(let key):
        guard productStates[UInt64(key)] == state else {
          return ["state \(state) is not found by its parts"]
        }
        let parts = Array(products[key])
        var result: [String] = []
        if zip(parts, parts.dropFirst()).contains(where: { $0 >= $1 }) {
          result.append("the parts of product \(state) are not in ascending order")
        }
        let accepts = parts.allSatisfy { accepting[Int($0 >> 1)] == ($0 & 1 == 0) }
        if accepts != accepting[Int(state)] {
          result.append(
            "product \(state) accepts the empty string where its parts do not, or the reverse")
        }
        let isNested = parts.contains { part in
          if part & 1 == 0, case .product = definitions[Int(part >> 1)] { return true }
          return false
        }
        return isNested ? result + ["product \(state) has a product among its parts"] : result
      }
    }

    private func transitionFaults(of state: State) -> [String] {
      var result: [String] = []
      let isDead = liveness[Int(state)] == .dead
      if isDead, accepting[Int(state)] {
        result.append("state \(state) accepts, and counts as empty")
      }
      let row = rows[Int(state)]
      guard row >= 0 else { return result }
      guard row & 255 == 0, row + 256 <= transitions.count else {
        return result + ["the transitions of state \(state) are out of bounds"]
      }
      for byte in 0..<256 {
        let target = transitions[row + byte]
        guard Int(target) < definitions.count else {
          return result + ["state \(state) leads to \(target), which is no state"]
        }
        if byte > 0, !runStarts[row >> 8].contains(UInt8(byte)),
          target != transitions[row + byte - 1]
        {
          result.append("state \(state) changes over \(byte), where no run starts")
        }
        if isDead, liveness[Int(target)] == .live {
          result.append("state \(state) counts as empty, and leads to \(target), which is not")
        }
        if isPurged[Int(state)], target != Self.dead, liveness[Int(target)] == .dead {
          result.append("state \(state) still leads to \(target), which is empty")
        }
      }
      return result
    }
  }
#endif
