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
    type.text.hasPrefix("any ") || type.text.hasPrefix("some ")
      ? "(\(type.text)).self" : "\(type.text).self"
  }

  /// The type of the property while it is being generated.
  var partialType: String { "\(type.text).PartiallyGenerated?" }

  /// The statements that add a value to `properties`; of an optional only where it has one, or
  /// where nil is to be said.
  func adding(_ value: String, representsNilExplicitly: String) -> [String] {
    let literal = key.swiftLiteral
    guard type.isOptional else { return ["properties.append((\(literal), \(value)))"] }
    let condition =
      switch representsNilExplicitly {
      case "false": "\(value) != nil"
      case "true": ""
      default: "\(value) != nil || (\(representsNilExplicitly))"
      }
    let statement = "properties.append((\(literal), \(value)))"
    return condition.isEmpty ? [statement] : ["if \(condition) { \(statement) }"]
  }
}
