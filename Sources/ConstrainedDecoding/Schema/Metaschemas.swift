/// The schemas of schemas of drafts 2020-12 and 7, which `$ref` may name without registering them.
///
/// They say what the specifications say of each keyword, one line a kind of value.
enum Metaschemas {
  /// The text of a metaschema by its URI without a fragment; `nil` for other URIs.
  static func text(of uri: String) -> String? {
    let vocabulary = draft2020 + "meta/"
    if uri == draft2020 + "schema" { return schema2020 }
    if uri == "http://json-schema.org/draft-07/schema" { return schema7 }
    guard uri.hasPrefix(vocabulary) else { return nil }
    let name = String(uri.dropFirst(vocabulary.count))
    return vocabularies.first { $0.name == name }.map { metaschema(of: $0.name, $0.members) }
  }

  private static let draft2020 = "https://json-schema.org/draft/2020-12/"

  // MARK: Draft 2020-12

  private static let anySchema = ##"{"$dynamicRef":"#meta"}"##
  private static let schemaArray = array(of: anySchema)
  private static let schemaMap = map(of: anySchema)
  private static let count = #"{"type":"integer","minimum":0}"#
  private static let number = #"{"type":"number"}"#
  private static let string = #"{"type":"string"}"#
  private static let boolean = #"{"type":"boolean"}"#
  private static func array(of schema: String) -> String {
    #"{"type":"array","minItems":1,"items":\#(schema)}"#
  }

  private static func map(of schema: String) -> String {
    #"{"type":"object","additionalProperties":\#(schema)}"#
  }

  private static let names = #"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#
  private static let reference = #"{"type":"string","format":"uri-reference"}"#
  private static let anchor = #"{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}"#
  private static let types: String = {
    let one =
      #"{"enum":["array","boolean","integer","null","number","object","string"]}"#
    return #"{"anyOf":[\#(one),{"type":"array","items":\#(one),"minItems":1,"uniqueItems":true}]}"#
  }()

  private typealias Members = [(name: String, schema: String)]

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
        ("additionalProperties", anySchema), ("properties", schemaMap),
        (
          "patternProperties",
          #"{"type":"object","additionalProperties":\#(anySchema),"#
            + #""propertyNames":{"format":"regex"}}"#
        ),
        ("dependentSchemas", schemaMap), ("propertyNames", anySchema), ("if", anySchema),
        ("then", anySchema), ("else", anySchema), ("allOf", schemaArray), ("anyOf", schemaArray),
        ("oneOf", schemaArray), ("not", anySchema),
      ]
    ),
    ("unevaluated", [("unevaluatedItems", anySchema), ("unevaluatedProperties", anySchema)]),
    (
      "validation",
      [
        ("type", types), ("const", "true"), ("enum", #"{"type":"array"}"#),
        ("multipleOf", #"{"type":"number","exclusiveMinimum":0}"#), ("maximum", number),
        ("exclusiveMaximum", number), ("minimum", number), ("exclusiveMinimum", number),
        ("maxLength", count), ("minLength", count),
        ("pattern", #"{"type":"string","format":"regex"}"#), ("maxItems", count),
        ("minItems", count), ("uniqueItems", boolean), ("maxContains", count),
        ("minContains", count), ("maxProperties", count), ("minProperties", count),
        ("required", names),
        ("dependentRequired", #"{"type":"object","additionalProperties":\#(names)}"#),
      ]
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

  private static func properties(_ members: Members) -> String {
    members.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",")
  }

  private static func head(_ name: String) -> String {
    #""$schema":"\#(draft2020)schema","$id":"\#(draft2020)\#(name)","$dynamicAnchor":"meta","#
      + #""type":["object","boolean"]"#
  }

  private static func metaschema(of name: String, _ members: Members) -> String {
    "{\(head("meta/" + name)),\"properties\":{\(properties(members))}}"
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

  // MARK: Draft 7

  private static let schema7: String = {
    // Draft 7 refers to itself by its root.
    let anySchema = ##"{"$ref":"#"}"##
    let schemaArray = array(of: anySchema)
    let schemaMap = map(of: anySchema)
    let members: Members = [
      ("$id", reference), ("$schema", #"{"type":"string","format":"uri"}"#), ("$ref", reference),
      ("$comment", string), ("title", string), ("description", string), ("default", "true"),
      ("readOnly", boolean), ("writeOnly", boolean), ("examples", #"{"type":"array"}"#),
      ("multipleOf", #"{"type":"number","exclusiveMinimum":0}"#), ("maximum", number),
      ("exclusiveMaximum", number), ("minimum", number), ("exclusiveMinimum", number),
      ("maxLength", count), ("minLength", count),
      ("pattern", #"{"type":"string","format":"regex"}"#), ("additionalItems", anySchema),
      ("items", #"{"anyOf":[\#(anySchema),\#(schemaArray)]}"#), ("maxItems", count),
      ("minItems", count), ("uniqueItems", boolean), ("contains", anySchema),
      ("maxProperties", count), ("minProperties", count), ("required", names),
      ("additionalProperties", anySchema), ("definitions", schemaMap), ("properties", schemaMap),
      (
        "patternProperties",
        #"{"type":"object","additionalProperties":\#(anySchema),"#
          + #""propertyNames":{"format":"regex"}}"#
      ),
      (
        "dependencies",
        #"{"type":"object","additionalProperties":{"anyOf":[\#(anySchema),\#(names)]}}"#
      ),
      ("propertyNames", anySchema), ("const", "true"), ("enum", #"{"type":"array"}"#),
      ("type", types), ("format", string), ("contentMediaType", string),
      ("contentEncoding", string), ("if", anySchema), ("then", anySchema), ("else", anySchema),
      ("allOf", schemaArray), ("anyOf", schemaArray), ("oneOf", schemaArray), ("not", anySchema),
    ]
    let uri = "http://json-schema.org/draft-07/schema#"
    return #"{"$schema":"\#(uri)","$id":"\#(uri)","type":["object","boolean"],"#
      + "\"properties\":{\(properties(members))}}"
  }()
}
