// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the value of an undeclared member must satisfy, by the patterns that its key matches.
package struct ExtraGoal {
  package var goal: Obligations.Goal
  /// The atoms of the object's formula that the member can make true, as a place in `atomLists`.
  var atoms: UInt32 = 0
}

/// Keys of objects, read byte by byte.
///
/// A key's state is a *key tuple*, an interned sequence of words: its node in the trie of declared names
/// (plus one; zero once it has left the trie), its place inside a scalar, and, for every pattern that
/// may still match, its number and its state. At the closing quote the accepting patterns are the key's
/// *class*, which decides what its value must satisfy.
///
/// Worked example: an object declares `id` and has the patterns 0 `^x-` and 1 `y$`. The first tuple is
/// [root + 1, free, 0, `^x-`, 1, `y$`]. After `i` it is [`i` + 1, free, 1, `y$`]: pattern 0 cannot
/// match any more. After `ix` it is [0, free, 1, `y$`]: no declared name begins so.
extension Obligations {
  /// The node of the trie of names that a key has come to; `nil` where no declared name begins so.
  @inline(__always)
  mutating func nameNode(of tuple: UInt32) -> Int? {
    let word = keyTuples.word(0, of: tuple)
    return word == 0 ? nil : Int(word) - 1
  }

  /// Where a key stands inside a scalar, as a state of the free language.
  @inline(__always)
  mutating func content(of tuple: UInt32) -> RegularLanguages.State {
    keyTuples.word(1, of: tuple)
  }

  /// Whether some pattern may still match a key, or has matched it.
  @inline(__always)
  mutating func hasPatterns(_ tuple: UInt32) -> Bool { keyTuples.length(of: tuple) > 2 }

  package mutating func startTuple(_ object: Int) -> UInt32 {
    if object < startTuples.count, startTuples[object] != .max { return startTuples[object] }
    let node = objects[object]
    var words = [UInt32(node.trie) + 1, RegularLanguages.free]
    for (place, language) in node.components.enumerated() where language != RegularLanguages.dead {
      words += [UInt32(place), language]
    }
    let result = keyTuples.intern(words)
    while startTuples.count <= object { startTuples.append(.max) }
    startTuples[object] = result
    return result
  }

  /// The bytes over which a key goes on otherwise than over the byte before, and perhaps some more.
  mutating func runStarts(of tuple: UInt32) -> ByteSet {
    var starts = ByteSet()
    if let name = nameNode(of: tuple) {
      var child = languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = languages.trie.byte(of: child)
        starts.insert(byte)
        if byte < 0xFF { starts.insert(byte + 1) }
        child = languages.trie.nextSibling(of: child)
      }
    }
    for place in stride(from: 1, to: keyTuples.length(of: tuple), by: 2) {
      starts.formUnion(languages.runStarts(of: keyTuples.word(place, of: tuple)))
    }
    return starts
  }

  /// The state of a key without patterns that is no declared name.
  mutating func outsideTuple() -> UInt32 { keyTuples.intern([0, RegularLanguages.free]) }

  /// Forgets all tuples, and what was found of them.
  ///
  /// - Returns: The tuples, from which those in use can be made again.
  mutating func dropKeyTuples() -> SequenceInterner {
    let tuples = keyTuples
    keyTuples = SequenceInterner()
    startTuples = []
    tupleRows = ByteRows()
    tupleClasses = [:]
    return tuples
  }

  /// The key's state after a byte of its content.
  mutating func nextTuple(_ tuple: UInt32, _ byte: UInt8) -> UInt32 {
    let place = tupleRows.place(tuple, byte)
    if tupleRows[place] != ByteRows.unknown { return tupleRows[place] }
    var name = keyTuples.word(0, of: tuple)
    if name > 0 {
      name = languages.trie.child(of: Int(name) - 1, byte).map { UInt32($0) + 1 } ?? 0
    }
    let content = languages.next(keyTuples.word(1, of: tuple), byte)
    var result: UInt32
    if keyTuples.length(of: tuple) == 2 {
      result = keyTuples.intern(SIMD2(name, content))
    } else {
      var words = [name, content]
      for index in stride(from: 2, to: keyTuples.length(of: tuple), by: 2)
      where content != RegularLanguages.dead {
        let state = languages.next(keyTuples.word(index + 1, of: tuple), byte)
        if state != RegularLanguages.dead { words += [keyTuples.word(index, of: tuple), state] }
      }
      result = keyTuples.intern(words)
    }
    tupleRows[place] = result
    return result
  }

  /// The member that a key names if it ends here.
  mutating func member(_ object: Int, _ tuple: UInt32) -> Int? {
    nameNode(of: tuple).flatMap { languages.trie.index(at: $0) }
  }

  /// The class of a key that ends here.
  mutating func keyClass(_ tuple: UInt32) -> UInt32 {
    if !hasPatterns(tuple) { return 0 }
    var accepted: [UInt32] = []
    for place in stride(from: 2, to: keyTuples.length(of: tuple), by: 2)
    where languages.accepts(keyTuples.word(place + 1, of: tuple)) {
      accepted.append(keyTuples.word(place, of: tuple))
    }
    return keyClasses.intern(accepted)
  }

  /// Whether a key may end here: between two scalars.
  mutating func isBoundary(_ tuple: UInt32) -> Bool {
    languages.accepts(content(of: tuple))
  }

  package mutating func extraGoal(_ object: Int, _ keyClass: UInt32) -> ExtraGoal {
    let key = UInt64(object) << 32 | UInt64(keyClass)
    if let known = extraGoalPlaces[key] { return extraGoals[Int(known)] }
    let node = objects[object]
    var result = ExtraGoal(goal: nothing)
    let isDeclared = keyClasses[keyClass].contains { node.finiteComponents.contains($0) }
    if !isDeclared, admits(key: keyClass, node) {
      result.goal = goal(literals(name: nil, keyClass, node))
      result.atoms = atomLists.intern(atoms(name: nil, keyClass, node, node.atoms))
    }
    extraGoalPlaces.set(key, UInt32(extraGoals.count))
    extraGoals.append(result)
    return result
  }

  /// Whether undeclared keys may come that match no pattern, where all that match one may; `nil` where
  /// more than that decides.
  ///
  /// Patterns that overlap have too many classes to list. But where one subschema alone speaks of keys
  /// and the values that all patterns ask for can be had at once, so can those that some of them ask for.
  mutating func takesUnmatchedKeys(_ object: Int, _ tuple: UInt32) -> Bool? {
    let node = objects[object]
    guard node.isPlain, node.unevaluated.isEmpty, node.keyGroups.isEmpty,
      node.finiteComponents.isEmpty
    else { return nil }
    let limiting = node.sources.indices.filter {
      graph.nodes[node.sources[$0]].additionalProperties != nil
    }
    let isOneSource = node.patternLiterals.allSatisfy { literals in
      limiting.allSatisfy { source in literals.contains { $0.source == source } }
    }
    guard limiting.count <= 1, isOneSource else { return nil }
    let places = stride(from: 2, to: keyTuples.length(of: tuple), by: 2).map {
      keyTuples.word($0, of: tuple)
    }
    let matchingAll = extraGoal(object, keyClasses.intern(places.sorted())).goal
    return isSatisfiable(matchingAll) ? isSatisfiable(extraGoal(object, 0).goal) : nil
  }

  /// Whether an undeclared key can still come of what was read.
  mutating func canHaveExtras(_ object: Int, tuple: UInt32) -> Bool {
    var search = KeyClassSearch(tuple, of: object, &self)
    while let keyClass = search.next(&self) {
      if isSatisfiable(extraGoal(object, keyClass).goal) { return true }
    }
    return false
  }

  /// Whether an object can always have one more member, whatever it has.
  mutating func isInexhaustible(object: Int) -> Bool {
    objects[object].isPlain && objects[object].components.isEmpty
      && isSatisfiable(extraGoal(object, 0).goal)
  }

  /// Whether an object may have members that are not declared.
  package mutating func takesUndeclared(_ object: Int) -> Bool {
    !objects[object].components.isEmpty || isSatisfiable(extraGoal(object, 0).goal)
  }
}
