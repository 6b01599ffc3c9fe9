// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@Suite struct RecordingTests {
  @Test func recordAndReplay() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let recording = Recording()
    let original = LanguageModelSession(
      model: RecordingLanguageModel(SamplingLanguageModel(seed: 9), into: recording))
    let value = try await original.respond(to: "Who?", schema: Person.generationSchema).rawContent
    try recording.write(to: file)
    let bytes = try Data(contentsOf: file)
    let replay = LanguageModelSession(
      model: ReplayingLanguageModel(try Recording(contentsOf: file)))
    #expect(
      try await replay.respond(to: "Who?", schema: Person.generationSchema).rawContent == value)
    await #expect(throws: ReplayingLanguageModel.Mismatch.self) {
      try await replay.respond(to: "More")
    }
    try Recording(contentsOf: file).write(to: file)
    #expect(try Data(contentsOf: file) == bytes)
  }

  /// A service that runs for weeks: what nobody asks for again does not stay on the disk.
  @Test func cachesRemoveFilesThatAreTooOld() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    func files(after prompt: String, secondsFromNow: Double) async throws -> Int {
      let cache = ResponseCache(
        timeToLive: .seconds(60), folder: folder,
        now: { Date(timeIntervalSinceNow: secondsFromNow) })
      let model = CachingLanguageModel(ScriptedLanguageModel([.text("A")]), cache: cache)
      _ = try await LanguageModelSession(model: model).respond(to: prompt)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).count
    }
    #expect(try await files(after: "one", secondsFromNow: 0) == 1)
    #expect(try await files(after: "two", secondsFromNow: 1) == 2)
    #expect(try await files(after: "three", secondsFromNow: 600) == 1)
  }

  @Test(arguments: [true, false]) func whatALimitShortenedIsKept(isShortened: Bool) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let script = ScriptedLanguageModel([
      .init([.text("Once"), .usage(input: 7, output: 2, isShortened: isShortened)])
    ])
    let recording = Recording()
    let original = LanguageModelSession(model: RecordingLanguageModel(script, into: recording))
    #expect(try await original.respond(to: "A tale").usage.isShortened == isShortened)
    try recording.write(to: file)
    let replay = LanguageModelSession(
      model: ReplayingLanguageModel(try Recording(contentsOf: file)))
    let response = try await replay.respond(to: "A tale")
    #expect(response.usage.isShortened == isShortened && response.usage.output.totalTokenCount == 2)
    // Recordings of before had no word for it.
    #expect(try String(contentsOf: file, encoding: .utf8).contains("isShortened") == isShortened)
  }

  /// Sends everything that an executor can send.
  private static let chatty = ClosureModel { _, channel in
    await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 1)))
    await channel.send(.reasoning(action: .updateMetadata(["effort": 3])))
    await channel.send(.response(action: .appendText("Here.", segmentID: "s", tokenCount: 1)))
    await channel.send(
      .response(
        action: .addAttachmentSegment(
          .init(
            id: "a", content: .image(.init(imageURL: URL(filePath: "/map.png"))),
            label: "map"))))
    await channel.send(
      .response(
        action: .addAttachmentSegment(
          .init(id: "b", content: .image(.init(imageURL: URL(filePath: "/no.png")))))))
    await channel.send(.response(action: .removeAttachmentSegment(id: "b")))
    await channel.send(
      .response(
        action: .updateMetadata([
          "model": "m", "tags": ["x", "y"], "sure": true,
          "route": GeneratedContent(properties: ["to": "Nara", "from": "Kyoto"]),
        ])))
  }

  private func said(by session: LanguageModelSession) -> [[String]] {
    session.transcript.map { entry in
      switch entry {
      case .response(let response):
        response.segments.map { "\($0)" }
          + response.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.jsonString)" }
      case .reasoning(let reasoning):
        ["\(reasoning)"] + reasoning.metadata.map { "\($0)=\($1.jsonString)" }
      default: [entry.description]
      }
    }
  }

  @Test func recordingsAndCachesKeepEverything() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer {
      try? FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(at: folder)
    }
    let expected = [
      ["Prompt: Hi"], ["Hm", "effort=3"],
      [
        "Here.", "[image map]", #"model="m""#, #"route={"to":"Nara","from":"Kyoto"}"#, "sure=true",
        #"tags=["x","y"]"#,
      ],
    ]
    let recording = Recording()
    let original = LanguageModelSession(model: RecordingLanguageModel(Self.chatty, into: recording))
    try await original.respond(to: "Hi")
    #expect(said(by: original) == expected)
    try recording.write(to: file)
    let replay = LanguageModelSession(
      model: ReplayingLanguageModel(try Recording(contentsOf: file)))
    try await replay.respond(to: "Hi")
    #expect(said(by: replay) == expected)
    func cached() -> some LanguageModel {
      CachingLanguageModel(Self.chatty, cache: ResponseCache(folder: folder))
    }
    for _ in 0..<2 {
      let session = LanguageModelSession(model: cached())
      try await session.respond(to: "Hi")
      #expect(said(by: session) == expected)
    }
    let data = try JSONEncoder().encode(replay.transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == replay.transcript)
  }

  @Test func requestsThatDifferInAttachedValuesAreNotTheSame() async throws {
    let model = CachingLanguageModel(ScriptedLanguageModel([.text("1"), .text("2"), .text("3")]))
    func ask(_ kilometres: Int) async throws -> String {
      try await LanguageModelSession(model: model)
        .respond(to: "How far?", metadata: ["kilometres": kilometres]).content
    }
    #expect(try await ask(1) == "1")
    #expect(try await ask(2) == "2")
    #expect(try await ask(1) == "1")
  }
}
