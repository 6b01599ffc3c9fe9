// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Turns texts into vectors, so that texts of like meaning have vectors that point the same way.
///
/// ```swift
/// let vectors = try await model.vectors(for: ["a temple of gold", "kinkaku-ji"], as: .document)
/// ```
///
/// A vector has ``dimensions`` numbers and the length one, so that the cosine of two is the sum of
/// their products. Vectors of two models, or of two versions of one, cannot be compared:
/// ``identifier`` tells them apart.
public protocol EmbeddingModel: Sendable {
  /// By which an index knows whose vectors it holds: another one for every model that gives others.
  var identifier: String { get }

  /// How many numbers a vector has.
  var dimensions: Int { get }

  /// The greatest number of tokens of a text; nil where it is not known.
  var maximumTokenCount: Int? { get }

  /// The number of tokens of a text as the model cuts it, or about that.
  ///
  /// By default a token for every three bytes: more than most texts have.
  func tokenCount(of text: String) -> Int

  /// The vectors of some texts.
  ///
  /// - Parameters:
  ///   - texts: The texts; the model sees to batches itself.
  ///   - role: What they are, for models that read questions otherwise than what answers them.
  /// - Returns: A vector for each text, in their order, each of the length one.
  /// - Throws: ``EmbeddingError`` where a text cannot be embedded, and what the model's own kind throws
  ///   (`ServerError`, `LanguageModelError`).
  func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]]
}

extension EmbeddingModel {
  public var maximumTokenCount: Int? { nil }

  public func tokenCount(of text: String) -> Int { (text.utf8.count + 2) / 3 }
}

/// What a text is that is embedded.
public enum EmbeddingRole: Sendable, Hashable {
  /// What is searched.
  case document
  /// What is searched for.
  case query
}

/// Why a text has no vector.
public struct EmbeddingError: ExplainedError, Sendable, Equatable {
  /// What is wrong.
  public enum Kind: Sendable, Equatable {
    /// A text has more tokens than the model reads.
    case textTooLong
    /// The model gave something else than a vector of its dimensions for each text.
    case unexpectedVectors
  }

  /// What is wrong.
  public var kind: Kind
  /// The model.
  public var model: String
  /// What was expected, and what was found.
  public var problem: String
  /// What to do.
  public var suggestion: String

  /// Creates an error.
  public init(_ kind: Kind, model: String, problem: String, suggestion: String) {
    self.kind = kind
    self.model = model
    self.problem = problem
    self.suggestion = suggestion
  }

  public var userMessage: ErrorMessage { ErrorMessage(.knowledgeUnusable) }
  public var problemDescription: String { "'\(model)': \(problem)" }
  public var recoverySuggestion: String? { suggestion }
}

/// Brings a vector to the length one; a vector of zeros stays as it is.
package func normalizeVector(_ vector: inout [Float]) {
  var sum = 0.0
  for number in vector { sum += Double(number) * Double(number) }
  guard sum > 0, sum.isFinite else { return }
  let factor = Float(1 / sum.squareRoot())
  for index in vector.indices { vector[index] *= factor }
}
