public import Foundation

/// Something other than text in a prompt.
///
/// ```swift
/// try await session.respond {
///   "What is on this picture?"
///   Attachment(imageURL: picture).label("picture")
/// }
/// ```
public struct Attachment<Content>: PromptRepresentable, InstructionsRepresentable {
  var segment: Transcript.AttachmentSegment

  /// The attachment under a name by which the model speaks of it.
  public func label(_ label: String) -> Attachment<Content> {
    var result = self
    result.segment.label = label
    return result
  }

  public var promptRepresentation: Prompt {
    Prompt(parts: [.attachment(Transcript.Segment.attachment(segment))])
  }

  public var instructionsRepresentation: Instructions {
    Instructions(parts: [.attachment(Transcript.Segment.attachment(segment))])
  }
}

/// An image as the content of an attachment.
public enum ImageAttachmentContent {}

extension Attachment where Content == ImageAttachmentContent {
  /// Creates an attachment of the image at an address.
  public init(imageURL: URL) {
    segment = .init(content: .image(.init(imageURL: imageURL)))
  }
}

/// An image that a model speaks of, by its label.
public struct ImageReference: Generable, Sendable, Equatable {
  /// The label of the attachment.
  public let attachmentLabel: String

  /// Creates a reference from content.
  public init(_ content: GeneratedContent) throws {
    attachmentLabel = try content.value(forProperty: "attachmentLabel")
  }

  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(
          name: "attachmentLabel", description: "The label of an attached image",
          type: String.self)
      ])
  }

  public var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["attachmentLabel": attachmentLabel])
  }

  /// The image with the label in a transcript; nil where there is none.
  public func resolve(in transcript: Transcript) -> Transcript.ImageAttachment? {
    for entry in transcript.reversed() {
      let segments: [Transcript.Segment] =
        switch entry {
        case .instructions(let entry): entry.segments
        case .prompt(let entry): entry.segments
        case .toolOutput(let entry): entry.segments
        case .response(let entry): entry.segments
        case .reasoning(let entry): entry.segments
        case .toolCalls: []
        }
      for case .attachment(let attachment) in segments where attachment.label == attachmentLabel {
        if case .image(let image) = attachment.content { return image }
      }
    }
    return nil
  }
}
