// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The language of a grammar, read byte by byte.
///
/// A *configuration* is a set of stacks of frames, one for each way in which the text so far can be
/// read; almost always one. Stacks are hash-consed, so that a configuration is one word: the id of
/// a stack, or of an interned set of them. Reading a byte steps every stack and joins the results.
/// Every stack in a configuration can be completed: a byte after which that is no longer so leads
/// nowhere. What lies below a stack's top was chosen such that it can be completed whatever the top
/// holds, so that this is decided at the top alone.
///
/// Everything is made when it is first needed and kept; nothing depends on a vocabulary. Methods on
/// the hot path are mutating even where they only look: while a value changes, Swift copies it for a
/// method that does not.
package struct Automaton {
  /// The id of a stack, or that of a set of stacks with the highest bit set.
  package typealias Configuration = UInt32

  /// No text that starts with what was read is in the language.
  package static let dead = Configuration.max

  private static let setBit: Configuration = 0x8000_0000

  /// Whether a configuration is one stack, whose id it then is.
  @inline(__always)
  package static func isOneStack(_ configuration: Configuration) -> Bool {
    configuration & setBit == 0
  }

  /// A configuration without that bit: the id of its set of stacks, or of its one stack.
  @inline(__always)
  static func setID(of configuration: Configuration) -> UInt32 { configuration & ~setBit }

  package var obligations: Obligations
  package let options: CompilationOptions
  /// The positions of a grammar that was written by hand.
  package var rules: RuleGraph?
  /// The configuration before the first byte.
  package var start: Configuration = Automaton.dead

  // MARK: Stacks

  package var stacks = FrameTable()
  /// Configurations of several stacks.
  var stackSets = SequenceInterner()
  /// A list that nothing uses just now.
  private var vacantList: [StackID] = []

  // MARK: States of objects and arrays

  var objectStates = SequenceInterner()
  /// By object, its first state, or `.max`.
  var objectStarts: [UInt32] = []
  /// By object: for each member, the first required one from it on.
  var nextRequired: [[Int32]] = []
  /// By object and state, a number for the two: their *place*.
  var objectPlaces = FlatMap()
  var arrayStates = SequenceInterner()
  /// The first state of arrays that only count their items.
  var plainArrayStart: UInt32?

  // MARK: What is remembered of a text

  /// Texts of keys and of recorded strings and numbers.
  package var texts = TextTable()
  /// Recorded values, once they are complete.
  var values = ValueTable()
  /// Sets of texts (undeclared keys) and of values (items, and what is compared).
  var wordSets = PersistentSets()
  /// What containers that are read are compared with, and their members or items so far.
  var recordings = SequenceInterner()
  /// Whether texts of keys are kept that no key before began with. Off while tokens by the thousand are
  /// read of which none is taken.
  var recordsKeys = true

  // MARK: Members that may come

  /// By place and member (or class of undeclared keys), the index in `choiceLists`.
  var memberChoices = FlatMap()
  /// By the same key, whether there is any choice, where only that was asked.
  var takenMembers = FlatMap()
  var extraMemberChoices = FlatMap()
  var choiceLists: [[MemberChoice]] = []
  /// By object and state, whether the object can be completed.
  var liveObjects = FlatMap()

  // MARK: Keys that may come

  /// What the bytes of a key lead to in one object, by key tuple and as far as it was asked: tokens
  /// are read by the thousand there.
  var keyRows = ByteRows()
  /// The object of `keyRows`.
  var keyRowsObject = StackID.max
  /// By place and key tuple: whether a key can go on to one that may come, or in any way.
  var liveKeys = FlatMap()
  var anyKeys = FlatMap()
  /// Key tuples with the classes that objects take of those that follow, for each the first object that
  /// does, and that by place and key tuple.
  var takenClasses = SequenceInterner()
  var takenClassStacks: [StackID] = []
  var keyRepresentatives = FlatMap()
  /// By object and what is left of its formula, how its keys end (``KeyEnds``).
  var keyEnds = FlatMap()
  /// By place and what was read of a key, how many undeclared keys go on from there, or fewer.
  var undeclaredKeyCounts = FlatMap()
  /// Nodes of the trie of names that are still to be looked at, in searches that are under way.
  var pendingNames: [Int] = []

  // MARK: Comparisons

  /// The languages of some texts, by these.
  var textLanguages: [[UInt32]: RegularLanguages.State] = [:]
  /// By place and comparison, the keys that may come next where an object must become one of some.
  var nextKeyLanguages = FlatMap()
  /// By comparison and language, the language of those of its strings that stand the comparison.
  var comparedTexts = FlatMap()
  /// By comparison and constraint, the state before the first byte of the numbers among those values.
  var chosenNumbers = FlatMap()
  /// The containers that were grouped last.
  var grouped: GroupedContainers?
  /// By subschema that lists many containers, the arrays or objects of its list.
  var listings: [UInt64: PersistentSets.Set] = [:]
  /// By shape and text, the place of a key in the order of its keys.
  var shapeKeys: [Int: [UInt32: Int]] = [:]
  /// By value read, the value of a list that it is.
  var listedIDs: [UInt32: ListedValues.ID?] = [:]
  /// Whether there is a way on: by goal and comparison, by place and comparison, by array and state.
  var comparedGoals = FlatMap()
  var continuingObjects = FlatMap()
  var repeatableArrays = FlatMap()
  /// How arrays whose items must differ can be filled.
  var fillings: [FillingKey: [ListedValues.ID]?] = [:]
  /// What has infinitely many values, or ways to be completed.
  var endlessGoals: [Obligations.Goal: Bool] = [:]
  var endlessObjects = FlatMap()
  var endlessArrays = FlatMap()

  // MARK: Masks

  /// By stack and by goal, where the bytes that it may start with are in `filterSets`, or -1.
  var filters: [Int32] = []
  var goalFilters: [Int32] = []
  var filterSets: [ByteSet] = []
  /// By stack, its canonical one, or `.max`; found for what a token can read at most.
  var canonicalStacks: [StackID] = []
  var canonicalReach = TokenReach(scalars: -1, commas: -1)

  // MARK: Completions

  /// The shortest texts of goals, and the search for them that is under way (``minimalText(_:)``).
  var minimalTexts: [Obligations.Goal: [UInt8]] = [:]
  var wantedGoals: Set<Obligations.Goal> = []
  var visitedGoals: Set<Obligations.Goal> = []
  var isRelaxing = false
  /// By configuration, the one byte that may come, or a negative number where there is a choice.
  var forcedBytes: [Configuration: Int16] = [:]
  var stringCompletions: [StackID: [UInt8]] = [:]
  var numberCompletions: [NumberAutomaton.State: [UInt8]?] = [:]
  var keyCompletions: [Frame: [UInt8]?] = [:]
  var objectCompletions: [ObjectPosition: ObjectCompletion?] = [:]
  /// The completion of the stack that was last asked for below a frame.
  var lastCompletion: (stack: StackID, text: [UInt8])?
  /// ``longestDetour()``, or a negative number where it is not known.
  var detour: Int?

  // MARK: Options

  let propertiesInOrder: Bool
  let whitespaceLimit: UInt32
  /// Whether one space follows each colon and each comma, and no white space stands elsewhere.
  package let isSpaced: Bool
  package let anyEscapes: Bool
  /// Whether declared names may be spelled with escapes.
  let escapesNames: Bool

  /// - Parameter goal: What the outermost value must satisfy; `nil` where the start is set later.
  package init(
    obligations: consuming Obligations, goal: Obligations.Goal?, options: CompilationOptions
  ) {
    self.obligations = obligations
    self.options = options
    propertiesInOrder = options.propertyOrder == .declared
    anyEscapes = options.escapes == .any
    escapesNames =
      options.escapes == .any
      || self.obligations.graph.names.contains { name in
        name.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
      }
    isSpaced = options.whitespace == .spaced
    switch options.whitespace {
    case .compact: whitespaceLimit = 0
    case .spaced: whitespaceLimit = 1
    case .bounded(let count): whitespaceLimit = UInt32(clamping: max(0, count))
    case .any: whitespaceLimit = .max
    }
    guard let goal else { return }
    let end = stacks.intern(.end)
    if self.obligations.isSatisfiable(goal) {
      start = stacks.intern(outermostValue(goal, parent: end))
    }
  }

  /// The stacks of a configuration.
  package mutating func stacks(of configuration: Configuration) -> [StackID] {
    if configuration == Self.dead { return [] }
    if Self.isOneStack(configuration) { return [configuration] }
    return Array(stackSets[Self.setID(of: configuration)])
  }

  /// The configuration of some stacks.
  mutating func configuration(_ stacks: [StackID]) -> Configuration {
    if stacks.isEmpty { return Self.dead }
    if stacks.count == 1 { return stacks[0] }
    var unique: [StackID] = []
    for stack in stacks.sorted() where unique.last != stack { unique.append(stack) }
    if unique.count > 1, obligations.countsItems { removeOvertaken(&unique) }
    if unique.count == 1 { return unique[0] }
    return stackSets.intern(unique) | Self.setBit
  }

  /// The configuration after one more byte.
  package mutating func next(_ configuration: Configuration, _ byte: UInt8) -> Configuration {
    if configuration == Self.dead { return configuration }
    // A list for each byte would be allocated else.
    var reached: [StackID] = []
    swap(&reached, &vacantList)
    reached.removeAll(keepingCapacity: true)
    defer { swap(&reached, &vacantList) }
    if Self.isOneStack(configuration) {
      step(configuration, byte, into: &reached)
    } else {
      for stack in Array(stackSets[Self.setID(of: configuration)]) {
        step(stack, byte, into: &reached)
      }
    }
    if reached.count > options.limits.alternatives {
      reportAmbiguity(reached[0])
      return Self.dead
    }
    return self.configuration(reached)
  }

  /// The configuration after some bytes.
  package mutating func next(
    _ configuration: Configuration, _ bytes: ArraySlice<UInt8>
  ) -> Configuration {
    var at = configuration
    for byte in bytes {
      at = next(at, byte)
      if at == Self.dead { break }
    }
    return at
  }

  /// Whether the text read is in the language.
  package mutating func mayEnd(_ configuration: Configuration) -> Bool {
    if Self.isOneStack(configuration) { return mayEnd(stack: configuration) }
    for stack in stacks(of: configuration) where mayEnd(stack: stack) { return true }
    return false
  }

  package mutating func mayEnd(stack: StackID) -> Bool {
    let frame = stacks[stack]
    switch frame.kind {
    case .end: return true
    case .number:
      guard obligations.numbers.mayEnd(frame.a) else { return false }
      var reached: [StackID] = []
      complete(number: frame, into: &reached)
      return reached.contains { mayEnd(stack: $0) }
    case .rule: return ruleClosure(stack).mayEnd
    default: return false
    }
  }
}
