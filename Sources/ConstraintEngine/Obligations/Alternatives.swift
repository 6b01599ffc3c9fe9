// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Multiplying out the boolean structure of schemas.
///
/// For a value of one JSON type, a subschema or its negation is a disjunction of alternatives, each
/// a list of ``Fact``s about the value itself: `anyOf` adds alternatives, `allOf` combines them,
/// `not` goes through to the single keywords by De Morgan's laws. Fixing the type first makes most
/// of it vanish: for a number, `not: {type: object, …}` is simply true.
///
/// Worked example: subschema 0 is `{maxLength: 5, anyOf: [{minLength: 3}, {pattern: "^a"}]}`, its
/// branches are 1 and 2. For a string it becomes `[holds(0), holds(1)]` or `[holds(0), holds(2)]`; for
/// a number one alternative without facts, which allows every number. Its negation becomes, for a
/// string, `[fails(0, maxLength)]` or `[fails(1, minLength), fails(2, pattern)]`.
///
/// Reading starts at ``alternatives(_:)``. Keywords that hold lead to `positive`, those under a
/// negation to `negative` (`Alternatives+Negation`), and both come back through ``ways(of:_:negated:)``
/// for each subschema that they name. Of an object, alternatives that differ in single members alone
/// become one with a formula (`Alternatives+Formulas`).
struct Alternatives {
  typealias Facts = [Fact]

  struct Query {
    var schema: SchemaNode.ID
    var isNegated: Bool
    var type: JSONTypes
    /// Whether every branch that could hold must be decided, because `unevaluated…` depends on it.
    var decidesAll: Bool

    /// A number for the query.
    fileprivate var key: UInt64 {
      UInt64(schema) << 16 | UInt64(type.rawValue) << 2 | (isNegated ? 2 : 0) | (decidesAll ? 1 : 0)
    }
  }

  let graph: SchemaGraph
  let limit: Int
  private var known: [[Facts]] = []
  /// By query, where its alternatives are in `known`.
  private var knownPlaces = FlatMap()
  /// Subschemas that say the same.
  private(set) var equals = EqualSubschemas()
  /// Subschemas of one member that say the same.
  var memberLiterals = MemberLiterals()
  /// Subschemas of which the same keys are additional.
  var additionalKeys = AdditionalKeys()
  /// What objects decide member by member.
  var formulas = ObjectFormulas()
  /// By pair of subschemas and type, whether they are seen to have no value in common.
  var disjointPairs: [UInt64: Bool] = [:]
  /// How many branches of unions within unions may still be held against others.
  var comparisonsLeft = 20_000
  /// The owner's regular languages, lent while alternatives are made.
  var languages = RegularLanguages()

  private var depth = 0
  private let depthLimit: Int

  init(graph: SchemaGraph, limit: Int, depthLimit: Int) {
    self.graph = graph
    self.limit = limit
    self.depthLimit = depthLimit
  }

  /// The literal that stands for all that say the same as one.
  mutating func representative(of literal: UInt32) -> UInt32 {
    let schema = equals.representative(of: Obligations.schema(of: literal), in: graph)
    return Obligations.literal(schema, negated: Obligations.isNegated(literal))
  }

  /// The alternatives of a query, worked out once.
  mutating func alternatives(_ query: Query) throws(ObligationFailure) -> [Facts] {
    if let place = knownPlaces[query.key] { return known[Int(place)] }
    var result = try query.isNegated ? negative(query) : positive(query)
    if query.type == .object { result = deferring(result) }
    knownPlaces.set(query.key, UInt32(known.count))
    known.append(result)
    return result
  }

  /// The alternatives of a query where no language has to be looked into.
  func evident(_ query: Query) -> [Facts]? {
    if let place = knownPlaces[query.key] { return known[Int(place)] }
    if query.isNegated || graph.nodes[query.schema].boolean != nil { return nil }
    guard graph.nodes[query.schema].types.contains(query.type) else { return [] }
    return graph.nodes[query.schema].isFlat(query.type) ? own(query) : nil
  }

  /// What a subschema itself asserts about values of a type.
  private func own(_ query: Query) -> [Facts] {
    let id = query.schema
    if query.type == .object, graph.nodes[id].onlyRequires {
      return [graph.nodes[id].required.map { .present($0) }]
    }
    return graph.nodes[id].hasOwnAssertions(query.type) ? [[.holds(id)]] : [[]]
  }

  /// The alternatives of a subschema that is met while a query is answered, or of its negation, for the
  /// same type.
  mutating func ways(
    of id: SchemaNode.ID, _ query: Query, negated: Bool = false
  ) throws(ObligationFailure) -> [Facts] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= depthLimit else {
      throw ObligationFailure(
        keyword: "$ref", pointer: graph.nodes[id].pointer,
        message: "references and boolean keywords lead on for more than \(depthLimit) levels; "
          + "shorten the chain or raise the limit `depth`")
    }
    var inner = query
    inner.schema = id
    inner.isNegated = negated
    if negated { inner.decidesAll = false }
    guard depth == Self.usualDepth else { return try alternatives(inner) }
    let result = LargeStack.run(levels: depthLimit) {
      Result { () throws(ObligationFailure) in try alternatives(inner) }
    }
    guard let result else {
      throw ObligationFailure(
        keyword: "$ref", pointer: graph.nodes[id].pointer,
        message: "references and boolean keywords lead on for more than \(depth) levels, "
          + "\(LargeStack.absence); shorten the chain")
    }
    return try result.get()
  }

  /// The levels of references and boolean keywords for which any stack has room.
  private static let usualDepth = 24

  /// The alternatives of a subschema that must hold.
  mutating func positive(_ query: Query) throws(ObligationFailure) -> [Facts] {
    let id = query.schema
    if let boolean = graph.nodes[id].boolean { return boolean ? [[]] : [] }
    guard graph.nodes[id].types.contains(query.type) else { return [] }
    if graph.nodes[id].isFlat(query.type) { return own(query) }
    if let result = try leavingOverAsRead(query) { return result }
    return try leavingOver(query)
  }

  /// The alternatives of a subschema in each of which it is known what `unevaluated…` leaves over.
  mutating func leavingOver(_ query: Query) throws(ObligationFailure) -> [Facts] {
    let id = query.schema
    let unevaluated =
      (query.type == .object && graph.nodes[id].unevaluatedProperties != nil)
      || (query.type == .array && graph.nodes[id].unevaluatedItems != nil)
    var inner = query
    inner.decidesAll = query.decidesAll || unevaluated
    let applied = try applied(inner)
    guard unevaluated else { return applied }
    return applied.map { facts in
      let hidden = Self.hidden(facts)
      // Where a subschema has looked at everything left over, nothing is left for this one.
      let isComplete = facts.contains { fact in
        Self.evaluatingEverything(fact).map { !hidden.contains($0) } ?? false
      }
      if isComplete { return facts }
      let sources = facts.compactMap { fact -> SchemaNode.ID? in
        if case .holds(let id) = fact, !hidden.contains(id) { id } else { nil }
      }
      return facts
        + [
          query.type == .object
            ? .unevaluatedProperties(id, evaluated: sources, holds: true)
            : .unevaluatedItems(id, evaluated: sources, holds: true)
        ]
    }
  }

  /// The alternatives of all keywords of a subschema but `unevaluated…`.
  mutating func applied(_ query: Query) throws(ObligationFailure) -> [Facts] {
    let id = query.schema
    // The array is held, and not the node copied with all its lists.
    let nodes = graph.nodes
    var factors: [[Facts]] = [own(query)]
    if let values = nodes[id].values {
      let result = try listed(values, id, query)
      // A value in a list is compared, and not looked into.
      factors.append(query.decidesAll ? result.map(Self.hidingEvaluations) : result)
    }
    if let reference = nodes[id].reference { factors.append(try ways(of: reference, query)) }
    for part in nodes[id].allOf { factors.append(try ways(of: part, query)) }
    if let branches = nodes[id].anyOf {
      factors.append(deferring(try some(of: branches, query), query.type))
    }
    if let branches = nodes[id].oneOf {
      factors.append(deferring(try exactlyOne(of: branches, query), query.type))
    }
    if let not = nodes[id].not {
      let failing = try ways(of: not, query, negated: true)
      factors.append(query.decidesAll ? failing.map(Self.hidingEvaluations) : failing)
    }
    if let conditional = nodes[id].ifThenElse,
      query.decidesAll || conditional.then != nil || conditional.otherwise != nil
    {
      factors.append(try either(conditional, query))
    }
    if query.type == .object {
      for (name, names) in nodes[id].dependentRequired {
        for required in names where required != name {
          factors.append(deferring([[.absent(name)], [.present(required)]]))
        }
      }
      for (name, schema) in nodes[id].dependentSchemas {
        let met = try ways(of: schema, query)
        let holding = deferring(Self.union([[.absent(name)]], met))
        if holding.count == 1 {
          factors.append(holding)
        } else {
          let present = try product([[.present(name)]], met, at: id, "dependentSchemas")
          factors.append([[.absent(name)]] + present)
        }
      }
    }
    return try product(of: factors, query, "allOf")
  }

  /// The ways in which a conditional holds: `if` and `then`, or not `if` and `else`.
  private mutating func either(
    _ conditional: (condition: SchemaNode.ID, then: SchemaNode.ID?, otherwise: SchemaNode.ID?),
    _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    if query.type == .object, !query.decidesAll,
      let formula = try formula(conditional, query)
    {
      if formula == ObjectFormulas.never { return [] }
      return formula == ObjectFormulas.always ? [[]] : [[.formula(formula)]]
    }
    let yes = try product(
      ways(of: conditional.condition, query),
      conditional.then.map { id throws(ObligationFailure) in try ways(of: id, query) } ?? [[]],
      at: query.schema, "then")
    let no = try product(
      ways(of: conditional.condition, query, negated: true),
      conditional.otherwise.map { id throws(ObligationFailure) in try ways(of: id, query) } ?? [[]],
      at: query.schema, "else")
    return deferring(Self.union(yes, no), query.type)
  }

  private static func evaluatingEverything(_ fact: Fact) -> SchemaNode.ID? {
    switch fact {
    case .unevaluatedProperties(let id, _, true), .unevaluatedItems(let id, _, true): id
    default: nil
    }
  }

  private static func hidden(_ facts: Facts) -> Set<SchemaNode.ID> {
    Set(facts.compactMap { if case .unseen(let id) = $0 { id } else { nil } })
  }

  /// Facts that come from under `not`: nothing that holds there evaluates members or items.
  private static func hidingEvaluations(_ facts: Facts) -> Facts {
    let seen = facts.compactMap { fact -> SchemaNode.ID? in
      if case .holds(let id) = fact { id } else { evaluatingEverything(fact) }
    }
    return facts + seen.map { .unseen($0) }
  }

  // MARK: Combining alternatives

  /// Every way to hold one of the left and one of the right alternatives together.
  ///
  /// Mutating, so that an argument that fills the tables is done before this borrows them: otherwise
  /// they are copied at each call.
  mutating func product(
    _ left: [Facts], _ right: [Facts], at id: SchemaNode.ID, _ keyword: String
  ) throws(ObligationFailure) -> [Facts] {
    if left.count == 1, left[0].isEmpty { return right }
    if right.count == 1, right[0].isEmpty { return left }
    guard left.count * right.count <= limit else {
      throw ObligationFailure(
        keyword: keyword, pointer: graph.nodes[id].pointer,
        message: "multiplies out to more than \(limit) alternatives; "
          + "simplify the overlapping branches or raise the limit `alternatives`")
    }
    var result: [Facts] = []
    for a in left {
      for b in right {
        var facts = a
        for fact in b where !facts.contains(fact) { facts.append(fact) }
        if !Self.contradicts(facts), !result.contains(facts) { result.append(facts) }
      }
    }
    return result
  }

  /// A contradiction that is seen without looking into subschemas.
  private static func contradicts(_ facts: Facts) -> Bool {
    for fact in facts {
      switch fact {
      case .present(let name): if facts.contains(.absent(name)) { return true }
      case .isListed(let id): if facts.contains(.isNotListed(id)) { return true }
      default: break
      }
    }
    return false
  }

  /// Either of some alternatives. Not a method of the value, which would be held, and its tables
  /// copied, while arguments fill them.
  static func union(_ left: [Facts], _ right: [Facts]) -> [Facts] {
    var result = AlternativeUnion()
    result.add(left)
    result.add(right)
    return result.list
  }
}
