// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The source that every list of properties needs: of a structure, and of a case with payload.
extension PropertyModel {
  /// The expression that makes the property of a schema.
  var schemaProperty: String {
    var arguments = "name: \(key.swiftLiteral)"
    if let description = guides.description { arguments += ", description: \(description)" }
    arguments += ", type: \(metatype)"
    let listed = guides.guides.isEmpty ? [] : ["[\(guides.guides.joined(separator: ", "))]"]
    let all = listed + guides.expressions
    if !all.isEmpty { arguments += ", guides: \(all.joined(separator: " + "))" }
    return "Espalier.GenerationSchema.Property(\(arguments))"
  }

  private var metatype: String {
    if let check { return "\(check.reference).self" }
    return type.text.hasPrefix("any ") || type.text.hasPrefix("some ")
      ? "(\(type.text)).self" : "\(type.text).self"
  }

  /// The type of the property while it is being generated.
  var partialType: String { "\(check?.reference ?? type.text).PartiallyGenerated?" }

  /// The expression that reads the property of content.
  var reading: String {
    let asked = check.map { "\($0.reference).self, " } ?? ""
    return "content.value(\(asked)forProperty: \(key.swiftLiteral))"
  }

  /// The expression that reads what has arrived of the property.
  var partialReading: String { "content.value(forProperty: \(key.swiftLiteral))" }

  /// The statement that sets the property of a structure. A wrapper may not let itself be set, or not
  /// before the other properties: the compiler says so where the property is.
  var assignment: [String] {
    let statement = "self.\(name) = try \(reading)"
    guard isWrapped else { return [statement] }
    return [
      statement
        + "  // Not generable through its wrapper? It needs 'init(wrappedValue:)' alone; or "
        + "move the property into another type."
    ].located(at: place)
  }

  /// The statement that sets a property to the identity of the content; of content without one,
  /// such as the app's own, to a new one.
  var identification: [String] {
    type.identity.map { ["self.\(name) = content.id ?? \($0)()"] } ?? []
  }

  /// The statements that add a value to `properties`; of an optional only where it has one, or
  /// where nil is to be said.
  func adding(_ value: String, representsNilExplicitly: String) -> [String] {
    let literal = key.swiftLiteral
    let content = check.map { "\(value) as \($0.reference)" } ?? value
    guard type.isOptional else { return ["properties.append((\(literal), \(content)))"] }
    let condition =
      switch representsNilExplicitly {
      case "false": "\(value) != nil"
      case "true": ""
      default: "\(value) != nil || (\(representsNilExplicitly))"
      }
    let statement = "properties.append((\(literal), \(content)))"
    return condition.isEmpty ? [statement] : ["if \(condition) { \(statement) }"]
  }
}
