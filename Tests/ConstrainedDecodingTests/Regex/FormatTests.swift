// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConstraintEngine

/// A few strings that each format takes, and a few that it does not. How it fares with the official
/// suite is measured beside the tests (Keywords.md).
@Suite(.computesForLong) struct FormatTests {
  private static let strings: [(format: StringFormat, taken: [String], refused: [String])] = [
    (.date, ["2026-11-30", "2024-02-29"], ["2026-11-31", "2023-02-29", "2026-1-1"]),
    (
      .time, ["08:30:00Z", "23:59:60Z", "08:30:00.5+01:00"], ["24:00:00Z", "08:30:00", "22:59:60Z"]
    ),
    (.dateTime, ["2026-11-30T08:30:00Z"], ["2026-11-30 08:30:00Z", "2026-11-30T08:30:00"]),
    (.duration, ["P1DT12H", "P2W"], ["P", "P1DT", "1D"]),
    (
      .email, ["a.b@example.org", "\"a b\"@[127.0.0.1]"],
      ["a", "a..b@example.org", "é@example.org"]
    ),
    (.idnEmail, ["é@example.org"], ["@example.org"]),
    (.hostname, ["example.org", "a-b"], ["-a", "a_b", "xn--a", ""]),
    (
      .idnHostname,
      ["bücher.example", "a。b", label("ü", 57), label("a", 63) + ".de", "实例", "נס.ע1", "a-b--c"],
      [
        "-bücher", "a..b", label("ü", 58), "de." + label("a", 64), "ab--ü", "x.ab--c", "נס.1a",
      ]
    ),
    (.ipv4, ["127.0.0.1"], ["256.0.0.1", "1.2.3", "01.2.3.4"]),
    (.ipv6, ["::1", "::ffff:127.0.0.1"], [":::1", "1::2::3", "12345::"]),
    (.uri, ["https://example.org/a?b#c", "urn:a"], ["/a", "https://a b", "é:a"]),
    (.uriReference, ["/a", "#a", ""], ["a b", "%4"]),
    (.iri, ["https://example.org/é"], ["/é"]),
    (.iriReference, ["/é"], ["a b"]),
    (.uriTemplate, ["/a/{b}{?c,d*}"], ["/a/{", "/{a b}"]),
    (.uuid, ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], ["2eb8aa08aa9811eab4aa73b441d16380"]),
    (.jsonPointer, ["", "/a~0b/0"], ["a", "/a~2"]),
    (.relativeJSONPointer, ["0#", "1/a"], ["01/a", "/a"]),
    (.regex, ["^[a-z]+(b|c)*$"], ["(", "[a", "a**"]),
  ]

  private static func label(_ letter: Character, _ count: Int) -> String {
    String(repeating: letter, count: count)
  }

  @Test(arguments: strings.indices)
  func stringsAreToldApart(_ place: Int) {
    let (format, taken, refused) = Self.strings[place]
    var languages = RegularLanguages()
    let language = languages.language(of: format)
    for text in taken {
      let isTaken = languages.contains(language, text.utf8)
      #expect(isTaken, "\(format.rawValue) refuses \(text)")
    }
    for text in refused {
      let isTaken = languages.contains(language, text.utf8)
      #expect(!isTaken, "\(format.rawValue) takes \(text)")
    }
  }

  @Test func everyFormatIsHere() {
    #expect(Set(Self.strings.map(\.format)) == Set(StringFormat.allCases))
  }
}
