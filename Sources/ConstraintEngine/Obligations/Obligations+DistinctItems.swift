// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether the items that must still come into an array can all differ, beside what `contains` asks
/// for.
///
/// The ways to go on are searched until there are enough items of each kind. Where a place has few
/// values left, one of them may be needed elsewhere: such places are matched with values, each by a
/// search for a chain of places that can give way (augmenting paths; Kuhn, "The Hungarian Method",
/// 1955). A place with more values than places are to be filled always finds one. In which order
/// alike places were gone through does not matter, so that what failed is known by the number of
/// items and the goals of the places that were matched.
///
/// Worked example: items are 1, 2 or 3, all differ, and at least two of them satisfy
/// `{"enum": [1, 2, 9]}`. After `[1` the next item that counts can only be 2. With three that count
/// there is no such array: the third place finds neither a free value nor one that gives way.
extension Obligations {
  /// More places than this are not searched.
  private static let placeLimit = 256
  private static let stepLimit = 10_000

  /// Values that the places with few values can be filled with, all different; `nil` where the array
  /// cannot be completed.
  ///
  /// - Parameter taken: The values that no place may take.
  mutating func filling(
    array index: Int, count: Int, found: [UInt32], without taken: Set<ListedValues.ID>
  ) -> [ListedValues.ID]? {
    let places = missingItems(array: index, count: count, found: found)
    if places == 0 { return [] }
    guard places <= Self.placeLimit else {
      return hasManyValues(array: index) ? [] : nil
    }
    var search = FillingSearch(array: index, places: places, taken: taken)
    return fill(&search, count, found, FillingSearch.Matching())?.owners.keys.map { $0 }
  }

  /// Whether so few items are missing that values are searched for them.
  mutating func searchesItems(array index: Int, count: Int, found: [UInt32]) -> Bool {
    missingItems(array: index, count: count, found: found) <= Self.placeLimit
  }

  /// The greatest number of items that an array needs before it may end.
  private mutating func missingItems(array index: Int, count: Int, found: [UInt32]) -> Int {
    let node = arrays[index]
    var result = max(0, node.minimum - count)
    var isShort = false
    for (place, containment) in node.containments.enumerated() {
      let missing = max(0, containment.minimum - Int(found[place]))
      result += missing
      if missing > 0 { isShort = true }
    }
    return result + (isShort ? max(0, node.uniformFrom - max(count, node.minimum)) : 0)
  }

  /// Whether more items than are searched can differ: where all places are alike by their number, or
  /// where none has few values. Notes a failure where that is not known.
  private mutating func hasManyValues(array index: Int) -> Bool {
    let node = arrays[index]
    if node.containments.isEmpty, node.uniformFrom == 0 {
      if let count = countedValues(node.goals[0]) { return count >= node.minimum }
      return listedValues(node.goals[0]) == nil
    }
    for goal in node.goals where listedValues(goal) != nil {
      noteFailure(
        "uniqueItems", at: node.sources.first,
        "more than \(Self.placeLimit) items must differ where some have few values; "
          + "lower `minItems` or `minContains`")
      return false
    }
    return true
  }

  private mutating func fill(
    _ search: inout FillingSearch, _ count: Int, _ found: [UInt32],
    _ matching: FillingSearch.Matching
  ) -> FillingSearch.Matching? {
    let node = arrays[search.array]
    let isEnough = node.containments.indices.allSatisfy {
      Int(found[$0]) >= node.containments[$0].minimum
    }
    if count >= node.minimum, isEnough { return matching }
    guard search.isNew(count, found, matching) else { return nil }
    guard search.steps <= Self.stepLimit else {
      noteFailure(
        "uniqueItems", at: node.sources.first,
        "whether items can differ beside `contains` takes more than \(Self.stepLimit) steps to "
          + "find out; lower `minItems` or `minContains`")
      return nil
    }
    let after = min(count + 1, node.saturation)
    for way in ways(array: search.array, count: count, found: found) {
      // An item that brings the array no nearer to its end can be left out.
      let helps =
        count < max(node.minimum, node.uniformFrom)
        || node.containments.indices.contains {
          way.found[$0] > found[$0] && Int(found[$0]) < node.containments[$0].minimum
        }
      guard helps, canComplete(array: search.array, count: after, found: way.found) else {
        continue
      }
      var next = matching
      if let values = fewValues(way.goal, search) {
        guard next.add(way.goal, values) else { continue }
      }
      if let result = fill(&search, after, way.found, next) { return result }
    }
    return nil
  }

  /// The values left for a place, where they are too few to be sure of one.
  private mutating func fewValues(_ goal: Goal, _ search: FillingSearch) -> [ListedValues.ID]? {
    if let count = countedValues(goal), count - search.taken.count > search.places { return nil }
    guard let values = listedValues(goal) else { return nil }
    let left = values.filter { !search.taken.contains($0) }
    return left.count > search.places ? nil : left
  }
}

/// A search for items that complete an array.
private struct FillingSearch {
  var array: Int
  /// No more places than this are filled.
  var places: Int
  var taken: Set<ListedValues.ID>
  /// What has been looked at: the numbers of items, and the goals of the places matched.
  private var seen: Set<[UInt32]> = []

  var steps: Int { seen.count }

  init(array: Int, places: Int, taken: Set<ListedValues.ID>) {
    self.array = array
    self.places = places
    self.taken = taken
  }

  mutating func isNew(_ count: Int, _ found: [UInt32], _ matching: Matching) -> Bool {
    seen.insert([UInt32(count)] + found + matching.goals.sorted()).inserted
  }

  /// Places with few values, each with one of its own.
  struct Matching {
    private(set) var goals: [Obligations.Goal] = []
    private var values: [[ListedValues.ID]] = []
    private(set) var owners: [ListedValues.ID: Int] = [:]

    /// Adds a place; `false` where there is no value for it.
    mutating func add(_ goal: Obligations.Goal, _ values: [ListedValues.ID]) -> Bool {
      goals.append(goal)
      self.values.append(values)
      var visited: Set<ListedValues.ID> = []
      return assign(goals.count - 1, &visited)
    }

    /// Finds a value for a place, where another place may have to take a different one.
    private mutating func assign(_ place: Int, _ visited: inout Set<ListedValues.ID>) -> Bool {
      for value in values[place] where visited.insert(value).inserted {
        if let owner = owners[value], !assign(owner, &visited) { continue }
        owners[value] = place
        return true
      }
      return false
    }
  }
}
