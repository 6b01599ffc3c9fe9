// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GGUFRuntime

/// Words are those of the expressions that the families publish, as the package `regex` of Python cuts
/// them.
@Suite struct PreTokenizerTests {
  private func words(_ text: String, _ name: String) throws -> [String] {
    let bytes = Array(text.utf8)
    var words: [String] = []
    try PreTokenizer(name: name).words(of: bytes[...]) {
      words.append(String(decoding: $0, as: UTF8.self))
    }
    return words
  }

  @Test func capitalsBeginWords() throws {
    #expect(
      try words("helloWORLDWide's camelCase", "gpt-4o") == [
        "hello", "WORLDWide's", " camel", "Case",
      ])
    #expect(try words("HTTPServer 12345 a/b//\n", "gpt-4o").joined() == "HTTPServer 12345 a/b//\n")
    #expect(try words("12345's", "tekken") == ["1", "2", "3", "4", "5", "'s"])
    #expect(try words("नमस्ते दुनिया", "qwen35") == ["नमस्ते", " दुनिया"])
    #expect(
      try words("a = 12;\n\nb", "seed-coder") == ["a", " =", " ", "1", "2", ";", "\n\n", "b"])
  }

  /// The expressions with what is common to all: `(?i:'s|…)` for contractions.
  private static let contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
  private static let upper = #"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"#
  private static let lower = #"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"#
  private static let spaces = #"\s*[\r\n]+|\s+(?!\S)|\s+"#

  private static func cased(_ suffix: String, digits: String) -> String {
    let lead = #"[^\r\n\p{L}\p{N}]?"#
    return "\(lead)\(upper)*\(lower)+\(suffix)|\(lead)\(upper)+\(lower)*\(suffix)|\(digits)"
      + #"| ?[^\s\p{L}\p{N}]+[\r\n/]*|"# + spaces
  }

  private static let seedCoder =
    contractions + #"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|"# + spaces

  @Test(
    .enabled(if: Reference.isThere, "ESPALIER_REFERENCE_PYTHON is not set"),
    arguments: [
      ("gpt-4o", cased(contractions + "?", digits: #"\p{N}{1,3}"#)),
      ("tekken", cased("", digits: #"\p{N}"#)),
      (
        "qwen35",
        contractions + #"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"#
          + #"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"# + spaces
      ),
      ("seed-coder", seedCoder),
      (
        "lfm2",
        contractions + #"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"#
          + spaces
      ),
    ])
  func wordsAreThoseOfTheExpression(name: String, expression: String) throws {
    // Python's Unicode may be newer than Swift's: characters that Swift does not know are left out.
    let texts = try Reference.run(["texts", "10000"], as: [String].self).map { text in
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.filter { $0.properties.generalCategory != .unassigned }))
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try JSONEncoder().encode(texts).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let expected = try Reference.run(["words", expression, file.path], as: [[String]].self)
    var different: [(String, [String], [String])] = []
    for (text, list) in zip(texts, expected) {
      let found = try words(text, name)
      if found != list { different.append((text, found, list)) }
    }
    #expect(different.isEmpty, "\(different.count): \(different.prefix(3))")
  }
}
