import Foundation

/// Turns the document of a JSON Schema into nodes and definitions.
///
/// Every keyword is kept: what holds schemas becomes nodes, everything else stays as it is, for the
/// constraint engine to judge. References are followed by their JSON Pointer, anchor or identifier
/// within the document, and what they lead to becomes a definition. Spellings of draft-04 to
/// draft-07 and of OpenAPI 3.0 become those of draft 2020-12.
struct SchemaImporter {
  private let document: GeneratedContent
  private(set) var definitions: [GenerationSchema.Definition] = []
  private(set) var problems: [SchemaConversionError] = []
  /// The names of the definitions by the pointers they were found at.
  private var names: [String: String] = [:]
  private var usedNames: Set<String> = []
  /// The pointers of schemas by anchor and by identifier.
  private var identified: [String: String] = [:]

  init(document: GeneratedContent) {
    self.document = document
    findIdentifiers(document, at: "")
  }

  mutating func root() -> SchemaNode { node(document, at: "") }

  private mutating func report(_ pointer: String, _ problem: String, _ suggestion: String) {
    problems.append(
      SchemaConversionError(pointer: pointer, problem: problem, suggestion: suggestion))
  }

  // MARK: Schemas

  private mutating func node(_ content: GeneratedContent, at pointer: String) -> SchemaNode {
    if let bool = content.boolValue { return SchemaNode(.boolean(bool)) }
    guard let object = content.structureValue else {
      report(
        pointer, "Expected a schema, found \(content.kindName).",
        "A schema is an object or a Boolean.")
      return SchemaNode()
    }
    var result = SchemaNode()
    for keyword in object.orderedKeys {
      guard let value = object[keyword] else { continue }
      read(keyword, value, of: object, at: pointer, into: &result)
    }
    if object["nullable"]?.boolValue == true { allowNull(&result) }
    return result
  }

  private mutating func read(
    _ keyword: String, _ value: GeneratedContent, of object: GeneratedContent.Structure,
    at pointer: String, into result: inout SchemaNode
  ) {
    let place = "\(pointer)/\(JSONPointer.escape(keyword))"
    switch keyword {
    case "$defs", "definitions", "$schema", "$id", "id", "$anchor", "x-order", "nullable": return
    case "$ref": result[keyword] = reference(value, at: place)
    case "$dynamicRef", "$recursiveRef":
      report(
        place, "A reference that depends on where it is used cannot be represented.",
        "Use '$ref'.")
    case "properties":
      result[keyword] = .named(named(value, order: object["x-order"], at: place))
    case "patternProperties", "dependentSchemas":
      result[keyword] = .named(named(value, order: nil, at: place))
    case "dependencies": readDependencies(value, at: place, into: &result)
    case "items":
      if let elements = value.arrayValue {
        result["prefixItems"] = .schemas(nodes(elements, at: place))
      } else {
        result[keyword] = .schema(node(value, at: place))
      }
    case "additionalItems":
      if object["items"]?.arrayValue != nil { result["items"] = .schema(node(value, at: place)) }
    case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else",
      "unevaluatedItems", "unevaluatedProperties", "contentSchema":
      result[keyword] = .schema(node(value, at: place))
    case "allOf", "anyOf", "oneOf", "prefixItems":
      guard let elements = value.arrayValue else {
        report(place, "Expected schemas, found \(value.kindName).", "Write an array of schemas.")
        return
      }
      result[keyword] = .schemas(nodes(elements, at: place))
    case "exclusiveMinimum", "exclusiveMaximum":
      // In draft-04 and OpenAPI 3.0 a Boolean that says how `minimum` is meant.
      let bound = keyword == "exclusiveMinimum" ? "minimum" : "maximum"
      if value.boolValue == nil {
        result[keyword] = .value(value)
      } else if value.boolValue == true, let number = object[bound] {
        result[bound] = nil
        result[keyword] = .value(number)
      }
    case "minimum" where object["exclusiveMinimum"]?.boolValue == true,
      "maximum" where object["exclusiveMaximum"]?.boolValue == true:
      return
    case "type":
      checkType(value, at: place)
      result[keyword] = .value(value)
    default: result[keyword] = .value(value)
    }
  }

  private mutating func nodes(
    _ elements: [GeneratedContent], at pointer: String
  ) -> [SchemaNode] {
    var result: [SchemaNode] = []
    for (index, element) in elements.enumerated() {
      result.append(node(element, at: "\(pointer)/\(index)"))
    }
    return result
  }

  private mutating func named(
    _ value: GeneratedContent, order: GeneratedContent?, at pointer: String
  ) -> [(name: String, node: SchemaNode)] {
    guard let members = value.structureValue else {
      report(
        pointer, "Expected schemas by name, found \(value.kindName).", "Write an object.")
      return []
    }
    let first = order?.arrayValue?.compactMap(\.stringValue) ?? []
    let rest = members.orderedKeys.filter { !first.contains($0) }
    var result: [(name: String, node: SchemaNode)] = []
    for name in first + rest {
      guard let member = members[name] else { continue }
      result.append((name, node(member, at: "\(pointer)/\(JSONPointer.escape(name))")))
    }
    return result
  }

  /// `dependencies` of draft-07: names of properties, or schemas.
  private mutating func readDependencies(
    _ value: GeneratedContent, at pointer: String, into result: inout SchemaNode
  ) {
    var required = GeneratedContent.Structure()
    var schemas: [(name: String, node: SchemaNode)] = []
    for name in value.structureValue?.orderedKeys ?? [] {
      guard let dependency = value.structureValue?[name] else { continue }
      if dependency.arrayValue != nil {
        required[name] = dependency
      } else {
        schemas.append(
          (name, node(dependency, at: "\(pointer)/\(JSONPointer.escape(name))")))
      }
    }
    if !required.orderedKeys.isEmpty {
      result["dependentRequired"] = .value(GeneratedContent(.structure(required)))
    }
    if !schemas.isEmpty { result["dependentSchemas"] = .named(schemas) }
  }

  private mutating func checkType(_ value: GeneratedContent, at pointer: String) {
    let names = value.arrayValue ?? [value]
    for name in names where name.stringValue.flatMap(SchemaNode.SimpleType.init) == nil {
      report(
        pointer, "There is no type \(name.jsonString) in JSON Schema.",
        "The types are object, array, string, integer, number, boolean and null.")
    }
  }

  /// OpenAPI 3.0's `nullable`.
  private func allowNull(_ node: inout SchemaNode) {
    let null = GeneratedContent(.string("null"))
    if let type = node["type"]?.content {
      node["type"] = .value(GeneratedContent(.array((type.arrayValue ?? [type]) + [null])))
      if let choices = node["enum"]?.content?.arrayValue,
        !choices.contains(GeneratedContent(.null))
      {
        node["enum"] = .value(GeneratedContent(.array(choices + [GeneratedContent(.null)])))
      }
    } else if node["$ref"] != nil {
      node = .union(of: [node, SchemaNode(type: .null)], title: nil, description: nil)
    }
  }

  // MARK: References

  private mutating func reference(
    _ value: GeneratedContent, at place: String
  ) -> SchemaNode.Value? {
    guard let text = value.stringValue else {
      report(place, "Expected a reference, found \(value.kindName).", "Write a string.")
      return nil
    }
    guard let target = pointer(of: text) else {
      report(
        place, "'\(text)' is not in the document.",
        "Put what it refers to into the document's '$defs'.")
      return nil
    }
    if target.isEmpty { return .reference(.root) }
    guard let schema = content(at: target) else {
      report(
        place, "'\(text)' leads nowhere.",
        "Put what it refers to into the document's '$defs', or correct the reference.")
      return nil
    }
    if let name = names[target] { return .reference(.definition(name)) }
    let name = unusedName(for: target)
    names[target] = name
    let index = definitions.count
    definitions.append(.init(name: name, node: SchemaNode()))
    definitions[index].node = node(schema, at: target)
    return .reference(.definition(name))
  }

  /// The JSON Pointer that a reference stands for.
  private func pointer(of reference: String) -> String? {
    if let pointer = identified[reference] { return pointer }
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let base = parts[0].isEmpty ? "" : identified[String(parts[0])]
    guard let base else { return nil }
    guard parts.count == 2, !parts[1].isEmpty else { return base }
    let fragment = String(parts[1]).removingPercentEncoding ?? String(parts[1])
    return fragment.hasPrefix("/") ? base + fragment : identified["#\(fragment)"]
  }

  private func content(at pointer: String) -> GeneratedContent? {
    var content = document
    for step in JSONPointer.steps(of: pointer) {
      if let elements = content.arrayValue {
        guard let index = Int(step), elements.indices.contains(index) else { return nil }
        content = elements[index]
      } else {
        guard let member = content.structureValue?[step] else { return nil }
        content = member
      }
    }
    return content
  }

  private mutating func unusedName(for pointer: String) -> String {
    let name = JSONPointer.steps(of: pointer).last ?? "Schema"
    if usedNames.insert(name).inserted { return name }
    var number = 2
    while !usedNames.insert("\(name)_\(number)").inserted { number += 1 }
    return "\(name)_\(number)"
  }

  private mutating func findIdentifiers(
    _ content: GeneratedContent, at pointer: String
  ) {
    switch content.value {
    case .structure(let structure):
      if let id = structure["$id"]?.stringValue {
        identified[id] = pointer
        // Relative references are resolved against the identifier's last step.
        if let name = id.split(separator: "/").last { identified[String(name)] = pointer }
      }
      if let anchor = structure["$anchor"]?.stringValue { identified["#\(anchor)"] = pointer }
      for key in structure.orderedKeys {
        guard let value = structure[key], key != "enum", key != "const" else { continue }
        findIdentifiers(value, at: "\(pointer)/\(JSONPointer.escape(key))")
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        findIdentifiers(element, at: "\(pointer)/\(index)")
      }
    default: return
    }
  }
}
