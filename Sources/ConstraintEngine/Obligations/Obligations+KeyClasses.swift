// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which patterns the keys of an object can match.
///
/// A key's *class* is the set of the patterns that match it, interned. Worked example: the keys of
/// `{"patternProperties": {"^a": …, "z$": …}}` have the classes {}, {`^a`}, {`z$`} and {`^a`, `z$`};
/// once `a` was read {`^a`} and {`^a`, `z$`} are left, for the first is decided and of the second it is
/// known that some texts match and some do not.
///
/// Forty patterns that overlap can have 2⁴⁰ classes. Then they are not listed, and what is asked,
/// whether there is one that may come, is found by examples (``KeyClassSearch``).
extension Obligations {
  /// More joint states than this are not gone through to list all classes.
  private static let listedStates = 256

  /// The classes that keys starting with what was read can have; `nil` where there may be too many to
  /// list.
  ///
  /// Where several patterns are still open, the states that can be reached form a graph; the classes
  /// are collected backwards from its accepting states, once for all of its states.
  package mutating func classes(ofKeys tuple: UInt32) -> [UInt32]? {
    if !hasPatterns(tuple) { return Self.noPatterns }
    let start = withoutName(tuple)
    if let known = tupleClasses[start] { return known }
    if let classes = decidedClasses(start) {
      tupleClasses[start] = .some(classes)
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
      if let known = tupleClasses[current] ?? decidedClasses(current) {
        classes[current] = Set(known)
        continue
      }
      let targets = successors(of: current)
      for target in targets where seen.insert(target).inserted { order.append(target) }
      edges[current] = targets
      if order.count > Self.listedStates {
        // Those that were gone through mostly lead on to as many.
        for place in 0..<at { tupleClasses[order[place]] = .some(nil) }
        return nil
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
    for current in order { tupleClasses[current] = .some((classes[current] ?? []).sorted()) }
    return tupleClasses[start] ?? nil
  }

  /// Those classes where they are found without a search.
  mutating func knownClasses(ofKeys tuple: UInt32) -> [UInt32]? {
    if !hasPatterns(tuple) { return Self.noPatterns }
    let start = withoutName(tuple)
    return tupleClasses[start] ?? decidedClasses(start)
  }

  /// The class of keys where there are no patterns.
  private static let noPatterns: [UInt32] = [0]

  /// The same tuple once the key has left the declared names.
  mutating func withoutName(_ tuple: UInt32) -> UInt32 {
    keyTuples.intern(tuple, with: 0, at: 0)
  }

  /// The tuples that one more byte leads to, each once.
  mutating func successors(of tuple: UInt32) -> [UInt32] {
    var result: [UInt32] = []
    var seen = Set<UInt32>()
    for run in runStarts(of: tuple).runs {
      let target = nextTuple(tuple, UInt8(run.lowerBound))
      if content(of: target) == RegularLanguages.dead { continue }
      if seen.insert(target).inserted { result.append(target) }
    }
    return result
  }

  /// What is decided of a key over which no more than one pattern is still open; `nil` where more
  /// are.
  private mutating func decided(_ tuple: UInt32) -> (matched: [UInt32], open: Int?)? {
    guard languages.isFreeState(content(of: tuple)) else { return nil }
    var matched: [UInt32] = []
    var open: Int?
    for place in stride(from: 2, to: keyTuples.length(of: tuple), by: 2) {
      if languages.isFreeState(keyTuples.word(place + 1, of: tuple)) {
        matched.append(keyTuples.word(place, of: tuple))
      } else if open == nil {
        open = place
      } else {
        return nil
      }
    }
    return (matched, open)
  }

  /// The classes of keys over which no more than one pattern is still open; `nil` where more are.
  private mutating func decidedClasses(_ tuple: UInt32) -> [UInt32]? {
    guard let (matched, open) = decided(tuple) else { return nil }
    let mine = keyClasses.intern(matched)
    guard let open else { return [mine] }
    let state = keyTuples.word(open + 1, of: tuple)
    guard let isEverything = languages.isEverything(state, from: content(of: tuple))
    else { return nil }
    var classes = isEverything ? [] : [mine]
    if languages.isLive(state) { classes.append(keyClass(matched, and: open, tuple)) }
    return classes
  }

  private mutating func keyClass(_ matched: [UInt32], and open: Int, _ tuple: UInt32) -> UInt32 {
    keyClasses.intern((matched + [keyTuples.word(open, of: tuple)]).sorted())
  }
}

/// The classes of keys that start with what was read, one after the other: those that are found at
/// once first.
///
/// Where all of them are known, these; else that of the key as it is, those of the shortest texts
/// that one of its patterns takes, and then those of all texts in the order of their lengths. Who
/// looks for a class that may come has mostly found one by then. That none does is known once
/// everything was looked at, which has a limit.
struct KeyClassSearch {
  /// The most joint states that are gone through.
  private static let limit = 200_000

  private let tuple: UInt32
  private let object: Int
  private let listed: [UInt32]?
  /// How many classes of the list, or examples, were looked at.
  private var at = 0
  private var found = Set<UInt32>()
  /// All classes that are not looked at yet, where they can be listed.
  private var all: [UInt32]?
  /// The joint states that were reached, in their order, and how many of them were looked at.
  private var order: [UInt32] = []
  private var reached = Set<UInt32>()
  private var place = 0

  init(_ tuple: UInt32, of object: Int, _ obligations: inout Obligations) {
    self.tuple = tuple
    self.object = object
    listed = obligations.knownClasses(ofKeys: tuple)
  }

  /// The next class; `nil` where there is none any more.
  mutating func next(_ obligations: inout Obligations) -> UInt32? {
    if let listed {
      guard at < listed.count else { return nil }
      at += 1
      return listed[at - 1]
    }
    let count = obligations.keyTuples.length(of: tuple)
    while true {
      let step = at
      at += 1
      if step == 0 {
        if let new = add(tuple, &obligations) { return new }
      } else if 2 * step < count {
        let state = obligations.keyTuples.word(2 * step + 1, of: tuple)
        guard let text = obligations.languages.example(of: state) else { continue }
        var after = tuple
        for byte in text { after = obligations.nextTuple(after, byte) }
        if let new = add(after, &obligations) { return new }
      } else {
        return nextOfAll(&obligations)
      }
    }
  }

  /// The next class of those that all texts have.
  private mutating func nextOfAll(_ obligations: inout Obligations) -> UInt32? {
    if order.isEmpty, all == nil { all = obligations.classes(ofKeys: tuple) }
    guard all != nil else { return nextInOrder(&obligations) }
    while let keyClass = all?.popLast() {
      if found.insert(keyClass).inserted { return keyClass }
    }
    return nil
  }

  private mutating func nextInOrder(_ obligations: inout Obligations) -> UInt32? {
    if order.isEmpty {
      order = [obligations.withoutName(tuple)]
      reached = Set(order)
    }
    while place < order.count {
      let current = order[place]
      place += 1
      for target in obligations.successors(of: current) where reached.insert(target).inserted {
        order.append(target)
      }
      guard order.count <= Self.limit else {
        obligations.noteFailure(
          "patternProperties", at: obligations.objects[object].sources.first,
          "the patterns of one object have more than \(Self.limit) joint states; make them start "
            + "differently, or fewer of them")
        return nil
      }
      if let new = add(current, &obligations) { return new }
    }
    return nil
  }

  /// The class of a tuple at which a key may end, where it is a new one.
  private mutating func add(_ tuple: UInt32, _ obligations: inout Obligations) -> UInt32? {
    guard obligations.isBoundary(tuple) else { return nil }
    let keyClass = obligations.keyClass(tuple)
    return found.insert(keyClass).inserted ? keyClass : nil
  }
}

extension RegularLanguages {
  /// More states than this are not gone through for an example.
  private static let exampleLimit = 2000

  /// A shortest string of a language; `nil` where it has none, or none was found.
  mutating func example(of language: State) -> [UInt8]? {
    if let known = examples[language] { return known }
    var pending: [(state: State, text: [UInt8])] = [(language, [])]
    var seen: Set<State> = [language]
    var result: [UInt8]?
    var at = 0
    while at < pending.count, pending.count < Self.exampleLimit {
      let (state, text) = pending[at]
      at += 1
      if accepts(state) {
        result = text
        break
      }
      for run in runStarts(of: state).runs {
        let byte = UInt8(run.lowerBound)
        let target = next(state, byte)
        if target != Self.dead, seen.insert(target).inserted {
          pending.append((target, text + [byte]))
        }
      }
    }
    examples[language] = .some(result)
    return result
  }
}
