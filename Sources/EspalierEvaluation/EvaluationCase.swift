// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore
import Foundation

/// A prompt and the value that a good answer has.
///
/// A file of cases has one on each line:
///
/// ```json
/// {"prompt": "Two nights in Rome for Ann", "expected": {"guest": "Ann", "nights": 2}}
/// ```
public struct EvaluationCase: Sendable, Equatable {
  /// What tells the case apart from the others; its number where a file does not say.
  public var name: String
  /// What the model is asked.
  public var prompt: String
  /// What the value has to be.
  public var expected: ExpectedValue

  /// Creates a case.
  public init(name: String, prompt: String, expected: ExpectedValue) {
    self.name = name
    self.prompt = prompt
    self.expected = expected
  }

  /// Reads a file of cases, one on each line; empty lines are passed over.
  ///
  /// Lines may end as Windows ends them, and a byte order mark may stand at the beginning.
  ///
  /// - Throws: ``EvaluationCaseError`` with the line that is no case.
  public static func cases(jsonLines text: String) throws(EvaluationCaseError) -> [EvaluationCase] {
    var cases: [EvaluationCase] = []
    let text =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    // A line of Windows ends with one character of two scalars. A line separator may stand in a text.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
      let content: GeneratedContent
      do {
        content = try GeneratedContent(json: String(line))
      } catch {
        throw EvaluationCaseError(
          line: index + 1, message: "expected JSON: \(ErrorWords.problem(of: error))")
      }
      guard content.isComplete else {
        throw EvaluationCaseError(
          line: index + 1, message: "expected JSON, found a text that ends too early.")
      }
      guard case .structure(let members, _) = content.kind,
        case .string(let prompt)? = members["prompt"]?.kind, let expected = members["expected"]
      else {
        throw EvaluationCaseError(
          line: index + 1, message: "expected an object with 'prompt', a text, and 'expected'.")
      }
      if let problem = ExpectedValue.problem(of: expected) {
        throw EvaluationCaseError(line: index + 1, message: problem)
      }
      var name = String(index + 1)
      switch members["name"]?.kind {
      case .string(let given): name = given
      case .number: name = members["name"]?.jsonString ?? name
      default: break
      }
      cases.append(
        EvaluationCase(name: name, prompt: prompt, expected: ExpectedValue(expected)))
    }
    return cases
  }
}

/// A line of a file of cases that cannot be read.
public struct EvaluationCaseError: ExplainedError, Equatable {
  /// The line, from 1.
  public var line: Int
  /// What was expected.
  public var message: String

  public var userMessage: ErrorMessage { ErrorMessage(.caseUnreadable, .text(String(line))) }
  public var problemDescription: String { "Line \(line): \(message)" }
  public var recoverySuggestion: String? {
    "Write one object on each line: {\"prompt\": \"…\", \"expected\": …}."
  }
}
