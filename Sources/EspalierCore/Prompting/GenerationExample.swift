// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A worked example: a prompt and the value that a good answer to it has.
///
/// ```swift
/// let examples = [
///   GenerationExample("Ann, two nights", Booking(guest: "Ann", nights: 2))
/// ]
/// let booking = try await session.respond(to: text, generating: Booking.self, examples: examples)
/// ```
///
/// The model is shown an example as an earlier turn of the conversation; the session's transcript
/// does not have it. One example is worth more to a small model than any description of the type.
public struct GenerationExample: Sendable {
  /// What is asked.
  public var prompt: Prompt
  /// What a good answer is.
  public var value: GeneratedContent

  /// Creates an example of a type.
  public init(_ prompt: String, _ value: some Generable) {
    self.init(Prompt(text: prompt), value: value.generatedContent)
  }

  /// Creates an example of a type.
  @_disfavoredOverload
  public init(_ prompt: Prompt, _ value: some Generable) {
    self.init(prompt, value: value.generatedContent)
  }

  /// Creates an example of a schema that is made at run time.
  public init(_ prompt: Prompt, value: GeneratedContent) {
    self.prompt = prompt
    self.value = value
  }

  /// The turns of a conversation that the examples are shown as. The same examples give the same
  /// entries, so that a model that has read them need not read them again.
  static func entries(of examples: [GenerationExample]) -> [Transcript.Entry] {
    examples.enumerated().flatMap { index, example in
      [
        .prompt(.init(id: "example-\(index)-prompt", segments: Array(example.prompt.parts))),
        .response(
          .init(
            id: "example-\(index)-response", assetIDs: [],
            segments: [.structure(.init(source: "", content: example.value))])),
      ] as [Transcript.Entry]
    }
  }
}

extension Transcript {
  /// Puts examples before the conversation, after what the app said about it.
  mutating func insertExamples(_ examples: [Entry]) {
    guard !examples.isEmpty else { return }
    var entries = self.entries
    let place = entries.firstIndex { if case .instructions = $0 { false } else { true } }
    entries.insert(contentsOf: examples, at: place ?? entries.count)
    self = Transcript(entries: entries)
  }
}

extension Transcript.Entry {
  /// Whether the entry is part of a worked example.
  var isExample: Bool { id.hasPrefix("example-") }
}
