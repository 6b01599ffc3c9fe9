/// The source that every list of properties needs: of a structure, and of a case with payload.
extension PropertyModel {
  /// The expression that makes the property of a schema.
  var schemaProperty: String {
    var arguments = "name: \(key.swiftLiteral)"
    if let description = guides.description { arguments += ", description: \(description)" }
    arguments += ", type: \(metatype)"
    if !guides.guides.isEmpty {
      arguments += ", guides: [\(guides.guides.joined(separator: ", "))]"
    }
    return "GenerationSchema.Property(\(arguments))"
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
