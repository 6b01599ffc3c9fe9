// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension LanguageModelExecutorGenerationChannel {
  /// Values that an app or an executor attaches to an entry.
  public typealias MetadataValues = Transcript.MetadataValues

  /// One part of an answer.
  ///
  /// Parts with the same entry identity make one entry of the transcript; where it is nil, parts
  /// of one kind in a row do.
  public struct Event: Sendable {
    /// The kinds: what a wrapper, or a model that stands behind another, reads.
    public enum Kind: Sendable {
      /// A part of the response.
      case response(Response.Action)
      /// A part of the reasoning.
      case reasoning(Reasoning.Action)
      /// A part of the calls.
      case toolCalls(ToolCalls.Action)
    }

    /// The entry that the part belongs to; nil for the one before, where that is of the same kind.
    public var entryID: String?
    /// What happens.
    public var kind: Kind
    /// Whether all of its tokens are forced by a schema, so that the model did not choose them.
    package var isForced = false
    /// How likely its tokens were, where that is asked for (``GenerationOptions/tokenRivalCount``).
    package var tokens: [TokenProbability] = []

    /// A part of the response.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(entryID: entryID, kind: .response(action))
    }

    /// A part of the model's reasoning.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(entryID: entryID, kind: .reasoning(action))
    }

    /// A part of the model's calls of tools.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(entryID: entryID, kind: .toolCalls(action))
    }
  }

  /// Text that is added to a segment.
  public struct TextFragment: Sendable {
    /// The text.
    public var content: String
    /// The segment; the last one where nil.
    public var segmentID: String?
    /// How many tokens the text is.
    public var tokenCount: Int
  }

  /// Text in place of that of a segment.
  public struct TextSegmentReplacement: Sendable {
    /// The text.
    public var content: String
    /// The segment; the last one where nil.
    public var segmentID: String?
    /// How many tokens the text is.
    public var tokenCount: Int
  }

  /// Values to attach to an entry.
  public struct Metadata: Sendable {
    /// The values by name.
    public var values: MetadataValues
  }

  /// What proves that reasoning came from the model.
  public struct ReasoningSignature: Sendable {
    /// The proof.
    public var signature: Data
    /// How many tokens it is.
    public var tokenCount: Int
  }

  /// How many tokens a request has taken.
  public struct Usage: Sendable {
    /// What was read.
    public struct Input: Sendable {
      /// How many tokens were read.
      public var totalTokenCount: Int
      /// How many of them were known from an earlier request.
      public var cachedTokenCount: Int

      /// Creates a count.
      public init(totalTokenCount: Int, cachedTokenCount: Int = 0) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// What was written.
    public struct Output: Sendable {
      /// How many tokens were written.
      public var totalTokenCount: Int
      /// How many of them are reasoning.
      public var reasoningTokenCount: Int

      /// Creates a count.
      public init(totalTokenCount: Int, reasoningTokenCount: Int = 0) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// What was read.
    public var input: Input
    /// What was written.
    public var output: Output
    /// What else the executor says.
    public var metadata: MetadataValues

    /// Whether a limit shortened the answer.
    package var isShortened: Bool {
      metadata[LanguageModelSession.Usage.shortened] == true.generatedContent
    }

    /// Creates a count.
    public init(
      input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.input = input
      self.output = output
      self.metadata = metadata.attached
    }
  }

  /// The response.
  public enum Response {
    /// What happens to the response.
    public struct Action: Sendable {
      /// The kinds: what a wrapper, or a model that stands behind another, reads.
      public enum Kind: Sendable {
        /// Text is added.
        case append(TextFragment)
        /// Text takes the place of that of a segment.
        case replace(TextSegmentReplacement)
        /// An attachment is added.
        case addAttachment(Transcript.AttachmentSegment)
        /// An attachment is taken away.
        case removeAttachment(id: String)
        /// Values are attached.
        case metadata(Metadata)
        /// Tokens are counted.
        case usage(Usage)
      }

      /// What happens.
      public var kind: Kind

      /// Adds text.
      ///
      /// - Parameters:
      ///   - text: The text.
      ///   - segmentID: The segment that it is added to; the last one where nil.
      ///   - tokenCount: How many tokens the text is.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .append(
            TextFragment(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// Puts text in place of that of a segment.
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .replace(
            TextSegmentReplacement(
              content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      @available(
        *, unavailable,
        message: "Send the content as text, or attach it with 'updateMetadata(_:)'."
      )
      public static func updateCustomSegment(_ segment: Any) -> Action {
        Action(kind: .metadata(Metadata(values: [:])))
      }

      /// Adds an attachment.
      public static func addAttachmentSegment(
        _ segment: Transcript.AttachmentSegment
      ) -> Action {
        Action(kind: .addAttachment(segment))
      }

      /// Takes an attachment away.
      public static func removeAttachmentSegment(id: String) -> Action {
        Action(kind: .removeAttachment(id: id))
      }

      /// Attaches values in place of all that were attached before.
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Attaches values as their JSON in place of all that were attached before.
      @_disfavoredOverload
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Says how many tokens the request has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// The model's reasoning.
  public enum Reasoning {
    /// What happens to the reasoning.
    public struct Action: Sendable {
      /// The kinds: what a wrapper, or a model that stands behind another, reads.
      public enum Kind: Sendable {
        /// Text is added.
        case append(TextFragment)
        /// Text takes the place of that of a segment.
        case replace(TextSegmentReplacement)
        /// The proof is set.
        case signature(ReasoningSignature)
        /// Values are attached.
        case metadata(Metadata)
        /// Tokens are counted.
        case usage(Usage)
      }

      /// What happens.
      public var kind: Kind

      /// Adds text.
      ///
      /// - Parameters:
      ///   - text: The text.
      ///   - segmentID: The segment that it is added to; the last one where nil.
      ///   - tokenCount: How many tokens the text is.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .append(
            TextFragment(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// Puts text in place of that of a segment.
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .replace(
            TextSegmentReplacement(
              content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// Sets what proves that the reasoning came from the model.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(
          kind: .signature(ReasoningSignature(signature: signature, tokenCount: tokenCount)))
      }

      /// Attaches values in place of all that were attached before.
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Attaches values as their JSON in place of all that were attached before.
      @_disfavoredOverload
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Says how many tokens the request has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }
}
