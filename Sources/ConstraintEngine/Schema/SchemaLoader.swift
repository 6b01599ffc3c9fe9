// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads schema documents into a ``SchemaGraph``: resolves references, reads keywords, and reports
/// everything that cannot be honoured at once.
///
/// A subschema is read when something first refers to it, so that definitions nobody uses cost
/// nothing and their faults do no harm. Its index is known before its keywords are read: recursion
/// needs no special case.
///
/// What `$dynamicRef` means depends on the way to it, so that a subschema is read once for each
/// *dynamic scope* in which it can be reached: the anchors that the resources on the way have bound.
/// Schemas without dynamic anchors have one scope.
package struct SchemaLoader {
  typealias Draft = CompilationOptions.Draft

  struct Document {
    var json: JSONDocument
    var base: String
    var draft: Draft
    /// Whether the document says which draft it follows.
    var namesDraft: Bool
    /// Whether it is a document of OpenAPI 3.0, whose `nullable` adds null to a type.
    var isOpenAPI30 = false
    /// What its `$schema` and the vocabularies of that metaschema say about keywords.
    var vocabularies = Vocabularies()
  }

  /// Where a subschema stands: a document and a node in it.
  struct Place: Hashable, Comparable {
    var document: Int
    var node: JSONDocument.Node

    static func < (left: Place, right: Place) -> Bool {
      (left.document, left.node) < (right.document, right.node)
    }
  }

  /// A subschema in a dynamic scope.
  struct ScopedPlace: Hashable {
    var place: Place
    var scope: DynamicScope
  }

  let options: CompilationOptions
  package var graph = SchemaGraph()
  var languages: RegularLanguages
  var documents: [Document] = []
  var diagnostics: [GrammarError.Diagnostic] = []
  /// By the name of a format that is none, where the text has it first. A large document has each in a
  /// thousand places, and one warning.
  var unknownFormats: [String: Keyword] = [:]
  /// The subschemas by place, beside `firsts`, and those whose keywords still have to be read.
  var known: [ScopedPlace: SchemaNode.ID] = [:]
  /// By document and node, the subschema as it was first come to, or -1.
  private var firsts: [[Int32]] = []
  /// The scopes of those, where they are not empty.
  private var firstScopes: [SchemaNode.ID: DynamicScope] = [:]
  var pending: [(place: ScopedPlace, id: SchemaNode.ID)] = []
  /// What documents call themselves and their parts.
  var identifiers = Identifiers()
  /// The same with the identifiers of draft 4, for documents that name no draft.
  var draft4Identifiers = Identifiers()
  var loadedURIs: Set<String> = []
  /// The elements of long arrays that references lead into.
  var elements: [Place: [JSONDocument.Node]] = [:]
  /// Where references lead, by what they say and the identified subschema around them.
  var foundReferences: [Reference: (place: Place, pointer: SchemaPointer)] = [:]

  struct Reference: Hashable {
    var text: String
    var resource: Place
    /// The same where `id` is a keyword.
    var draft4Resource: Place
  }

  package init(options: CompilationOptions, languages: RegularLanguages) {
    self.options = options
    self.languages = languages
  }

  /// Reads a schema and all that it refers to.
  package mutating func load(_ text: String) throws(GrammarError) {
    guard let root = add(document: text, uri: "") else {
      throw GrammarError(diagnostics: diagnostics)
    }
    var everything = SchemaNode()
    everything.boolean = true
    let scope = entering(root, from: DynamicScope())
    _ = schema(at: ScopedPlace(place: root, scope: scope), pointer: SchemaPointer("#"))
    graph.anything = graph.add(everything)
    var never = SchemaNode()
    never.boolean = false
    graph.nothing = graph.add(never)
    var count = 0
    var (errors, warnings) = (FindingOrder(), FindingOrder())
    while let next = pending.popLast(), languages.reachedLimit == nil {
      read(next.place, into: next.id)
      errors.note(diagnostics.count, at: next.place.place)
      warnings.note(graph.warnings.count, at: next.place.place)
      if count % 16 == 0 { languages.checkDeadline() }
      count += 1
    }
    for (name, keyword) in unknownFormats {
      warnOfUnknownFormat(name, keyword)
      warnings.note(graph.warnings.count, at: keyword.place)
    }
    diagnostics = errors.sorted(diagnostics)
    graph.warnings = warnings.sorted(graph.warnings)
    reportCircularReferences()
    if !diagnostics.isEmpty { throw GrammarError(diagnostics: diagnostics) }
    graph.listUnionsOfConstants()
  }

  /// The order of findings: subschemas are not read in the order of the text, but told in it.
  private struct FindingOrder {
    /// Where each finding stands.
    private var places: [Place] = []

    /// Notes where the findings were come to that are new among so many.
    mutating func note(_ count: Int, at place: Place) {
      while places.count < count { places.append(place) }
    }

    func sorted(_ findings: [GrammarError.Diagnostic]) -> [GrammarError.Diagnostic] {
      // A stable sort: what one subschema has wrong stays in its order.
      let order = places.indices.sorted {
        places[$0] == places[$1] ? $0 < $1 : places[$0] < places[$1]
      }
      return order.map { findings[$0] } + findings[places.count...]
    }
  }

  /// Hands the languages over without keeping a copy.
  package mutating func takeLanguages() -> RegularLanguages {
    var taken = RegularLanguages()
    swap(&taken, &languages)
    return taken
  }

  mutating func report(_ keyword: String, _ pointer: SchemaPointer, _ message: String) {
    report(keyword, pointer.text, message)
  }

  mutating func report(_ keyword: String, _ location: String, _ message: String) {
    guard diagnostics.count < Self.mostDiagnostics else { return }
    diagnostics.append(.init(keyword: keyword, location: location, message: message))
  }

  mutating func warn(_ keyword: String, _ pointer: SchemaPointer, _ message: String) {
    guard graph.warnings.count < Self.mostDiagnostics else { return }
    graph.warnings.append(.init(keyword: keyword, location: pointer.text, message: message))
  }

  /// Nobody reads more, and each takes more memory than what it is about.
  private static let mostDiagnostics = 1000

  mutating func add(document text: String, uri: String) -> Place? {
    do {
      let json = try JSONDocument(parsing: text.utf8, depthLimit: options.limits.depth)
      let named = Self.draft(of: json) ?? metaschema(of: json).flatMap { Self.draft(of: $0) }
      let draft = named ?? documents.first?.draft ?? options.defaultDraft
      if named == nil { warnOfUnknownMetaschema(json, uri: uri) }
      if named == .draft4 { warnOfDraft3(json, uri: uri) }
      documents.append(
        Document(
          json: json, base: uri, draft: draft,
          namesDraft: json.member("$schema", of: json.root) != nil))
      firsts.append([Int32](repeating: -1, count: json.records.count))
      let place = Place(document: documents.count - 1, node: json.root)
      documents[place.document].vocabularies = vocabularies(of: json)
      if let version = json.member("openapi", of: json.root), json.kind(version) == .string {
        documents[place.document].isOpenAPI30 = json.string(version).hasPrefix("3.0")
      }
      warnOfRepeatedKeys(json, uri: uri)
      identifiers.resources[uri] = place
      identifiers.index(place, base: uri, documents[place.document], isDraft4: draft == .draft4)
      if !documents[place.document].namesDraft {
        draft4Identifiers.resources[uri] = place
        draft4Identifiers.index(place, base: uri, documents[place.document], isDraft4: true)
      }
      if identifiers.isTooLarge || draft4Identifiers.isTooLarge {
        report(
          "$id", "\(uri)#",
          "the identifiers of the document have more than \(Identifiers.sizeLimit) bytes when each is "
            + "resolved; make `$id` shorter where others stand below it")
        return nil
      }
      return place
    } catch {
      report(
        "", "\(uri)#",
        error.isLimit
          ? "\(error); nest the text less deeply or raise the limit"
          : "not a JSON text: \(error)\(Self.hint(on: error, in: text))")
      return nil
    }
  }

  private mutating func warnOfDraft3(_ json: JSONDocument, uri: String) {
    guard let node = json.member("$schema", of: json.root), json.kind(node) == .string,
      json.string(node).contains("draft-03")
    else { return }
    graph.warnings.append(
      .init(
        keyword: "$schema", location: "\(uri)#/$schema",
        message:
          "draft 3 is read as draft 4: `extends`, `disallow` and a `required` that is true or "
          + "false say nothing; write them as `allOf`, `not` and a list in the object"))
  }

  private mutating func warnOfUnknownMetaschema(_ json: JSONDocument, uri: String) {
    guard let node = json.member("$schema", of: json.root), json.kind(node) == .string,
      metaschema(of: json) == nil
    else { return }
    graph.warnings.append(
      .init(
        keyword: "$schema", location: "\(uri)#/$schema",
        message: "`\(json.string(node))` is no draft that is known, and no registered document; "
          + "the default draft is assumed"))
  }

  /// To find the place of a key takes as long as the text is.
  private static let mostRepeatedKeys = 20

  /// Of members with one key the last counts, as for most readers of JSON; whoever wrote the others
  /// meant something.
  private mutating func warnOfRepeatedKeys(_ json: JSONDocument, uri: String) {
    for key in json.repeatedKeys.sorted().prefix(Self.mostRepeatedKeys) {
      graph.warnings.append(
        .init(
          keyword: json.string(key), location: "\(uri)#\(json.pointer(to: key))",
          message: "the key stands again in the same object, and the last one counts; remove the "
            + "others"))
    }
  }

  static func draft(of json: JSONDocument) -> Draft? {
    guard let node = json.member("$schema", of: json.root), json.kind(node) == .string else {
      return nil
    }
    let uri = json.text(node)
    return drafts.first { name, _ in
      uri.indices.contains { uri[$0...].starts(with: name.utf8) }
    }?.draft
  }

  /// What the URIs of the metaschemas have in them.
  private static let drafts: [(name: String, draft: Draft)] = [
    ("draft-03", .draft4), ("draft-04", .draft4), ("draft-06", .draft6), ("draft-07", .draft7),
    ("2019-09", .draft2019), ("2020-12", .draft2020),
  ]

  /// The subschema at a place, which will be read if it was not yet.
  mutating func schema(at place: ScopedPlace, pointer: SchemaPointer) -> SchemaNode.ID {
    let first = Int(firsts[place.place.document][place.place.node])
    if first >= 0 {
      if (firstScopes[first] ?? DynamicScope()) == place.scope { return first }
      if let id = known[place] { return id }
    }
    let id = graph.add(at: pointer)
    if first < 0 {
      firsts[place.place.document][place.place.node] = Int32(id)
      if !place.scope.anchors.isEmpty { firstScopes[id] = place.scope }
    } else {
      known[place] = id
    }
    pending.append((place, id))
    return id
  }

  /// Where a subschema stands, as it was first come to.
  func pointer(to place: Place) -> SchemaPointer? {
    let id = Int(firsts[place.document][place.node])
    return id >= 0 ? graph.nodes[id].place : nil
  }

  /// Subschemas that refer to themselves without descending into the value have no meaning.
  private mutating func reportCircularReferences() {
    var status = [UInt8](repeating: 0, count: graph.nodes.count)
    for start in graph.nodes.indices where status[start] == 0 {
      let targets = inPlace(start)
      if targets.isEmpty { continue }
      var stack: [(id: Int, next: Int, targets: [Int])] = [(start, 0, targets)]
      status[start] = 1
      while let top = stack.last {
        if top.next == top.targets.count {
          status[top.id] = 2
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let target = top.targets[top.next]
        if status[target] == 1 {
          report(
            "$ref", graph.nodes[top.id].place,
            "refers to itself without descending into the value; remove the circle")
          status[target] = 2
        } else if status[target] == 0 {
          status[target] = 1
          stack.append((target, 0, inPlace(target)))
        }
      }
    }
  }

  /// The subschemas that apply to the same value as a subschema.
  private func inPlace(_ id: SchemaNode.ID) -> [SchemaNode.ID] {
    // A copy of a node takes longer than what is read of it.
    var result = graph.nodes[id].allOf
    if let anyOf = graph.nodes[id].anyOf { result += anyOf }
    if let oneOf = graph.nodes[id].oneOf { result += oneOf }
    if let reference = graph.nodes[id].reference { result.append(reference) }
    if let not = graph.nodes[id].not { result.append(not) }
    if let conditional = graph.nodes[id].ifThenElse {
      result.append(conditional.condition)
      if let then = conditional.then { result.append(then) }
      if let otherwise = conditional.otherwise { result.append(otherwise) }
    }
    for dependent in graph.nodes[id].dependentSchemas { result.append(dependent.schema) }
    return result
  }
}
