// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore

/// The arguments of a tool as a grammar, in the form that a model writes them in.
///
/// JSON is held to every keyword of the schema. The other forms spell some values in their own way,
/// and a value that they spell as JSON does is held the same way, as a whole:
///
///     schema      {days: integer 1-7, isDry: boolean, city: string}
///     JSON        {"days":3,"isDry":true,"city":"Rome"}
///     python      days=3, isDry=True, city="Rome"
///     gemma       days:3,isDry:true,city:<|"|>Rome<|"|>
///     marked      <parameter=days>\n3\n</parameter>\n<parameter=isDry>…
///
/// Types, names, cases and lengths are held in every form; combinations of schemas (`allOf`, `not`)
/// within what is not JSON are left to the check of the arguments before the tool is called.
struct ArgumentGrammar {
  /// Rules that the elements refer to.
  private(set) var rules: [Grammar.Rule] = []
  private let form: ToolCallSyntax.Arguments
  private var literal: (String) -> Grammar.Element = { .text($0) }
  /// The whole schema, in which references are looked up.
  private var root = GeneratedContent(kind: .null)
  private var known: [String: String] = [:]

  init(_ form: ToolCallSyntax.Arguments) { self.form = form }

  /// The arguments of a tool.
  ///
  /// - Parameter literal: Makes an element of a text of markup.
  mutating func element(
    for schema: GenerationSchema, literal: (String) -> Grammar.Element
  ) throws -> Grammar.Element {
    guard form != .json else { return .jsonValue(schema: try schema.grammarText()) }
    return try withoutActuallyEscaping(literal) { literal in
      self.literal = literal
      defer { self.literal = { .text($0) } }
      root = try schema.jsonContent(dialect: .draft2020, hasTypeRanges: true)
      known = [:]
      let parameters = Self.resolved(root, in: root)
      switch form {
      case .marked(let marks): return markedMembers(of: parameters, marks)
      case .python: return members(of: parameters, equals: "=", separator: ", ") { $0 }
      case .gemma, .json, .jsonText:
        return members(of: parameters, equals: ":", separator: ",") { $0 }
      }
    }
  }

  /// The properties of an object whose values are texts.
  static func stringProperties(of root: GeneratedContent) -> Set<String> {
    var names: Set<String> = []
    for (name, property) in properties(of: resolved(root, in: root)) {
      let property = resolved(property, in: root)
      let cases = property["enum"]?.elements ?? []
      if property["type"]?.text == "string"
        || !cases.isEmpty && cases.allSatisfy({ $0.text != nil })
      {
        names.insert(name)
      }
    }
    return names
  }

  // MARK: Schemas

  private static func properties(
    of schema: GeneratedContent
  ) -> [(name: String, schema: GeneratedContent)] {
    guard case .structure(let members, let keys)? = schema["properties"]?.kind else { return [] }
    return keys.compactMap { key in members[key].map { (key, $0) } }
  }

  private static func resolved(
    _ schema: GeneratedContent, in root: GeneratedContent
  ) -> GeneratedContent {
    var schema = schema
    // References that lead back to themselves end after as many steps as there are definitions.
    for _ in 0..<64 {
      guard let reference = schema["$ref"]?.text else { return schema }
      guard reference.hasPrefix("#/") else { return reference == "#" ? root : schema }
      var target = root
      for key in reference.dropFirst(2).split(separator: "/") {
        guard let next = target[String(key)] else { return schema }
        target = next
      }
      schema = target
    }
    return schema
  }

  /// A part of the schema as a document of its own.
  private func document(of schema: GeneratedContent) -> String {
    guard case .structure(var members, var keys) = schema.kind, let definitions = root["$defs"],
      members["$defs"] == nil
    else { return schema.jsonString }
    members["$defs"] = definitions
    keys.append("$defs")
    return GeneratedContent(kind: .structure(properties: members, orderedKeys: keys)).jsonString
  }

  // MARK: Values

  private mutating func value(_ schema: GeneratedContent) -> Grammar.Element {
    if let reference = schema["$ref"]?.text {
      if let rule = known[reference] { return .rule(rule) }
      let rule = "definition\(rules.count)-\(known.count)"
      known[reference] = rule
      let target = Self.resolved(schema, in: root)
      let element = target["$ref"] == nil ? value(target) : anyValue
      rules.append(Grammar.Rule(rule, element))
      return .rule(rule)
    }
    if let cases = schema["enum"]?.elements ?? schema["const"].map({ [$0] }) {
      return .oneOf(cases.map { literal(written($0)) })
    }
    if let cases = schema["anyOf"]?.elements ?? schema["oneOf"]?.elements {
      return .oneOf(cases.map { value($0) })
    }
    if let types = schema["type"]?.elements {
      return .oneOf(types.map { type in typed(type.text ?? "", schema) })
    }
    return schema["type"]?.text.map { typed($0, schema) } ?? anyValue
  }

  private mutating func typed(_ type: String, _ schema: GeneratedContent) -> Grammar.Element {
    switch type {
    case "boolean": .oneOf(literal(written(.init(true))), literal(written(.init(false))))
    case "null": literal(written(GeneratedContent(kind: .null)))
    case "integer", "number": .jsonValue(schema: scalar(type, schema))
    case "string":
      form == .gemma ? gemmaString(schema) : .jsonValue(schema: scalar(type, schema))
    case "array": array(schema)
    case "object": object(schema)
    default: anyValue
    }
  }

  /// A schema that allows one of its types only.
  private func scalar(_ type: String, _ schema: GeneratedContent) -> String {
    guard case .structure(var members, let keys) = schema.kind else { return schema.jsonString }
    members["type"] = GeneratedContent(type)
    return document(
      of: GeneratedContent(kind: .structure(properties: members, orderedKeys: keys)))
  }

  /// `<|"|>text<|"|>`
  private func gemmaString(_ schema: GeneratedContent) -> Grammar.Element {
    let minimum = max(0, schema["minLength"]?.integer ?? 0)
    let character = Grammar.Element.character(notOf: "|")
    let text: Grammar.Element
    if let pattern = schema["pattern"]?.text, pattern.hasPrefix("^"), pattern.hasSuffix("$") {
      text = .regularExpression(pattern)
    } else if let maximum = schema["maxLength"]?.integer {
      text = character.repeated(minimum...max(minimum, maximum))
    } else {
      text = character.repeated(atLeast: minimum)
    }
    return .sequence([literal(Self.gemmaQuote), text, literal(Self.gemmaQuote)])
  }

  static let gemmaQuote = "<|\"|>"

  private var comma: String { form == .gemma ? "," : ", " }

  private mutating func array(_ schema: GeneratedContent) -> Grammar.Element {
    let item = schema["items"].map { value($0) } ?? anyValue
    let minimum = max(0, schema["minItems"]?.integer ?? 0)
    let maximum = schema["maxItems"]?.integer.map { max($0, minimum) }
    let next = Grammar.Element.sequence([.text(comma), item])
    let more =
      maximum.map { next.repeated(max(0, minimum - 1)...max(0, $0 - 1)) }
      ?? next.repeated(atLeast: max(0, minimum - 1))
    let items =
      maximum == 0
      ? Grammar.Element.sequence([])
      : minimum == 0 ? Grammar.Element.sequence([item, more]).optional : .sequence([item, more])
    return .sequence(["[", items, "]"])
  }

  private mutating func object(_ schema: GeneratedContent) -> Grammar.Element {
    let isGemma = form == .gemma
    let members = members(of: schema, equals: isGemma ? ":" : ": ", separator: comma) { key in
      isGemma ? key : GeneratedContent(key).jsonString
    }
    return .sequence(["{", members, "}"])
  }

  /// Members in the order of the schema; those that are not required may be left out.
  private mutating func members(
    of schema: GeneratedContent, equals: String, separator: String, key: (String) -> String
  ) -> Grammar.Element {
    var elements: [(element: Grammar.Element, isRequired: Bool)] = []
    let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
    for (name, property) in Self.properties(of: schema) {
      elements.append(
        (.sequence([.text(key(name) + equals), value(property)]), required.contains(name)))
    }
    return list(elements, separator: .text(separator))
  }

  private mutating func markedMembers(
    of schema: GeneratedContent, _ marks: ToolCallSyntax.MarkedArguments
  ) -> Grammar.Element {
    var elements: [(element: Grammar.Element, isRequired: Bool)] = []
    let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
    let strings = Self.stringProperties(of: root)
    for (name, property) in Self.properties(of: schema) {
      let property = Self.resolved(property, in: root)
      let content: Grammar.Element
      if strings.contains(name) {
        let cases = property["enum"]?.elements ?? property["const"].map { [$0] }
        // What ends the text may not stand in it; its first character is enough to tell.
        content =
          cases.map { .oneOf($0.compactMap(\.text).map { .text($0) }) }
          ?? .anyText(before: marks.afterValue.isEmpty ? "\n" : marks.afterValue)
      } else {
        content = .jsonValue(schema: document(of: property))
      }
      elements.append(
        (
          .sequence([
            literal(marks.beforeKey + name + marks.beforeValue), content, literal(marks.afterValue),
          ]), required.contains(name)
        ))
    }
    return list(elements, separator: literal(marks.separator))
  }

  /// Elements with separators between those that come, each a rule: written out, every one that may
  /// be left out would double the rest.
  private mutating func list(
    _ elements: [(element: Grammar.Element, isRequired: Bool)], separator: Grammar.Element
  ) -> Grammar.Element {
    let number = rules.count
    func name(_ index: Int, isFirst: Bool) -> String {
      "list\(number)-\(index)\(isFirst ? "-first" : "")"
    }
    for (index, (element, isRequired)) in elements.enumerated() {
      for isFirst in [true, false] {
        let member = Grammar.Element.sequence([
          isFirst ? .sequence([]) : separator, element, .rule(name(index + 1, isFirst: false)),
        ])
        rules.append(
          Grammar.Rule(
            name(index, isFirst: isFirst),
            isRequired ? member : .oneOf(member, .rule(name(index + 1, isFirst: isFirst)))))
      }
    }
    for isFirst in [true, false] {
      rules.append(Grammar.Rule(name(elements.count, isFirst: isFirst), .sequence([])))
    }
    return .rule(name(0, isFirst: true))
  }

  /// A value of which nothing is known: a text, a number, a boolean or nothing.
  private var anyValue: Grammar.Element {
    .oneOf(
      form == .gemma
        ? gemmaString(GeneratedContent(kind: .null)) : .jsonValue(schema: #"{"type":"string"}"#),
      .jsonValue(schema: #"{"type":"number"}"#), literal(written(GeneratedContent(true))),
      literal(written(GeneratedContent(false))), literal(written(GeneratedContent(kind: .null))))
  }

  private func written(_ value: GeneratedContent) -> String {
    ToolCallSyntax.written(value.jsonString, as: form)
  }
}
