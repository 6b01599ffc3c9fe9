// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading the keywords of one subschema.
extension SchemaLoader {
  /// One member of a schema object on its way into a node.
  struct Keyword {
    var name: SchemaKeyword
    var value: JSONDocument.Node
    var place: Place
    var scope: DynamicScope
    var pointer: SchemaPointer
    var draft: Draft

    func child(_ node: JSONDocument.Node) -> Place { Place(document: place.document, node: node) }
  }

  mutating func read(_ scoped: ScopedPlace, into id: SchemaNode.ID) {
    let place = scoped.place
    let json = documents[place.document].json
    let pointer = graph.nodes[id].place
    if let boolean = json.boolean(place.node) {
      graph.nodes[id].boolean = boolean
      return
    }
    guard json.kind(place.node) == .object else {
      let inner = place.node == json.root ? Self.innerSchema(of: json) : nil
      let hint = inner.map { "; is the schema at `#\(json.pointer(to: $0))`?" } ?? ""
      report(
        "", pointer, "a schema is an object or a boolean; found \(json.kind(place.node))\(hint)")
      return
    }
    let draft = documents[place.document].draft
    let members = SchemaMembers(json, place.node)
    if options.warnsOfMisspellings { warnOfMisspellings(json, place, pointer) }
    if draft <= .draft7, let reference = members.reference {
      // Before 2019-09 a reference hides its siblings.
      if options.warnsOfMisspellings {
        warnOfHiddenKeywords(members.keywords.map(\.name), pointer)
      }
      readReference(
        Keyword(
          name: .reference, value: reference, place: place, scope: scoped.scope, pointer: pointer,
          draft: draft),
        json, id)
      return
    }
    let vocabularies = documents[place.document].vocabularies
    for (name, value) in members.keywords
    where name.drafts.contains(draft) && vocabularies.has(name.rawValue) {
      let keyword = Keyword(
        name: name, value: value, place: place, scope: scoped.scope, pointer: pointer,
        draft: draft)
      switch name {
      case .type, .enum, .const, .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum,
        .multipleOf, .divisibleBy:
        readValidation(keyword, json, id)
      case .minLength, .maxLength, .pattern, .format:
        readString(keyword, json, id)
      case .items, .prefixItems, .minItems, .maxItems, .contains, .minContains, .maxContains,
        .uniqueItems, .unevaluatedItems:
        readArray(keyword, json, id)
      case .properties, .patternProperties, .additionalProperties, .propertyNames, .required,
        .minProperties, .maxProperties, .dependentRequired, .dependentSchemas, .dependencies,
        .unevaluatedProperties:
        readObject(keyword, json, id)
      case .allOf, .anyOf, .oneOf, .not, .reference, .dynamicReference, .recursiveReference:
        readApplicator(keyword, json, id)
      case .if, .then, .else: break
      }
    }
    if SchemaKeyword.if.drafts.contains(draft), vocabularies.has("if"),
      let condition = members.condition
    {
      func child(_ node: JSONDocument.Node, _ name: String) -> SchemaNode.ID {
        schema(
          at: Place(document: place.document, node: node), in: scoped.scope,
          pointer: pointer + "/" + name)
      }
      graph.nodes[id].ifThenElse = (
        child(condition, "if"), members.then.map { child($0, "then") },
        members.otherwise.map { child($0, "else") }
      )
    }
    // Draft 4 spells an exclusive bound as a boolean beside the bound.
    if members.excludesMinimum { graph.nodes[id].minimum?.isExclusive = true }
    if members.excludesMaximum { graph.nodes[id].maximum?.isExclusive = true }
    if graph.nodes[id].additionalProperties == nil,
      !options.allowsAdditionalPropertiesByDefault,
      graph.nodes[id].types == .object || !graph.nodes[id].properties.isEmpty
    {
      graph.nodes[id].additionalProperties = graph.nothing
    }
  }

  private mutating func readValidation(
    _ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID
  ) {
    let value = keyword.value
    switch keyword.name {
    case .type:
      readType(keyword, json, id)
    case .enum:
      guard json.kind(value) == .array else { return expect("an array", keyword, json) }
      if graph.nodes[id].values == nil {
        graph.nodes[id].values = constants(json, json.elements(value), keyword)
      } else {
        conjoin(constants(json, json.elements(value), keyword), id)
      }
    case .const:
      if graph.nodes[id].values == nil {
        graph.nodes[id].valuesKeyword = "const"
        graph.nodes[id].values = constants(json, [value], keyword)
      } else {
        conjoin(constants(json, [value], keyword), id)
      }
    case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum:
      // Draft 4 spells exclusive bounds as booleans beside the bound.
      if json.boolean(value) != nil { return }
      guard let bound = number(keyword, json) else { return }
      let limit = SchemaNode.Bound(
        value: bound, isExclusive: [.exclusiveMinimum, .exclusiveMaximum].contains(keyword.name))
      if [.minimum, .exclusiveMinimum].contains(keyword.name) {
        graph.nodes[id].minimum = tighter(graph.nodes[id].minimum, limit, isLower: true)
      } else {
        graph.nodes[id].maximum = tighter(graph.nodes[id].maximum, limit, isLower: false)
      }
    case .multipleOf, .divisibleBy:
      guard let divisor = number(keyword, json) else { return }
      guard !divisor.isZero, !divisor.isNegative else {
        return expect("a number greater than zero", keyword, json)
      }
      graph.nodes[id].multipleOf = divisor
    default: break
    }
  }

  /// `enum` beside `const`, as Pydantic writes discriminators: what both list is left. Where one
  /// lists containers the second becomes a subschema of its own.
  private mutating func conjoin(_ values: ConstantSet, _ id: SchemaNode.ID) {
    if let both = graph.nodes[id].values?.scalars(alsoIn: values) {
      graph.nodes[id].valuesKeyword = "const"
      graph.nodes[id].values = both
      return
    }
    var node = SchemaNode()
    node.place = graph.nodes[id].place
    node.values = values
    let other = graph.add(node)
    graph.nodes[id].allOf.append(other)
  }

  private mutating func readType(_ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID) {
    var nodes = [keyword.value]
    if json.kind(keyword.value) == .array { nodes = json.elements(keyword.value) }
    var types: JSONTypes = []
    var integers = false
    var numbers = false
    for node in nodes {
      switch json.kind(node) == .string ? json.string(node) : "" {
      case "null": types.insert(.null)
      case "boolean": types.insert(.boolean)
      case "integer": integers = true
      case "number": numbers = true
      case "string": types.insert(.string)
      case "array": types.insert(.array)
      case "object": types.insert(.object)
      case "any" where keyword.draft == .draft4: types = .all
      default:
        return expect(
          "null, boolean, integer, number, string, array or object", keyword, json, value: node,
          hint: hint(onType: node, keyword, json))
      }
    }
    if integers || numbers { types.insert(.number) }
    if documents[keyword.place.document].isOpenAPI30, Self.isNullable(json, keyword.place.node) {
      types.insert(.null)
    }
    graph.nodes[id].types = types
    graph.nodes[id].onlyIntegers = integers && !numbers
    graph.nodes[id].integersAreSpelled = keyword.draft == .draft4
  }

  private mutating func readString(
    _ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID
  ) {
    switch keyword.name {
    case .minLength: graph.nodes[id].minLength = count(keyword, json)
    case .maxLength: graph.nodes[id].maxLength = count(keyword, json)
    case .pattern:
      guard json.kind(keyword.value) == .string else { return expect("a string", keyword, json) }
      guard !json.hasLoneSurrogate(keyword.value) else { return loneSurrogate(keyword) }
      let text = json.string(keyword.value)
      switch languages.search(text) {
      case .success(let state):
        graph.nodes[id].pattern = state
        graph.nodes[id].patternText = text
        warnOfForeignSyntax(text, keyword)
      case .failure(let error):
        report("pattern", keyword.pointer, "`\(text)`: \(error.message)")
      }
    case .format:
      let asserts =
        documents[keyword.place.document].vocabularies.assertsFormat ?? options.assertsFormat
      guard asserts, json.kind(keyword.value) == .string else { return }
      let name = json.string(keyword.value)
      if let format = StringFormat(rawValue: name) {
        graph.nodes[id].format = format
      } else {
        let first = unknownFormats[name] ?? keyword
        unknownFormats[name] = keyword.place < first.place ? keyword : first
      }
    default: break
    }
  }

  private mutating func readArray(_ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID) {
    let value = keyword.value
    switch keyword.name {
    case .items:
      if json.kind(value) == .array {
        graph.nodes[id].prefixItems = subschemas(keyword, json)
        if let rest = json.member("additionalItems", of: keyword.place.node) {
          graph.nodes[id].items = schema(
            at: keyword.child(rest), in: keyword.scope,
            pointer: keyword.pointer + "/additionalItems")
        }
      } else {
        graph.nodes[id].items = subschema(keyword)
      }
    case .prefixItems: graph.nodes[id].prefixItems = subschemas(keyword, json)
    case .minItems: graph.nodes[id].minItems = count(keyword, json)
    case .maxItems: graph.nodes[id].maxItems = count(keyword, json)
    case .contains: graph.nodes[id].contains = subschema(keyword)
    case .minContains: graph.nodes[id].minContains = count(keyword, json)
    case .maxContains: graph.nodes[id].maxContains = count(keyword, json)
    case .uniqueItems: graph.nodes[id].uniqueItems = json.boolean(value) ?? false
    case .unevaluatedItems: graph.nodes[id].unevaluatedItems = subschema(keyword)
    default: break
    }
  }

  private mutating func readObject(_ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID) {
    let value = keyword.value
    switch keyword.name {
    case .properties:
      let named = namedSubschemas(keyword, json)
      graph.nodes[id].properties.reserveCapacity(named.count)
      for (key, place, pointer) in named {
        let child = schema(at: place, in: keyword.scope, pointer: pointer)
        graph.nodes[id].properties.append((graph.name(json.text(key)), child))
      }
    case .patternProperties:
      for (key, place, pointer) in namedSubschemas(keyword, json) {
        let pattern = json.string(key)
        switch languages.search(pattern) {
        case .success(let state):
          let child = schema(at: place, in: keyword.scope, pointer: pointer)
          graph.nodes[id].patternProperties.append((state, child, pattern))
          warnOfForeignSyntax(pattern, keyword)
        case .failure(let error):
          report("patternProperties", keyword.pointer, "`\(pattern)`: \(error.message)")
        }
      }
    case .additionalProperties: graph.nodes[id].additionalProperties = subschema(keyword)
    case .propertyNames: graph.nodes[id].propertyNames = subschema(keyword)
    case .required:
      guard json.kind(value) == .array else {
        // Draft 3 has a boolean on the property, which later drafts do not know.
        guard json.boolean(value) != nil else {
          return expect("an array of strings", keyword, json)
        }
        guard options.warnsOfMisspellings else { return }
        warn(
          "required", keyword.pointer,
          "a boolean, as in draft 3, says nothing; the object around the property lists the names "
            + "of its required members")
        return
      }
      graph.nodes[id].required = names(keyword, json, value)
    case .minProperties: graph.nodes[id].minProperties = count(keyword, json)
    case .maxProperties: graph.nodes[id].maxProperties = count(keyword, json)
    case .dependentRequired:
      for (name, list) in json.members(value) {
        graph.nodes[id].dependentRequired.append(
          (graph.name(json.text(name)), names(keyword, json, list)))
      }
    case .dependentSchemas:
      for (key, place, pointer) in namedSubschemas(keyword, json) {
        let child = schema(at: place, in: keyword.scope, pointer: pointer)
        graph.nodes[id].dependentSchemas.append((graph.name(json.text(key)), child))
      }
    case .dependencies:
      for (key, place, pointer) in namedSubschemas(keyword, json) {
        switch json.kind(place.node) {
        case .array:
          graph.nodes[id].dependentRequired.append(
            (graph.name(json.text(key)), names(keyword, json, place.node)))
        case .string:
          graph.nodes[id].dependentRequired.append(
            (graph.name(json.text(key)), [graph.name(json.text(place.node))]))
        default:
          let child = schema(at: place, in: keyword.scope, pointer: pointer)
          graph.nodes[id].dependentSchemas.append((graph.name(json.text(key)), child))
        }
      }
    case .unevaluatedProperties: graph.nodes[id].unevaluatedProperties = subschema(keyword)
    default: break
    }
  }

  private mutating func readApplicator(
    _ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID
  ) {
    switch keyword.name {
    case .allOf: graph.nodes[id].allOf += subschemas(keyword, json)
    case .anyOf: graph.nodes[id].anyOf = subschemas(keyword, json)
    case .oneOf: graph.nodes[id].oneOf = subschemas(keyword, json)
    case .not: graph.nodes[id].not = subschema(keyword)
    case .reference: readReference(keyword, json, id)
    case .dynamicReference, .recursiveReference:
      readReference(keyword, json, id, isDynamic: true)
    default: break
    }
  }

  private mutating func readReference(
    _ keyword: Keyword, _ json: JSONDocument, _ id: SchemaNode.ID, isDynamic: Bool = false
  ) {
    guard json.kind(keyword.value) == .string else {
      return expect("a URI reference", keyword, json)
    }
    let text = json.string(keyword.value)
    guard
      var (place, pointer) = resolve(
        text, from: keyword.place, keyword: keyword.name.rawValue, pointer: keyword.pointer)
    else { return }
    if isDynamic, let name = dynamicAnchor(named: text, at: place),
      let bound = keyword.scope.anchors[name], bound != place
    {
      place = bound
      pointer = self.pointer(to: bound) ?? SchemaPointer("\(base(at: bound))#\(name)")
    }
    let target = schema(at: place, in: keyword.scope, pointer: pointer)
    if graph.nodes[id].reference == nil {
      graph.nodes[id].reference = target
    } else {
      graph.nodes[id].allOf.append(target)
    }
  }
}
