/// Which keywords a document's metaschema gives a meaning to (JSON Schema core, section 8.1.2).
struct Vocabularies {
  /// The keywords that have no meaning, because no vocabulary of the metaschema has them.
  var hidden: Set<String> = []
  /// Whether `format` is asserted; `nil` where that is left to the options.
  var assertsFormat: Bool?

  func has(_ keyword: String) -> Bool { hidden.isEmpty || !hidden.contains(keyword) }

  static let prefix = "https://json-schema.org/draft/2020-12/vocab/"

  /// The vocabularies whose keywords can be left out, by the last part of their URI.
  static let keywords: [String: Set<String>] = [
    "applicator": [
      "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "prefixItems",
      "items", "contains", "properties", "patternProperties", "additionalProperties",
      "propertyNames",
    ],
    "unevaluated": ["unevaluatedItems", "unevaluatedProperties"],
    "validation": [
      "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
      "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
      "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required",
      "dependentRequired",
    ],
  ]
  /// The vocabularies that assert nothing or are always there.
  static let others: Set<String> = [
    "core", "meta-data", "content", "format-annotation", "format-assertion",
  ]
}

extension SchemaLoader {
  /// What the metaschema that a document names says, where it is registered and lists vocabularies.
  mutating func vocabularies(of json: JSONDocument) -> Vocabularies {
    var result = Vocabularies()
    guard let metaschema = metaschema(of: json),
      let listed = metaschema.member("$vocabulary", of: metaschema.root),
      metaschema.kind(listed) == .object
    else { return result }
    var names: Set<String> = []
    for (key, value) in metaschema.members(listed) {
      let uri = metaschema.string(key)
      let name = uri.hasPrefix(Vocabularies.prefix) ? uri.dropFirst(Vocabularies.prefix.count) : ""
      if Vocabularies.keywords[String(name)] != nil || Vocabularies.others.contains(String(name)) {
        names.insert(String(name))
      } else if metaschema.boolean(value) == true {
        report(
          "$vocabulary", "#/$schema",
          "requires `\(uri)`, which is not known; known are those of draft 2020-12")
      }
    }
    for (name, keywords) in Vocabularies.keywords where !names.contains(name) {
      result.hidden.formUnion(keywords)
    }
    if names.contains("format-assertion") {
      result.assertsFormat = true
    } else if names.contains("format-annotation") {
      result.assertsFormat = options.assertsFormat
    } else {
      result.hidden.insert("format")
    }
    return result
  }

  /// The metaschema that a document names, where the caller registered it.
  func metaschema(of json: JSONDocument) -> JSONDocument? {
    guard let schema = json.member("$schema", of: json.root), json.kind(schema) == .string else {
      return nil
    }
    let uri = json.string(schema)
    let text =
      options.documents[uri] ?? options.documents[uri + "#"]
      ?? (uri.hasSuffix("#") ? options.documents[String(uri.dropLast())] : nil)
    guard let text else { return nil }
    return try? JSONDocument(parsing: text.utf8, depthLimit: options.limits.depth)
  }
}
