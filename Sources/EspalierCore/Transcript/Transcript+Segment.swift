public import Foundation

extension Transcript {
  /// A part of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// Text.
    case text(TextSegment)
    /// A structured value.
    case structure(StructuredSegment)
    /// An image.
    case attachment(AttachmentSegment)
    /// A part of the app's or the model's own kind.
    case custom(any CustomSegment)

    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      case .custom(let segment): segment.id
      }
    }

    public static func == (left: Segment, right: Segment) -> Bool {
      switch (left, right) {
      case (.text(let left), .text(let right)): left == right
      case (.structure(let left), .structure(let right)): left == right
      case (.attachment(let left), .attachment(let right)): left == right
      case (.custom(let left), .custom(let right)): areEqual(left, right)
      default: false
      }
    }
  }

  /// Text.
  public struct TextSegment: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The text.
    public var content: String

    /// Creates a segment.
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }

    public var description: String { content }
  }

  /// A structured value.
  public struct StructuredSegment: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The name of the schema that the value satisfies.
    public var schemaName: String
    /// The value.
    public var content: GeneratedContent

    /// The name of the schema, as the first generation of the interface calls it.
    public var source: String {
      get { schemaName }
      set { schemaName = newValue }
    }

    /// Creates a segment in the spelling of the first generation of the interface.
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.init(id: id, schemaName: source, content: content)
    }

    /// Creates a segment.
    public init(
      id: String = UUID().uuidString, schemaName: String, content: GeneratedContent
    ) {
      self.id = id
      self.schemaName = schemaName
      self.content = content
    }

    public var description: String { content.jsonString }
  }

  /// A segment of an app's or a model's own kind.
  public protocol CustomSegment: InstructionsRepresentable, PromptRepresentable,
    CustomStringConvertible, Equatable, Identifiable, Sendable
  {
    /// What the segment holds.
    associatedtype Content: Codable & Equatable & Sendable
    /// The identity of the segment.
    var id: String { get }
    /// What the segment holds.
    var content: Content { get }
  }

  /// An image, and the label by which the model speaks of it.
  public struct AttachmentSegment: Sendable, Identifiable, Equatable, CustomStringConvertible {
    public var id: String
    /// The image.
    public var content: Transcript.Attachment
    /// What the model calls it.
    public var label: String?

    /// Creates a segment.
    public init(
      id: String = UUID().uuidString, content: Transcript.Attachment, label: String? = nil
    ) {
      self.id = id
      self.content = content
      self.label = label
    }

    public var description: String {
      switch content {
      case .image(let image):
        "[image \(label ?? image.url?.lastPathComponent ?? "without a name")]"
      }
    }
  }

  /// What is attached.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image in a file or behind an address.
  public struct ImageAttachment: Sendable, Equatable {
    /// Where the image is.
    public var url: URL?

    /// Creates an attachment of the image at an address.
    public init(imageURL: URL) { url = imageURL }
  }
}

extension Transcript.Segment: CustomStringConvertible {
  public var description: String {
    switch self {
    case .text(let segment): segment.description
    case .structure(let segment): segment.description
    case .attachment(let segment): segment.description
    case .custom(let segment): segment.description
    }
  }
}

extension Transcript.CustomSegment {
  /// What the segment holds, in words.
  public var description: String { String(describing: content) }

  /// The segment itself, as a part of a prompt.
  public var promptRepresentation: EspalierCore.Prompt {
    EspalierCore.Prompt(parts: [.attachment(Transcript.Segment.custom(self))])
  }

  /// The segment itself, as a part of instructions.
  public var instructionsRepresentation: EspalierCore.Instructions {
    EspalierCore.Instructions(parts: [.attachment(Transcript.Segment.custom(self))])
  }
}

extension [Transcript.Segment] {
  /// The text of the segments: text as it is, structure as JSON.
  package var text: String {
    if count == 1, case .text(let segment) = self[0] { return segment.content }
    return map(\.description).joined(separator: "\n")
  }

  /// The parts of a prompt as segments: text in a row is one segment.
  package init(_ parts: [PromptPart]) {
    self = []
    var lines: [String] = []
    func textSegment() -> Transcript.Segment? {
      lines.isEmpty ? nil : .text(.init(content: lines.joined(separator: "\n")))
    }
    for part in parts {
      switch part {
      case .text(let line): lines.append(line)
      case .attachment(let attachment):
        guard let segment = attachment as? Transcript.Segment else { continue }
        if let text = textSegment() { append(text) }
        lines = []
        append(segment)
      }
    }
    if let text = textSegment() { append(text) }
  }
}
