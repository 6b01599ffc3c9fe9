// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Merging facts about booleans, numbers and strings.
extension Obligations {
  func boolean(_ facts: Alternatives.Facts) -> TypedNode? {
    var allowed: Set<Bool> = [true, false]
    for fact in facts {
      switch fact {
      case .isListed(let id): allowed.formIntersection(graph.nodes[id].values?.booleans ?? [])
      case .isNotListed(let id): allowed.subtract(graph.nodes[id].values?.booleans ?? [])
      default: break
      }
    }
    guard !allowed.isEmpty else { return nil }
    return .boolean(allowsTrue: allowed.contains(true), allowsFalse: allowed.contains(false))
  }

  mutating func number(_ facts: Alternatives.Facts) -> TypedNode? {
    var result = NumberConstraint.none
    for fact in facts {
      switch fact {
      case .holds(let id):
        let node = graph.nodes[id]
        if node.onlyIntegers {
          if node.integersAreSpelled {
            if result.spelledAsInteger == false { return nil }
            result.spelledAsInteger = true
          }
          result.onlyIntegers = true
        }
        if let bound = node.minimum { result.raise(lower: bound) }
        if let bound = node.maximum { result.lower(upper: bound) }
        if let divisor = node.multipleOf, !result.multiples.contains(divisor) {
          result.multiples.append(divisor)
        }
      case .fails(let id, .integer):
        if graph.nodes[id].integersAreSpelled {
          if result.spelledAsInteger == true { return nil }
          result.spelledAsInteger = false
        } else {
          result.onlyFractions = true
        }
      case .fails(let id, .minimum):
        guard let bound = graph.nodes[id].minimum else { continue }
        result.lower(upper: .init(value: bound.value, isExclusive: !bound.isExclusive))
      case .fails(let id, .maximum):
        guard let bound = graph.nodes[id].maximum else { continue }
        result.raise(lower: .init(value: bound.value, isExclusive: !bound.isExclusive))
      case .fails(let id, .multipleOf):
        if let divisor = graph.nodes[id].multipleOf { result.nonMultiples.append(divisor) }
      case .isListed(let id):
        let listed = graph.nodes[id].values?.numbers ?? []
        result.values = result.values.map { $0.filter(Set(listed).contains) } ?? listed
      case .isNotListed(let id):
        result.excluded.formUnion(graph.nodes[id].values?.numbers ?? [])
      default: break
      }
    }
    if result.onlyIntegers, result.onlyFractions { return nil }
    if let values = result.values {
      // A list is decided here: what it leaves out needs no other condition.
      let admitted = values.filter(result.admitsBesideList)
      let spelledAsInteger = result.spelledAsInteger
      result = NumberConstraint.none
      result.spelledAsInteger = spelledAsInteger
      result.values = admitted
    }
    if result.isGridTooLarge {
      let sources = facts.compactMap { fact -> SchemaNode.ID? in
        if case .holds(let id) = fact, graph.nodes[id].multipleOf != nil { id } else { nil }
      }
      noteFailure(
        "multipleOf", at: sources.first,
        "the smallest number that is a multiple of all that are asked for has more than 37 digits; "
          + "ask for multiples of simpler numbers")
      return nil
    }
    guard result.isSatisfiable else { return nil }
    if let index = numberPlaces[result] { return .number(index) }
    numberPlaces[result] = numberConstraints.count
    numberConstraints.append(result)
    return .number(numberConstraints.count - 1)
  }

  mutating func string(_ facts: Alternatives.Facts) -> StringNode? {
    var included: [RegularLanguages.State] = []
    var excluded: [RegularLanguages.State] = []
    var minimum = 0
    var maximum: Int?
    var listed: [[UInt8]]?
    var list: SchemaNode.ID?
    func lower(_ bound: Int) { maximum = min(maximum ?? bound, bound) }
    for fact in facts {
      switch fact {
      case .holds(let id):
        minimum = max(minimum, graph.nodes[id].minLength ?? 0)
        if let bound = graph.nodes[id].maxLength { lower(bound) }
        if let pattern = graph.nodes[id].pattern { included.append(pattern) }
        if let format = graph.nodes[id].format {
          included.append(languages.language(of: format))
          if let bound = format.maxLength { lower(bound) }
        }
      case .fails(let id, .minLength):
        lower((graph.nodes[id].minLength ?? 0) - 1)
      case .fails(let id, .maxLength):
        minimum = max(minimum, (graph.nodes[id].maxLength ?? 0) + 1)
      case .fails(let id, .pattern):
        if let pattern = graph.nodes[id].pattern { excluded.append(pattern) }
      case .fails(let id, .format):
        if let format = graph.nodes[id].format {
          excluded.append(languages.language(of: format))
        }
      case .isListed(let id):
        if listed == nil {
          listed = graph.nodes[id].values?.strings ?? []
          list = id
        } else {
          included.append(listLanguage(id))
        }
      case .isNotListed(let id):
        excluded.append(listLanguage(id))
      default: break
      }
    }
    if let maximum, maximum < minimum { return nil }
    if let values = listed {
      let kept = values.filter { text in
        let count = text.count { $0 & 0xC0 != 0x80 }
        return count >= minimum && count <= maximum ?? .max
          && included.allSatisfy { languages.contains($0, text) }
          && !excluded.contains { languages.contains($0, text) }
      }
      guard !kept.isEmpty else { return nil }
      let isWhole = kept.count == values.count
      let language = isWhole ? list.map { listLanguage($0) } : nil
      return StringNode(language: language ?? languages.finite(kept), minimum: 0, maximum: nil)
    }
    let language =
      included.isEmpty && excluded.isEmpty
      ? RegularLanguages.free
      : languages.intersection(of: included, without: excluded)
    guard languages.hasString(language, minimum: minimum, maximum: maximum) else { return nil }
    dropMetBounds(&minimum, &maximum, included)
    return StringNode(language: language, minimum: minimum, maximum: maximum)
  }

  /// Drops bounds of length that every string of one of some languages meets, as beside
  /// `^[a-z]{5,96}$`: characters are then not counted.
  private mutating func dropMetBounds(
    _ minimum: inout Int, _ maximum: inout Int?, _ languages: [RegularLanguages.State]
  ) {
    if minimum == 0, maximum == nil { return }
    for language in languages where self.languages.shortestByThreads(language) != nil {
      if minimum > 0, self.languages.shortest(language) >= minimum { minimum = 0 }
      if let most = maximum, let longest = self.languages.longestByThreads(language),
        longest <= most
      {
        maximum = nil
      }
    }
  }

  /// The language of the strings that a subschema lists.
  private mutating func listLanguage(_ id: SchemaNode.ID) -> RegularLanguages.State {
    if let known = listLanguages[id] { return known }
    let language = languages.finite(graph.nodes[id].values?.strings ?? [])
    listLanguages[id] = language
    return language
  }
}
