// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How much memory the tables hold, in bytes, from their counts: what ``CompilationOptions/Limits``
/// bounds. Entries of standard dictionaries are taken with a half more than their size.
extension Automaton {
  /// A rough measure that costs next to nothing: it grows whenever tables do.
  var growth: Int {
    mutating get {
      stacks.count &* 96 &+ obligations.languages.growth &+ obligations.numbers.states.count &* 128
    }
  }

  /// The memory of all tables.
  var byteCount: Int {
    var result = stacks.byteCount + stackSets.byteCount
    result += objectStates.byteCount + arrayStates.byteCount + recordings.byteCount
    result += wordSets.byteCount + texts.byteCount + values.byteCount
    result += objectPlaces.byteCount + memberChoices.byteCount + takenMembers.byteCount
    result += extraMemberChoices.byteCount
    result += keyRows.byteCount + liveObjects.byteCount + liveKeys.byteCount + anyKeys.byteCount
    result += comparedGoals.byteCount + continuingObjects.byteCount + repeatableArrays.byteCount
    result += nextKeyLanguages.byteCount + comparedTexts.byteCount + chosenNumbers.byteCount
    result += (grouped.map { wordSets.count(of: $0.values) } ?? 0) * 80
    result += listings.count * 24 + shapeKeys.reduce(0) { $0 + 64 + $1.value.count * 24 }
    result += keyRepresentatives.byteCount + takenClasses.byteCount + takenClassStacks.count * 4
    result += keyEnds.byteCount + undeclaredKeyCounts.byteCount
    result += listedIDs.count * 24 + fillings.count * 80
    result +=
      endlessGoals.count * 24 + endlessObjects.byteCount
      + endlessArrays.byteCount
    result += choiceLists.count * 64 + canonicalStacks.count * 4
    result += (filters.count + goalFilters.count) * 4 + filterSets.count * 32
    result += minimalTexts.count * 96 + forcedBytes.count * 24
    result += textLanguages.reduce(0) { $0 + 64 + $1.key.count * 4 }
    result += stringCompletions.count * 96 + numberCompletions.count * 96
    result += keyCompletions.count * 160 + objectCompletions.count * 128
    if let rules {
      result += rules.closures.count * 96 + rules.finals.count + rules.shortestStrings.count * 96
    }
    return result + obligations.byteCount
  }
}

extension Obligations {
  /// The memory of all tables, without the schema graph.
  var byteCount: Int {
    var result = conjunctions.byteCount + goals.byteCount + typed.count * 4 + satisfiable.count
    result += nodeLists.count * 64 + numberConstraints.count * 400 + arrays.count * 200
    result += objects.reduce(0) { $0 + 300 + $1.members.count * 80 }
    result += keyTuples.byteCount + tupleRows.byteCount
    result += keyClasses.byteCount + tupleClasses.count * 72 + atomLists.byteCount
    result += extraGoals.count * 48 + extraGoalPlaces.byteCount
    result += alternatives.formulas.byteCount + completableParts.byteCount
    result += splitLists.reduce(0) { $0 + 96 + $1.count * 8 }
    result += formulaParts.reduce(0) { $0 + 56 + $1.value.count * 4 }
    result += extendedGoals.byteCount
    result += arrayProgress.byteCount + completableArrays.count * 12 + laterItems.count * 120
    result += listed.byteCount + goalLists.count * 160 + goalCounts.count * 24
    result += alternatives.equals.byteCount
    return result + numbers.byteCount + languages.byteCount
  }
}

extension RegularLanguages {
  /// A rough measure that costs next to nothing: it grows whenever tables do.
  var growth: Int { transitions.count &* 4 &+ definitions.count &* 96 }

  /// The memory of all states.
  var byteCount: Int {
    var result = transitions.count * 4 + transitions.count / 8 + definitions.count * 36
    result += longestLengths.count * 36 + slacks.count * 36
    result += (shortestLengths.count + leastLengths.count) * 4
    result += anyTextStates.byteCount + everything.byteCount
    result += lengthAnswers.count * 60
    result += exactLengths.values.reduce(0) { $0 + 40 + $1.count * 8 }
    result += lengthPatterns.values.reduce(0) { $0 + 40 + $1.isLength.count }
    result += successorLists.count * 80
    result += threadKeys.byteCount + threadStates.byteCount + products.byteCount
    result += productStates.byteCount + trieStates.byteCount + trie.byteCount
    result += shortAnswers.byteCount + endless.count
    result += inexhaustible.count * 24
    result += programDistances.reduce(0) { $0 + $1.count * 4 }
    return result + programs.reduce(0) { $0 + $1.nodes.count * 40 }
  }
}
