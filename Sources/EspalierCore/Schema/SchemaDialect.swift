/// A dialect of JSON Schema.
public struct SchemaDialect: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case foundationModels, draft2020, draft7, strict
  }

  package let kind: Kind

  /// The dialect of FoundationModels: `x-order`, definitions at the root, `"$ref": "#"`.
  public static let foundationModels = SchemaDialect(kind: .foundationModels)

  /// JSON Schema, draft 2020-12.
  public static let draft2020 = SchemaDialect(kind: .draft2020)

  /// JSON Schema, draft-07.
  public static let draft7 = SchemaDialect(kind: .draft7)

  /// The strict subset of OpenAI's structured outputs and of the servers that follow it: every
  /// property is required, an optional one may be `null`, and no object has further properties.
  public static let strict = SchemaDialect(kind: .strict)
}
