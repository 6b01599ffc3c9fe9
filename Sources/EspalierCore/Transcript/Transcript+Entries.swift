// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Transcript {
  /// What the app told the model to be and do, and the tools it gave.
  public struct Instructions: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The parts.
    public var segments: [Segment]
    /// The tools that the model may call.
    public var toolDefinitions: [ToolDefinition]

    /// Creates instructions.
    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }

    public var description: String { segments.text }

    /// Whether they say nothing and define no tools.
    var isEmpty: Bool { segments.isEmpty && toolDefinitions.isEmpty }

    /// Whether others say the same and define the same tools, whatever their identities.
    func saysTheSame(as other: Instructions) -> Bool {
      segments.count == other.segments.count
        && zip(segments, other.segments).allSatisfy { $0.saysTheSame(as: $1) }
        && toolDefinitions == other.toolDefinitions
    }
  }

  /// What a tool is called, does, and takes.
  public struct ToolDefinition: Sendable, Equatable, CustomStringConvertible {
    /// The name by which the model calls the tool.
    public var name: String
    /// What the tool does.
    public var description: String
    /// What the arguments look like.
    public var parameters: GenerationSchema

    /// Creates a definition. Arguments are an object: parameters that say of no type get that one.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters.ofArguments
    }

    /// Creates the definition of a tool.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
    }

    public static func == (left: ToolDefinition, right: ToolDefinition) -> Bool {
      left.name == right.name && left.description == right.description
        && left.parameters.canonicalText == right.parameters.canonicalText
    }
  }

  /// What was asked.
  public struct Prompt: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The parts.
    public var segments: [Segment]
    /// How the tokens of the response were to be chosen.
    public var options: GenerationOptions
    /// What the response was to look like; text where nil.
    public var responseFormat: ResponseFormat?
    /// What the model was shown beside the prompt.
    public var contextOptions: ContextOptions
    /// What the app attached.
    public var metadata: MetadataValues

    /// Creates a prompt in the spelling of the first generation of the interface.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.init(
        id: id, metadata: [:], segments: segments, options: options,
        responseFormat: responseFormat, contextOptions: ContextOptions())
    }

    /// Creates a prompt.
    @_disfavoredOverload
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment],
      options: GenerationOptions, responseFormat: ResponseFormat? = nil,
      contextOptions: ContextOptions = ContextOptions()
    ) {
      self.id = id
      self.metadata = metadata.attached
      self.segments = segments
      self.options = options
      self.responseFormat = responseFormat
      self.contextOptions = contextOptions
    }

    public var description: String { segments.text }
  }

  /// What a response was to look like.
  public struct ResponseFormat: Sendable, Equatable, CustomStringConvertible {
    /// The forms of responses.
    public enum Kind: Sendable {
      /// A value of a schema.
      case schema(GenerationSchema)
    }

    /// The name of the schema.
    public var name: String
    /// The form.
    public let kind: Kind

    /// Creates the format of a type's values.
    public init<Content: Generable>(type: Content.Type) {
      self.init(schema: type.generationSchema)
    }

    /// Creates the format of a schema's values.
    public init(schema: GenerationSchema) {
      name = schema.name
      kind = .schema(schema)
    }

    /// The schema of the values.
    package var schema: GenerationSchema {
      switch kind {
      case .schema(let schema): schema
      }
    }

    public var description: String { name }

    public static func == (left: ResponseFormat, right: ResponseFormat) -> Bool {
      left.name == right.name
        && left.schema.canonicalText == right.schema.canonicalText
    }
  }

  /// What a tool gave.
  public struct ToolOutput: Sendable, Identifiable, Equatable, CustomStringConvertible {
    /// The identity of the call that this answers.
    public var id: String
    /// The name of the tool.
    public var toolName: String
    /// The parts.
    public var segments: [Segment]

    /// Creates an output.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }

    public var description: String { segments.text }
  }

  /// What the model answered.
  public struct Response: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The parts.
    public var segments: [Segment]
    /// What the model attached.
    public var metadata: MetadataValues

    /// The parts of the model that took part.
    public var assetIDs: [String] {
      get { (try? metadata["assetIDs"]?.value([String].self)) ?? [] }
      set { metadata["assetIDs"] = newValue.generatedContent }
    }

    /// Creates a response in the spelling of the first generation of the interface.
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.init(
        id: id, metadata: assetIDs.isEmpty ? [:] : ["assetIDs": assetIDs], segments: segments)
    }

    /// Creates a response.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment]
    ) {
      self.id = id
      self.metadata = metadata.attached
      self.segments = segments
    }

    public var description: String { segments.text }
  }

  /// What the model thought before it answered.
  public struct Reasoning: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The parts.
    public var segments: [Segment]
    /// What proves that the reasoning came from the model.
    public var signature: Data?
    /// What the model attached.
    public var metadata: MetadataValues

    /// Creates reasoning.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment],
      signature: Data? = nil
    ) {
      self.id = id
      self.metadata = metadata.attached
      self.segments = segments
      self.signature = signature
    }

    public var description: String { segments.text }
  }
}

extension GenerationSchema {
  /// The schema, with the type `object` where it says nothing of the type, as some servers of tools
  /// write it (`{}`). A model would give a number to such a tool, and hosted models refuse it.
  fileprivate var ofArguments: GenerationSchema {
    var object = SchemaNode(type: .object)
    switch root.form {
    case .boolean(true): break
    case .keywords(let keywords)
    where !keywords.contains { Self.keywordsOfTypes.contains($0.name) }:
      for keyword in keywords { object.append(keyword) }
    case .keywords, .boolean, .type, .embedded: return self
    }
    object.constraints = root.constraints
    object.descriptionInPlace = root.descriptionInPlace
    return GenerationSchema(name: name, root: object, definitions: definitions, type: type)
  }

  private static let keywordsOfTypes: Set<String> = [
    "type", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "const", "enum",
  ]

  /// What is the same for schemas that are, also after a way through an encoder that does not keep
  /// the order of keys.
  fileprivate var canonicalText: String {
    (try? jsonContent(dialect: .foundationModels).withSortedKeys.jsonString) ?? debugDescription
  }
}
