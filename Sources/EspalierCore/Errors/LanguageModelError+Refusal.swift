// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelError {
  /// The payload of ``refusal(_:)``.
  public struct Refusal: Sendable {
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]
    private var text: String

    /// Creates a payload.
    ///
    /// - Parameters:
    ///   - explanation: Why the model declines, in its own words.
    ///   - debugDescription: The error in words for a developer.
    ///   - metadata: What else there is to say.
    public init(
      explanation: String, debugDescription: String = "The model declined to answer.",
      metadata: [String: any Sendable] = [:]
    ) {
      text = explanation
      self.debugDescription = debugDescription
      self.metadata = metadata
    }

    /// Why the model declines, as a response.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { .explanation(text) }
    }

    /// Why the model declines, as a stream.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(finished: .explanation(text))
    }

    /// Why the model declines, in its own words.
    package var explanationText: String { text }
  }
}

extension LanguageModelSession.Response where Content == String {
  static func explanation(_ text: String) -> Self {
    Self(
      content: text, rawContent: text.generatedContent,
      transcriptEntries: [
        .response(Transcript.Response(segments: [.text(.init(content: text))]))
      ], usage: .init())
  }
}
