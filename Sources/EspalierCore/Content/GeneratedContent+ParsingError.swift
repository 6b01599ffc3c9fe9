// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension GeneratedContent {
  /// Why content could not be read, or did not become a value of the type asked for.
  public struct ParsingError: ExplainedError, Sendable, CustomDebugStringConvertible {
    /// The content, or the text, that did not fit.
    public var rawContent: String

    /// The error beneath this one.
    public var underlyingError: (any Error)?

    /// What was expected, what was found, and where.
    public var debugDescription: String

    /// Where in the content: property names and element positions from the outside in.
    package var path: [PathComponent] = []

    /// What the content was to be: it decides what there is to do about it.
    var origin = Origin.value

    enum Origin: Sendable {
      /// A value of a type or a schema, which a model may have written.
      case value
      /// The text of a JSON Schema.
      case schema
      /// A transcript that was saved.
      case transcript
    }

    package enum PathComponent: Sendable, Equatable {
      case property(String)
      case element(Int)
    }

    /// Creates an error.
    public init(rawContent: String, underlyingError: (any Error)? = nil, debugDescription: String) {
      self.rawContent = rawContent
      self.underlyingError = underlyingError
      self.debugDescription = debugDescription
    }

    /// Where the problem is, as a JSON Pointer (RFC 6901); empty for the whole content.
    public var location: String { Self.pointer(to: path) }

    static func pointer(to path: [PathComponent]) -> String {
      path.map { component in
        switch component {
        case .property(let name):
          "/"
            + name.replacingOccurrences(of: "~", with: "~0")
            .replacingOccurrences(of: "/", with: "~1")
        case .element(let index): "/\(index)"
        }
      }.joined()
    }

    public var userMessage: ErrorMessage {
      ErrorMessage(origin == .schema ? .unusableForm : .wrongAnswer)
    }

    public var problemDescription: String {
      let place = "at \(location)"
      if path.isEmpty || debugDescription.contains("\(place),") { return debugDescription }
      guard debugDescription.last == "." else { return "\(debugDescription) (\(place))" }
      return "\(debugDescription.dropLast()) (\(place))."
    }

    /// `error` as seen from one level further out.
    static func wrapping(
      _ error: any Error, at component: PathComponent, rawContent: String
    ) -> ParsingError {
      var result =
        error as? ParsingError
        ?? ParsingError(
          rawContent: rawContent, underlyingError: error,
          debugDescription: ErrorWords.problem(of: error))
      result.path.insert(component, at: 0)
      return result
    }
  }
}
