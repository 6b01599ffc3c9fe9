// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// An error that says whether the same request may succeed when it is made again.
public protocol RetryAdvising: Error {
  /// Whether the same request may succeed when it is made again.
  var isWorthRetrying: Bool { get }
}

/// Answers for any error whether the same request may succeed when it is made again.
public enum RetryAdvice {
  /// Whether the same request may succeed when it is made again: what the error says of itself, or
  /// the one beneath it; no where it says nothing.
  public static func isWorthRetrying(_ error: any Error) -> Bool {
    switch error {
    case let error as any RetryAdvising: error.isWorthRetrying
    case let error as LanguageModelSession.ToolCallError:
      isWorthRetrying(error.underlyingError)
    // Another draw may give what can be parsed.
    case is GeneratedContent.ParsingError: true
    default: false
    }
  }
}
