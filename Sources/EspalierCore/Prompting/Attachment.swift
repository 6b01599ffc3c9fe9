// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

  /// The newest image with the label among entries; nil where there is none.
  ///
  /// - Parameter entries: A transcript, its history, or any other entries.
  public func resolved(
    in entries: some Sequence<Transcript.Entry>
  ) -> Transcript.ImageAttachment? {
    for entry in entries.reversed() {
      for case .attachment(let attachment) in entry.segments
      where attachment.label == attachmentLabel {
        if case .image(let image) = attachment.content { return image }
      }
    }
    return nil
  }

  /// The image with the label in a transcript, in an earlier spelling of ``resolved(in:)``.
  @available(*, deprecated, renamed: "resolved(in:)")
  public func resolve(in transcript: Transcript) -> Transcript.ImageAttachment? {
    resolved(in: transcript)
  }
}

extension Transcript.Entry {
  /// The parts of what is said; none of calls.
  var segments: [Transcript.Segment] {
    switch self {
    case .instructions(let entry): entry.segments
    case .prompt(let entry): entry.segments
    case .toolOutput(let entry): entry.segments
    case .response(let entry): entry.segments
    case .reasoning(let entry): entry.segments
    case .toolCalls: []
    }
  }
}
