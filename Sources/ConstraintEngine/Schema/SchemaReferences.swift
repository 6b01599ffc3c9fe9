// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Follows the references of schema documents, for readers that keep schemas as schemas.
///
/// ``SchemaLoader`` reads what keywords mean; another reader asks here only what a reference leads to:
/// by JSON Pointer, by anchor, by the identifiers of the document and of its parts, in registered
/// documents and in the metaschemas. What `$dynamicRef` names depends on the way to it, so that a
/// place knows the way.
package struct SchemaReferences: Sendable {
  /// A subschema, and the dynamic scope in which it was come to.
  package struct Place: Hashable, Sendable {
    fileprivate var scoped: SchemaLoader.ScopedPlace

    /// Where the subschema is in its document.
    package var node: JSONDocument.Node { scoped.place.node }

    /// The number of its document.
    package var documentNumber: Int { scoped.place.document }
  }

  private var loader: SchemaLoader
  private let deadline = Deadline(after: CompilationOptions.Limits().compileTime)

  /// Whether following references has taken as long as compiling may.
  package var isOutOfTime: Bool { deadline.isOver }

  /// The schema itself.
  package let root: Place

  /// Reads a schema.
  ///
  /// - Parameters:
  ///   - text: The text of the document.
  ///   - documents: Other schemas that references may name, by their URI.
  /// - Throws: ``GrammarError`` where the text is not JSON.
  package init(_ text: String, documents: [String: String]) throws(GrammarError) {
    var options = CompilationOptions.validation
    options.documents = documents
    loader = SchemaLoader(options: options, languages: RegularLanguages())
    guard let place = loader.add(document: text, uri: "") else {
      throw GrammarError(diagnostics: loader.diagnostics)
    }
    let scope = loader.entering(place, from: DynamicScope())
    root = Place(scoped: .init(place: place, scope: scope))
  }

  /// The document of a place.
  package func document(of place: Place) -> JSONDocument {
    loader.documents[place.scoped.place.document].json
  }

  /// Whether a document follows draft 4 or an earlier one, which have the type `any`.
  package func hasTypeAny(_ place: Place) -> Bool {
    loader.documents[place.scoped.place.document].draft == .draft4
  }

  /// The place of a node below another place.
  package func child(_ node: JSONDocument.Node, of place: Place) -> Place {
    let child = SchemaLoader.Place(document: place.scoped.place.document, node: node)
    let scope = loader.entering(child, from: place.scoped.scope)
    return Place(scoped: .init(place: child, scope: scope))
  }

  /// The URI under which the document of a place is known; empty for the first.
  package func uri(of place: Place) -> String {
    loader.documents[place.scoped.place.document].base
  }

  /// Whether a keyword of a place has no meaning, because `$ref` hides it (up to draft 7), the draft
  /// does not have it, or the metaschema has no vocabulary with it.
  package func hides(_ keyword: String, at place: Place) -> Bool {
    let document = loader.documents[place.scoped.place.document]
    if !document.vocabularies.has(keyword) { return true }
    if let known = SchemaKeyword(rawValue: keyword), !known.drafts.contains(document.draft) {
      return true
    }
    return document.draft <= .draft7 && keyword != "$ref"
      && document.json.member("$ref", of: place.node) != nil
  }

  /// What a reference leads to; nil where it leads nowhere.
  ///
  /// - Parameters:
  ///   - isDynamic: Whether it is that of `$dynamicRef` or `$recursiveRef`.
  package mutating func target(
    of reference: String, isDynamic: Bool, from place: Place
  ) -> Place? {
    guard var found = loader.find(reference, from: place.scoped.place)?.place else { return nil }
    if isDynamic, let name = loader.dynamicAnchor(named: reference, at: found),
      let bound = place.scoped.scope.anchors[name]
    {
      found = bound
    }
    let scope = loader.entering(found, from: place.scoped.scope)
    return Place(scoped: .init(place: found, scope: scope))
  }
}
