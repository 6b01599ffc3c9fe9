// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Members that say nothing, where something may have been meant.
///
/// The specification has schemas ignore what they do not know, so that nothing here is an error. Whoever
/// has a schema checked wants to know of `minLenght` all the same, and of a document that has its
/// schema further down.
extension SchemaLoader {
  /// Warns of the members of a schema that are nearly a keyword, and of a document without any.
  mutating func warnOfMisspellings(
    _ json: JSONDocument, _ place: Place, _ pointer: SchemaPointer
  ) {
    let node = place.node
    let draft = documents[place.document].draft
    warnOfUndeclaredMembers(json, node, pointer)
    var hasOthers = false
    var hasKeywords = false
    for key in json.keys(of: node) {
      let name = json.string(key)
      if let keyword = SchemaKeyword(json.text(key)) {
        hasKeywords = true
        if !keyword.drafts.contains(draft) { warnOfOtherDraft(keyword, draft, pointer) }
        continue
      }
      if name.hasPrefix("$") || name == "definitions" {
        hasKeywords = true
        continue
      }
      if warnOfDialect(name, json, place, pointer) { continue }
      if Self.annotations.contains(name) { continue }
      hasOthers = true
      guard !name.hasPrefix("x-"), let meant = Misspelling.keyword(like: name) else { continue }
      warn(name, pointer, "no keyword, so that it says nothing; was `\(meant)` meant?")
    }
    guard !hasKeywords, hasOthers, node == json.root else { return }
    let inner = Self.innerSchema(of: json)
    let hint = inner.map { "; is the schema at `#\(json.pointer(to: $0))`?" } ?? ""
    warn(
      "", pointer,
      "no member is a keyword of JSON Schema, so that any value satisfies it" + hint)
  }

  /// What schemas say to people and to tools.
  static let annotations: Set<String> = [
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "id", "contentMediaType", "contentEncoding", "contentSchema", "example",
    "discriminator",
  ]
}
