// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Testing

/// How wide texts are at a terminal, and what depends on it.
@Suite struct TerminalWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("東京", 4), ("ﾀﾜｰ", 3), ("ＡＢ", 4), ("한국", 4), ("é", 1), ("e\u{301}", 1),
    ("😀", 2), ("👨‍👩‍👧", 2), ("🇮🇹", 2), ("❤️", 2), ("👍🏽", 2), ("ที้", 1), ("a\u{200B}b", 2), ("العربية", 7),
  ])
  func columns(text: String, width: Int) {
    #expect(text.terminalWidth == width)
  }

  @Test func beginningsFit() {
    #expect("東京タワー".prefix(terminalWidth: 5) == "東京")
    #expect("abc".prefix(terminalWidth: 5) == "abc")
    #expect("👨‍👩‍👧a".prefix(terminalWidth: 1) == "")
  }

  @Test func caretStandsUnderWhatIsRefused() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file(
      "s.json", #"{"properties":{"名前":{"type":"string"},"年齢":{"type":"integer"}}}"#)
    let run = try await CommandRun.run(
      "espalier", ["validate", schema], input: #"{"名前":"山田太郎","年齢":"x"}"#)
    let lines = run.output.split(separator: "\n")
    #expect(lines.last == String(repeating: " ", count: 26)[...] + "^", "\(run.output)")
  }

  @Test func partsOfCharactersAreShownByTheirBytes() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("s.json", #"{"enum":["東","京"]}"#)
    let run = try await CommandRun.run("espalier", ["mask", schema, "--prefix", "\""])
    #expect(run.output.contains(#"Tokens: "\xE4" "\xE6""#), "\(run.output)")
  }
}
