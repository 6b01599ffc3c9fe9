// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which keywords a document's metaschema gives a meaning to (JSON Schema core, section 8.1.2).
struct Vocabularies {
  /// The keywords that have no meaning, because no vocabulary of the metaschema has them.
  var hidden: Set<String> = []
  /// Whether `format` is asserted; `nil` where that is left to the options.
  var assertsFormat: Bool?

  func has(_ keyword: @autoclosure () -> String) -> Bool {
    hidden.isEmpty || !hidden.contains(keyword())
  }

  static let prefixes = [
    "https://json-schema.org/draft/2020-12/vocab/", "https://json-schema.org/draft/2019-09/vocab/",
  ]

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
  /// The vocabularies that assert nothing or are always there. `format` is that of draft 2019-09.
  static let others: Set<String> = [
    "core", "meta-data", "content", "format", "format-annotation", "format-assertion",
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
    var requiresFormat = false
    for (key, value) in metaschema.members(listed) {
      let uri = metaschema.string(key)
      let prefix = Vocabularies.prefixes.first { uri.hasPrefix($0) }
      let name = prefix.map { String(uri.dropFirst($0.count)) } ?? ""
      if Vocabularies.keywords[name] != nil || Vocabularies.others.contains(name) {
        names.insert(name)
        // In draft 2019-09 the applicators have those of what is not evaluated among them.
        if name == "applicator", prefix == Vocabularies.prefixes[1] { names.insert("unevaluated") }
        if name == "format" { requiresFormat = metaschema.boolean(value) == true }
      } else if metaschema.boolean(value) == true {
        report(
          "$vocabulary", "#/$schema",
          "requires `\(uri)`, which is not known; known are those of drafts 2019-09 and 2020-12")
      }
    }
    for (name, keywords) in Vocabularies.keywords where !names.contains(name) {
      result.hidden.formUnion(keywords)
    }
    if names.contains("format-assertion") || requiresFormat {
      result.assertsFormat = true
    } else if names.contains("format-annotation") || names.contains("format") {
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
