/// Whether as many items as must come can all differ.
///
/// Where the places still to be filled have few values each, a value may be needed elsewhere: the
/// places are matched with values that have not come, each by a search for a chain of places that can
/// give way (augmenting paths; Kuhn, "The Hungarian Method", 1955).
///
/// Worked example: two places with the values 1, 2 and 1. After `[1` the second place would have no
/// value left, so that the first one has to be 2.
extension Automaton {
  /// More values than this are not listed; more places than this are not matched.
  private static let distinctLimit = 64

  /// Whether the items that must still come into an array can all differ.
  mutating func canDiffer(array: Int, _ state: UInt32) -> Bool {
    let places = narrowPlaces(array, state)
    var owners: [UInt32: Int] = [:]
    for place in places.indices {
      var visited: Set<UInt32> = []
      if !assign(place, places, &owners, &visited) { return false }
    }
    return true
  }

  /// Finds a value for a place, where another place may have to take a different one.
  private func assign(
    _ place: Int, _ places: [[UInt32]], _ owners: inout [UInt32: Int],
    _ visited: inout Set<UInt32>
  ) -> Bool {
    for value in places[place] where visited.insert(value).inserted {
      if let owner = owners[value], !assign(owner, places, &owners, &visited) { continue }
      owners[value] = place
      return true
    }
    return false
  }

  /// The values left for each place that must be filled and has too few to be sure of one.
  private mutating func narrowPlaces(_ array: Int, _ state: UInt32) -> [[UInt32]] {
    let count = Int(arrayStates.word(0, of: state))
    guard obligations.arrays[array].isUnique, count < obligations.arrays[array].minimum,
      obligations.arrays[array].minimum - count <= Self.distinctLimit
    else { return [] }
    let node = obligations.arrays[array]
    let seen = arrayStates.word(1, of: state)
    var result: [[UInt32]] = []
    for place in count..<node.minimum {
      guard let values = listedValues(node.goals[min(place, node.uniformFrom)]) else { continue }
      let left = values.filter { !extraSets.contains($0, in: seen) }
      // The item before them takes one more.
      if left.count <= node.minimum - count { result.append(left) }
    }
    return result
  }

  /// The values after which too few are left for the places that must still be filled.
  mutating func neededValues(array: Int, _ state: UInt32) -> [UInt32] {
    var result: [UInt32] = []
    for value in Set(narrowPlaces(array, state).joined()) {
      if let after = adding(value, toSeenOf: state), !canDiffer(array: array, after) {
        result.append(value)
      }
    }
    return result
  }

  /// The values that meet a goal, where they are few scalars.
  private mutating func listedValues(_ goal: Obligations.Goal) -> [UInt32]? {
    if let known = listedValues[goal] { return known }
    let result = findListedValues(goal)
    listedValues[goal] = .some(result)
    return result
  }

  private mutating func findListedValues(_ goal: Obligations.Goal) -> [UInt32]? {
    guard obligations.nodes(goal, .object).isEmpty, obligations.nodes(goal, .array).isEmpty else {
      return nil
    }
    var result: Set<UInt32> = []
    if !obligations.nodes(goal, .null).isEmpty { result.insert(values.id(of: .null)) }
    for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean) {
      if allowsTrue { result.insert(values.id(of: .boolean(true))) }
      if allowsFalse { result.insert(values.id(of: .boolean(false))) }
    }
    for case .number(let index) in obligations.nodes(goal, .number) {
      let constraint = obligations.numberConstraints[index]
      guard let list = constraint.values, list.count <= Self.distinctLimit else { return nil }
      for value in list where constraint.admitsBesideList(value) {
        result.insert(values.id(of: .number(value)))
      }
    }
    for case .string(let node) in obligations.nodes(goal, .string) {
      guard case .trie(let trie) = obligations.languages.definitions[Int(node.language)],
        obligations.languages.countStrings(node.language) <= Self.distinctLimit
      else { return nil }
      for bytes in obligations.languages.trie.strings(from: trie) {
        let length = String(decoding: bytes, as: UTF8.self).unicodeScalars.count
        guard length >= node.minimum, length <= node.maximum ?? .max else { continue }
        let text = bytes.reduce(TextTable.empty) { texts.append($1, to: $0) }
        result.insert(values.id(of: .string(text)))
      }
    }
    return result.count <= Self.distinctLimit ? Array(result) : nil
  }
}
