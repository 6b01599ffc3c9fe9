// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@Suite(.computesForLong) struct FlagTests {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    let escaped = pattern.replacing("\\", with: "\\\\")
    var validator = try StreamValidator(
      jsonSchema: #"{"type":"string","pattern":"\#(escaped)"}"#)
    let spelled = text.replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    validator.append("\"\(spelled)\"")
    return validator.finish() == .complete
  }

  @Test(arguments: [
    // To the end of the group around them, other branches included.
    ("^(?i)yes$", "YeS", true), ("^(?i)a|b$", "B", true), ("^((?i)a|b)c$", "Bc", true),
    ("^((?i)a)b$", "AB", false), ("^a(?i)b$", "AB", false), ("^a(?i)b$", "aB", true),
    ("(?i)^[a-c]+$", "aBC", true), ("(?i)^[^a-c]$", "B", false), ("(?i)^\\u0041$", "a", true),
    // For a group.
    ("^(?i:a)b$", "Ab", true), ("^(?i:a)b$", "aB", false), ("^(?i)a(?-i:b)c$", "AbC", true),
    ("^(?i)a(?-i:b)c$", "ABC", false), ("^(?i:a(?-i)b)$", "Ab", true),
    ("^(?i:a(?-i)b)$", "AB", false), ("^(?:(?i)a)b$", "AB", false),
    // Simple case folding, as with the `u` flag.
    ("^(?i)k$", "\u{212A}", true), ("^(?i)\u{212A}$", "K", true), ("^(?i)s$", "ſ", true),
    ("^(?i)ß$", "ẞ", true), ("^(?i)ß$", "ss", false), ("^(?i)σ$", "ς", true),
    ("^(?i)Σ$", "ς", true), ("^(?i)\u{1E900}$", "\u{1E922}", true), ("^(?i)\\w$", "ſ", true),
    ("^\\w$", "ſ", false), ("^(?i)\\p{Lu}$", "a", true), ("^(?i)1$", "1", true),
    // `.` and line terminators.
    ("^a.b$", "a\nb", false), ("^(?s)a.b$", "a\nb", true), ("^(?s:a.)b.$", "a\nb\n", false),
    ("^b$", "a\nb\nc", false), ("(?m)^b$", "a\nb\nc", true), ("(?m)^b$", "a\rb", true),
    ("(?m)^b$", "ab", false), ("(?m:^b)$", "a\nb\nc", false), ("(?ms)^a.b$", "x\na\nb", true),
    ("\\Aa\\Z", "a", true), ("\\Aa\\z", "ba", false), ("(?m)\\Ab$", "a\nb", false),
    ("(?im)^B$", "a\nb", true), ("(?i-s:A.)", "a\n", false),
  ])
  func flags(pattern: String, text: String, expected: Bool) throws {
    #expect(try matches(pattern, text) == expected)
  }

  @Test(arguments: ["(?x)a", "(?ii)a", "(?i", "(?-)a", "(?i-i:a)", "(?i+)a", "(?-:a)"])
  func whatIsNoFlag(pattern: String) {
    #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: #"{"pattern":"\#(pattern)"}"#)
    }
  }

  @Test func aLookBehindThatAsksWhatFollowsIsAnError() {
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: #"{"pattern":"(?<=a$)b"}"#)
    }
    #expect(error?.description.contains("a look-behind that asks what follows it") == true)
  }
}

@Suite(.computesForLong) struct ScriptTests {
  @Test(arguments: [
    ("Script=Latin", "a", true), ("sc=Latn", "é", true), ("sc=Latn", "α", false),
    ("Script=Greek", "α", true), ("Script=Thai", "ก", true), ("Script=Arabic", "ع", true),
    ("Script=Devanagari", "अ", true), ("Script=Hangul", "한", true), ("sc=Qaac", "ⲁ", true),
    ("sc=Common", "1", true), ("sc=Zinh", "\u{301}", true), ("Script=Adlam", "\u{1E900}", true),
    ("Script=Hiragana", "ー", false), ("scx=Hiragana", "ー", true), ("scx=Kana", "ー", true),
    ("Script_Extensions=Devanagari", "।", true), ("Script=Devanagari", "।", false),
    ("scx=Bengali", "।", true), ("scx=Common", "।", false), ("sc=Common", "।", true),
    ("scx=Greek", "α", true), ("scx=Greek", "a", false),
  ])
  func scripts(property: String, text: String, expected: Bool) throws {
    var validator = try StreamValidator(
      jsonSchema: #"{"type":"string","pattern":"^\\p{\#(property)}$"}"#)
    validator.append("\"\(text)\"")
    #expect((validator.finish() == .complete) == expected)
  }

  @Test func unknownScripts() {
    #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: #"{"pattern":"\\p{Script=Klingon}"}"#)
    }
  }
}
