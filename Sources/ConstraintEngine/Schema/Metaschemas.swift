// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The schemas of schemas of drafts 4 to 2020-12, which `$ref` may name without registering them.
///
/// They say what the specifications say of each keyword, one line a kind of value.
enum Metaschemas {
  /// The text of a metaschema by its URI without a fragment; `nil` for other URIs.
  static func text(of uri: String) -> String? {
    switch uri {
    case draft2020 + "schema": return schema2020
    case draft2019 + "schema": return schema2019
    case "http://json-schema.org/draft-07/schema": return schema7
    case "http://json-schema.org/draft-06/schema": return schema6
    case "http://json-schema.org/draft-04/schema": return schema4
    default: break
    }
    if let name = uri.suffix(after: draft2020 + "meta/") {
      return vocabularies.first { $0.name == name }.map { metaschema(of: $0.name, $0.members) }
    }
    if let name = uri.suffix(after: draft2019 + "meta/") { return vocabulary2019(String(name)) }
    return nil
  }

  private static let draft2020 = "https://json-schema.org/draft/2020-12/"

  // MARK: Draft 2020-12

  private static let anySchema = ##"{"$dynamicRef":"#meta"}"##
  private static let schemaArray = array(of: anySchema)
  private static let schemaMap = map(of: anySchema)
  /// What asserts something of numbers, strings and counts: the same since draft 6.
  static let bounds: Members = [
    ("multipleOf", #"{"type":"number","exclusiveMinimum":0}"#), ("maximum", number),
    ("exclusiveMaximum", number), ("minimum", number), ("exclusiveMinimum", number),
    ("maxLength", count), ("minLength", count),
    ("pattern", #"{"type":"string","format":"regex"}"#), ("maxItems", count),
    ("minItems", count), ("uniqueItems", boolean), ("maxProperties", count),
    ("minProperties", count), ("required", names),
  ]
  static let count = #"{"type":"integer","minimum":0}"#
  static let number = #"{"type":"number"}"#
  static let string = #"{"type":"string"}"#
  static let boolean = #"{"type":"boolean"}"#
  static func array(of schema: String) -> String {
    #"{"type":"array","minItems":1,"items":\#(schema)}"#
  }

  static func map(of schema: String) -> String {
    #"{"type":"object","additionalProperties":\#(schema)}"#
  }

  static let names = #"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#
  static let reference = #"{"type":"string","format":"uri-reference"}"#
  private static let anchor = #"{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}"#
  private static let oneType =
    #"{"enum":["array","boolean","integer","null","number","object","string"]}"#
  static let types =
    #"{"anyOf":[\#(oneType),{"type":"array","items":\#(oneType),"minItems":1,"uniqueItems":true}]}"#

  /// The parts of metaschemas to which other schemas refer by the names that they have there.
  private static func parts(of vocabulary: String) -> Members {
    switch vocabulary {
    case "core":
      [
        ("anchorString", anchor), ("uriString", #"{"type":"string","format":"uri"}"#),
        ("uriReferenceString", reference),
      ]
    case "applicator": [("schemaArray", schemaArray)]
    case "validation": parts(names: names)
    default: []
    }
  }

  /// Those of what asserts something, which each draft has.
  static func parts(names: String, count name: String = "nonNegativeInteger") -> Members {
    [
      (name, count), (name + "Default0", count), ("simpleTypes", oneType), ("stringArray", names),
    ]
  }

  /// What applies schemas to members and combines them: the same since draft 6.
  static func applicators(_ anySchema: String) -> Members {
    [
      ("additionalProperties", anySchema), ("properties", map(of: anySchema)),
      (
        "patternProperties",
        #"{"type":"object","additionalProperties":\#(anySchema),"#
          + #""propertyNames":{"format":"regex"}}"#
      ),
      ("propertyNames", anySchema), ("allOf", array(of: anySchema)),
      ("anyOf", array(of: anySchema)), ("oneOf", array(of: anySchema)), ("not", anySchema),
    ]
  }

  typealias Members = [(name: String, schema: String)]

  private static let vocabularies: [(name: String, members: Members)] = [
    (
      "core",
      [
        ("$id", ##"{"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"}"##),
        ("$schema", #"{"type":"string","format":"uri"}"#),
        ("$ref", reference), ("$anchor", anchor), ("$dynamicRef", reference),
        ("$dynamicAnchor", anchor), ("$comment", string), ("$defs", schemaMap),
        (
          "$vocabulary",
          #"{"type":"object","propertyNames":{"type":"string","format":"uri"},"#
            + #""additionalProperties":{"type":"boolean"}}"#
        ),
      ]
    ),
    (
      "applicator",
      [
        ("prefixItems", schemaArray), ("items", anySchema), ("contains", anySchema),
        ("dependentSchemas", schemaMap), ("if", anySchema), ("then", anySchema),
        ("else", anySchema),
      ] + applicators(anySchema)
    ),
    ("unevaluated", [("unevaluatedItems", anySchema), ("unevaluatedProperties", anySchema)]),
    (
      "validation",
      [
        ("type", types), ("const", "true"), ("enum", #"{"type":"array"}"#),
        ("maxContains", count), ("minContains", count),
        ("dependentRequired", #"{"type":"object","additionalProperties":\#(names)}"#),
      ] + bounds
    ),
    (
      "meta-data",
      [
        ("title", string), ("description", string), ("default", "true"), ("deprecated", boolean),
        ("readOnly", boolean), ("writeOnly", boolean), ("examples", #"{"type":"array"}"#),
      ]
    ),
    ("format-annotation", [("format", string)]),
    ("format-assertion", [("format", string)]),
    (
      "content",
      [
        ("contentEncoding", string), ("contentMediaType", string), ("contentSchema", anySchema),
      ]
    ),
  ]

  static func properties(_ members: Members) -> String {
    members.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",")
  }

  private static func head(_ name: String) -> String {
    #""$schema":"\#(draft2020)schema","$id":"\#(draft2020)\#(name)","$dynamicAnchor":"meta","#
      + #""type":["object","boolean"]"#
  }

  private static func metaschema(of name: String, _ members: Members) -> String {
    "{\(head("meta/" + name)),\"properties\":{\(properties(members))},"
      + "\"$defs\":{\(properties(parts(of: name)))}}"
  }

  private static let schema2020: String = {
    let parts = vocabularies.filter { $0.name != "format-assertion" }
    let all = parts.map { #"{"$ref":"meta/\#($0.name)"}"# }.joined(separator: ",")
    let old: Members = [
      ("definitions", schemaMap),
      (
        "dependencies",
        #"{"type":"object","additionalProperties":{"anyOf":[\#(anySchema),\#(names)]}}"#
      ),
      ("$recursiveAnchor", anchor), ("$recursiveRef", reference),
    ]
    return "{\(head("schema")),\"allOf\":[\(all)],\"properties\":{\(properties(old))}}"
  }()
}

extension String {
  /// What stands after a prefix; nil where the string does not begin with it.
  fileprivate func suffix(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
