// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation
import Testing

@testable import EspalierCore

/// Texts in other writing systems than Latin without accents.
@Suite struct WritingSystemTests {
  /// An accent, a vowel sign or a joiner may come in a piece of its own.
  @Test(arguments: [
    ("e", "e\u{301}", "\u{301}"), ("\"ท", "\"ที้\"", "\u{E35}\u{E49}\""), ("न", "नि", "ि"),
    ("👨", "👨\u{200D}👧", "\u{200D}👧"), ("a\r", "a\r\n", "\n"), ("", "अ", "अ"), ("a", "a", ""),
  ])
  func additionsAreFoundByCodePoints(earlier: String, text: String, addition: String) {
    #expect(
      text.addition(to: earlier)?.unicodeScalars.elementsEqual(addition.unicodeScalars) == true)
  }

  @Test func textsThatBeginOtherwiseHaveNoAddition() {
    #expect("ab".addition(to: "b") == nil)
    #expect("\u{E9}a".addition(to: "e\u{301}") == nil)
  }

  @Test(arguments: [
    ("cognome", "lastname"), ("Nachname", "lastname"), ("氏名", "fullname"), ("città", "city"),
    ("indirizzoCliente", "person"), ("Straße", "address"), ("メール", "email"), ("Titel", "title"),
  ])
  func fieldsOfOtherLanguagesGetTheirTexts(field: String, english: String) {
    #expect(SampleTexts.texts(forField: field) == SampleTexts.texts(forField: english))
    #expect(SampleTexts.texts(forField: english) != SampleTexts.texts(forField: "nothing"))
  }

  @Test(arguments: ["Hiragana", "Arabic", "Devanagari", "Thai", "Cyrillic", "Hangul", "Han"])
  func scriptsGetWords(script: String) throws {
    let schema = try GenerationSchema(
      jsonSchema: #"{"type":"string","pattern":"^[\\p{Script=\#(script)}\\p{M}]{2,10}$"}"#)
    var sampler = SchemaSampler(
      grammar: try Grammar(jsonSchema: schema.grammarText()), typicalStringLength: 24
    ).start()
    var generator = SplitMix64(seed: 1)
    var bytes: [UInt8] = []
    while let piece = try sampler.next(using: &generator) { bytes += piece }
    let text = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    #expect(SampleTexts.inOtherScripts.contains(text), "\(text)")
  }

  /// A value whose names and cases are NFD is not that of NFC for JSON; both are kept as written.
  @Test func formsOfUnicodeAreKept() async throws {
    let texts = ["\u{E9}", "e\u{301}"]
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(name: "Text", anyOf: texts), dependencies: [])
    for text in texts {
      let model = ScriptedLanguageModel([.text(GeneratedContent(text).jsonString)])
      let response = try await LanguageModelSession(model: model).respond(to: "", schema: schema)
      let found = try response.content.value(String.self)
      #expect(found.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  /// Snapshots never show half a character, however the bytes of an answer are cut.
  @Test func snapshotsHaveWholeCharacters() throws {
    let json = #"{"a":"é👩🏽‍🚀हिन्दी\ud83d\ude00ที้"}"#
    var parser = GeneratedContentParser()
    for byte in json.utf8 {
      try parser.append([byte])
      #expect(!parser.content.jsonString.unicodeScalars.contains("\u{FFFD}"))
    }
  }

  @Test func passagesEndWithTheSentencesOfTheirLanguage() {
    func passages(_ text: String) -> [String] {
      KnowledgeChunks(size: 1, overlap: 0).passages(of: text) { $0.isEmpty ? 0 : 1 }
    }
    #expect(passages("यह एक है। यह दो है।") == ["यह एक है।", "यह दो है।"])
    #expect(passages("من أين؟ من هنا.") == ["من أين؟", "من هنا."])
    #expect(passages("「行く。」と言った。次。") == ["「行く。」", "と言った。", "次。"])
  }
}
