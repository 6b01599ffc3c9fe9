// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error in words: for the person who uses an app, and for the one who develops it.
///
/// Every error that the package's libraries throw is one.
///
/// | what | for whom | language |
/// |---|---|---|
/// | `localizedDescription`, `errorDescription` | a person | the current locale's |
/// | ``userMessage`` and its ``ErrorMessage/text(for:)`` | a person | that of a locale |
/// | ``developerDescription``, `"\(error)"` | a developer | English |
///
/// For errors that FoundationModels has too, `"\(error)"` begins with the name of the case, as it does
/// there.
///
/// ```swift
/// do {
///   try await session.respond(to: question)
/// } catch let error as any ExplainedError {
///   alert = error.userMessage.text(for: locale)
///   log.append(error.developerDescription)
/// }
/// ```
public protocol ExplainedError: LocalizedError, CustomStringConvertible {
  /// The sentence for a person.
  var userMessage: ErrorMessage { get }

  /// What was expected, what was found, and where, for a developer.
  var problemDescription: String { get }
}

extension ExplainedError {
  /// ``userMessage`` in the language of the current locale.
  public var errorDescription: String? { userMessage.text() }

  /// What is wrong and where, why, and what to do, for a developer.
  public var developerDescription: String {
    var sentences: [String] = []
    for part in [problemDescription, failureReason, recoverySuggestion] {
      guard let part, !part.isEmpty else { continue }
      let isSaid = part.split(separator: "\n").allSatisfy { line in
        sentences.contains { $0.contains(line) }
      }
      if isSaid { continue }
      sentences.append(part.last.map { ".!?…^".contains($0) } == true ? part : part + ".")
    }
    // What follows a caret stands on a line of its own.
    return sentences.reduce("") { text, sentence in
      text.isEmpty ? sentence : text + (text.last == "^" ? "\n" : " ") + sentence
    }
  }

  public var description: String { developerDescription }

  /// ``developerDescription`` after the name of the case, for enumerations that FoundationModels has
  /// too. Apps look for names such as `exceededContextWindowSize` in what Swift prints of an error.
  package func description(ofCase name: String?) -> String {
    name.map { "\($0): \(developerDescription)" } ?? developerDescription
  }

  /// The name of the case of an enumeration; nil for a case without a payload.
  package var nameOfCase: String? { Mirror(reflecting: self).children.first?.label }
}

/// Errors of any kind in words for a developer.
package enum ErrorWords {
  /// What an error says is wrong. An error that says nothing of itself gives what Swift prints of it.
  package static func problem(of error: any Error) -> String {
    switch error {
    case let error as any ExplainedError: error.problemDescription
    case is CancellationError: "The request was cancelled."
    case let error as any LocalizedError: error.errorDescription ?? String(describing: error)
    default: String(describing: error)
    }
  }

  /// Names in quotation marks, one after the other; of many the first twenty.
  package static func list(_ names: [String]) -> String {
    if names.isEmpty { return "none" }
    let shown = names.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }
}
