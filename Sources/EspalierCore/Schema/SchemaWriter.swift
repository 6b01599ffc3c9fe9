// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

  init(dialect: SchemaDialect, hasTypeRanges: Bool = false) {
    self.dialect = dialect
    self.hasTypeRanges = hasTypeRanges
  }

  typealias Object = GeneratedContent.Structure

  mutating func document(of schema: ResolvedSchema) -> GeneratedContent {
    let root = write(schema.root, at: "")
    if dialect.kind == .strict, schema.root.simpleType != .object {
      refuse("", "The root is not an object.", "Make it the property of an object.")
    }
    guard !schema.definitions.isEmpty, var document = root.structureValue else { return root }
    var definitions = Object()
    for definition in schema.definitions {
      definitions[definition.name] = write(
        definition.node,
        at: "/\(dialect.definitionsKeyword)/\(JSONPointer.escape(definition.name))")
    }
    document[dialect.definitionsKeyword] = GeneratedContent(.structure(definitions))
    return GeneratedContent(.structure(document))
  }

  private mutating func write(_ node: SchemaNode, at pointer: String) -> GeneratedContent {
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
        nameStrictType(&result)
      }
      return GeneratedContent(.structure(result))
    }
  }

  private mutating func write(
    _ keyword: SchemaNode.Keyword, of node: SchemaNode, at pointer: String,
    into result: inout Object
  ) {
    let place = "\(pointer)/\(JSONPointer.escape(keyword.name))"
    guard let name = spelling(of: keyword, in: node, at: place) else { return }
    let required =
      dialect.kind == .strict
      ? Set(node["required"]?.content?.arrayValue?.compactMap(\.stringValue) ?? []) : []
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
        .array(schemas.enumerated().map { write($1, at: "\(place)/\($0)") }))
    case .named(let schemas):
      var named = result[name]?.structureValue ?? Object()
      for (key, schema) in schemas {
        var content = write(schema, at: "\(place)/\(JSONPointer.escape(key))")
        if dialect.kind == .strict, keyword.name == "properties", !required.contains(key) {
          content = nullable(content)
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
    of keyword: SchemaNode.Keyword, in node: SchemaNode, at place: String
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
    case .strict:
      if Self.strictKeywords.contains(keyword.name) {
        if keyword.name == "format", let format = keyword.value.content?.stringValue,
          !Self.strictFormats.contains(format)
        {
          report(
            place, "The strict subset does not know the format '\(format)'.",
            "Say it as a pattern, or leave it out.")
          return nil
        }
        return keyword.name
      }
      // Lengths are said by a pattern, below; what is no constraint is not missed.
      if ["minLength", "maxLength"].contains(keyword.name), node["pattern"] == nil { return "x" }
      if Self.annotations.contains(keyword.name) || keyword.name.hasPrefix("x-") { return nil }
      report(
        place, "The strict subset has no '\(keyword.name)'.",
        "Leave it out and check the result, or change the type.")
      return nil
    }
  }

  private mutating func report(_ pointer: String, _ problem: String, _ suggestion: String) {
    unsupported.append(
      SchemaConversionError(pointer: pointer, problem: problem, suggestion: suggestion))
  }

  private mutating func refuse(_ pointer: String, _ problem: String, _ suggestion: String) {
    impossible.append(
      SchemaConversionError(pointer: pointer, problem: problem, suggestion: suggestion))
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

// MARK: - The strict subset

extension SchemaWriter {
  private static let strictKeywords: Set = [
    "$ref", "type", "title", "description", "enum", "const", "anyOf", "properties", "required",
    "items", "additionalProperties", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
  ]

  private static let strictFormats: Set = [
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
  ]

  private static let annotations: Set = [
    "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly",
    "contentMediaType", "contentEncoding", "$id", "$anchor",
  ]

  /// Every property is required; there are no others.
  private mutating func completeStrictObject(
    _ node: SchemaNode, _ object: inout Object, at pointer: String
  ) {
    if let lengths = strictLengthPattern(of: node) {
      object["x"] = nil
      object["pattern"] = lengths.generatedContent
    }
    guard node.simpleType == .object || object["properties"] != nil else { return }
    if case .named(let properties)? = node["properties"] {
      object["required"] = properties.map(\.name).generatedContent
    } else {
      object["properties"] = GeneratedContent(.structure(Object()))
      object["required"] = [String]().generatedContent
    }
    if let others = object["additionalProperties"], others.boolValue != false {
      refuse(
        "\(pointer)/additionalProperties",
        "The strict subset has no objects with further properties.",
        "Use an array of keys and values.")
    }
    object["additionalProperties"] = false.generatedContent
  }

  /// A pattern that says the bounds of a string's length.
  private func strictLengthPattern(of node: SchemaNode) -> String? {
    guard node["pattern"] == nil, node["minLength"] != nil || node["maxLength"] != nil else {
      return nil
    }
    let minimum = node["minLength"]?.content?.numberValue?.jsonText ?? "0"
    let maximum = node["maxLength"]?.content?.numberValue?.jsonText ?? ""
    return "^[\\s\\S]{\(minimum),\(maximum)}$"
  }

  /// Every schema but a reference or a choice has a type.
  private func nameStrictType(_ object: inout Object) {
    guard object["type"] == nil, let constant = object["const"] else { return }
    let name: String? =
      switch constant.value {
      case .string: "string"
      case .bool: "boolean"
      case .number(let number): number.integerValue(as: Int.self) == nil ? "number" : "integer"
      case .null: "null"
      case .array, .structure: nil
      }
    guard let name else { return }
    var typed = Object()
    typed["type"] = name.generatedContent
    for key in object.orderedKeys { typed[key] = object[key] }
    object = typed
  }

  /// A schema that allows `null` as well.
  private func nullable(_ content: GeneratedContent) -> GeneratedContent {
    let null = "null".generatedContent
    guard var object = content.structureValue else { return content }
    if let type = object["type"], type.stringValue != nil, object["const"] == nil {
      object["type"] = GeneratedContent(.array([type, null]))
      if let choices = object["enum"]?.arrayValue {
        object["enum"] = GeneratedContent(.array(choices + [GeneratedContent(.null)]))
      }
      return GeneratedContent(.structure(object))
    }
    var nullType = Object()
    nullType["type"] = null
    var choice = Object()
    if let description = object["description"] {
      choice["description"] = description
      object["description"] = nil
    }
    let choices = object["anyOf"]?.arrayValue
    choice["anyOf"] = GeneratedContent(
      .array(
        (choices != nil && object.orderedKeys.count == 1
          ? choices ?? [] : [GeneratedContent(.structure(object))])
          + [GeneratedContent(.structure(nullType))]))
    return GeneratedContent(.structure(choice))
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
