// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The tables that configurations refer to, without what was worked out from them.
///
/// Where a grammar makes room, it starts new tables. What a sequence stands on is carried over from
/// the ones before: the frames of its stacks, and the keys and items that these remember. That takes
/// as long as the stacks are high, and not as the text is long.
///
/// Goals, nodes, languages and the states of numbers keep their numbers, since they belong to the
/// obligations, which stay: of these only the states of keys and the transitions of languages are made
/// anew.
struct CarriedTables {
  fileprivate let stacks: FrameTable
  fileprivate let stackSets: SequenceInterner
  fileprivate let objectStates: SequenceInterner
  fileprivate let arrayStates: SequenceInterner
  fileprivate let recordings: SequenceInterner
  fileprivate let wordSets: PersistentSets
  fileprivate let texts: TextTable
  fileprivate let values: ValueTable
  fileprivate let keyTuples: SequenceInterner
  /// What has been carried over, by its number before.
  fileprivate var carriedStacks: [StackID: StackID] = [:]
  fileprivate var carriedTexts: [UInt32: UInt32] = [:]
  fileprivate var carriedValues: [UInt32: UInt32] = [:]
  fileprivate var carriedTextSets: [PersistentSets.Set: PersistentSets.Set] = [:]
  fileprivate var carriedValueSets: [PersistentSets.Set: PersistentSets.Set] = [:]

  /// The memory held, in bytes.
  var byteCount: Int {
    stacks.byteCount + stackSets.byteCount + objectStates.byteCount + arrayStates.byteCount
      + recordings.byteCount + wordSets.byteCount + texts.byteCount + values.byteCount
      + keyTuples.byteCount
      + (carriedStacks.count + carriedTexts.count + carriedValues.count) * 12
  }
}

extension Automaton {
  /// Starts new tables.
  ///
  /// - Returns: Those before, from which configurations can be carried over.
  mutating func renew() -> CarriedTables {
    let tables = CarriedTables(
      stacks: stacks, stackSets: stackSets, objectStates: objectStates, arrayStates: arrayStates,
      recordings: recordings, wordSets: wordSets, texts: texts, values: values,
      keyTuples: obligations.dropKeyTuples())
    obligations.languages.dropTransitions()
    // Moved and not copied: what is left in their place is dropped.
    var moved = Obligations(
      graph: SchemaGraph(), languages: RegularLanguages(), options: options)
    swap(&moved, &obligations)
    var fresh = Automaton(obligations: consume moved, goal: nil, options: options)
    fresh.rules = rules
    fresh.rules?.closures = [:]
    let start = start
    self = fresh
    var carried = tables
    self.start = carry(start, from: &carried)
    return carried
  }

  /// A configuration of earlier tables in these.
  mutating func carry(
    _ configuration: Configuration, from tables: inout CarriedTables
  ) -> Configuration {
    if configuration == Self.dead { return configuration }
    if Self.isOneStack(configuration) { return carry(stack: configuration, from: &tables) }
    var carried: [StackID] = []
    for stack in Array(tables.stackSets[Self.setID(of: configuration)]) {
      carried.append(carry(stack: stack, from: &tables))
    }
    return self.configuration(carried)
  }

  private mutating func carry(stack: StackID, from tables: inout CarriedTables) -> StackID {
    var path: [StackID] = []
    var at = stack
    while at != .max, tables.carriedStacks[at] == nil {
      path.append(at)
      at = tables.stacks[at].parent
    }
    for id in path.reversed() {
      var frame = tables.stacks[id]
      if frame.parent != .max { frame.parent = tables.carriedStacks[frame.parent] ?? .max }
      carry(words: &frame, from: &tables)
      tables.carriedStacks[id] = stacks.intern(frame)
    }
    return tables.carriedStacks[stack] ?? stack
  }

  private mutating func carry(words frame: inout Frame, from tables: inout CarriedTables) {
    switch frame.kind {
    case .value: frame.b = carry(recorded: frame.b, from: &tables)
    case .colon: frame.c = carry(recorded: frame.c, from: &tables)
    case .number, .string: frame.e = carry(text: frame.e, from: &tables)
    case .key:
      frame.a = obligations.keyTuples.intern(Array(tables.keyTuples[frame.a]))
      frame.e = carry(text: frame.e, from: &tables)
    case .member: frame.a = carry(text: frame.a, from: &tables)
    case .object:
      frame.b = objectStates.intern(Array(tables.objectStates[frame.b]))
      frame.f = carry(textSet: frame.f, from: &tables)
      frame.e = carry(recording: frame.e, isArray: false, from: &tables)
    case .array:
      var words = Array(tables.arrayStates[frame.b])
      words[1] = carry(valueSet: words[1], from: &tables)
      frame.b = arrayStates.intern(words)
      frame.e = carry(recording: frame.e, isArray: true, from: &tables)
    case .literal, .end, .bottom, .rule: break
    }
  }

  private mutating func carry(text: UInt32, from tables: inout CarriedTables) -> UInt32 {
    if text <= TextTable.unknown { return text }
    if let known = tables.carriedTexts[text] { return known }
    var result = TextTable.empty
    for byte in tables.texts.bytes(of: text) { result = texts.append(byte, to: result) }
    tables.carriedTexts[text] = result
    return result
  }

  private mutating func carry(value: UInt32, from tables: inout CarriedTables) -> UInt32 {
    if let known = tables.carriedValues[value] { return known }
    var result: UInt32
    switch tables.values.scalar(value) {
    case .string(let text): result = values.id(of: .string(carry(text: text, from: &tables)))
    case let scalar?: result = values.id(of: scalar)
    case nil:
      if tables.values.isArray(value) == true {
        var items: [UInt32] = []
        for item in tables.values.items(of: value) {
          items.append(carry(value: item, from: &tables))
        }
        result = values.id(ofArray: items)
      } else {
        var members: [(key: UInt32, value: UInt32)] = []
        for key in tables.values.keys(of: value) {
          guard let member = tables.values.member(key, of: value) else { continue }
          members.append(
            (carry(text: key, from: &tables), carry(value: member, from: &tables)))
        }
        result = values.id(ofObject: members)
      }
    }
    tables.carriedValues[value] = result
    return result
  }

  private mutating func carry(
    textSet set: PersistentSets.Set, from tables: inout CarriedTables
  ) -> PersistentSets.Set {
    if set == PersistentSets.empty { return set }
    if let known = tables.carriedTextSets[set] { return known }
    var texts: [UInt32] = []
    for text in tables.wordSets.words(of: set) { texts.append(carry(text: text, from: &tables)) }
    let result = wordSets.set(of: texts)
    tables.carriedTextSets[set] = result
    return result
  }

  private mutating func carry(
    valueSet set: PersistentSets.Set, from tables: inout CarriedTables
  ) -> PersistentSets.Set {
    if set == PersistentSets.empty { return set }
    if let known = tables.carriedValueSets[set] { return known }
    var values: [UInt32] = []
    for value in tables.wordSets.words(of: set) {
      values.append(carry(value: value, from: &tables))
    }
    let result = wordSets.set(of: values)
    tables.carriedValueSets[set] = result
    return result
  }

  private mutating func carry(
    _ comparison: Comparison, from tables: inout CarriedTables
  ) -> Comparison {
    comparison.of(carry(valueSet: comparison.values, from: &tables))
  }

  /// What a value is compared with, as frames keep it: zero, or one more than its word.
  private mutating func carry(recorded: UInt32, from tables: inout CarriedTables) -> UInt32 {
    recorded == 0 ? 0 : carry(Comparison(recorded: recorded), from: &tables).recorded
  }

  private mutating func carry(
    recording: UInt32, isArray: Bool, from tables: inout CarriedTables
  ) -> UInt32 {
    if recording == 0 { return 0 }
    var words = Array(tables.recordings[recording - 1])
    words[0] = carry(Comparison(word: words[0]), from: &tables).word
    for place in words.indices.dropFirst() {
      let isKey = !isArray && place % 2 == 1
      words[place] =
        isKey
        ? carry(text: words[place], from: &tables) : carry(value: words[place], from: &tables)
    }
    return recordings.intern(words) + 1
  }
}
