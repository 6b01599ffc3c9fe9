// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@Suite struct TranscriptTests {
  static let transcript = Transcript(entries: [
    .instructions(
      .init(
        id: "i", segments: [.text(.init(id: "t", content: "Be kind."))],
        toolDefinitions: [
          .init(name: "find", description: "Finds.", parameters: Person.generationSchema)
        ])),
    .prompt(
      .init(
        id: "p", metadata: ["screen": "home"],
        segments: [
          .text(.init(id: "t2", content: "Who?")),
          .attachment(
            .init(
              id: "a", content: .image(.init(imageURL: URL(filePath: "/tmp/x.png"))), label: "x")),
        ],
        options: .init(
          samplingMode: .random(top: 3, seed: .max), temperature: 0.5, maximumResponseTokens: 9,
          toolCallingMode: .required),
        responseFormat: .init(type: Person.self),
        contextOptions: .init(includeSchemaInPrompt: true, reasoningLevel: .custom("x")))),
    .reasoning(
      .init(id: "r", segments: [.text(.init(id: "t3", content: "Hm"))], signature: Data([1, 2]))),
    .toolCalls(
      .init(
        id: "c",
        [
          .init(
            id: "c1", toolName: "find",
            arguments: try! GeneratedContent(json: #"{"z":9007199254740993,"a":[]}"#))
        ])),
    .toolOutput(
      .init(id: "c1", toolName: "find", segments: [.text(.init(id: "t4", content: "Ada"))])),
    .response(
      .init(
        id: "s", assetIDs: ["m"],
        segments: [
          .structure(
            .init(
              id: "t5", schemaName: "Person",
              content: try! GeneratedContent(json: #"{"name":"Ada","children":[]}"#)))
        ])),
  ])

  @Test func codableRoundTrip() throws {
    let data = try JSONEncoder().encode(Self.transcript)
    let back = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(back.count == Self.transcript.count)
    for (entry, expected) in zip(back, Self.transcript) {
      // A call's entry and an output's entry are known by their own identities.
      #expect(entry == expected)
    }
  }

  @Test func appleForm() throws {
    let transcript = Transcript(entries: [
      .prompt(.init(id: "p", segments: [.text(.init(id: "t", content: "Hi"))])),
      .response(
        .init(id: "r", assetIDs: [], segments: [.text(.init(id: "u", content: "Ho"))])),
    ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(transcript), as: UTF8.self)
        == #"{"transcript":{"entries":[{"contents":[{"id":"t","text":"Hi","type":"text"}],"id":"p","options":{},"role":"user"},{"assets":[],"contents":[{"id":"u","text":"Ho","type":"text"}],"id":"r","role":"response"}]},"type":"FoundationModels.Transcript","version":1}"#
    )
  }

  @Test func otherDocumentsAreRefused() {
    for json in [
      "{}", #"{"type":"FoundationModels.Transcript","version":2,"transcript":{"entries":[]}}"#,
    ] {
      #expect(throws: GeneratedContent.ParsingError.self) {
        try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
      }
    }
  }

  @Test func aVersionThatIsNotKnownIsNamed() {
    let json = #"{"type":"FoundationModels.Transcript","version":99,"transcript":{"entries":[]}}"#
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    }
    #expect(error?.debugDescription == "Expected version 1 of a transcript, found version 99.")
  }

  @Test func collection() {
    var transcript = Self.transcript
    #expect(transcript.history.count == 5)
    transcript.history = transcript.history.suffix(1)
    #expect(transcript.map(\.id) == ["i", "s"])
    transcript.removeLast()
    transcript.append(Self.transcript[1])
    transcript[1] = Self.transcript[2]
    #expect(transcript.map(\.id) == ["i", "r"])
  }

  @Test func tenThousandEntries() async throws {
    let entries = (0..<10_000).map { index -> Transcript.Entry in
      let segment = Transcript.Segment.text(.init(content: "Turn \(index)"))
      return index.isMultiple(of: 2)
        ? .prompt(.init(segments: [segment])) : .response(.init(segments: [segment]))
    }
    let model = ScriptedLanguageModel([.text("Yes.")], contextSize: 1_000)
    let session = LanguageModelSession(model: model, transcript: Transcript(entries: entries))
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 100)
    #expect(try await session.respond(to: "Still there?").content == "Yes.")
    #expect(session.transcript.count == 10_002)
    #expect(model.requests[0].transcript.count < 1_000)
    let data = try JSONEncoder().encode(session.transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data).count == 10_002)
  }
}
