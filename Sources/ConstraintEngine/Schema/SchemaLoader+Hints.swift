// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is read otherwise than whoever wrote it may have meant.
extension SchemaLoader {
  /// Warns of escapes and classes that other dialects of regular expressions have.
  mutating func warnOfForeignSyntax(_ pattern: String, _ keyword: Keyword) {
    for part in ForeignSyntax.parts(of: pattern) {
      warn(
        keyword.name.rawValue, keyword.pointer,
        "`\(part.text)` at character \(part.offset) is read as \(part.reading); \(part.advice)")
    }
  }
}
