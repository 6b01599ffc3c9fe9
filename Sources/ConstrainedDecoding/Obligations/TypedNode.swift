/// The strings that one alternative allows: a regular language and a range of lengths, which is
/// counted beside the automaton so that long bounds cost no states.
struct StringNode: Hashable {
  var language: RegularLanguages.State
  var minimum: Int
  var maximum: Int?
}

/// The arrays that one alternative allows.
struct ArrayNode {
  /// A number of items that satisfy some literals together: one literal where there is an upper
  /// bound, so that an item that does not count satisfies its negation.
  struct Containment: Hashable {
    var literals: [UInt32]
    var minimum: Int
    var maximum: Int?
    /// The first index that counts.
    var from: Int
  }

  /// Subschemas whose `prefixItems` and `items` hold.
  var sources: [SchemaNode.ID] = []
  var unevaluated: [(schema: SchemaNode.ID, evaluated: [SchemaNode.ID])] = []
  /// Literals for single indices, from negated `prefixItems`.
  var atIndex: [(index: Int, literal: UInt32)] = []
  var containments: [Containment] = []
  var minimum = 0
  var maximum: Int?
  var isUnique = false
  /// Whether two items must be equal: `uniqueItems` under a negation.
  var needsDuplicate = false

  /// Whether there can be no more than so many items, of all or of a kind.
  var isBounded: Bool {
    maximum != nil || containments.contains { $0.maximum != nil }
  }

  /// From this index on all items are alike.
  var uniformFrom = 0
  /// The goals of the items below `uniformFrom`, then that of all others.
  var goals: [UInt32] = []
  /// Past this count of items nothing depends on it any more.
  var saturation = 0
  /// Whether items are a matter of their number and goals alone.
  var isPlain = false
}

/// What items can still come into an array.
struct LaterItems {
  /// What they satisfy.
  var goals: [UInt32] = []
  /// Whether two of them can be equal.
  var hasPair = false
}

/// The objects that one alternative allows.
struct ObjectNode {
  /// Conditions of which at least one must come true: what is left of a negated object schema.
  struct Clause: Hashable {
    var ways: [Way]
  }

  /// One way for a clause to come true.
  enum Way: Hashable {
    /// There is no member of a name.
    case absent(SchemaNode.Name)
    /// There is a member of a name whose value satisfies a literal.
    case member(SchemaNode.Name, literal: UInt32)
    /// There is a member with a key of a class whose value satisfies a literal.
    case keys(Keys, literal: UInt32)
  }

  /// A class of keys.
  enum Keys: Hashable {
    /// Keys that a component of the key automaton accepts.
    case component(Int)
    /// Keys that `additionalProperties` of a subschema speaks of.
    case additional(SchemaNode.ID)
    /// Keys that some subschemas leave unevaluated.
    case unevaluated([SchemaNode.ID])
    /// Keys that no component of a group accepts.
    case refused([Int])
  }

  /// A clause that a member makes true if its value satisfies a literal.
  struct Fulfilment: Hashable {
    var clause: Int
    var literal: UInt32
  }

  /// A declared name.
  struct Member {
    var name: SchemaNode.Name
    var goal: UInt32
    var isRequired: Bool
    var fulfils: [Fulfilment]
    /// Whether a clause asks for the absence of this name.
    var isTracked = false
  }

  var sources: [SchemaNode.ID] = []
  var unevaluated: [(schema: SchemaNode.ID, evaluated: [SchemaNode.ID])] = []
  /// In declared order.
  var members: [Member] = []
  /// Their places by name.
  var places = NamePlaces()
  /// How many of the members have a place in the declared order. The others are the keys of patterns
  /// that match a few keys only: they come after those, in any order.
  var orderedCount = 0
  /// The components, as bits, all of whose keys are members.
  var finiteComponents: UInt32 = 0
  /// At most 64.
  var clauses: [Clause] = []
  var minimum = 0
  var maximum: Int?

  /// The trie of the declared names; the end of each carries the member's index.
  var trie = 0
  /// Languages that a key is held against beside the trie.
  var components: [RegularLanguages.State] = []
  /// What each component stands for.
  var patterns: [(language: RegularLanguages.State, component: Int)] = []
  /// Groups of components of which one must accept every key.
  var keyGroups: [[Int]] = []
  /// The subschemas whose keywords tell keys apart, each once.
  var subschemas: [SchemaNode.ID] {
    var result = sources
    for id in unevaluated.flatMap(\.evaluated) where !result.contains(id) { result.append(id) }
    return result
  }
  /// Whether the number of members has to be counted.
  var counts: Bool { minimum > 0 || maximum != nil }
  /// Whether which members may come next is a matter of their order and goals alone.
  var isPlain = false
}

/// One alternative of a goal, merged for one type.
enum TypedNode {
  case null
  case boolean(allowsTrue: Bool, allowsFalse: Bool)
  case number(Int)
  case string(StringNode)
  case array(Int)
  case object(Int)
}
