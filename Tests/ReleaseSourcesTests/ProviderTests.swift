// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

@Suite struct ProviderTests {
  @Test func metadataIsContent() async throws {
    let session = LanguageModelSession(model: Echo())
    let response = try await session.respond(
      to: "Hi", metadata: ["screen": "home", "attempt": 2])
    #expect(response.content == "home 2")
    #expect(try response.usage.metadata["duration"]?.value(Double.self) == 0.5)
    guard case .prompt(let prompt) = session.transcript[0],
      case .reasoning(let reasoning) = session.transcript[1],
      case .response(let answer) = session.transcript[2]
    else {
      Issue.record("\(session.transcript)")
      return
    }
    #expect(try prompt.metadata["attempt"]?.value(Int.self) == 2)
    #expect(try reasoning.metadata["steps"]?.value(Int.self) == 3)
    // Values take the place of those before.
    #expect(try answer.metadata["provider"]?.value(String.self) == "echo")
    #expect(try answer.metadata["tags"]?.value([String].self) == ["a", "b"])
    #expect(answer.metadata.count == 2)
    let saved = try JSONEncoder().encode(session.transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: saved) == session.transcript)
  }

  @Test func metadataMayBeCodable() async throws {
    let session = LanguageModelSession(model: Echo())
    let metadata: [String: any Sendable & Codable & Equatable] = [
      "screen": "map", "attempt": 1, "place": Coordinates(latitude: 35), "none": Double.nan,
    ]
    let text = "Hi"
    let response = try await session.respond(to: text, metadata: metadata)
    #expect(response.content == "map 1")
    let streamed = try await session.streamResponse(metadata: metadata) { text }.collect()
    #expect(streamed.content == "map 1")
    guard case .prompt(let prompt) = session.transcript[0] else { return }
    #expect(prompt.metadata["place"]?.jsonString == #"{"latitude":35}"#)
    #expect(prompt.metadata.count == 4)
  }

  @Test func imagesAreFoundAmongEntries() throws {
    let image = Transcript.AttachmentSegment(
      content: .image(.init(imageURL: URL(fileURLWithPath: "/temple.png"))), label: "temple")
    let transcript = Transcript(entries: [
      .instructions(.init(segments: [.text(.init(content: "x"))], toolDefinitions: [])),
      .prompt(.init(segments: [.attachment(image)])),
    ])
    let reference = try ImageReference(GeneratedContent(json: #"{"attachmentLabel":"temple"}"#))
    #expect(reference.resolved(in: transcript)?.url?.lastPathComponent == "temple.png")
    #expect(reference.resolved(in: transcript.history) != nil)
    #expect(reference.resolved(in: transcript.prefix(1)) == nil)
    #expect(words(of: .attachment(image)) == "temple")
  }

  @Test func historiesAreCollections() {
    var transcript = Transcript(entries: [
      .instructions(.init(segments: [.text(.init(content: "x"))], toolDefinitions: []))
    ])
    transcript.history = [.prompt(.init(segments: [.text(.init(content: "A"))]))]
    transcript.history.append(.response(.init(segments: [.text(.init(content: "1"))])))
    transcript.history += [.prompt(.init(segments: [.text(.init(content: "B"))]))]
    let view: Transcript.HistoryView = transcript.history
    #expect(view.map(\.description) == ["Prompt: A", "Response: 1", "Prompt: B"])
    #expect(view.suffix(2).first?.description == "Response: 1")
    transcript.history = transcript.history.suffix(1)
    #expect(transcript.map(\.description) == ["Instructions: x", "Prompt: B"])
    let last = transcript.history.indices.last
    if let last { transcript.history[last] = .prompt(.init(segments: [])) }
    #expect(transcript[1].description == "Prompt: ")
    transcript.history.removeAll()
    #expect(transcript.count == 1)
    #expect(Transcript.HistoryView(view.reversed()).count == 3)
  }

  @Test func filteredTranscripts() {
    let transcript = Transcript(entries: [
      .prompt(.init(segments: [.text(.init(content: "A"))])),
      .response(.init(segments: [.text(.init(content: "1"))])),
    ])
    let filtering = Filtering(transcript: transcript)
    #expect(filtering.prompts().count == 1)
    #expect(filtering.words() == ["A"])
    #expect(filtering.counts() == [1, 2, 3, 1])
    #expect(filtering.shortened().map(\.description) == ["Prompt: A"])
  }

  @Test func labelsThatAreKeywords() throws {
    let ticket = Ticket.trip(in: "Kyoto", for: 2, let: true)
    #expect(try Ticket(ticket.generatedContent) == ticket)
    #expect(
      ticket.generatedContent.jsonString == #"{"type":"trip","in":"Kyoto","for":2,"let":true}"#)
  }

  @Test func propertiesOfOtherTypes() throws {
    let json = #"""
      {"stops":[{"name":"Nara"}],"first":{"name":"Uji"},"maybe":3,"URL":"https://a.example/"}
      """#
    let route = try Route(GeneratedContent(json: json))
    #expect(route.stops == [Route.Stop(name: "Nara")])
    #expect(route.generatedContent.jsonString == json)
    let tree = try Tree<Route.Stop>(
      GeneratedContent(
        json: #"{"fruit":{"name":"a"},"children":[{"fruit":{"name":"b"},"children":[]}]}"#))
    #expect(tree.children[0].fruit.name == "b")
    #expect(try Route.PartiallyGenerated(GeneratedContent(json: "{")).stops == nil)
    #expect(try Optioned(GeneratedContent(json: "{}")).implicit == nil)
  }

  @Test func variants() {
    #expect(SystemLanguageModel.default.variant != .core3)
    #expect(name(of: .default) == SystemLanguageModel.default.variant.displayName)
    #expect(SystemLanguageModel.Variant.core3 != .coreAdvanced3)
  }
}
