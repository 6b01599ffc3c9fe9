// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@Suite struct FeedbackTests {
  private func session() async throws -> LanguageModelSession {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text("A long answer.")]), instructions: "Be brief.")
    try await session.respond(to: "Hi")
    return session
  }

  private func document(_ data: Data) throws -> GeneratedContent {
    try GeneratedContent(json: String(decoding: data, as: UTF8.self))
  }

  @Test func everythingIsInTheFile() async throws {
    let session = try await session()
    let file = try document(
      session.logFeedbackAttachment(
        sentiment: .negative,
        issues: [
          .init(category: .tooVerbose, explanation: "Too long"), .init(category: .incorrect),
        ],
        desiredResponseText: "Short."))
    #expect(try file.value(String.self, forProperty: "sentiment") == "negative")
    let issues = try file.value([GeneratedContent].self, forProperty: "issues")
    #expect(
      issues.map(\.jsonString) == [
        #"{"category":"tooVerbose","explanation":"Too long"}"#, #"{"category":"incorrect"}"#,
      ])
    let transcript: GeneratedContent = try file.value(forProperty: "transcript")
    let read = try JSONDecoder().decode(Transcript.self, from: Data(transcript.jsonString.utf8))
    #expect(read == session.transcript)
    let desired: GeneratedContent = try file.value(forProperty: "desiredOutput")
    let wanted = try JSONDecoder().decode(Transcript.self, from: Data(desired.jsonString.utf8))
    #expect(wanted.map(\.description) == ["Response: Short."])
  }

  @Test func withoutWordsAndWithAValue() async throws {
    let session = try await session()
    let bare = try document(session.logFeedbackAttachment(sentiment: nil))
    #expect(try bare.value(String?.self, forProperty: "sentiment") == nil)
    #expect(try bare.value([GeneratedContent].self, forProperty: "issues").isEmpty)
    let person = try Person(GeneratedContent(json: #"{"children":[],"name":"Ada"}"#))
    let file = try document(
      session.logFeedbackAttachment(sentiment: .positive, desiredResponseContent: person))
    #expect(file.jsonString.contains(#""name":"Ada""#))
    #expect(file.jsonString.contains(#""source":"Person""#))
  }
}
