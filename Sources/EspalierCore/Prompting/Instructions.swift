// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the app tells a model to be and to do, before any prompt.
///
/// Instructions come from the app alone: text that a person typed belongs into prompts.
public struct Instructions: Sendable, CustomStringConvertible {
  package var parts: [PromptPart]

  /// The text, one component per line, and what is attached as a transcript writes it:
  /// `[image map.png]`.
  public var description: String { parts.words }

  package init(parts: [PromptPart]) { self.parts = parts }

  package init(text: String) { parts = [.text(text)] }

  /// Creates instructions from what can be put into them.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// Creates instructions from the components of a closure.
  ///
  /// - Throws: What the closure throws.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }
}

/// A type whose values can be put into instructions.
public protocol InstructionsRepresentable {
  /// The value as instructions.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  public var instructionsRepresentation: Instructions { return self }
}

extension Array: InstructionsRepresentable where Element: InstructionsRepresentable {
  /// The elements, one after the other.
  public var instructionsRepresentation: Instructions {
    return Instructions(parts: flatMap { $0.instructionsRepresentation.parts })
  }
}

extension Optional: InstructionsRepresentable where Wrapped: InstructionsRepresentable {
  /// The value, or nothing.
  public var instructionsRepresentation: Instructions {
    return self?.instructionsRepresentation ?? Instructions(parts: [])
  }
}
