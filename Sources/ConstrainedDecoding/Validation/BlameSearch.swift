// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Reads a value under single keywords of its schema, to find those that refuse it.
struct BlameSearch {
  /// A keyword that refuses a value.
  struct Blame {
    var keyword: String
    var location: String
    var schema: SchemaNode.ID
    /// The subschemas that refuse the value in other branches, where each lists values.
    var others: [SchemaNode.ID] = []
    /// Of `anyOf` and `oneOf`, the number of branches that take the value.
    var taken = 0
  }

  var automaton: Automaton
  let graph: SchemaGraph
  private var literals: [[Obligations.Literal]] = []
  /// The keywords of a subschema, each as a subschema that has nothing else.
  private var parts: [SchemaNode.ID: [(keyword: String, schema: SchemaNode.ID)]] = [:]
  /// The subschema without one of its keywords.
  private var rests: [SchemaNode.ID: [(keyword: String, schema: SchemaNode.ID)]] = [:]
  private var bytes: ArraySlice<UInt8> = []
  private var isNumber = false
  private var isAtEnd = false

  init(_ automaton: Automaton, goals: [Obligations.Goal]) {
    var graph = automaton.obligations.graph
    var sets: [[Obligations.Literal]] = []
    for goal in goals {
      for conjunction in automaton.obligations.goals[goal] {
        sets.append(Array(automaton.obligations.conjunctions[conjunction]))
      }
    }
    literals = sets
    // The subschemas that speak of the same value.
    var pending = sets.flatMap { $0 }.map { Int($0 >> 1) }
    var seen = Set(pending)
    while let id = pending.popLast() {
      let node = graph.nodes[id]
      var list: [(keyword: String, schema: SchemaNode.ID)] = []
      for (keyword, part) in Self.parts(of: node) { list.append((keyword, graph.add(part))) }
      parts[id] = list
      var others: [(keyword: String, schema: SchemaNode.ID)] = []
      for (keyword, rest) in Self.rests(of: node) { others.append((keyword, graph.add(rest))) }
      rests[id] = others
      let inner =
        node.allOf + (node.anyOf ?? []) + (node.oneOf ?? []) + [node.reference].compactMap { $0 }
        + [node.ifThenElse?.then, node.ifThenElse?.otherwise].compactMap { $0 }
        + node.dependentSchemas.map(\.schema)
      for schema in inner where seen.count < 500 && seen.insert(schema).inserted {
        pending.append(schema)
      }
    }
    self.graph = graph
    let obligations = Obligations(
      graph: graph, languages: automaton.obligations.languages,
      options: automaton.obligations.options, tellsEqualsApart: true)
    self.automaton = Automaton(
      obligations: obligations, goal: obligations.nothing, options: automaton.options)
  }

  /// The keyword that refuses the last byte of a text, which is the start of the value and that
  /// byte, or the end of the whole text.
  mutating func search(
    _ bytes: ArraySlice<UInt8>, isNumber: Bool, isAtEnd: Bool
  ) -> Blame? {
    let found = find(bytes, isNumber: isNumber, isAtEnd: isAtEnd)
    // What a limit left undecided is no reason.
    return automaton.obligations.reachedFailure == nil ? found : nil
  }

  private mutating func find(
    _ bytes: ArraySlice<UInt8>, isNumber: Bool, isAtEnd: Bool
  ) -> Blame? {
    self.bytes = bytes
    self.isNumber = isNumber
    self.isAtEnd = isAtEnd
    var best: Blame?
    // Where one way of several is left, the value is not at fault.
    for set in literals where !refuses(set) { return nil }
    // Of branches that all refuse, those that came furthest are what was meant.
    let standing = literals.filter { takesAllButLast($0) }
    let literals = standing.isEmpty ? literals : standing
    for (place, set) in literals.enumerated() {
      for literal in set {
        guard refuses([literal]) else { continue }
        if literal & 1 == 0 {
          if var blame = blame(Int(literal >> 1), depth: 0) {
            blame.others = others(than: blame, in: literals[(place + 1)...])
            return blame
          }
        } else {
          let id = Int(literal >> 1)
          let pointer = graph.nodes[id].pointer
          // What too many items satisfy is forbidden to those that follow.
          let keyword = pointer.hasSuffix("/contains") ? "contains" : "not"
          best = best ?? Blame(keyword: keyword, location: pointer, schema: id)
        }
      }
    }
    if best == nil, let set = literals.first(where: { refuses($0) }), let first = set.first {
      // Only together do they leave nothing.
      let id = Int(first >> 1)
      best = Blame(keyword: "allOf", location: graph.nodes[id].pointer, schema: id)
    }
    return best
  }

  /// The subschemas of other branches that list values, as the one of a blame does; none where
  /// one of them refuses the value for another reason.
  private mutating func others(
    than blame: Blame, in branches: ArraySlice<[Obligations.Literal]>
  ) -> [SchemaNode.ID] {
    guard graph.nodes[blame.schema].values != nil, branches.count < 100 else { return [] }
    var result: [SchemaNode.ID] = []
    for branch in branches {
      for literal in branch where literal & 1 == 0 && refuses([literal]) {
        guard let other = self.blame(Int(literal >> 1), depth: 0),
          graph.nodes[other.schema].values != nil
        else { return [] }
        result.append(other.schema)
        break
      }
    }
    return result
  }

  private mutating func refuses(_ set: [Obligations.Literal]) -> Bool {
    let goal = automaton.obligations.goal(set)
    var configuration = automaton.startOfValue(goal)
    if configuration == Automaton.dead { return true }
    for (place, byte) in zip(bytes.indices, bytes) {
      let next = automaton.next(configuration, byte)
      if next == Automaton.dead {
        // A number ends with a byte that is not its own.
        let isOwn = !isNumber || "0123456789.eE+-".utf8.contains(byte)
        return isOwn || place < bytes.endIndex - 1 || !automaton.mayEnd(configuration)
      }
      configuration = next
    }
    if isAtEnd { return !automaton.mayEnd(configuration) }
    // White space after a number is its end too.
    return isNumber && bytes.last.map { automaton.isWhitespace($0) } == true
      && !automaton.mayEnd(configuration)
  }

  private mutating func blame(_ id: SchemaNode.ID, depth: Int) -> Blame? {
    let node = graph.nodes[id]
    guard depth < 64, refuses([Obligations.literal(id)]) else { return nil }
    if node.boolean == false {
      let keyword = node.pointer.split(separator: "/").last.map(String.init) ?? "false"
      let isKeyword = Self.applicators.contains(keyword)
      return Blame(
        keyword: isKeyword ? keyword : "false", location: node.pointer, schema: id)
    }
    for (keyword, part) in parts[id] ?? [] where refuses([Obligations.literal(part)]) {
      if keyword == "dependentSchemas" {
        for (_, schema) in node.dependentSchemas {
          if let blame = blame(schema, depth: depth + 1) { return blame }
        }
      }
      return Blame(keyword: keyword, location: "\(node.pointer)/\(keyword)", schema: part)
    }
    if let reference = node.reference, let blame = blame(reference, depth: depth + 1) {
      return blame
    }
    for part in node.allOf {
      if let blame = blame(part, depth: depth + 1) { return blame }
    }
    for (keyword, branches) in [("anyOf", node.anyOf), ("oneOf", node.oneOf)] {
      guard let branches else { continue }
      // Of branches that all refuse, the one that came furthest is what was meant.
      let standing = branches.filter { takesAllButLast($0) }
      if standing.count == 1, branches.allSatisfy({ refuses([Obligations.literal($0)]) }),
        let blame = blame(standing[0], depth: depth + 1)
      {
        return blame
      }
      let taken = branches.count { !refuses([Obligations.literal($0)]) }
      // All refuse, or, where only one may hold, they leave none.
      if taken == 0 || keyword == "oneOf" {
        return Blame(
          keyword: keyword, location: "\(node.pointer)/\(keyword)", schema: id, taken: taken)
      }
    }
    if node.not != nil {
      return Blame(keyword: "not", location: node.pointer + "/not", schema: id)
    }
    if let conditional = node.ifThenElse {
      for (keyword, branch) in [("then", conditional.then), ("else", conditional.otherwise)] {
        if let branch, refuses([Obligations.literal(branch)]) {
          return blame(branch, depth: depth + 1)
            ?? Blame(keyword: keyword, location: "\(node.pointer)/\(keyword)", schema: id)
        }
      }
    }
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
      let isThere =
        keyword == "unevaluatedItems"
        ? node.unevaluatedItems != nil : node.unevaluatedProperties != nil
      if isThere {
        return Blame(keyword: keyword, location: "\(node.pointer)/\(keyword)", schema: id)
      }
    }
    // Only together do they leave nothing: the first without which the value would go on.
    for (keyword, rest) in rests[id] ?? [] where !refuses([Obligations.literal(rest)]) {
      let part = parts[id]?.first { $0.keyword == keyword }?.schema ?? id
      return Blame(keyword: keyword, location: "\(node.pointer)/\(keyword)", schema: part)
    }
    return Blame(keyword: "allOf", location: node.pointer, schema: id)
  }

  private static let applicators: Set<String> = [
    "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items",
    "additionalItems", "propertyNames", "contains",
  ]

  private mutating func takesAllButLast(_ id: SchemaNode.ID) -> Bool {
    takesAllButLast([Obligations.literal(id)])
  }

  private mutating func takesAllButLast(_ set: [Obligations.Literal]) -> Bool {
    let whole = bytes
    let wasAtEnd = isAtEnd
    defer {
      bytes = whole
      isAtEnd = wasAtEnd
    }
    if !isAtEnd { bytes = whole.dropLast() }
    isAtEnd = false
    guard !bytes.isEmpty else { return false }
    return !refuses(set)
  }

  // MARK: Keywords alone

  private static func parts(of node: SchemaNode) -> [(String, SchemaNode)] {
    var result: [(String, SchemaNode)] = []
    func add(_ keyword: String, _ isThere: Bool, _ fill: (inout SchemaNode) -> Void) {
      guard isThere else { return }
      var part = SchemaNode()
      part.pointer = node.pointer
      fill(&part)
      result.append((keyword, part))
    }
    add("type", node.types != .all || node.onlyIntegers) {
      $0.types = node.types
      $0.onlyIntegers = node.onlyIntegers
      $0.integersAreSpelled = node.integersAreSpelled
    }
    add(node.valuesKeyword, node.values != nil) { $0.values = node.values }
    add(node.minimum?.isExclusive == true ? "exclusiveMinimum" : "minimum", node.minimum != nil) {
      $0.minimum = node.minimum
    }
    add(node.maximum?.isExclusive == true ? "exclusiveMaximum" : "maximum", node.maximum != nil) {
      $0.maximum = node.maximum
    }
    add("multipleOf", node.multipleOf != nil) { $0.multipleOf = node.multipleOf }
    add("minLength", node.minLength != nil) { $0.minLength = node.minLength }
    add("maxLength", node.maxLength != nil) { $0.maxLength = node.maxLength }
    add("pattern", node.pattern != nil) {
      $0.pattern = node.pattern
      $0.patternText = node.patternText
    }
    add("format", node.format != nil) { $0.format = node.format }
    add("items", !node.prefixItems.isEmpty || node.items != nil) {
      $0.prefixItems = node.prefixItems
      $0.items = node.items
    }
    add("minItems", node.minItems != nil) { $0.minItems = node.minItems }
    add("maxItems", node.maxItems != nil) { $0.maxItems = node.maxItems }
    add("contains", node.contains != nil) {
      $0.contains = node.contains
      $0.minContains = node.minContains
      $0.maxContains = node.maxContains
    }
    add("uniqueItems", node.uniqueItems) { $0.uniqueItems = true }
    add("properties", !node.properties.isEmpty) { $0.properties = node.properties }
    add("patternProperties", !node.patternProperties.isEmpty) {
      $0.patternProperties = node.patternProperties
    }
    add("additionalProperties", node.additionalProperties != nil) {
      $0.properties = node.properties
      $0.patternProperties = node.patternProperties
      $0.additionalProperties = node.additionalProperties
    }
    add("propertyNames", node.propertyNames != nil) { $0.propertyNames = node.propertyNames }
    add("required", !node.required.isEmpty) { $0.required = node.required }
    add("minProperties", node.minProperties != nil) { $0.minProperties = node.minProperties }
    add("maxProperties", node.maxProperties != nil) { $0.maxProperties = node.maxProperties }
    add("dependentRequired", !node.dependentRequired.isEmpty) {
      $0.dependentRequired = node.dependentRequired
    }
    add("dependentSchemas", !node.dependentSchemas.isEmpty) {
      $0.dependentSchemas = node.dependentSchemas
    }
    return result
  }

  /// A subschema without one of the keywords that act on a whole container or string.
  private static func rests(of node: SchemaNode) -> [(String, SchemaNode)] {
    var result: [(String, SchemaNode)] = []
    func drop(_ keyword: String, _ isThere: Bool, _ clear: (inout SchemaNode) -> Void) {
      guard isThere else { return }
      var rest = node
      clear(&rest)
      result.append((keyword, rest))
    }
    drop("uniqueItems", node.uniqueItems) { $0.uniqueItems = false }
    drop("contains", node.contains != nil) { $0.contains = nil }
    drop("minItems", node.minItems != nil) { $0.minItems = nil }
    drop("maxItems", node.maxItems != nil) { $0.maxItems = nil }
    drop("minProperties", node.minProperties != nil) { $0.minProperties = nil }
    drop("maxProperties", node.maxProperties != nil) { $0.maxProperties = nil }
    drop("required", !node.required.isEmpty) { $0.required = [] }
    drop("additionalProperties", node.additionalProperties != nil) {
      $0.additionalProperties = nil
    }
    drop("propertyNames", node.propertyNames != nil) { $0.propertyNames = nil }
    drop("minLength", node.minLength != nil) { $0.minLength = nil }
    drop("maxLength", node.maxLength != nil) { $0.maxLength = nil }
    drop("multipleOf", node.multipleOf != nil) { $0.multipleOf = nil }
    return result
  }
}
