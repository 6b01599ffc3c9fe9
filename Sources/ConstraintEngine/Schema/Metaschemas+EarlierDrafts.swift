// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The metaschemas of the drafts before 2020-12.
extension Metaschemas {
  // MARK: Draft 2019-09

  static let draft2019 = "https://json-schema.org/draft/2019-09/"

  static let schema2019: String = {
    let parts = ["core", "applicator", "validation", "meta-data", "format", "content"]
    let all = parts.map { #"{"$ref":"meta/\#($0)"}"# }.joined(separator: ",")
    let anySchema = recursive
    let old: Members = [
      ("definitions", map(of: anySchema)), ("dependencies", dependencies(anySchema)),
    ]
    return "{\(head2019("schema")),\"allOf\":[\(all)],\"properties\":{\(properties(old))}}"
  }()

  /// The metaschema of a vocabulary of draft 2019-09.
  static func vocabulary2019(_ name: String) -> String? {
    guard let members = members2019(name) else { return nil }
    var parts: Members = []
    if name == "applicator" { parts = [("schemaArray", array(of: recursive))] }
    if name == "validation" { parts = Self.parts(names: names) }
    return "{\(head2019("meta/" + name)),\"properties\":{\(properties(members))},"
      + "\"$defs\":{\(properties(parts))}}"
  }

  private static let recursive = ##"{"$recursiveRef":"#"}"##

  private static func head2019(_ name: String) -> String {
    #""$schema":"\#(draft2019)schema","$id":"\#(draft2019)\#(name)","$recursiveAnchor":true,"#
      + #""type":["object","boolean"]"#
  }

  private static func members2019(_ vocabulary: String) -> Members? {
    let anySchema = recursive
    switch vocabulary {
    case "core":
      return [
        ("$id", ##"{"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"}"##),
        ("$schema", #"{"type":"string","format":"uri"}"#),
        ("$anchor", #"{"type":"string","pattern":"^[A-Za-z][-A-Za-z0-9.:_]*$"}"#),
        ("$ref", reference), ("$recursiveRef", reference), ("$recursiveAnchor", boolean),
        (
          "$vocabulary",
          #"{"type":"object","propertyNames":{"type":"string","format":"uri"},"#
            + #""additionalProperties":{"type":"boolean"}}"#
        ),
        ("$comment", string), ("$defs", map(of: anySchema)),
      ]
    case "applicator":
      return applicators(anySchema) + [
        ("additionalItems", anySchema), ("unevaluatedItems", anySchema),
        ("items", oneOrSeveral(anySchema)), ("contains", anySchema),
        ("unevaluatedProperties", anySchema), ("dependentSchemas", map(of: anySchema)),
        ("if", anySchema), ("then", anySchema), ("else", anySchema),
      ]
    case "validation":
      return bounds + [
        ("type", types), ("const", "true"), ("enum", #"{"type":"array"}"#),
        ("maxContains", count), ("minContains", count),
        ("dependentRequired", #"{"type":"object","additionalProperties":\#(names)}"#),
      ]
    case "meta-data":
      return [
        ("title", string), ("description", string), ("default", "true"), ("deprecated", boolean),
        ("readOnly", boolean), ("writeOnly", boolean), ("examples", #"{"type":"array"}"#),
      ]
    case "format": return [("format", string)]
    case "content":
      return [
        ("contentMediaType", string), ("contentEncoding", string), ("contentSchema", anySchema),
      ]
    default: return nil
    }
  }

  // MARK: Drafts 6 and 7

  /// These drafts refer to themselves by their root.
  private static let root = ##"{"$ref":"#"}"##

  static let schema6 = metaschema(
    "http://json-schema.org/draft-06/schema#", membersOfDraft6)

  static let schema7 = metaschema(
    "http://json-schema.org/draft-07/schema#",
    membersOfDraft6 + [
      ("$comment", string), ("readOnly", boolean), ("writeOnly", boolean),
      ("contentMediaType", string), ("contentEncoding", string), ("if", root), ("then", root),
      ("else", root),
    ])

  private static let membersOfDraft6: Members =
    bounds + applicators(root) + [
      ("$id", reference), ("$schema", #"{"type":"string","format":"uri"}"#), ("$ref", reference),
      ("title", string), ("description", string), ("default", "true"),
      ("examples", #"{"type":"array"}"#), ("additionalItems", root), ("items", oneOrSeveral(root)),
      ("contains", root), ("definitions", map(of: root)), ("dependencies", dependencies(root)),
      ("const", "true"), ("enum", #"{"type":"array"}"#), ("type", types), ("format", string),
    ]

  private static func metaschema(_ uri: String, _ members: Members) -> String {
    let parts = [("schemaArray", array(of: root))] + parts(names: names)
    return #"{"$schema":"\#(uri)","$id":"\#(uri)","type":["object","boolean"],"#
      + "\"properties\":{\(properties(members))},\"definitions\":{\(properties(parts))}}"
  }

  private static func oneOrSeveral(_ schema: String) -> String {
    #"{"anyOf":[\#(schema),\#(array(of: schema))]}"#
  }

  private static func dependencies(_ schema: String) -> String {
    #"{"type":"object","additionalProperties":{"anyOf":[\#(schema),\#(names)]}}"#
  }

  // MARK: Draft 4

  static let schema4: String = {
    let anySchema = root
    let schemaOrBoolean = #"{"anyOf":[\#(boolean),\#(anySchema)]}"#
    let someNames = #"{"type":"array","items":\#(string),"minItems":1,"uniqueItems":true}"#
    let schemaMap = map(of: anySchema)
    let schemaArray = array(of: anySchema)
    let members: Members = [
      ("id", string), ("$schema", string), ("title", string), ("description", string),
      ("default", "{}"),
      ("multipleOf", #"{"type":"number","minimum":0,"exclusiveMinimum":true}"#),
      ("maximum", number), ("exclusiveMaximum", boolean), ("minimum", number),
      ("exclusiveMinimum", boolean), ("maxLength", count), ("minLength", count),
      ("pattern", #"{"type":"string","format":"regex"}"#), ("additionalItems", schemaOrBoolean),
      ("items", oneOrSeveral(anySchema)), ("maxItems", count), ("minItems", count),
      ("uniqueItems", boolean), ("maxProperties", count), ("minProperties", count),
      ("required", someNames), ("additionalProperties", schemaOrBoolean),
      ("definitions", schemaMap), ("properties", schemaMap), ("patternProperties", schemaMap),
      (
        "dependencies",
        #"{"type":"object","additionalProperties":{"anyOf":[\#(anySchema),\#(someNames)]}}"#
      ),
      ("enum", #"{"type":"array","minItems":1,"uniqueItems":true}"#), ("type", types),
      ("format", string), ("allOf", schemaArray), ("anyOf", schemaArray), ("oneOf", schemaArray),
      ("not", anySchema),
    ]
    let parts =
      [("schemaArray", schemaArray)] + Self.parts(names: someNames, count: "positiveInteger")
    let uri = "http://json-schema.org/draft-04/schema#"
    return #"{"$schema":"\#(uri)","id":"\#(uri)","type":"object","#
      + #""dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]},"#
      + "\"properties\":{\(properties(members))},\"definitions\":{\(properties(parts))}}"
  }()
}
