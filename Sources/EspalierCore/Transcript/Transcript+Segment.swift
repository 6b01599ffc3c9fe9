// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      }
    }

    /// Whether another says the same, whatever its identity.
    func saysTheSame(as other: Segment) -> Bool {
      switch (self, other) {
      case (.text(let left), .text(let right)): left.content == right.content
      case (.structure(let left), .structure(let right)):
        left.schemaName == right.schemaName && left.content == right.content
      case (.attachment(let left), .attachment(let right)):
        left.label == right.label && left.content == right.content
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

  @available(
    *, unavailable,
    message: """
      A segment of your own kind is a 'StructuredSegment': make the content 'Generable', or \
      'ConvertibleToGeneratedContent', and write \
      '.structure(StructuredSegment(schemaName:content:))'.
      """
  )
  public protocol CustomSegment {}

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
        "[image \(label ?? image.name ?? "without a name")]"
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

    /// The name of the file; nil where there is none: what a `data:` address ends with is the image.
    fileprivate var name: String? {
      url.flatMap { $0.scheme?.lowercased() == "data" ? nil : $0.lastPathComponent }
    }
  }
}

extension Transcript.Segment: CustomStringConvertible {
  public var description: String {
    switch self {
    case .text(let segment): segment.description
    case .structure(let segment): segment.description
    case .attachment(let segment): segment.description
    }
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
