// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What values must satisfy, from sets of subschemas down to merged nodes of one type.
///
/// - A *literal* is a subschema or its negation: `id << 1 | negated`.
/// - A *conjunction* is an interned set of literals that hold together.
/// - A *goal* is an interned set of conjunctions of which one holds.
/// - The *alternatives* of a goal for a type are typed nodes: a language of strings, a set of
///   numbers, an array node, an object node. They are made when the goal is first entered.
///
/// Worked example: the goal of the property `a` under
/// `{allOf: [{properties: {a: {minimum: 2}}}, {properties: {a: {maximum: 5}}}]}` is the one
/// conjunction {minimum 2, maximum 5}; for numbers it becomes one node with the interval 2…5.
///
/// Nothing here refers to a place in a value, so that equal obligations share all their work
/// wherever they come up.
package struct Obligations {
  package typealias Goal = UInt32
  typealias Conjunction = UInt32
  package typealias Literal = UInt32

  package let options: CompilationOptions
  /// Whether subschemas that say the same stay apart in goals, because they will be named.
  let tellsEqualsApart: Bool
  package var graph: SchemaGraph
  package var languages: RegularLanguages
  package var numbers: NumberAutomaton
  var alternatives: Alternatives

  package var conjunctions = SequenceInterner()
  package var goals = SequenceInterner()
  /// By goal and literal, the goal with the literal more.
  var extendedGoals = FlatMap()
  /// The first failure; the automaton reports it and allows nothing more.
  package var failure: ObligationFailure?

  // MARK: Typed nodes

  /// By conjunction and type, the index of its nodes in `nodeLists`; -1 before they are made.
  var typed: [Int32] = []
  /// The first is empty.
  var nodeLists: [[TypedNode]] = [[]]
  /// The conjunctions that are being merged for a type, as places in `typed`.
  private var merging: Set<Int> = []
  package var numberConstraints: [NumberConstraint] = []
  /// By constraint, where it is in `numberConstraints`.
  var numberPlaces: [NumberConstraint: Int] = [:]
  /// By constraint, the state before the first byte of its numbers.
  private var numberStarts: [NumberAutomaton.State?] = []
  /// By subschema, the language of the strings that it lists.
  var listLanguages: [SchemaNode.ID: RegularLanguages.State] = [:]
  package var arrays: [ArrayNode] = []
  package var objects: [ObjectNode] = []
  /// By subschema with many properties and name, the place among them.
  var propertyPlaces: [SchemaNode.ID: FlatMap] = [:]
  /// Whether there is an array whose items are compared.
  var comparesItems = false
  /// Whether there is a value that is read beside many listed ones.
  var hasListings = false
  /// Whether there is an array that must have some items of a kind.
  var countsItems = false

  // MARK: Satisfiability

  /// By conjunction: 0 not known, 1 no, 2 yes.
  var satisfiable: [UInt8] = []
  /// The conjunctions that are being looked at, with the depth of each.
  var inProgress: [Conjunction: Int] = [:]
  /// The depth of the outermost conjunction in progress that an unsatisfied answer relied on.
  var reliesOn = Int.max

  // MARK: Items

  /// How far arrays with containments have come, and by that whether they can be completed.
  var arrayProgress = SequenceInterner()
  var completableArrays: [UInt32: Bool] = [:]
  /// By array and containment, those for which an item can come.
  var containables = FlatMap()
  /// By progress of an array, the items that can still come.
  var laterItems: [UInt32: LaterItems] = [:]
  /// The values of the goals that have few, and the goals that are being listed.
  package var listed = ListedValues()
  var goalLists: [Goal: [ListedValues.ID]?] = [:]
  var goalCounts: [Goal: Int?] = [:]
  var listing: Set<Goal> = []
  /// Whether a list was given up because of a conjunction that is being merged.
  var listingReliesOnMerge = false

  // MARK: Keys

  /// Key tuples (`Obligations+Keys`).
  var keyTuples = SequenceInterner()
  /// By object, the tuple that its keys start with, or `.max`.
  var startTuples: [UInt32] = []
  /// The successors of key tuples.
  var tupleRows = ByteRows()
  /// Classes of keys: the components that accept them, in ascending order. The first is empty.
  var keyClasses = SequenceInterner()
  /// By tuple, the classes that keys can have; `nil` where they are too many.
  var tupleClasses: [UInt32: [UInt32]?] = [:]
  /// What the values of undeclared members satisfy, and by object and class of keys which of these.
  var extraGoals: [ExtraGoal] = []
  var extraGoalPlaces = FlatMap()

  // MARK: Formulas

  /// Lists of atoms that members can make true; the first is empty.
  var atomLists = SequenceInterner()
  /// By formula, goal and list of atoms, the place of the kinds of values in `splitLists`.
  var splitPlaces: [SIMD4<UInt32>: Int] = [:]
  var splitLists: [[MemberSplit]] = []
  /// By formula, its parts that have no member in common.
  var formulaParts: [ObjectFormulas.ID: [ObjectFormulas.ID]] = [:]
  /// By object and part of its formula, whether members can make it true.
  var completableParts = FlatMap()

  // MARK: Goals

  /// The goal that every value meets, and the one that none does.
  package let anything: Goal
  package let nothing: Goal

  /// Notes that a schema is beyond what can be honoured, where nothing has been before.
  ///
  /// - Parameter source: The place of the keyword in the graph, where it is known.
  mutating func noteFailure(_ keyword: String, at source: Int?, _ message: String) {
    guard failure == nil else { return }
    failure = ObligationFailure(
      keyword: keyword, pointer: source.map { graph.nodes[$0].pointer } ?? "#", message: message)
  }

  /// - Parameter tellsEqualsApart: Whether subschemas that say the same stay apart, so that the
  ///   one that a value violates can be named.
  package init(
    graph: SchemaGraph, languages: RegularLanguages, options: CompilationOptions,
    tellsEqualsApart: Bool = false
  ) {
    self.graph = graph
    self.languages = languages
    self.options = options
    self.tellsEqualsApart = tellsEqualsApart
    listed = graph.listed
    numbers = NumberAutomaton(spelling: options.numbers)
    alternatives = Alternatives(
      graph: graph, limit: options.limits.alternatives, depthLimit: options.limits.depth)
    anything = goals.intern([conjunctions.intern([])])
    nothing = goals.intern([])
    _ = keyClasses.intern([])
    _ = atomLists.intern([])
  }

  /// The satisfiable alternatives of a goal for a type.
  package mutating func nodes(_ goal: Goal, _ type: JSONTypes) -> [TypedNode] {
    let count = goals.length(of: goal)
    if count == 1 { return nodes(conjunction: goals.word(0, of: goal), type) }
    var result: [TypedNode] = []
    for place in 0..<count {
      result += nodes(conjunction: goals.word(place, of: goal), type)
    }
    return result
  }

  /// The state before the first byte of the numbers of a constraint.
  mutating func numberStart(_ constraint: Int) -> NumberAutomaton.State {
    while numberStarts.count < numberConstraints.count { numberStarts.append(nil) }
    if let known = numberStarts[constraint] { return known }
    let result = numbers.start(numberConstraints[constraint])
    numberStarts[constraint] = result
    return result
  }

  private mutating func lendingLanguages(
    to query: Alternatives.Query
  ) throws(ObligationFailure) -> [Alternatives.Facts] {
    swap(&alternatives.languages, &languages)
    defer { swap(&alternatives.languages, &languages) }
    return try alternatives.alternatives(query)
  }

  private mutating func spellingOut(
    _ facts: Alternatives.Facts, _ query: Alternatives.Query
  ) throws(ObligationFailure) -> [Alternatives.Facts] {
    guard facts.count > 1 else { return [facts] }
    swap(&alternatives.languages, &languages)
    defer { swap(&alternatives.languages, &languages) }
    return try alternatives.spellingOut(facts, query)
  }

  /// The same of a conjunction.
  mutating func nodes(conjunction: Conjunction, _ type: JSONTypes) -> [TypedNode] {
    let key = Int(conjunction) * 6 + type.rawValue.trailingZeroBitCount
    while typed.count <= key { typed.append(-1) }
    if typed[key] >= 0 { return nodeLists[Int(typed[key])] }
    if isRuledOut(type, by: conjunction) {
      typed[key] = 0
      return []
    }
    let outer = reliesOn
    reliesOn = .max
    let isOutermost = merging.insert(key).inserted
    defer { if isOutermost { merging.remove(key) } }
    var result: [TypedNode] = []
    languages.checkDeadline()
    do throws(ObligationFailure) {
      if languages.reachedLimit == .compileTime { throw timeFailure }
      var factors: [[Alternatives.Facts]] = []
      for place in 0..<conjunctions.length(of: conjunction) {
        let literal = conjunctions.word(place, of: conjunction)
        let query = Alternatives.Query(
          schema: Self.schema(of: literal), isNegated: Self.isNegated(literal), type: type,
          decidesAll: false)
        let ways =
          if let evident = alternatives.evident(query) { evident } else {
            try lendingLanguages(to: query)
          }
        factors.append(ways)
      }
      let whole = Alternatives.Query(
        schema: conjunctions[conjunction].first.map { Self.schema(of: $0) } ?? graph.anything,
        isNegated: false, type: type, decidesAll: false)
      for facts in try alternatives.product(of: factors, whole, "allOf") {
        for facts in try spellingOut(facts, whole) {
          if let node = try merge(facts, type) { result.append(node) }
        }
      }
    } catch {
      if failure == nil { failure = error }
    }
    // An empty answer that relied on a conjunction in progress may become another one later.
    if reliesOn == .max {
      nodeLists.append(result)
      typed[key] = Int32(nodeLists.count - 1)
    }
    reliesOn = min(outer, reliesOn)
    return result
  }

  /// The node of a type for which all facts hold, or `nil` where no value satisfies them.
  private mutating func merge(
    _ facts: Alternatives.Facts, _ type: JSONTypes
  ) throws(ObligationFailure) -> TypedNode? {
    switch type {
    case .null: return TypedNode.null
    case .boolean: return boolean(facts)
    case .number: return number(facts)
    case .string: return string(facts).map { .string($0) }
    case .array: return try array(facts).map { .array($0) }
    default: return try object(facts).map { .object($0) }
    }
  }

  /// Whether the alternatives of a goal for a type depend on themselves at this moment.
  mutating func isMerging(_ goal: Goal, _ type: JSONTypes) -> Bool {
    let type = type.rawValue.trailingZeroBitCount
    return goals[goal].contains { merging.contains(Int($0) * 6 + type) }
  }

  /// Whether one of the subschemas of a conjunction has no values of a type, by its own `type`.
  private mutating func isRuledOut(_ type: JSONTypes, by conjunction: Conjunction) -> Bool {
    for place in 0..<conjunctions.length(of: conjunction) {
      let literal = conjunctions.word(place, of: conjunction)
      if !Self.isNegated(literal), !graph.nodes[Self.schema(of: literal)].types.contains(type) {
        return true
      }
    }
    return false
  }
}
