// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession {
  /// How many tokens requests have taken.
  public struct Usage: Sendable, Equatable {
    /// What was read.
    public struct Input: Sendable, Hashable {
      /// How many tokens were read.
      public var totalTokenCount = 0
      /// How many of them were known from an earlier request.
      public var cachedTokenCount = 0

      /// Creates a count.
      public init(totalTokenCount: Int = 0, cachedTokenCount: Int = 0) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// What was written.
    public struct Output: Sendable, Hashable {
      /// How many tokens were written.
      public var totalTokenCount = 0
      /// How many of them are reasoning.
      public var reasoningTokenCount = 0

      /// Creates a count.
      public init(totalTokenCount: Int = 0, reasoningTokenCount: Int = 0) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// What was read.
    public var input = Input()
    /// What was written.
    public var output = Output()
    /// What else the model says.
    public var metadata: Transcript.MetadataValues = [:]

    /// Creates a count of nothing.
    public init() {}

    /// Creates a count.
    public init(
      input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.input = input
      self.output = output
      self.metadata = metadata.attached
    }

    /// The name under which ``metadata`` says that an answer was shortened.
    package static let shortened = "shortened"

    /// Whether a limit kept the model from going on: ``GenerationOptions/maximumResponseTokens``, or what
    /// the model can read.
    ///
    /// Of the usage of a session: whether that was so for any of its requests.
    ///
    /// A value is whole all the same: its texts, lists and numbers end earlier than the model would have
    /// ended them. A text ends in its middle.
    public var isShortened: Bool { metadata[Self.shortened] == true.generatedContent }

    /// All tokens, read and written.
    public var totalTokenCount: Int {
      input.totalTokenCount.saturatingSum(with: output.totalTokenCount)
    }

    mutating func add(_ other: Usage) {
      input.totalTokenCount.addSaturating(other.input.totalTokenCount)
      input.cachedTokenCount.addSaturating(other.input.cachedTokenCount)
      output.totalTokenCount.addSaturating(other.output.totalTokenCount)
      output.reasoningTokenCount.addSaturating(other.output.reasoningTokenCount)
      metadata.merge(other.metadata) { $1 }
    }
  }
}

extension LanguageModelSession.Usage: CustomStringConvertible {
  /// The counts in words: `read 120 tokens, 96 of them cached; wrote 30, 12 of them reasoning`.
  public var description: String {
    let cached = input.cachedTokenCount > 0 ? ", \(input.cachedTokenCount) of them cached" : ""
    let reasoning =
      output.reasoningTokenCount > 0 ? ", \(output.reasoningTokenCount) of them reasoning" : ""
    return "read \(input.totalTokenCount) tokens\(cached); "
      + "wrote \(output.totalTokenCount)\(reasoning)"
  }
}
