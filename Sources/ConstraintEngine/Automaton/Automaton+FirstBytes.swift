// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which bytes may come next at the most: a quick filter before a stack is really stepped.
extension Automaton {
  /// A set that holds every byte that a stack does not refuse, and perhaps some that it does.
  mutating func firstBytes(_ stack: StackID) -> ByteSet {
    if Int(stack) < filters.count, filters[Int(stack)] >= 0 {
      return filterSets[Int(filters[Int(stack)])]
    }
    let result = computeFirstBytes(stacks[stack], stack)
    while filters.count <= Int(stack) { filters.append(-1) }
    filters[Int(stack)] = Int32(filterSets.count)
    filterSets.append(result)
    return result
  }

  private var whitespaceBytes: ByteSet {
    whitespaceLimit == 0 || isSpaced ? ByteSet() : .whitespace
  }

  private mutating func computeFirstBytes(_ frame: Frame, _ stack: StackID) -> ByteSet {
    if awaitsSpace(frame) { return ByteSet([0x20]) }
    switch frame.kind {
    case .value: return firstBytes(goal: frame.a).union(whitespaceBytes)
    case .literal: return ByteSet([Self.spellings[Int(frame.a)][Int(frame.b)]])
    case .number:
      // A recorded number is told to its parent, which is not the one that reads on.
      if frame.e != 0 { return .all }
      let digits = ByteSet("0123456789.eE+-".utf8)
      return obligations.numbers.mayEnd(frame.a)
        ? digits.union(firstBytes(frame.parent)) : digits
    case .string:
      if frame.b != 0 { return Escape(word: frame.b).nextBytes }
      if obligations.languages.isFreeState(frame.a) { return .all }
      var result = obligations.languages.firstBytes(frame.a)
      result.insert(0x5C)
      if obligations.languages.accepts(frame.a), frame.c == 0 { result.insert(0x22) }
      return result
    case .key: return firstBytes(key: frame)
    case .colon:
      var result = whitespaceBytes
      result.insert(UInt8(ascii: ":"))
      return result
    case .object:
      var result = whitespaceBytes
      let afterValue = frame.c == Frame.Phase.afterValue.rawValue
      result.insert(afterValue ? UInt8(ascii: ",") : 0x22)
      result.insert(UInt8(ascii: "}"))
      return result
    case .array:
      var result = whitespaceBytes
      result.insert(UInt8(ascii: "]"))
      if frame.c == Frame.Phase.afterValue.rawValue {
        result.insert(UInt8(ascii: ","))
      } else {
        for way in items(frame) { result.formUnion(firstBytes(goal: way.goal)) }
      }
      return result
    case .end: return whitespaceBytes
    case .member, .bottom: return ByteSet()
    case .rule:
      var result = ByteSet()
      for leaf in ruleClosure(stack).leaves {
        let top = stacks[leaf]
        if top.kind != .rule {
          result.formUnion(firstBytes(leaf))
        } else if top.b != 0 {
          result.formUnion(obligations.languages.firstBytes(top.b))
        }
      }
      return result
    }
  }

  /// The bytes that a value which meets a goal may start with.
  mutating func firstBytes(goal: Obligations.Goal) -> ByteSet {
    while goalFilters.count <= Int(goal) { goalFilters.append(-1) }
    if goalFilters[Int(goal)] >= 0 { return filterSets[Int(goalFilters[Int(goal)])] }
    var result = ByteSet()
    if !obligations.nodes(goal, .null).isEmpty { result.insert(UInt8(ascii: "n")) }
    for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean) {
      if allowsTrue { result.insert(UInt8(ascii: "t")) }
      if allowsFalse { result.insert(UInt8(ascii: "f")) }
    }
    if !obligations.nodes(goal, .number).isEmpty {
      result.formUnion(ByteSet("-0123456789".utf8))
    }
    if !obligations.nodes(goal, .string).isEmpty { result.insert(0x22) }
    if !obligations.nodes(goal, .array).isEmpty { result.insert(UInt8(ascii: "[")) }
    if !obligations.nodes(goal, .object).isEmpty { result.insert(UInt8(ascii: "{")) }
    goalFilters[Int(goal)] = Int32(filterSets.count)
    filterSets.append(result)
    return result
  }

  private mutating func firstBytes(key frame: Frame) -> ByteSet {
    let object = stacks[frame.parent]
    let escape = Escape(word: frame.b)
    if frame.b != 0, escape.phase != .backslash { return escape.nextBytes }
    if obligations.hasPatterns(frame.a) || takesAnyKey(object, frame.a) {
      return frame.b == 0 ? .all : escape.nextBytes
    }
    let name = obligations.nameNode(of: frame.a)
    if frame.b != 0 {
      // Of the letters only those that spell what a name goes on with.
      var result = ByteSet([UInt8(ascii: "u")])
      guard let name else { return result }
      for (letter, scalar) in Escape.letters
      where obligations.languages.trie.child(of: name, UInt8(scalar)) != nil {
        result.insert(letter)
      }
      return result
    }
    var result = ByteSet([0x22, 0x5C])
    if let name {
      var child = obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        result.insert(obligations.languages.trie.byte(of: child))
        child = obligations.languages.trie.nextSibling(of: child)
      }
    }
    return result
  }

  /// Whether a key may go on in any way: undeclared keys of every class it can have are allowed.
  mutating func takesAnyKey(_ object: Frame, _ tuple: UInt32) -> Bool {
    guard allowsExtrasNext(Int(object.a), object.b) else { return false }
    let key = UInt64(place(of: object.a, object.b)) << 32 | UInt64(tuple)
    if let known = anyKeys[key] { return known == 1 }
    let classes = obligations.classes(ofKeys: tuple)
    var result =
      classes != nil || obligations.takesUnmatchedKeys(Int(object.a), tuple) ?? false
    for keyClass in classes ?? [] {
      if extraChoices(object: Int(object.a), object.b, class: keyClass).isEmpty {
        result = false
        break
      }
    }
    anyKeys.set(key, result ? 1 : 0)
    return result
  }
}
