// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How masks are made without reading every token. Which of these were taken is noted for the tests,
/// which show of each that it is; what each gives is in Performance.md.
package struct MaskStrategies: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Tokens of kinds of characters that change nothing, or only once, by their signatures.
  package static let signatures = MaskStrategies(rawValue: 1)
  /// Strings and keys with patterns that open in the middle of a token.
  package static let openedPatterns = MaskStrategies(rawValue: 2)
  /// Positions in which any text may come.
  package static let anyText = MaskStrategies(rawValue: 4)
  /// Keys that go on as the strings of some patterns.
  package static let patternKeys = MaskStrategies(rawValue: 8)
  /// What tokens do above a frame, whatever lies below it.
  package static let detachedStacks = MaskStrategies(rawValue: 16)
  /// Strings and keys with any content that open in the middle of a token.
  package static let listedQuotes = MaskStrategies(rawValue: 32)
  /// Tokens without the white space that they start with.
  package static let cores = MaskStrategies(rawValue: 64)
  /// Digits by their value.
  package static let digits = MaskStrategies(rawValue: 128)
}
