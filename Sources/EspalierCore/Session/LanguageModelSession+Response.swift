// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession {
  /// An answer, as a value of the type asked for.
  public struct Response<Content: Generable> {
    /// The value.
    public let content: Content
    /// The value as the model wrote it.
    public let rawContent: GeneratedContent
    /// What the request added to the transcript after the prompt: reasoning, tool calls, their
    /// outputs, and the response.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the request took.
    public let usage: Usage
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}
