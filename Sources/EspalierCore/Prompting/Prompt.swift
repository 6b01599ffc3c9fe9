// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a person, or the app for them, asks of a model.
///
/// ```swift
/// let prompt = Prompt {
///   "Suggest three places to see in \(city)."
///   if travelsWithChildren { "The children are four and seven." }
/// }
/// ```
public struct Prompt: Sendable, CustomStringConvertible {
  package var parts: [PromptPart]

  /// The text, one component per line, and what is attached as a transcript writes it:
  /// `[image map.png]`.
  public var description: String { parts.words }

  package init(parts: [PromptPart]) { self.parts = parts }

  package init(text: String) { parts = [.text(text)] }

  /// Creates a prompt from what can be put into one.
  public init(_ content: some PromptRepresentable) { self = content.promptRepresentation }

  /// Creates a prompt from the components of a closure.
  ///
  /// - Throws: What the closure throws.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows { self = try content() }
}

/// One component of a prompt or of instructions.
package enum PromptPart: Sendable {
  case text(String)
  /// What is not text, as the transcript stores it.
  case attachment(any Sendable)
}

extension [PromptPart] {
  /// The text of the parts, one per line.
  package var text: String {
    compactMap { part in
      if case .text(let text) = part { text } else { nil }
    }.joined(separator: "\n")
  }

  /// The parts for a person, one per line.
  package var words: String {
    map { part in
      switch part {
      case .text(let text): text
      case .attachment(let attachment): String(describing: attachment)
      }
    }.joined(separator: "\n")
  }
}

/// A type whose values can be put into a prompt.
public protocol PromptRepresentable {
  /// The value as a prompt.
  ///
  /// A body without `return` is built like the closure of ``Prompt/init(_:)-(()->Prompt)``.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

// Every `promptRepresentation` of the library says `return`: without it the requirement's builder
// would build it, and ask a prompt for its representation again.

extension Prompt: PromptRepresentable {
  public var promptRepresentation: Prompt { return self }
}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  /// The elements, one after the other.
  public var promptRepresentation: Prompt {
    return Prompt(parts: flatMap { $0.promptRepresentation.parts })
  }
}

extension Optional: PromptRepresentable where Wrapped: PromptRepresentable {
  /// The value, or nothing.
  public var promptRepresentation: Prompt {
    return self?.promptRepresentation ?? Prompt(parts: [])
  }
}
