// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Escapes and classes of other dialects of regular expressions are read as letters, which is told.
@Suite struct ForeignSyntaxTests {
  private func warnings(_ pattern: String, _ keyword: String = "pattern") throws
    -> [GrammarError.Diagnostic]
  {
    let escaped = pattern.replacing("\\", with: "\\\\")
    let schema =
      keyword == "pattern"
      ? "{\"properties\":{\"a\":{\"pattern\":\"\(escaped)\"}}}"
      : "{\"patternProperties\":{\"\(escaped)\":true}}"
    return try Grammar(jsonSchema: schema, options: .validation).warnings
  }

  @Test(arguments: [
    (#"^\x{41}$"#, #"`\x{41}` at character 1 is read as 41 times the letter `x`; write `\u0041`"#),
    (#"\x{1F600}"#, #"write `\u{1F600}`"#),
    (#"[\x{41}]"#, #"is read as these letters; write `\u0041`"#),
    (#"\xg"#, #"write 2 hexadecimal digits after `\x`"#),
    (#"\u12"#, #"write 4 hexadecimal digits after `\u`"#),
    ("^[[:alpha:]]+$", "`[:alpha:]` at character 2 is read as single characters"),
    ("^[[:alpha:]_]+$", "write `A-Za-z` in the brackets"),
    ("^[:digit:]+$", "is read as one of these characters; write `[0-9]`"),
    (#"a\hb"#, #"`\h` at character 1 is read as the letter `h`; write `[ \t]`"#),
    (#"a[\h]"#, #"write ` \t`"#), (#"a\Rb"#, #"write `(?:\r\n|[\n\r])`"#),
    (#"\X"#, "write `.`"), (#"\Ga"#, "write `^`"), (#"\Qa.b"#, "before each character"),
    ("[a-z&&[^aeiou]]", "write a look-ahead"), ("[a-z-[aeiou]]", "`(?![…])[…]`"),
    ("/^[a-z]+$/i", "leave out the slashes"), ("/^a/", "leave out the slashes"),
    (#"[\A]"#, "is read as the letter `A` in a class"), (#"\o"#, #"leave out the `\`"#),
  ])
  func whatIsReadAsLettersIsTold(pattern: String, words: String) throws {
    let found = try #require(try warnings(pattern).first)
    #expect(found.keyword == "pattern" && found.location == "#/properties/a")
    #expect(found.message.contains(words), "\(found)")
    let keys = try #require(try warnings(pattern, "patternProperties").first)
    #expect(keys.keyword == "patternProperties" && keys.location == "#")
  }

  @Test(arguments: [
    #"^\d\D\w\W\s\S\t\n\v\f\r\b\B$"#, #"\x41\u0041\u{41}\p{L}\P{L}\cA\0\.\-\/\[\\h"#,
    #"\Aa\Z"#, #"\Aa\z"#,
    #"[\d\b\]\\h[:]"#, "^[:a-z]+:[a-z:]+$", #"(a)?\1"#, "[[:foo:]]", #"(?<n>a)?\k<n>"#, "^a:b$",
    "^/api/v1/$", "/api/", "a&&b", "[&]", "[a-z-]", #"[\w-[\]]"#, "/", "//", "^/$",
  ])
  func whatMeansTheSameIsNotTold(pattern: String) throws {
    #expect(try warnings(pattern) == [])
  }

  @Test func fewAreTold() throws {
    #expect(try warnings(String(repeating: #"\h"#, count: 100)).count == 5)
  }
}
