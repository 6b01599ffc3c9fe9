// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What `@Generable` adds to a structure.
struct StructureExpansion: GenerableExpansion {
  let model: StructureModel

  var members: [[String]] {
    var result = [schema, content]
    if model.properties.contains(where: { $0.contains { $0.check != nil } }) {
      let checks = lines(for: model.properties) { $0.check?.declaration ?? [] }
      result.append(TypeCheck.namespace(of: checks, model.type.access))
    }
    if !model.type.declaresPartiallyGenerated { result.append(partiallyGenerated) }
    return result
  }

  /// Statements rather than one array literal: `#if` may stand between them, and the compiler
  /// checks the type of each on its own.
  private var schema: [String] {
    ["\(nonisolated)static var generationSchema: Espalier.GenerationSchema {"]
      + ([variable(of: "Espalier.GenerationSchema.Property")]
      + lines(for: model.properties) {
        ["properties.append(\($0.schemaProperty))"]
          .located(at: $0.guides.expressions.isEmpty ? nil : $0.place)
      }
      + ["return Espalier.GenerationSchema(\(schemaArguments), properties: properties)"]).indented
      + ["}"]
  }

  private var schemaArguments: String {
    let explicit = model.type.arguments.representsNilExplicitly
    return model.type.schemaArguments
      + (explicit == "false" ? "" : ", representNilExplicitlyInGeneratedContent: \(explicit)")
  }

  private var content: [String] {
    deprecated("It reads a deprecated property. 'GeneratedContent(value)' does without a warning.")
      + ["\(nonisolated)var generatedContent: Espalier.GeneratedContent {"]
      + ([variable(of: "(String, any Espalier.ConvertibleToGeneratedContent)")]
      + lines(for: model.properties) {
        $0.adding(
          "self.\($0.name)",
          representsNilExplicitly: model.type.arguments.representsNilExplicitly)
      } + [
        "return Espalier.GeneratedContent("
          + "properties: properties, \(identity)uniquingKeysWith: { $1 })"
      ])
      .indented + ["}"]
  }

  /// The argument with which the identity of the content goes back to where it came from. A property
  /// under `#if` may not be there.
  private var identity: String {
    for case .element(let property) in model.identities { return "id: self.\(property.name), " }
    return ""
  }

  private func variable(of element: String) -> String {
    model.properties.isEmpty
      ? "let properties: [\(element)] = []" : "var properties: [\(element)] = []"
  }

  private var partiallyGenerated: [String] {
    let access = model.type.access
    let isIdentifiable = !model.hasOwnID
    let conformances = model.type.partialConformances(identifiable: isIdentifiable)
    var body: [String] = []
    if isIdentifiable { body.append("\(access)var id: Espalier.GenerationID") }
    body += lines(for: model.properties) { property in
      ["\(property.access)var \(property.name): \(property.partialType)"]
    }
    body += lines(for: otherIdentities) { property in
      ["\(property.access)var \(property.name): \(property.type.text)"]
    }
    body.append("nonisolated \(access)init(_ content: Espalier.GeneratedContent) throws {")
    if isIdentifiable { body.append("  self.id = content.id ?? Espalier.GenerationID()") }
    body += (assignments + lines(for: otherIdentities, \.identification)).indented + ["}"]
    return ["nonisolated \(access)struct PartiallyGenerated: \(conformances) {"]
      + body.indented + ["}"]
  }

  var initializer: [String] {
    deprecated("It sets a deprecated property. 'content.value()' does without a warning.")
      + ["nonisolated \(model.type.access)init(_ content: Espalier.GeneratedContent) throws {"]
      + (lines(for: model.properties) { $0.assignment }
      + lines(for: model.identities, \.identification)).indented + ["}"]
  }

  /// The identities that the partial type does not have as `id`.
  private var otherIdentities: [Conditional<PropertyModel>] {
    model.identities.filter { $0.key != "id" }
  }

  private var assignments: [String] {
    lines(for: model.properties) { property in
      ["self.\(property.name) = try \(property.partialReading)"]
    }
  }

  private func deprecated(_ message: String) -> [String] {
    model.deprecations.map { $0.attribute(message: message) }
  }

  private var nonisolated: String { "nonisolated \(model.type.access)" }
}
