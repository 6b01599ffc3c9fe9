// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Transcript.Entry: CustomStringConvertible {
  /// Who says what.
  public var description: String { "\(speaker): \(content)" }

  private var speaker: String {
    switch self {
    case .instructions: "Instructions"
    case .prompt: "Prompt"
    case .toolCalls: "Tool calls"
    case .toolOutput(let output): "Output of \(output.toolName)"
    case .response: "Response"
    case .reasoning: "Reasoning"
    }
  }

  /// What is said.
  package var content: String {
    switch self {
    case .instructions(let entry): entry.description
    case .prompt(let entry): entry.description
    case .toolCalls(let entry): entry.description
    case .toolOutput(let entry): entry.description
    case .response(let entry): entry.description
    case .reasoning(let entry): entry.description
    }
  }
}

extension Transcript: CustomStringConvertible {
  /// The transcript for a person to read: an entry after the other, a line between two.
  ///
  /// ```text
  /// Prompt: Which places should I see in Kyoto?
  ///
  /// Tool calls: findSights({"city":"Kyoto"})
  /// ```
  public var description: String { map(\.description).joined(separator: "\n\n") }
}
