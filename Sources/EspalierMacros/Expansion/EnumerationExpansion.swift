// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What `@Generable` adds to an enumeration.
func enumerationExpansion(of model: EnumerationModel) -> any GenerableExpansion {
  if model.hasPayloads {
    PayloadEnumerationExpansion(model: model)
  } else {
    ChoiceExpansion(model: model)
  }
}

/// An enumeration without payloads: in JSON the name of a case, or its raw value.
private struct ChoiceExpansion: GenerableExpansion {
  let model: EnumerationModel

  var members: [[String]] { [schema, content] }

  private var schema: [String] {
    [
      "nonisolated \(model.type.access)static var generationSchema: Espalier.GenerationSchema {",
      "  var choices: [String] = []",
    ]
      + lines(for: model.cases) { element in
        let choice =
          model.hasStringRawValues
          ? "Self.\(element.name).rawValue" : element.key.swiftLiteral
        return ["choices.append(\(choice))"]
      }.indented
      + ["  return Espalier.GenerationSchema(\(model.type.schemaArguments), anyOf: choices)", "}"]
  }

  private var content: [String] {
    let start = "nonisolated \(model.type.access)var generatedContent: Espalier.GeneratedContent {"
    if model.hasStringRawValues {
      return [start, "  Espalier.GeneratedContent(self.rawValue)", "}"]
    }
    return [start, "  switch self {"]
      + lines(for: model.cases) {
        ["case .\($0.name): Espalier.GeneratedContent(\($0.key.swiftLiteral))"]
      }.indented + ["  }", "}"]
  }

  var initializer: [String] {
    var body = ["let choice = try content.choice(for: Self.self)"]
    if model.hasStringRawValues {
      body += [
        "guard let value = Self(rawValue: choice) else {",
        "  throw content.unexpectedChoice(choice, for: Self.self)",
        "}",
        "self = value",
      ]
    } else {
      body += ["switch choice {"]
      body += lines(for: model.cases) { ["case \($0.key.swiftLiteral): self = .\($0.name)"] }
      body += [
        "default: throw content.unexpectedChoice(choice, for: Self.self)", "}",
      ]
    }
    return ["nonisolated \(model.type.access)init(_ content: Espalier.GeneratedContent) throws {"]
      + body.indented + ["}"]
  }
}

/// An enumeration with payloads: in JSON an object whose `type` names the case.
private struct PayloadEnumerationExpansion: GenerableExpansion {
  let model: EnumerationModel

  var members: [[String]] {
    var result = [schema, content]
    let checks = lines(for: model.cases) { element in
      element.payload.flatMap { $0.property.check?.declaration ?? [] }
    }
    if !checks.isEmpty { result.append(TypeCheck.namespace(of: checks, model.type.access)) }
    if !model.type.declaresPartiallyGenerated { result.append(partiallyGenerated) }
    return result
  }

  private var schema: [String] {
    [
      "nonisolated \(model.type.access)static var generationSchema: Espalier.GenerationSchema {",
      "  var cases: [Espalier.GenerationSchema.Case] = []",
    ]
      + lines(for: model.cases) { element in
        let properties = element.payload.map(\.property.schemaProperty)
        return [
          "cases.append(Espalier.GenerationSchema.Case(name: \(element.key.swiftLiteral), "
            + "properties: [\(properties.joined(separator: ", "))]))"
        ]
      }.indented
      + ["  return Espalier.GenerationSchema(\(model.type.schemaArguments), cases: cases)", "}"]
  }

  private var content: [String] {
    let start = "nonisolated \(model.type.access)var generatedContent: Espalier.GeneratedContent {"
    guard !model.isIncomplete else { return neverRunning(start) }
    return [
      start,
      "  var properties: [(String, any Espalier.ConvertibleToGeneratedContent)] = []",
      "  switch self {",
    ]
      + lines(for: model.cases) { element in
        [
          "case \(element.pattern):",
          "  properties.append((\"type\", \(element.key.swiftLiteral)))",
        ]
          + element.payload.flatMap {
            $0.property.adding(
              $0.property.name,
              representsNilExplicitly: model.type.arguments.representsNilExplicitly)
          }.indented
      }.indented + [
        "  }",
        "  return Espalier.GeneratedContent(properties: properties, uniquingKeysWith: { $1 })",
        "}",
      ]
  }

  private var partiallyGenerated: [String] {
    let access = model.type.access
    let indirect = model.isIndirect ? "indirect " : ""
    let conformances = model.type.partialConformances(identifiable: false)
    return ["nonisolated \(access)\(indirect)enum PartiallyGenerated: \(conformances) {"]
      + (lines(for: model.cases) { [$0.partialDeclaration] }
      + initializer(for: model.type.name, isPartial: true)).indented + ["}"]
  }

  var initializer: [String] { initializer(for: "Self", isPartial: false) }

  /// A member of an enumeration of which errors were reported: it is not compiled, so that its body
  /// never runs. One that reads or makes the cases without all of their values would be further
  /// errors, in code that the developer has not written.
  private func neverRunning(_ start: String) -> [String] { [start, "  fatalError()", "}"] }

  /// The initializer of the enumeration or of its partial twin, whose errors name the enumeration.
  private func initializer(for name: String, isPartial: Bool) -> [String] {
    let start =
      "nonisolated \(model.type.access)init(_ content: Espalier.GeneratedContent) throws {"
    guard !model.isIncomplete else { return neverRunning(start) }
    return [start]
      + ([
        "let choice = try content.choice(for: \(name).self, in: \"type\")",
        "switch choice {",
      ]
      + lines(for: model.cases) { element in
        ["case \(element.key.swiftLiteral): self = \(element.construction(isPartial: isPartial))"]
      } + ["default: throw content.unexpectedChoice(choice, for: \(name).self)", "}"])
      .indented
      + ["}"]
  }
}
