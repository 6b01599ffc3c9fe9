// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// These types are named as apps of other languages name theirs.
// swift-format-ignore-file: IdentifiersMustBeASCII

import Espalier
import Testing

@Generable
private enum 気分: String, Equatable {
  case 嬉しい = "嬉しい😀"
  case 悲しい
  case `repeat` = "もう一度"
}

@Generable
private struct 人 {
  @Guide(description: "フルネーム", .maximumLength(10)) var 名前: String
  @Guide(.anyOf(["東京", "\u{E9}", "e\u{301}", "👨‍👩‍👧", "a\"b", "\u{200F}عربي"])) var 都市: String
  var 気持ち: 気分
  @Guide(.pattern(#/\p{Script=Hiragana}{2,5}/#)) var ふりがな: String
  @Guide(.element(.anyOf(["हिन्दी", "ไทย"]))) var اللغات: [String]
  var `class`: Int
  var größeInMetern: Double?
}

/// Types whose names and texts are in other writing systems.
@Suite struct WritingSystemTypeTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func sampledValuesAreRead(seed: UInt64) async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
    let person = try await session.respond(to: "誰ですか？", generating: 人.self).content
    #expect(person.名前.unicodeScalars.count <= 10)
    #expect(person.ふりがな.unicodeScalars.allSatisfy { (0x3040...0x309F).contains($0.value) })
    let again = try 人(GeneratedContent(json: person.generatedContent.jsonString))
    #expect(again.generatedContent == person.generatedContent)
  }

  @Test func snapshotsGrowByWholeCharacters() async throws {
    let json =
      #"{"名前":"é👩🏽‍🚀ที้","都市":"\ud83d\udc68\u200d👩‍👧","気持ち":"嬉しい😀","ふりがな":"あい","اللغات":["हिन्दी"],"class":1}"#
    let pieces = json.unicodeScalars.map { String($0) }
    let model = ScriptedLanguageModel([.init([.pieces(pieces)])])
    let session = LanguageModelSession(model: model)
    var shown = ""
    var moods: [気分] = []
    for try await snapshot in session.streamResponse(to: "誰？", generating: 人.self) {
      let name = snapshot.content.名前 ?? ""
      #expect(name.unicodeScalars.starts(with: shown.unicodeScalars))
      #expect(!snapshot.rawContent.jsonString.contains("\u{FFFD}"))
      shown = name
      if let mood = snapshot.content.気持ち { moods.append(mood) }
    }
    #expect(shown == "é👩🏽‍🚀ที้")
    #expect(moods.allSatisfy { $0 == .嬉しい } && !moods.isEmpty)
  }
}
