// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierEvaluation
import Foundation
import Testing

@Generable
struct Itinerary {
  var title: String
  @Guide(.count(1...3)) var days: [String]
}

struct Plan: Equatable {
  var title: String
}

struct PlannerModel {
  let session: LanguageModelSession
  init(model: some LanguageModel) { session = LanguageModelSession(model: model) }
  func plan() async throws -> Plan {
    Plan(title: try await session.respond(to: "Kyoto", generating: Itinerary.self).content.title)
  }
}

@Test func planIsShown() async throws {
  let model = ScriptedLanguageModel([.text(#"{"title": "Kyoto", "days": ["Gion"]}"#)])
  let planner = PlannerModel(model: model)
  #expect(try await planner.plan() == Plan(title: "Kyoto"))
  #expect(model.requests.count == 1)
}

@Test func anyItineraryIsShown() async throws {
  for seed in 0..<20 {
    let planner = PlannerModel(model: SamplingLanguageModel(seed: UInt64(seed)))
    #expect(try await !planner.plan().title.contains("\n\n\n"))
  }
}

func evaluates(_ model: SamplingLanguageModel, lines: String) async throws {
  let evaluation = Evaluation(
    schema: Order.generationSchema, instructions: "You take orders of a bakery.")
  let cases = try EvaluationCase.cases(jsonLines: lines)
  let report = try await evaluation.report(of: model, on: cases)
  print(report.rightFieldCount, "of", report.fieldCount)
}

@Test func failureIsHandled() async throws {
  let model = FailingLanguageModel(
    SamplingLanguageModel(seed: 1), failingFirst: 1,
    with: LanguageModelError.rateLimited(.init(debugDescription: "Busy.")))
  let planner = PlannerModel(model: model)
  await #expect(throws: LanguageModelError.self) { try await planner.plan() }
  _ = try await planner.plan()
}

@Suite struct TestingSnippets {
  @Test func slow() async throws {
    let slow = SlowLanguageModel(SamplingLanguageModel(seed: 1), delay: .seconds(20))
    let task = Task { try await LanguageModelSession(model: slow).respond(to: "Kyoto").content }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func limited() async throws {
    let slow = SlowLanguageModel(SamplingLanguageModel(seed: 1), delay: .seconds(86_400))
    let limited = TimeLimitedLanguageModel(slow, limit: .seconds(30), sleep: { _ in })
    await #expect(throws: LanguageModelError.self) { try await PlannerModel(model: limited).plan() }
  }

  @Test func waiting() async throws {
    let (written, writes) = AsyncStream.makeStream(of: Void.self)
    let (opened, opens) = AsyncStream.makeStream(of: Void.self)
    let model = ScriptedLanguageModel([
      .init([
        .text(#"{"title": "Kyo"#),
        .wait {
          writes.yield()
          for await _ in opened { break }
        },
        .text(#"to", "days": ["Gion"]}"#),
      ])
    ])
    let planner = PlannerModel(model: model)
    let plan = Task { try await planner.plan() }
    for await _ in written { break }
    #expect(planner.session.isResponding)
    opens.yield()
    #expect(try await plan.value.title == "Kyoto")
  }

  @Test func fromTheRequest() async throws {
    let model = ScriptedLanguageModel { request, _ in
      request.transcript.description.contains("Kyoto")
        ? .text(#"{"title": "Kyoto", "days": ["Gion"]}"#)
        : .text(#"{"title": "Nara", "days": ["Deer park"]}"#)
    }

    #expect(try await PlannerModel(model: model).plan().title == "Kyoto")
    #expect(
      "\(try await transcript(of: model))" == "\(try await transcript(of: model))",
      "the page says that it is the same in every run")
  }

  private func transcript(of model: ScriptedLanguageModel) async throws -> Transcript {
    let planner = PlannerModel(model: model)
    _ = try await planner.plan()
    return planner.session.transcript
  }

  /// Requests at once, answered from a folder in any order.
  @Test func cached() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = SamplingLanguageModel(seed: 1)
    func title(_ model: some LanguageModel, _ city: String) async throws -> String {
      try await LanguageModelSession(model: model).respond(to: city).content
    }
    let filling = CachingLanguageModel(model, cache: ResponseCache(folder: folder))
    let (kyoto, nara) = (try await title(filling, "Kyoto"), try await title(filling, "Nara"))
    let kept = CachingLanguageModel(ScriptedLanguageModel([]), cache: ResponseCache(folder: folder))
    async let second = title(kept, "Nara")
    async let first = title(kept, "Kyoto")
    #expect(try await first == kyoto)
    #expect(try await second == nara)
    await #expect(throws: ScriptedLanguageModel.ScriptEnded.self) {
      try await title(kept, "Osaka")
    }
  }

  @Test func asked() async throws {
    let model = ScriptedLanguageModel([.text(#"{"title": "Kyoto", "days": ["Gion"]}"#)])
    _ = try await PlannerModel(model: model).plan()

    let asked = try #require(model.requests.first?.transcript.last)
    #expect(asked.description.contains("Kyoto"))
  }

  @Test func snapshots() async throws {
    let model = ScriptedLanguageModel(
      [.text(#"{"title": "Kyoto", "days": ["Gion"]}"#)], chunking: .characters)
    let stream = LanguageModelSession(model: model)
      .streamResponse(to: "Kyoto", generating: Itinerary.self)
    var titles: [String] = []
    for try await snapshot in stream { titles.append(snapshot.content.title ?? "") }
    #expect(titles.contains("Kyo"))
  }

  @Test func scripted() async throws {
    let model = ScriptedLanguageModel([
      .toolCall("FindSights", arguments: #"{"city": "Kyoto"}"#),
      .text("Start at the Golden Pavilion."),
    ])
    let session = LanguageModelSession(model: model, tools: [FindSights()])

    #expect(try await session.respond(to: "Kyoto").content == "Start at the Golden Pavilion.")
    #expect(session.transcript.contains { if case .toolOutput = $0 { true } else { false } })
  }

  func record(_ model: SamplingLanguageModel, file: URL) async throws {
    let recording = Recording()
    let session = LanguageModelSession(model: RecordingLanguageModel(model, into: recording))
    try await session.respond(to: "Three days in Kyoto")
    try recording.write(to: file)
    // later, and elsewhere:
    let replay = ReplayingLanguageModel(try Recording(contentsOf: file))

    _ = replay
  }

  func sample() async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 7))
    let itinerary = try await session.respond(to: "Kyoto", generating: Itinerary.self).content

    _ = itinerary
  }
}

struct SightGuide: Sendable {
  func sights(in city: String) async throws -> [String] { [city] }
}

let guide = SightGuide()

struct FindSights: Tool {
  let description = "Finds places worth a visit"

  @Generable struct Arguments { var city: String }

  func call(arguments: Arguments) async throws -> [String] {
    try await guide.sights(in: arguments.city)
  }
}
