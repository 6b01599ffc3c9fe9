// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension BlameSearch {
  /// What is refused, and what stands before it.
  struct Refusal {
    /// The keys of the object at fault so far.
    var keys: [String] = []
    /// Whether it is a key of that object.
    var isKey = false
    /// Whether it is the comma before a further member or item of the value at fault.
    var isComma = false
    /// Whether the value at fault is a number.
    var isNumber = false
  }

  /// What a keyword asks for, in words; `nil` where the place says it better.
  mutating func expectation(_ blame: Blame, _ refusal: Refusal) -> String? {
    let node = graph.nodes[blame.schema]
    switch blame.keyword {
    // All keywords together: of 18 to 100, `1` may become `18`, but `17` neither that nor `170`.
    case "allOf": return refusal.isNumber ? numberWords(of: blame.schema) : nil
    case "type": return Self.words(of: node)
    case "enum", "const":
      return Self.words(([blame.schema] + blame.others).compactMap { graph.nodes[$0].values })
    case "minimum": return node.minimum.map { "a number of at least \($0.value.shortSpelling)" }
    case "exclusiveMinimum":
      return node.minimum.map { "a number greater than \($0.value.shortSpelling)" }
    case "maximum": return node.maximum.map { "a number of at most \($0.value.shortSpelling)" }
    case "exclusiveMaximum":
      return node.maximum.map { "a number less than \($0.value.shortSpelling)" }
    case "multipleOf": return node.multipleOf.map { "a multiple of \($0.shortSpelling)" }
    case "minLength": return node.minLength.map { "at least \(Self.count($0, "character"))" }
    case "maxLength": return node.maxLength.map { "at most \(Self.count($0, "character"))" }
    case "pattern": return node.patternText.map { "a string that matches `\($0)`" }
    case "format": return node.format.map { "a string of the format `\($0.rawValue)`" }
    case "minItems": return node.minItems.map { "at least \(Self.count($0, "item"))" }
    case "maxItems": return node.maxItems.map { "at most \(Self.count($0, "item"))" }
    case "uniqueItems": return "an item unlike those before it"
    case "contains":
      // The keyword itself, or its subschema where no further item may satisfy it.
      guard node.contains != nil else { return "an item that does not satisfy `contains`" }
      let least = node.minContains ?? 1
      return
        "at least \(Self.count(least, "item")) that satisf\(least == 1 ? "ies" : "y") `contains`"
    case "items", "additionalItems", "unevaluatedItems":
      return refusal.isComma ? "no further item" : nil
    case "additionalProperties", "unevaluatedProperties":
      return refusal.isComma ? "no further member" : nil
    case "properties", "patternProperties":
      return refusal.isKey ? "another key: no value is allowed for this one" : nil
    case "propertyNames": return refusal.isKey ? keyWords(node) : nil
    case "anyOf", "oneOf": return branchWords(blame, refusal)
    case "not":
      if refusal.isNumber { return "a number that `not` does not forbid" }
      return refusal.isKey ? "a key with which the object is not one that `not` forbids" : nil
    case "dependentRequired":
      for (key, others) in node.dependentRequired {
        let trigger = name(key)
        guard refusal.keys.contains(trigger) else { continue }
        let missing = others.map { name($0) }.filter { !refusal.keys.contains($0) }
        guard !missing.isEmpty else { continue }
        let noun = missing.count == 1 ? "member" : "members"
        return "the \(noun) \(Automaton.list(missing)), which `\(trigger)` requires"
      }
      return nil
    case "minProperties": return node.minProperties.map { "at least \(Self.count($0, "member"))" }
    case "maxProperties": return node.maxProperties.map { "at most \(Self.count($0, "member"))" }
    case "required":
      let missing = node.required.map { name($0) }.filter { !refusal.keys.contains($0) }
      return "the required \(missing.count == 1 ? "member" : "members") \(Automaton.list(missing))"
    default: return nil
    }
  }

  private func name(_ name: SchemaNode.Name) -> String {
    String(decoding: graph.names[name], as: UTF8.self)
  }

  private func keyWords(_ node: SchemaNode) -> String {
    if let names = node.propertyNames, let pattern = graph.nodes[names].patternText {
      return "a key that matches `\(pattern)`"
    }
    return "a key that `propertyNames` allows"
  }

  /// What branches ask for that all refuse a value, or of which more than one takes it.
  private mutating func branchWords(_ blame: Blame, _ refusal: Refusal) -> String? {
    let keyword = blame.keyword
    if blame.taken == 0 { return refusal.isNumber ? numberWords(of: blame.schema) : nil }
    if refusal.isKey { return "a key with which only one branch of `\(keyword)` is met" }
    return "a \(refusal.isNumber ? "number" : "value") that meets only one branch of `\(keyword)`"
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// What a schema asks of numbers, with all that it refers to and lists under `allOf`.
  private mutating func numberWords(of schema: SchemaNode.ID) -> String? {
    let goal = automaton.obligations.goal([Obligations.literal(schema)])
    var words: [String] = []
    for case .number(let index) in automaton.obligations.nodes(goal, .number) {
      words.append(Automaton.words(automaton.obligations.numberConstraints[index]))
    }
    return words.isEmpty ? nil : words.joined(separator: ", or ")
  }

  private static func words(of node: SchemaNode) -> String {
    var words: [String] = []
    if node.types.contains(.object) { words.append("an object") }
    if node.types.contains(.array) { words.append("an array") }
    if node.types.contains(.string) { words.append("a string") }
    if node.types.contains(.number) { words.append(node.onlyIntegers ? "an integer" : "a number") }
    if node.types.contains(.boolean) { words.append("`true` or `false`") }
    if node.types.contains(.null) { words.append("`null`") }
    return words.isEmpty ? "nothing: no type is allowed" : words.joined(separator: ", or ")
  }

  private static func words(_ lists: [ConstantSet]) -> String? {
    guard !lists.isEmpty else { return nil }
    var words: [String] = []
    var seen: Set<String> = []
    func add(_ word: String) { if seen.insert(word).inserted { words.append(word) } }
    for values in lists {
      if values.null { add("`null`") }
      for boolean in values.booleans.sorted(by: { $0 && !$1 }) { add("`\(boolean)`") }
      for number in values.numbers { add("`\(number.shortSpelling)`") }
      for text in values.strings { add("`\"\(String(decoding: text, as: UTF8.self))\"`") }
      if values.hasArrays { add("an array that is listed") }
      if values.hasObjects { add("an object that is listed") }
    }
    if words.count > 10 { words = words.prefix(8) + ["one of \(words.count - 8) more"] }
    return words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
  }
}
