// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// Writes a resolved schema as a JSON document in one dialect.
///
/// Resolved schemas are in draft 2020-12. The other dialects change what they must: see
/// `write(_:at:)`. Problems are gathered with their places; whoever writes decides which of them
/// are errors.
struct SchemaWriter {
  let dialect: SchemaDialect
  /// Whether numbers without bounds have those of the Swift types that read them.
  private let hasTypeRanges: Bool
  /// The constraints that the dialect cannot say; without them it allows more than the schema does.
  private(set) var unsupported: [SchemaConversionError] = []
  /// What the dialect cannot say at all: without it values of the schema would be refused.
  private(set) var impossible: [SchemaConversionError] = []
  /// The definitions of the schema that is written.
  private(set) var definitions: [String: SchemaNode] = [:]

  init(dialect: SchemaDialect, hasTypeRanges: Bool = false) {
    self.dialect = dialect
    self.hasTypeRanges = hasTypeRanges
  }

  typealias Object = GeneratedContent.Structure

  mutating func document(of schema: ResolvedSchema) -> GeneratedContent {
    definitions = Dictionary(
      schema.definitions.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
    let root = write(schema.root, at: SchemaPointer(""))
    if dialect.kind == .strict, schema.root.simpleType != .object {
      refuse(SchemaPointer(""), "The root is not an object.", "Make it the property of an object.")
    }
    guard !schema.definitions.isEmpty, var document = root.structureValue else { return root }
    var written = Object()
    for definition in schema.definitions {
      written[definition.name] = write(
        definition.node,
        at: SchemaPointer(
          "/\(dialect.definitionsKeyword)/\(JSONPointer.escape(definition.name))"))
    }
    document[dialect.definitionsKeyword] = GeneratedContent(.structure(written))
    return GeneratedContent(.structure(document))
  }

  private mutating func write(_ node: SchemaNode, at pointer: SchemaPointer) -> GeneratedContent {
    switch node.form {
    case .boolean(let bool):
      if dialect.kind == .strict {
        refuse(pointer, "The schema allows any value, or none.", "Give it a type.")
      }
      return GeneratedContent(.bool(bool))
    case .type, .embedded:
      preconditionFailure("A schema is resolved before it is written.")
    case .keywords(let keywords):
      var result = Object()
      for keyword in keywords { write(keyword, of: node, at: pointer, into: &result) }
      if hasTypeRanges, let range = node.typeRange {
        if result["minimum"] == nil, result["exclusiveMinimum"] == nil {
          result["minimum"] = GeneratedContent(.number(range.least))
        }
        if result["maximum"] == nil, result["exclusiveMaximum"] == nil {
          result["maximum"] = GeneratedContent(.number(range.largest))
        }
      }
      switch dialect.kind {
      case .foundationModels, .draft2020: break
      case .draft7: separateReference(in: &result, by: "allOf")
      case .strict:
        separateReference(in: &result, by: "anyOf")
        completeStrictObject(node, &result, at: pointer)
        nameStrictType(&result, at: pointer)
      }
      return GeneratedContent(.structure(result))
    }
  }

  private mutating func write(
    _ keyword: SchemaNode.Keyword, of node: SchemaNode, at pointer: SchemaPointer,
    into result: inout Object
  ) {
    let place = pointer + ("/" + JSONPointer.escape(keyword.name))
    guard let name = spelling(of: keyword, in: node, at: place) else { return }
    switch keyword.value {
    case .value(let content): result[name] = content
    case .schema(let schema):
      // No further members: the one place where the strict subset knows a schema that is a truth
      // value. That there are some is found below.
      if case .boolean(let bool) = schema.form, keyword.name == "additionalProperties" {
        result[name] = bool.generatedContent
      } else {
        result[name] = write(schema, at: place)
      }
    case .schemas(let schemas):
      result[name] = GeneratedContent(
        .array(schemas.enumerated().map { write($1, at: place + "/\($0)") }))
    case .named(let schemas):
      let required =
        dialect.kind == .strict && keyword.name == "properties"
        ? Set(node["required"]?.content?.arrayValue?.compactMap(\.stringValue) ?? []) : []
      var named = result[name]?.structureValue ?? Object()
      for (key, schema) in schemas {
        var content = write(schema, at: place + ("/" + JSONPointer.escape(key)))
        if dialect.kind == .strict, keyword.name == "properties", !required.contains(key) {
          content = allowsNull(schema) ? content : nullable(content)
        }
        named[key] = content
      }
      result[name] = GeneratedContent(.structure(named))
      if dialect.kind == .foundationModels, keyword.name == "properties" {
        result["x-order"] = schemas.map(\.name).generatedContent
      }
    case .reference(.root): result[name] = "#".generatedContent
    case .reference(.definition(let definition)):
      result[name] =
        "#/\(dialect.definitionsKeyword)/\(JSONPointer.escape(definition))".generatedContent
    }
  }

  /// The dialect's name of a keyword, or nil where it is left out.
  private mutating func spelling(
    of keyword: SchemaNode.Keyword, in node: SchemaNode, at place: SchemaPointer
  ) -> String? {
    switch dialect.kind {
    case .foundationModels, .draft2020: return keyword.name
    case .draft7:
      switch keyword.name {
      case "prefixItems": return "items"
      case "items": return node["prefixItems"] == nil ? "items" : "additionalItems"
      case "dependentSchemas", "dependentRequired": return "dependencies"
      case "unevaluatedItems", "unevaluatedProperties", "minContains", "maxContains":
        report(
          place, "Draft-07 has no '\(keyword.name)'.", "Use draft 2020-12, or leave it out.")
        return nil
      default: return keyword.name
      }
    case .strict: return strictSpelling(of: keyword, in: node, at: place)
    }
  }

  mutating func report(_ pointer: SchemaPointer, _ problem: String, _ suggestion: String) {
    unsupported.append(
      SchemaConversionError(location: pointer.text, problem: problem, suggestion: suggestion))
  }

  mutating func refuse(_ pointer: SchemaPointer, _ problem: String, _ suggestion: String) {
    impossible.append(
      SchemaConversionError(location: pointer.text, problem: problem, suggestion: suggestion))
  }

  /// Puts a reference into a list of its own where other keywords stand next to it, which the
  /// dialect would not read.
  private func separateReference(in object: inout Object, by keyword: String) {
    guard object.orderedKeys.count > 1, let reference = object["$ref"] else { return }
    var inner = Object()
    inner["$ref"] = reference
    object["$ref"] = nil
    let others = object[keyword]?.arrayValue ?? []
    object[keyword] = GeneratedContent(
      .array([GeneratedContent(.structure(inner))] + others))
  }
}

/// JSON Pointers (RFC 6901).
enum JSONPointer {
  /// One step of a pointer as it is written.
  static func escape(_ step: String) -> String {
    guard step.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return step
    }
    return step.reduce(into: "") { result, character in
      result += character == "~" ? "~0" : character == "/" ? "~1" : String(character)
    }
  }

  /// The steps of a pointer.
  static func steps(of pointer: some StringProtocol) -> [String] {
    pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { step in
      String(step).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }
}
