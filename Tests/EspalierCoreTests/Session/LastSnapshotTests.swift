// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

/// What the last snapshot of a stream has in common with those before it and with the response.
@Suite struct LastSnapshotTests {
  private static let measured = ClosureModel { _, channel in
    for piece in [#"{"age":20,"#, #""children":[{"children":[],"#, #""name":"Tom"}],"name":"A"}"#] {
      await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
    }
    let measure = GeneratedContent(properties: [
      "path": "/name", "value": "A", "probability": 0.5, "entropy": 1.0,
      "cases": [GeneratedContent](),
    ])
    await channel.send(
      .response(action: .updateMetadata(["espalier.probabilities": [measure]])))
  }

  private func snapshots<Content: Generable>(
    of stream: LanguageModelSession.ResponseStream<Content>
  ) async throws -> [LanguageModelSession.ResponseStream<Content>.Snapshot] {
    var snapshots: [LanguageModelSession.ResponseStream<Content>.Snapshot] = []
    for try await snapshot in stream { snapshots.append(snapshot) }
    return snapshots
  }

  @Test func probabilitiesChangeNoIdentity() async throws {
    let session = LanguageModelSession(model: Self.measured)
    let snapshots = try await snapshots(
      of: session.streamResponse(to: "Who?", generating: Person.self))
    let last = try #require(snapshots.last)
    #expect(last.probabilities.map(\.path) == ["/name"])
    #expect(snapshots.count == 2)
    #expect(Set(snapshots.map(\.rawContent.id)).count == 1)
  }

  @Test func aNumberByItselfIsThereAtTheEnd() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text("125")], chunking: .characters))
    let snapshots = try await snapshots(
      of: session.streamResponse(to: "How many?", generating: Int.self))
    #expect(snapshots.map(\.content) == [125])
  }

  @Test func entriesAreThoseOfTheTranscript() async throws {
    let person = #"{"children":[],"name":"A"}"#
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text(person), .text("[]")]))
    let snapshots = try await snapshots(
      of: session.streamResponse(to: "Who?", generating: Person.self))
    #expect(try #require(snapshots.last).transcriptEntries.last == session.transcript.last)
    let lists = try await self.snapshots(
      of: session.streamResponse(to: "Who else?", generating: [Person].self))
    #expect(try #require(lists.last).transcriptEntries.last == session.transcript.last)
  }

  @Test func textIsThatOfTheTranscript() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text("So be it.")]))
    let snapshots = try await snapshots(of: session.streamResponse(to: "May I?"))
    #expect(try #require(snapshots.last).transcriptEntries.last == session.transcript.last)
  }

  @Test func aSchemaHasItsOwnName() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text(#"{"n":1}"#)]))
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Count", properties: [.init(name: "n", schema: .init(type: Int.self))]),
      dependencies: [])
    let snapshots = try await snapshots(of: session.streamResponse(to: "How many?", schema: schema))
    guard case .response(let response)? = snapshots.last?.transcriptEntries.last,
      case .structure(let structure)? = response.segments.first
    else {
      Issue.record("No response")
      return
    }
    #expect(structure.schemaName == "Count")
  }

  @Test func whatWasReadIsKnownBeforeTheEnd() async throws {
    let model = ClosureModel { _, channel in
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: 9, cachedTokenCount: 4),
            output: .init(totalTokenCount: 0, reasoningTokenCount: 0))))
      for word in ["So", " be it."] {
        await channel.send(.response(action: .appendText(word, tokenCount: 2)))
      }
    }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "May I?")
    let usages = try await snapshots(of: stream).map(\.usage)
    #expect(usages.map(\.input.totalTokenCount) == [9, 9, 9])
    #expect(usages.map(\.input.cachedTokenCount) == [4, 4, 4])
    #expect(usages.map(\.output.totalTokenCount) == [2, 4, 4])
    #expect(try await stream.collect().usage == usages.last)
    #expect(session.usage == usages.last)
    #expect("\(session.usage)" == "read 9 tokens, 4 of them cached; wrote 4")
  }

  @Test func whatWasReadIsNoPartOfAnAnswer() async throws {
    let asked = Flag()
    let model = ClosureModel { _, channel in
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: 9, cachedTokenCount: 0),
            output: .init(totalTokenCount: 0, reasoningTokenCount: 0))))
      guard asked.isRaised else {
        asked.raise()
        throw LanguageModelError.timeout(.init(debugDescription: "Too late."))
      }
      await channel.send(.response(action: .appendText("Yes.", tokenCount: 1)))
    }
    let session = LanguageModelSession(
      model: RetryingLanguageModel(model, policy: RetryPolicy(sleep: { _ in })))
    let snapshots = try await snapshots(of: session.streamResponse(to: "May I?"))
    #expect(snapshots.last?.content == "Yes.")
    #expect(snapshots.last?.usage.totalTokenCount == 10)
  }

  @Test func aSlowLoopGetsTheNewestSnapshot() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(
        [.text(#"[{"children":[],"name":"A"}]"#), .text("So be it.")], chunking: .characters))
    let people = session.streamResponse(to: "Who?", generating: [Person].self).bufferingNewest()
    while session.isResponding { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try await snapshots(of: people).map { $0.content.map(\.name) } == [["A"]])
    let text = session.streamResponse(to: "May I?").bufferingNewest()
    while session.isResponding { try await Task.sleep(for: .milliseconds(1)) }
    let contents = try await snapshots(of: text).map(\.content)
    #expect(contents.count <= 2)
    #expect(contents.last == "So be it.")
  }
}
