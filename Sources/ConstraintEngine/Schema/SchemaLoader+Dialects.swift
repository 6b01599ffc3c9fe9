// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What other drafts and dialects of schemas mean by members that say nothing here, or something else.
extension SchemaLoader {
  /// Warns of a member of other dialects of schemas that changes what is meant; whether it is one.
  mutating func warnOfDialect(
    _ name: String, _ json: JSONDocument, _ place: Place, _ pointer: SchemaPointer
  ) -> Bool {
    let node = place.node
    switch name {
    case "propertyOrdering":
      warn(
        name, pointer,
        "no keyword of JSON Schema; members come in the order of `properties`, so write these in "
          + "the order that is meant")
      return true
    case "nullable":
      if Self.isNullable(json, node), let problem = problemOfNullable(json, place) {
        warn(name, pointer, problem)
      }
      return true
    case "optionalProperties", "elements", "values":
      guard let advice = Self.typeDefinitions[name], let value = json.member(name, of: node),
        json.kind(value) == .object
      else { return false }
      warn(name, pointer, "JSON Type Definition's, and no keyword of JSON Schema; \(advice)")
      return true
    default: return false
    }
  }

  /// What to write for the members of JSON Type Definition (RFC 8927).
  private static let typeDefinitions = [
    "optionalProperties": "write its members in `properties`, and list the others in `required`",
    "elements": "write `items`", "values": "write `additionalProperties`",
  ]

  // MARK: OpenAPI 3.0

  /// Whether a schema has OpenAPI's `nullable: true`.
  static func isNullable(_ json: JSONDocument, _ node: JSONDocument.Node) -> Bool {
    json.member("nullable", of: node).flatMap { json.boolean($0) } == true
  }

  /// Why a value may not be null all the same, and what to write; nil where it may be.
  private func problemOfNullable(_ json: JSONDocument, _ place: Place) -> String? {
    let node = place.node
    guard let type = json.member("type", of: node) else {
      return Self.problemOfNullableWithoutType(json, node)
    }
    let types = json.kind(type) == .array ? json.elements(type) : [type]
    let names = types.map { json.string($0) }
    guard !names.contains("null") else { return nil }
    let values = json.member("enum", of: node).flatMap { list in
      json.kind(list) == .array ? json.elements(list) : nil
    }
    let lacksNull = values.map { !$0.contains { json.kind($0) == .null } } ?? false
    if documents[place.document].isOpenAPI30 {
      return lacksNull
        ? "adds null to the `type` alone, in OpenAPI 3.0 too; write `null` in the `enum`" : nil
    }
    let list = (names + ["null"]).map { "\"\($0)\"" }.joined(separator: ", ")
    return Self.openAPIAlone + "write `\"type\": [\(list)]`"
      + (lacksNull ? ", and `null` in the `enum`" : "")
  }

  private static let openAPIAlone = "OpenAPI 3.0's, and no keyword of JSON Schema; "

  private static func problemOfNullableWithoutType(
    _ json: JSONDocument, _ node: JSONDocument.Node
  ) -> String? {
    if json.member("$ref", of: node) != nil {
      return openAPIAlone + "write `anyOf` with the `$ref` and `{\"type\": \"null\"}`"
    }
    // Generators write it beside `allOf` with one reference.
    for keyword in ["allOf", "anyOf", "oneOf"] {
      guard let branches = json.member(keyword, of: node), json.kind(branches) == .array else {
        continue
      }
      let hasNull = json.elements(branches).contains { branch in
        guard json.kind(branch) == .object, let type = json.member("type", of: branch) else {
          return false
        }
        return json.kind(type) == .string && json.string(type) == "null"
      }
      if hasNull { continue }
      return "says nothing without a `type` beside it, in OpenAPI 3.0 too; write `anyOf` with the "
        + "`\(keyword)` and `{\"type\": \"null\"}`"
    }
    return nil
  }

  // MARK: Drafts

  /// Warns of a keyword that the draft of its document does not have.
  mutating func warnOfOtherDraft(
    _ keyword: SchemaKeyword, _ draft: Draft, _ pointer: SchemaPointer
  ) {
    let advice =
      switch keyword {
      case .divisibleBy: "write `multipleOf`"
      case .recursiveReference where draft > .draft2019: "write `$dynamicRef`"
      case .prefixItems: "write a list as `items`, or name draft 2020-12 in `$schema`"
      case .dependentRequired, .dependentSchemas:
        "write `dependencies`, or name draft 2019-09 or later in `$schema`"
      default:
        "name draft \(Self.name(of: keyword.drafts.lowerBound)) or later in `$schema` to have it"
      }
    warn(
      keyword.rawValue, pointer,
      "no keyword of draft \(Self.name(of: draft)), so that it says nothing; \(advice)")
  }

  private static func name(of draft: Draft) -> String {
    switch draft {
    case .draft4: "4"
    case .draft6: "6"
    case .draft7: "7"
    case .draft2019: "2019-09"
    case .draft2020: "2020-12"
    }
  }

  /// Warns of keywords that a reference hides, but for a `type` that only says it again.
  mutating func warnOfHiddenKeywords(_ keywords: [SchemaKeyword], _ pointer: SchemaPointer) {
    let hidden = keywords.filter { $0 != .reference && $0 != .type }
    guard !hidden.isEmpty else { return }
    let names = hidden.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    warn(
      "$ref", pointer,
      "up to draft 7 a reference hides what stands beside it, here \(names); put the reference "
        + "into `allOf`")
  }

  // MARK: Formats

  /// Warns of a format that is none.
  mutating func warnOfUnknownFormat(_ name: String, _ keyword: Keyword) {
    warn(
      "format", keyword.pointer,
      "`\(name)` is not a format of JSON Schema; it is taken as an annotation"
        + (Self.advice(onFormat: name).map { "; \($0)" } ?? ""))
  }

  private static func advice(onFormat name: String) -> String? {
    if let range = ranges[name] {
      return "write `minimum` \(range.least) and `maximum` \(range.greatest) to hold values to it"
    }
    if let meant = formats[name.lowercased()] { return "was `\(meant)` meant?" }
    // Short names are close to others: `ulid` is no `uuid`.
    guard name.utf8.count > 4 else { return nil }
    let meant = Misspelling.meant(
      by: Array(name.utf8), among: StringFormat.allCases.map { Array($0.rawValue.utf8) }, but: [])
    return meant.map { "was `\(String(decoding: $0, as: UTF8.self))` meant?" }
  }

  /// The integers of OpenAPI's registry of formats.
  private static let ranges: [String: (least: String, greatest: String)] = [
    "int8": ("-128", "127"), "int16": ("-32768", "32767"),
    "int32": ("-2147483648", "2147483647"),
    "int64": ("-9223372036854775808", "9223372036854775807"),
    "uint8": ("0", "255"), "uint16": ("0", "65535"), "uint32": ("0", "4294967295"),
    "uint64": ("0", "18446744073709551615"),
  ]

  /// Names that other tools have for formats.
  private static let formats = [
    "guid": "uuid", "url": "uri", "datetime": "date-time", "date_time": "date-time",
    "timestamp": "date-time", "ip": "ipv4", "ip-address": "ipv4", "host-name": "hostname",
    "host": "hostname", "e-mail": "email", "timespan": "duration", "regexp": "regex",
  ]
}
