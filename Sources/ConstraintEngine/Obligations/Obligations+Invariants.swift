// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if DEBUG
  extension Obligations {
    /// What is wrong with the tables between two questions, for the tests.
    ///
    /// Conjunctions and goals are sets without contradictions and without literals that say nothing, so that
    /// equal ones have equal ids; what counts as unsatisfiable has no typed node; and nodes have bounds that
    /// some value meets.
    func _checkInvariants() -> [String] {
      var found =
        conjunctions._checkInvariants() + goals._checkInvariants() + keyTuples._checkInvariants()
        + keyClasses._checkInvariants() + atomLists._checkInvariants()
        + extendedGoals._checkInvariants()
      if !inProgress.isEmpty || !listing.isEmpty { found.append("a question is still in progress") }
      if reliesOn != .max { found.append("an answer relies on a question that is over") }
      for id in 0..<UInt32(conjunctions.count) { found += faults(ofConjunction: id) }
      for id in 0..<UInt32(goals.count) {
        let members = Array(goals[id])
        if !Self.isAscending(members) { found.append("goal \(id) is not in ascending order") }
        if members.contains(where: { Int($0) >= conjunctions.count }) {
          found.append("goal \(id) has a conjunction that there is not")
        }
      }
      if !goals[nothing].isEmpty || goals[anything].map({ conjunctions[$0].count }) != [0] {
        found.append("the goals that nothing meets, and that everything meets, are others")
      }
      for index in objects.indices { found += faults(ofObject: index) }
      for index in arrays.indices { found += faults(ofArray: index) }
      return (found + (failure == nil ? nodeFaults() : [])).map { "obligations: " + $0 }
    }

    private static func isAscending(_ words: [UInt32]) -> Bool {
      !zip(words, words.dropFirst()).contains { $0 >= $1 }
    }

    private func faults(ofConjunction id: Conjunction) -> [String] {
      let literals = Array(conjunctions[id])
      var result: [String] = []
      if !Self.isAscending(literals) {
        result.append("conjunction \(id) is not in ascending order")
      }
      for literal in literals {
        guard Self.schema(of: literal) < graph.nodes.count else {
          return result + ["conjunction \(id) has a subschema that there is not"]
        }
        if graph.nodes[Self.schema(of: literal)].boolean != nil {
          result.append("conjunction \(id) has a literal that says nothing, or all")
        }
        if Self.isNegated(literal), literals.contains(Self.negation(of: literal)) {
          result.append("conjunction \(id) has subschema \(literal >> 1) and its negation")
        }
      }
      return result
    }

    /// What was decided of conjunctions, against the nodes that they became.
    private func nodeFaults() -> [String] {
      var result: [String] = []
      if nodeLists.first?.isEmpty != true {
        result.append("the first list of nodes is not the empty one")
      }
      for (key, list) in typed.enumerated() where list > 0 && !nodeLists[Int(list)].isEmpty {
        let conjunction = key / 6
        if conjunction < satisfiable.count, satisfiable[conjunction] == 1 {
          result.append("conjunction \(conjunction) counts as unsatisfiable, and has a node")
        }
        for case .string(let node) in nodeLists[Int(list)] {
          let isEmpty =
            node.language == RegularLanguages.dead
            || node.maximum.map { $0 < node.minimum } ?? false
          if isEmpty { result.append("conjunction \(conjunction) has a node of no string") }
        }
        for case .number(let index) in nodeLists[Int(list)]
        where !numberConstraints[index].isSatisfiable {
          result.append("conjunction \(conjunction) has a node of no number")
        }
      }
      return result
    }

    private func faults(ofArray index: Int) -> [String] {
      let node = arrays[index]
      var result: [String] = []
      if node.goals.count != node.uniformFrom + 1 {
        result.append(
          "array \(index) has \(node.goals.count) goals, uniform from \(node.uniformFrom)")
      }
      if let maximum = node.maximum, maximum < node.minimum {
        result.append("array \(index) fits no count")
      }
      if node.goals.contains(where: { Int($0) >= goals.count }) {
        result.append("array \(index) has a goal that there is not")
      }
      return result
    }

    private func faults(ofObject index: Int) -> [String] {
      let node = objects[index]
      var result: [String] = []
      if Set(node.members.map(\.name)).count != node.members.count {
        result.append("object \(index) declares a name twice")
      }
      if node.orderedCount > node.members.count {
        result.append("object \(index) orders more than it has")
      }
      if let maximum = node.maximum, maximum < node.minimum {
        result.append("object \(index) fits no count")
      }
      for (place, member) in node.members.enumerated() {
        if Int(member.goal) >= goals.count {
          result.append("object \(index) has a goal that there is not")
        }
        let isMarked =
          place >> 5 < node.required.count
          && node.required[place >> 5] >> UInt32(place & 31) & 1 == 1
        if isMarked != member.isRequired {
          result.append("object \(index), member \(place): required or not?")
        }
      }
      return result
    }
  }
#endif
