// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The strings that one alternative allows: a regular language and a range of lengths, which is
/// counted beside the automaton so that long bounds cost no states.
package struct StringNode: Hashable {
  package var language: RegularLanguages.State
  package var minimum: Int
  package var maximum: Int?

  package init(language: RegularLanguages.State, minimum: Int, maximum: Int?) {
    self.language = language
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// The arrays that one alternative allows.
package struct ArrayNode {
  /// A number of items that satisfy some literals together: one literal where there is an upper
  /// bound, so that an item that does not count satisfies its negation.
  package struct Containment: Hashable {
    package var literals: [UInt32]
    package var minimum: Int
    package var maximum: Int?
    /// The first index that counts.
    package var from: Int
  }

  /// Subschemas whose `prefixItems` and `items` hold.
  package var sources: [SchemaNode.ID] = []
  var unevaluated: [(schema: SchemaNode.ID, evaluated: [SchemaNode.ID])] = []
  /// Literals for single indices, from negated `prefixItems`.
  var atIndex: [(index: Int, literal: UInt32)] = []
  package var containments: [Containment] = []
  package var minimum = 0
  package var maximum: Int?
  package var isUnique = false
  /// Whether two items must be equal: `uniqueItems` under a negation.
  package var needsDuplicate = false

  /// Whether there can be no more than so many items, of all or of a kind.
  var isBounded: Bool {
    maximum != nil || containments.contains { $0.maximum != nil }
  }

  /// From this index on all items are alike.
  package var uniformFrom = 0
  /// The goals of the items below `uniformFrom`, then that of all others.
  package var goals: [UInt32] = []
  /// Past this count of items nothing depends on it any more.
  var saturation = 0
  /// Whether items are a matter of their number and goals alone.
  var isPlain = false
  /// The subschema with the long list of which an array is one.
  package var listing: SchemaNode.ID?
  /// Whether this is the shape of listed values.
  var isShape = false
}

/// What items can still come into an array.
struct LaterItems {
  /// What they satisfy.
  package var goals: [UInt32] = []
  /// Whether two of them can be equal.
  var hasPair = false
}

/// The objects that one alternative allows.
package struct ObjectNode {
  /// A class of keys.
  enum Keys: Hashable {
    /// Keys that are strings of a language.
    case matching(RegularLanguages.State)
    /// Keys that `additionalProperties` of a subschema speaks of.
    case additional(SchemaNode.ID)
    /// Keys that some subschemas leave unevaluated.
    case unevaluated([SchemaNode.ID])
    /// Keys that are no strings of a subschema, that of `propertyNames`.
    case misnamed(SchemaNode.ID)
  }

  /// A declared name.
  package struct Member {
    package var name: SchemaNode.Name
    package var goal: UInt32
    package var isRequired: Bool
    /// The atoms of the object's formula that the member can make true, as a place in `atomLists`.
    var atoms: UInt32
  }

  package var sources: [SchemaNode.ID] = []
  var unevaluated: [(schema: SchemaNode.ID, evaluated: [SchemaNode.ID])] = []
  /// In declared order.
  package var members: [Member] = []
  /// Their places by name.
  var places = NamePlaces()
  /// How many of the members have a place in the declared order. The others are the keys of patterns
  /// that match a few keys only: they come after those, in any order.
  package var orderedCount = 0
  /// A bit for each member that must come.
  var required: [UInt32] = []
  /// What the members must make true, and its atoms.
  package var formula = ObjectFormulas.always
  var atoms = AtomsByKey()
  package var minimum = 0
  package var maximum: Int?

  /// The trie of the declared names; the end of each carries the member's index.
  var trie = 0
  /// Languages that a key is held against beside the trie, and the place of each.
  package var components: [RegularLanguages.State] = []
  var componentPlaces: [RegularLanguages.State: Int] = [:]
  /// By component, the sources of which it is a pattern, and what the value then satisfies.
  var patternLiterals: [[(source: Int, literal: UInt32)]] = []
  /// The components all of whose keys are members.
  var finiteComponents: Set<UInt32> = []
  /// Groups of components of which one must accept every key.
  var keyGroups: [[Int]] = []
  /// The components of which one accepts the strings of a subschema that names are held to.
  var nameGroups: [SchemaNode.ID: [Int]] = [:]
  /// The subschemas whose keywords tell keys apart, each once.
  var subschemas: [SchemaNode.ID] {
    var result = sources
    for id in unevaluated.flatMap(\.evaluated) where !result.contains(id) { result.append(id) }
    return result
  }
  /// Whether the number of members has to be counted.
  package var counts: Bool { minimum > 0 || maximum != nil }
  /// Whether which members may come next is a matter of their order and goals alone.
  var isPlain = false
  /// The subschema with the long list of which an object is one.
  package var listing: SchemaNode.ID?
  /// Whether this is the shape of listed values.
  var isShape = false
}

/// One alternative of a goal, merged for one type.
package enum TypedNode {
  case null
  case boolean(allowsTrue: Bool, allowsFalse: Bool)
  case number(Int)
  case string(StringNode)
  case array(Int)
  case object(Int)
}
