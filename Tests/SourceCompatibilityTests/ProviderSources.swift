// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// A provider of a model, session properties, dynamic instructions and profiles.

struct EchoModel: LanguageModel {
  typealias Executor = EchoExecutor
  let prefix: String
  var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.toolCalling, .guidedGeneration, .reasoning, .vision])
  }
  var executorConfiguration: EchoExecutor.Configuration { .init(prefix: prefix) }
}
struct EchoExecutor: LanguageModelExecutor {
  typealias Model = EchoModel
  struct Configuration: Hashable, Sendable { var prefix: String }
  let c: Configuration
  init(configuration: Configuration) throws { c = configuration }
  func prewarm(model: EchoModel, transcript: Transcript) {}
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: EchoModel,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    _ = request.id
    _ = request.enabledToolDefinitions.map(\.name)
    _ = request.schema
    _ = request.generationOptions.temperature
    _ = request.contextOptions.reasoningLevel
    _ = try request.metadata["x"]?.value(Int.self)
    await channel.send(.reasoning(action: .appendText("hm", tokenCount: 1)))
    await channel.send(.reasoning(entryID: "r", action: .updateSignature(Data(), tokenCount: 0)))
    await channel.send(.response(action: .appendText("hi", tokenCount: 1)))
    await channel.send(
      .response(entryID: "a", action: .replaceTextSegment("x", segmentID: "s", tokenCount: 2)))
    await channel.send(.response(action: .updateMetadata(["a": 1])))
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: 3, cachedTokenCount: 1),
          output: .init(totalTokenCount: 1, reasoningTokenCount: 0))))
    await channel.send(
      .response(
        action: .updateUsage(
          input: LanguageModelExecutorGenerationChannel.Usage.Input(
            totalTokenCount: 3, cachedTokenCount: 1),
          output: LanguageModelExecutorGenerationChannel.Usage.Output(
            totalTokenCount: 1, reasoningTokenCount: 0), metadata: ["x": 1])))
    await channel.send(
      .toolCalls(
        action: .toolCall(id: "1", name: "x", action: .appendArguments("{}", tokenCount: 1))))
    await channel.send(.toolCalls(entryID: "t", action: .removeToolCall(id: "1")))
    await channel.send(.toolCalls(action: .updateMetadata([:])))
    await channel.send(
      .toolCalls(action: .toolCall(id: "1", name: "x", action: .updateMetadata(["a": "b"]))))
    await channel.send(
      .response(
        action: .addAttachmentSegment(
          .init(content: .image(.init(imageURL: URL(fileURLWithPath: "/x")))))))
    await channel.send(.response(action: .removeAttachmentSegment(id: "x")))
    throw LanguageModelError.unsupportedCapability(
      .init(capability: .vision, debugDescription: "x"))
  }
}
func directUse(m: EchoModel) async throws {
  let ch = LanguageModelExecutorGenerationChannel()
  let ex = try EchoExecutor(configuration: m.executorConfiguration)
  let rq = LanguageModelExecutorGenerationRequest(
    id: UUID(), transcript: .init(), enabledTools: [], generationOptions: .init(),
    contextOptions: .init(), metadata: [:])
  async let done: Void = ex.respond(to: rq, model: m, streamingInto: ch)
  for try await e in ch { print(e) }
  try await done
  let s = LanguageModelSession(model: m)
  _ = LanguageModelSession(model: m, tools: [GetWeather()], instructions: "x")
  _ = LanguageModelSession(model: m) { "x" }
  _ = LanguageModelSession(model: m, transcript: Transcript())
  _ = LanguageModelSession(model: m, instructions: Instructions("x"))
  _ = m.capabilities.contains(.vision)
  _ = LanguageModelCapabilities([.vision])
  print(s)
}
// Session properties
struct UnitsKey: SessionPropertyKey { static let defaultValue = "metric" }
extension SessionPropertyValues {
  var units: String {
    get { self[UnitsKey.self] }
    set { self[UnitsKey.self] = newValue }
  }
}
extension SessionPropertyValues {
  @SessionPropertyEntry var city: String = "Rome"
  @SessionPropertyEntry var visits: Int = 0
  @SessionPropertyEntry var note: String?
}
struct UnitTool: Tool {
  let name = "u"
  let description = "d"
  @SessionProperty(\.units) var units
  @SessionProperty(\.city) var city
  func call(arguments: Sketch) async throws -> String {
    city = "Milan"
    return units
  }
}
struct CityGuide: DynamicInstructions {
  let detail: Bool
  let names: [String]
  @LanguageModelSession.SessionProperty(\.city) var city
  var body: some DynamicInstructions {
    Instructions("You guide in \(city)")
    if detail { "Be long" } else { Instructions("short") }
    if detail {
      Instructions {
        "a"
        "b"
      }
    }
    GetWeather()
    tools()
    ForEach(names, id: \.self) { n in Instructions(n) }
  }
  func tools() -> [any Tool] { [GetWeather()] }
}
struct Composite: DynamicInstructions {
  var body: some DynamicInstructions {
    CityGuide(detail: true, names: [])
    "x"
    if #available(macOS 27, *) { Instructions("new") }
  }
}
struct DeepProfile: LanguageModelSession.DynamicProfile {
  let deep: Bool
  @LanguageModelSession.SessionProperty(\.visits) var visits
  var body: some LanguageModelSession.DynamicProfile {
    if deep {
      LanguageModelSession.Profile {
        Instructions("deep")
        GetWeather()
      }.model(EchoModel(prefix: "x")).temperature(0.3).reasoningLevel(.deep).samplingMode(.greedy)
        .maximumResponseTokens(100).toolCallingMode(.allowed)
        .historyTransform { $0.suffix(3).map { $0 } }.transcriptErrorHandlingPolicy(
          .preserveTranscript
        )
        .onPrompt { p in print(p.segments) }.onPrompt {}.onResponse { r in print(r.id) }.onResponse
      { print("x") }.onReasoning { r in print(r) }.onToolCall { c in print(c.toolName) }.onToolCall
      {}.onToolOutput { c, o in print(c.id, o.id) }.onToolOutput {}.onActivate { print("a") }
        .onDeactivate {}
        .modifier(Rolling(n: 3))
    } else {
      LanguageModelSession.Profile { "plain" }
    }
  }
}
struct Rolling: LanguageModelSession.DynamicProfileModifier {
  let n: Int
  func body(content: Content) -> some LanguageModelSession.DynamicProfile {
    content.historyTransform { Array($0.suffix(n)) }.temperature(1)
  }
}
extension LanguageModelSession.DynamicProfile {
  func rolling(_ n: Int) -> some LanguageModelSession.DynamicProfile { modifier(Rolling(n: n)) }
}
func profiles() async throws {
  let s = LanguageModelSession(profile: DeepProfile(deep: true))
  _ = LanguageModelSession(profile: DeepProfile(deep: false), history: Transcript())
  _ = LanguageModelSession(profile: LanguageModelSession.Profile { "x" }.rolling(3))
  _ = LanguageModelSession(model: EchoModel(prefix: "x"), dynamicInstructions: Composite())
  _ = LanguageModelSession(dynamicInstructions: Composite(), history: s.transcript.history)
  s.properties.units = "imperial"
  s.properties.city = "x"
  print(s.properties.visits, s.properties.history.count, s.properties[UnitsKey.self])
}
@Observable @MainActor final class FamilyViewModel {
  var s = LanguageModelSession { "x" }
  var partial: Family.PartiallyGenerated?
  var err: String?
  var task: Task<Void, Error>?
  func go() {
    task = Task {
      let stream = s.streamResponse(to: "x", generating: Family.self)
      for try await p in stream { partial = p.content }
    }
  }
  func go2() async throws {
    let r = try await s.respond(to: "x", generating: Family.self)
    print(r.content.name)
    async let a = s.respond(to: "y")
    _ = try await a.content
  }
  func reset() {
    let old = s.transcript
    var kept: [Transcript.Entry] = []
    if let f = old.first { kept.append(f) }
    if old.count > 1, let l = old.last { kept.append(l) }
    s = LanguageModelSession(transcript: Transcript(entries: kept))
  }
}
actor ConversationService {
  let session = LanguageModelSession(tools: [GetWeather()])
  func ask(_ q: String) async throws -> String {
    guard !session.isResponding else { return "" }
    return try await session.respond(to: q).content
  }
  func stream(_ q: String) -> AsyncThrowingStream<String, Error> {
    AsyncThrowingStream { c in
      Task {
        do {
          for try await x in session.streamResponse(to: q) { c.yield(x.content) }
          c.finish()
        } catch { c.finish(throwing: error) }
      }
    }
  }
}
func inParallel() async throws {
  try await withThrowingTaskGroup(of: Sketch.self) { g in
    for i in 0..<3 {
      g.addTask {
        try await LanguageModelSession().respond(to: "\(i)", generating: Sketch.self).content
      }
    }
    for try await x in g { print(x) }
  }
}
