// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

public struct Transcript: Sendable, RandomAccessCollection {
  private var entries: [Entry]
  public init(entries: some Sequence<Entry> = []) { self.entries = Array(entries) }
  public var startIndex: Int { entries.startIndex }
  public var endIndex: Int { entries.endIndex }
  public subscript(index: Int) -> Entry { entries[index] }
  mutating func append(_ entry: Entry) { entries.append(entry) }

  public enum Entry: Sendable {
    case instructions(Instructions)
    case prompt(Prompt)
    case toolCalls(ToolCalls)
    case toolOutput(ToolOutput)
    case response(Response)
    case reasoning(Reasoning)
  }

  public enum Segment: Sendable, CustomStringConvertible {
    case text(TextSegment)
    case structure(StructuredSegment)
    case attachment(AttachmentSegment)

    public var id: String {
      switch self {
      case .text(let text): text.id
      case .structure(let structure): structure.id
      case .attachment(let attachment): attachment.id
      }
    }

    public var description: String {
      switch self {
      case .text(let text): text.content
      case .structure(let structure): structure.content.jsonString
      case .attachment(let attachment): "[\(attachment.label ?? "image")]"
      }
    }
  }

  public struct TextSegment: Sendable {
    public var id: String
    public var content: String
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }

  public struct StructuredSegment: Sendable {
    public var id: String
    public var schemaName: String
    public var content: GeneratedContent
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.id = id
      schemaName = source
      self.content = content
    }
  }

  public struct AttachmentSegment: Sendable {
    public var id: String
    public var content: Attachment
    public var label: String?
    public init(id: String = UUID().uuidString, content: Attachment, label: String? = nil) {
      self.id = id
      self.content = content
      self.label = label
    }
  }

  public enum Attachment: Sendable { case image(ImageAttachment) }

  public struct ImageAttachment: Sendable {
    public var url: URL?
    public init(imageURL: URL) { url = imageURL }
  }

  public struct Instructions: Sendable {
    public var id: String
    public var segments: [Segment]
    public var toolDefinitions: [ToolDefinition]
    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  public struct ToolDefinition: Sendable {
    public var name: String
    public var description: String
    public var parameters: GenerationSchema
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }
  }

  public struct Prompt: Sendable {
    public var id: String
    public var segments: [Segment]
    public var options: GenerationOptions
    public var contextOptions = ContextOptions()
    public var metadata: [String: GeneratedContent] = [:]
    public init(
      id: String = UUID().uuidString, segments: [Segment], options: GenerationOptions = .init()
    ) {
      self.id = id
      self.segments = segments
      self.options = options
    }
  }

  public struct ToolCalls: Sendable, RandomAccessCollection {
    public var id: String
    private let calls: [ToolCall]
    public init(id: String = UUID().uuidString, _ calls: some Sequence<ToolCall>) {
      self.id = id
      self.calls = Array(calls)
    }
    public var startIndex: Int { calls.startIndex }
    public var endIndex: Int { calls.endIndex }
    public subscript(index: Int) -> ToolCall { calls[index] }
  }

  public struct ToolCall: Sendable {
    public var id: String
    public var toolName: String
    public var arguments: GeneratedContent
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
    }
  }

  public struct ToolOutput: Sendable {
    public var id: String
    public var toolName: String
    public var segments: [Segment]
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  public struct Response: Sendable {
    public var id: String
    public var assetIDs: [String]
    public var segments: [Segment]
    public var metadata: [String: GeneratedContent] = [:]
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
    }
  }

  public struct Reasoning: Sendable {
    public var id: String
    public var segments: [Segment]
    public var signature: Data?
    public init(id: String = UUID().uuidString, segments: [Segment], signature: Data? = nil) {
      self.id = id
      self.segments = segments
      self.signature = signature
    }
  }
}

extension Transcript {
  /// Every entry in a word and its text.
  public var story: [String] {
    map { entry in
      func text(_ segments: [Segment]) -> String {
        segments.map(\.description).joined(separator: "|")
      }
      return switch entry {
      case .instructions(let entry):
        "instructions \(text(entry.segments)) \(entry.toolDefinitions.map(\.name))"
      case .prompt(let entry): "prompt \(text(entry.segments))"
      case .toolCalls(let calls):
        "calls " + calls.map { "\($0.toolName)\($0.arguments.jsonString)" }.joined()
      case .toolOutput(let entry): "output \(text(entry.segments))"
      case .response(let entry): "response \(text(entry.segments))"
      case .reasoning(let entry): "reasoning \(text(entry.segments))"
      }
    }
  }
}
