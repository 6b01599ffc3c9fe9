// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The keys that may come next in an object.
package struct NextKeys {
  /// The first that the object declares, in the order of the schema.
  package fileprivate(set) var declared: [[UInt8]] = []
  /// Whether keys that the object does not declare may come too.
  package fileprivate(set) var takesOthers = false
}

/// What may come next, in words.
extension Automaton {
  /// What may come next in a configuration: "a digit, `,` or `}`".
  package mutating func expectation(_ configuration: Configuration) -> String {
    var words: [String] = []
    // What texts of rules may go on with is said of all of them together.
    var bytes = ByteSet()
    for stack in stacks(of: configuration) {
      if stacks[stack].kind == .rule { bytes.formUnion(nextBytes(stack)) }
    }
    words += Self.words(of: bytes)
    for stack in stacks(of: configuration) {
      for word in expectations(stack) where !words.contains(word) { words.append(word) }
    }
    for (id, isNegated) in tokens(of: configuration) {
      words.append(isNegated ? "any token but \(id)" : "the token \(id)")
    }
    if words.isEmpty { return "nothing: no value is allowed" }
    if isSpaced, stacks(of: configuration).allSatisfy({ awaitsSpace(stacks[$0]) }) {
      words[0] = "a space, then " + words[0]
    }
    if words.count == 1 { return words[0] }
    return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }

  /// The first names of some, and how many more there are.
  package static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map { "`\($0)`" }
    return shown.joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
  }

  private mutating func expectations(_ stack: StackID) -> [String] {
    let frame = stacks[stack]
    switch frame.kind {
    case .value: return words(of: frame.a)
    case .literal:
      let spelling = Self.spellings[Int(frame.a)]
      let rest = String(decoding: spelling.dropFirst(Int(frame.b)), as: UTF8.self)
      return ["`\(rest)`, the rest of `\(String(decoding: spelling, as: UTF8.self))`"]
    case .number:
      var result = digitWords(stack)
      if obligations.numbers.mayEnd(frame.a) {
        result = ["more of the number"]
        var after: [StackID] = []
        complete(number: frame, into: &after)
        for stack in after { result += expectations(stack) }
      }
      return result
    case .string: return isInCharacter(stack) ? [Self.restOfCharacter] : words(string: frame)
    case .key: return isInCharacter(stack) ? [Self.restOfCharacter] : words(key: frame)
    case .colon: return ["`:`"]
    case .object: return words(object: frame, stack)
    case .array: return words(array: frame)
    case .end: return ["the end of the text"]
    case .member, .bottom: return []
    case .rule: return mayEnd(stack: stack) ? ["the end of the text"] : []
    }
  }

  /// The kinds of values that meet a goal.
  private mutating func words(of goal: Obligations.Goal) -> [String] {
    var result: [String] = []
    if !obligations.nodes(goal, .object).isEmpty { result.append("an object") }
    if !obligations.nodes(goal, .array).isEmpty { result.append("an array") }
    for case .string(let node) in obligations.nodes(goal, .string) {
      let texts = obligations.languages.fewStrings(node.language, limit: 6)
      result.append(
        texts.map { $0.map { "`\"\($0)\"`" }.joined(separator: ", ") } ?? "a string")
    }
    for case .number(let index) in obligations.nodes(goal, .number) {
      result.append(Self.words(obligations.numberConstraints[index]))
    }
    for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean) {
      if allowsTrue { result.append("`true`") }
      if allowsFalse { result.append("`false`") }
    }
    if !obligations.nodes(goal, .null).isEmpty { result.append("`null`") }
    return result
  }

  package static func words(_ constraint: NumberConstraint) -> String {
    if let values = constraint.values, values.count <= 6 {
      return values.map { "`\($0.shortSpelling)`" }.joined(separator: ", ")
    }
    var result = constraint.onlyIntegers ? "an integer" : "a number"
    if let lower = constraint.lower {
      let value = lower.value.shortSpelling
      result += lower.isExclusive ? " greater than \(value)" : " of at least \(value)"
    }
    if let upper = constraint.upper {
      let value = upper.value.shortSpelling
      result += constraint.lower == nil ? "" : " and"
      let most = constraint.lower == nil ? " of at most " : " at most "
      result += (upper.isExclusive ? " less than " : most) + value
    }
    if !constraint.multiples.isEmpty {
      let steps = constraint.multiples.map(\.shortSpelling)
      result += " that is a multiple of " + steps.joined(separator: " and of ")
    }
    return result
  }

  private mutating func words(string frame: Frame) -> [String] {
    if frame.b != 0 { return ["the rest of an escape sequence"] }
    var result: [String] = []
    if frame.d == 0 {
      result.append("the closing quote: the string may be no longer")
    } else if obligations.languages.isFreeState(frame.a) {
      result.append(
        frame.c > 0 ? "at least \(frame.c) more characters of the string" : "a character")
    } else if let texts = obligations.languages.fewStrings(frame.a, limit: 6) {
      result.append("the rest of a string: " + texts.map { "`\($0)\"`" }.joined(separator: ", "))
      return result
    } else {
      let bytes = obligations.languages.firstBytes(frame.a)
      if let set = Self.describe(bytes) { result.append(set) }
    }
    if frame.d != 0, frame.c == 0, obligations.languages.accepts(frame.a) {
      result.append("the closing quote")
    }
    return result
  }

  private mutating func words(key frame: Frame) -> [String] {
    if frame.b != 0 { return ["the rest of an escape sequence"] }
    let object = stacks[frame.parent]
    let text = texts.bytes(of: frame.e)
    if wordSets.contains(frame.e, in: object.f) {
      return ["more of the key: keys must be unlike those before"]
    }
    return keyWords(object, startingWith: text)
  }

  /// The keys that may come next in an object, of those that start with a text.
  private mutating func keyWords(_ object: Frame, startingWith text: [UInt8]) -> [String] {
    let names = declaredNames(object, startingWith: text, atMost: 51)
      .map { String(decoding: $0, as: UTF8.self) }
    var result: [String] = []
    if !names.isEmpty {
      result.append(
        names.count == 1
          ? "the key `\(names[0])`" : "one of the keys \(Self.list(names))")
    }
    if takesUndeclared(object) {
      result.append((names.isEmpty ? "a key" : "another key") + patternWords(Int(object.a)))
    }
    return result
  }

  /// The patterns of which an undeclared key must match one, if it must.
  private mutating func patternWords(_ object: Int) -> String {
    if obligations.isSatisfiable(obligations.extraGoal(object, 0).goal) { return "" }
    var patterns: [String] = []
    for source in obligations.objects[object].sources {
      for pattern in obligations.graph.nodes[source].patternProperties
      where !patterns.contains(pattern.text) {
        patterns.append(pattern.text)
      }
    }
    if patterns.isEmpty { return "" }
    return (patterns.count == 1 ? " that matches " : " that matches one of ") + Self.list(patterns)
  }

  private mutating func declaredNames(
    _ object: Frame, startingWith text: [UInt8] = [], atMost limit: Int
  ) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for (index, member) in obligations.objects[Int(object.a)].members.enumerated() {
      let name = obligations.graph.names[member.name]
      guard name.starts(with: text),
        !choices(object: Int(object.a), object.b, member: index).isEmpty
      else { continue }
      names.append(name)
      if names.count == limit { break }
    }
    return names
  }

  private mutating func takesUndeclared(_ object: Frame) -> Bool {
    allowsSomeUndeclared(Int(object.a), object.b, obligations.startTuple(Int(object.a)))
  }

  /// The keys that may come next where a key may begin, or a comma before one; `nil` elsewhere, and in
  /// objects that declare no member.
  package mutating func nextKeys(_ configuration: Configuration) -> NextKeys? {
    var result: NextKeys?
    for stack in stacks(of: configuration) {
      let frame = stacks[stack]
      var object = frame
      if frame.kind == .key, frame.b == 0, texts.bytes(of: frame.e).isEmpty {
        object = stacks[frame.parent]
      }
      guard object.kind == .object, !obligations.objects[Int(object.a)].members.isEmpty else {
        continue
      }
      var keys = result ?? NextKeys()
      keys.declared += declaredNames(object, atMost: 8)
      keys.takesOthers = takesUndeclared(object) || keys.takesOthers
      result = keys
    }
    return result
  }

  private mutating func words(object frame: Frame, _ stack: StackID) -> [String] {
    var result: [String] = []
    let takesMember = canTakeMember(frame)
    switch Frame.Phase(rawValue: frame.c) ?? .opened {
    case .opened:
      if takesMember { result += keyWords(frame, startingWith: []) }
      if mayClose(Int(frame.a), frame.b) { result.append("`}`") }
    case .afterComma: result += keyWords(frame, startingWith: [])
    case .afterValue:
      if takesMember {
        let isClosable = mayClose(Int(frame.a), frame.b)
        let keys = keyWords(frame, startingWith: []).joined(separator: " or ")
        result.append(isClosable ? "`,`" : "`,` and \(keys)")
      }
      if mayClose(Int(frame.a), frame.b) { result.append("`}`") }
    }
    return result
  }

  private mutating func words(array frame: Frame) -> [String] {
    var result: [String] = []
    let ways = items(frame)
    if frame.c == Frame.Phase.afterValue.rawValue {
      if !ways.isEmpty { result.append("`,`") }
    } else {
      for way in ways {
        for word in words(of: way.goal) where !result.contains(word) { result.append(word) }
      }
    }
    if mayClose(array: Int(frame.a), frame.b) { result.append("`]`") }
    return result
  }

  /// What may follow in a number that cannot end yet: a digit, or which digits where not all may.
  private mutating func digitWords(_ stack: StackID) -> [String] {
    var digits = ByteSet()
    for byte in UInt8(0x30)...0x39 {
      var reached: [StackID] = []
      step(stack, byte, into: &reached)
      if !reached.isEmpty { digits.insert(byte) }
    }
    return Self.describe(digits).map { [$0] } ?? Self.parts(of: nextBytes(stack))
  }

  /// The bytes that a stack takes, by trying them.
  private mutating func nextBytes(_ stack: StackID) -> ByteSet {
    var bytes = ByteSet()
    for byte in UInt8.min...UInt8.max {
      var reached: [StackID] = []
      step(stack, byte, into: &reached)
      if !reached.isEmpty { bytes.insert(byte) }
    }
    return bytes
  }

  private static let restOfCharacter = "the rest of a character that is allowed"

  /// Whether a character has begun: only then may a byte come that begins none.
  private mutating func isInCharacter(_ stack: StackID) -> Bool {
    for byte in UInt8(0x80)...0xBF {
      var reached: [StackID] = []
      step(stack, byte, into: &reached)
      if !reached.isEmpty { return true }
    }
    return false
  }

  /// What a text of rules may go on with, each in a word; of many what is left out.
  private static func words(of bytes: ByteSet) -> [String] {
    let isInCharacter = (UInt8.min...0x7F).allSatisfy { !bytes.contains($0) }
    if isInCharacter, (0x80...0xBF as ClosedRange<UInt8>).contains(where: { bytes.contains($0) }) {
      return [restOfCharacter]
    }
    guard bytes.count > 100 else { return parts(of: bytes) }
    var missing = ByteSet()
    for byte in [0x09, 0x0A, 0x0D] + Array(0x20...0x7E as ClosedRange<UInt8>)
    where !bytes.contains(byte) {
      missing.insert(byte)
    }
    let others = parts(of: missing)
    if others.isEmpty || others.count > 6 { return ["a character"] }
    return ["a character other than " + others.joined(separator: ", ")]
  }

  package static func quoted(_ byte: UInt8) -> String {
    switch byte {
    case 0x09: "a tab"
    case 0x0A, 0x0D: "a line break"
    case 0x20: "a space"
    case 0x21...0x7E: "`\(Character(Unicode.Scalar(byte)))`"
    default: "the byte 0x" + String(byte, radix: 16, uppercase: true)
    }
  }

  /// A set of bytes, as single ones and ranges; `nil` for none.
  package static func describe(_ bytes: ByteSet) -> String? {
    let parts = parts(of: bytes)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func parts(of bytes: ByteSet) -> [String] {
    let all = (UInt8.min...UInt8.max).filter { bytes.contains($0) }
    if all.count > 100 { return ["a character"] }
    var parts: [String] = []
    var at = 0
    while at < all.count {
      var end = at
      while end + 1 < all.count, all[end + 1] == all[end] + 1 { end += 1 }
      if all[at] >= 0x80 {
        parts.append("a character beyond ASCII")
        break
      }
      if end - at < 3 {
        // A line break is one of two bytes.
        for byte in all[at...end] where parts.last != quoted(byte) { parts.append(quoted(byte)) }
      } else if all[at] == 0x30, all[end] == 0x39 {
        parts.append("a digit")
      } else {
        parts.append("\(quoted(all[at])) to \(quoted(all[end]))")
      }
      at = end + 1
    }
    return parts.count > 12 ? ["one of \(all.count) characters"] : parts
  }
}

extension RegularLanguages {
  /// The strings of a language of listed strings, where they are few.
  package mutating func fewStrings(_ state: State, limit: Int) -> [String]? {
    guard case .trie(let node) = definitions[Int(state)] else { return nil }
    var result: [String] = []
    var pending: [(node: Int, text: [UInt8])] = [(node, [])]
    while let (node, text) = pending.popLast() {
      guard pending.count <= 64 else { return nil }
      if trie.isEnd(node) {
        guard result.count < limit else { return nil }
        result.append(String(decoding: text, as: UTF8.self))
      }
      for (byte, child) in trie.children(of: node) { pending.append((child, text + [byte])) }
    }
    return result.sorted()
  }
}
