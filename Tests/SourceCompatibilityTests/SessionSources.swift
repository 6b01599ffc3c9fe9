// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// Sessions, calls, errors, the system model, feedback and tools as apps use them.

func sessions(
  model: SystemLanguageModel, tools: [any Tool], text: String, ins: Instructions, t: Transcript
) throws {
  _ = LanguageModelSession()
  _ = LanguageModelSession(instructions: "x")
  _ = LanguageModelSession(instructions: text)
  _ = LanguageModelSession(instructions: ins)
  _ = LanguageModelSession {
    "a"
    "b"
  }
  _ = LanguageModelSession(tools: tools)
  _ = LanguageModelSession(tools: tools) { "x" }
  _ = LanguageModelSession(model: model)
  _ = LanguageModelSession(model: .default)
  _ = LanguageModelSession(
    model: SystemLanguageModel(useCase: .contentTagging), tools: tools, instructions: text)
  _ = LanguageModelSession(model: .default, tools: [], instructions: "x")
  _ = LanguageModelSession(transcript: t)
  _ = LanguageModelSession(model: model, transcript: t)
  _ = LanguageModelSession(model: model, tools: tools, transcript: t)
  _ = LanguageModelSession(tools: tools, transcript: t)
  _ = LanguageModelSession(model: model) { "x" }
  _ = LanguageModelSession(model: model, instructions: "x")
  _ = LanguageModelSession(model: model, instructions: nil)
  _ = LanguageModelSession(
    tools: tools,
    instructions: """
      x
      """)
  _ = LanguageModelSession(
    model: .init(useCase: .general, guardrails: .permissiveContentTransformations),
    instructions: { "x" })
  _ = try LanguageModelSession { try buildInstructions() }
  let maybe: String? = nil
  _ = LanguageModelSession(instructions: maybe)
  let maybeI: Instructions? = nil
  _ = LanguageModelSession(instructions: maybeI)
  _ = LanguageModelSession(instructions: "a" + text)
  _ = LanguageModelSession(instructions: "a \(text)")
  let sm: any LanguageModel = model
  _ = LanguageModelSession(model: sm)
  _ = LanguageModelSession(model: sm, tools: tools, instructions: "x")
  _ = LanguageModelSession(model: sm) { "x" }
}
func calls(s: LanguageModelSession, p: Prompt, schema: GenerationSchema) async throws {
  let r = try await s.respond(to: "x")
  let c: String = r.content
  _ = r.rawContent
  _ = r.transcriptEntries
  _ = r.usage.totalTokenCount
  _ = c
  try await s.respond(to: "x")
  try await s.respond(to: p)
  try await s.respond {
    "x"
    "y"
  }
  try await s.respond(to: "x", options: GenerationOptions(temperature: 2.0))
  try await s.respond(to: "x", options: .init(sampling: .greedy))
  try await s.respond(
    to: "x",
    options: GenerationOptions(
      sampling: .random(top: 50, seed: 3), temperature: 0.5, maximumResponseTokens: 100))
  try await s.respond(
    to: "x", options: GenerationOptions(sampling: .random(probabilityThreshold: 0.9)))
  try await s.respond(to: "x", options: GenerationOptions(maximumResponseTokens: 10))
  try await s.respond(to: "x", options: GenerationOptions())
  try await s.respond(to: "x", options: GenerationOptions(samplingMode: .greedy))
  try await s.respond(to: "x", options: GenerationOptions(toolCallingMode: .required))
  try await s.respond(to: "x", generating: Sketch.self)
  let p1: Sketch = try await s.respond(to: "x").content
  let p1b = try await s.respond(to: "x", generating: Sketch.self).content
  let ps = try await s.respond(to: "x", generating: [Sketch].self).content
  print(ps[0].a)
  let b = try await s.respond(to: "x", generating: Bool.self).content
  let i = try await s.respond(to: "x", generating: Int.self, options: .init(temperature: 0)).content
  try await s.respond(to: p, generating: Sketch.self, includeSchemaInPrompt: false)
  try await s.respond(
    to: "x", generating: Sketch.self, includeSchemaInPrompt: false, options: .init())
  try await s.respond(generating: Sketch.self) {
    "x"
    "y"
  }
  try await s.respond(generating: Sketch.self, includeSchemaInPrompt: false) { "x" }
  try await s.respond(generating: Sketch.self, options: .init(temperature: 1)) { "x" }
  try await s.respond(options: .init(temperature: 1)) { "x" }
  try await s.respond(to: "x", schema: schema)
  let gc = try await s.respond(to: p, schema: schema, includeSchemaInPrompt: false).content
  print(try gc.value(String.self, forProperty: "a"))
  try await s.respond(schema: schema) { "x" }
  try await s.respond(to: "x", schema: schema, options: .init())
  try await s.respond(to: "x", contextOptions: ContextOptions(reasoningLevel: .deep))
  try await s.respond(
    to: "x", generating: Sketch.self, contextOptions: .init(includeSchemaInPrompt: false))
  try await s.respond(
    to: "x", options: .init(), contextOptions: .init(), metadata: ["a": 1, "b": "x"])
  try await s.respond(to: "x", schema: schema, contextOptions: .init(reasoningLevel: .custom("x")))
  try await s.respond(to: "x", metadata: ["a": 1])
  try await s.respond(generating: Sketch.self, metadata: ["k": true]) { "x" }
  for try await snap in s.streamResponse(to: "x") {
    let t: String = snap.content
    print(t, snap.rawContent.jsonString)
  }
  for try await snap in s.streamResponse(to: "x", generating: Sketch.self) {
    let t: Sketch.PartiallyGenerated = snap.content
    print(t.a ?? 0, snap.usage, snap.transcriptEntries)
  }
  for try await snap in s.streamResponse(
    generating: Sketch.self, includeSchemaInPrompt: false, options: .init(), prompt: { "x" })
  { print(snap) }
  for try await snap in s.streamResponse(schema: schema, prompt: { "x" }) {
    let t: GeneratedContent = snap.content
    print(t)
  }
  for try await partial in s.streamResponse(options: .init(temperature: 0.3), prompt: { "x" }) {
    print(partial.content)
  }
  let stream = s.streamResponse(to: "x", generating: [Sketch].self)
  for try await x in stream {
    let y: [Sketch.PartiallyGenerated] = x.content
    print(y)
  }
  let resp = try await stream.collect()
  let z: [Sketch] = resp.content
  let st2: LanguageModelSession.ResponseStream<String> = s.streamResponse(to: p)
  _ = try await st2.collect().content
  var it = s.streamResponse(to: p).makeAsyncIterator()
  while let n = try await it.next() { print(n.content) }
  let snapStr = s.streamResponse(to: "x").map { $0.content }
  for try await t in snapStr { print(t) }
  s.prewarm()
  s.prewarm(promptPrefix: Prompt("x"))
  s.prewarm(promptPrefix: Prompt { "x" })
  _ = s.isResponding
  _ = s.transcript
  _ = s.usage.input.cachedTokenCount
  _ = s.usage.output.reasoningTokenCount
  s.transcriptErrorHandlingPolicy = .preserveTranscript
  s.transcriptErrorHandlingPolicy = nil
  s.transcript = Transcript()
  s.transcript.removeLast()
  s.transcript.history.removeAll()
  s.transcript.append(.prompt(.init(segments: [])))
  _ = (p1, p1b, b, i, z)
}
func errors(s: LanguageModelSession) async {
  do {
    _ = try await s.respond(to: "x")
  } catch LanguageModelSession.GenerationError.exceededContextWindowSize {
    print("full")
  } catch {
    print("else")
  }
  do {
    _ = try await s.respond(to: "x")
  } catch LanguageModelSession.GenerationError.exceededContextWindowSize(let c) {
    print(c.debugDescription)
  } catch LanguageModelSession.GenerationError.guardrailViolation(_) {} catch LanguageModelSession
    .GenerationError.refusal(let refusal, let ctx)
  {
    _ = try? await refusal.explanation
    _ = try? await refusal.explanation.content
    do { for try await x in refusal.explanationStream { print(x.content) } } catch {}
    print(ctx)
  } catch let e as LanguageModelSession.GenerationError {
    switch e {
    case .assetsUnavailable(let c), .unsupportedGuide(let c), .unsupportedLanguageOrLocale(let c),
      .decodingFailure(let c), .rateLimited(let c), .concurrentRequests(let c):
      print(c.debugDescription)
    case .exceededContextWindowSize: break
    case .guardrailViolation: break
    case .refusal: break
    @unknown default: break
    }
    print(
      e.errorDescription ?? "", e.recoverySuggestion ?? "", e.failureReason ?? "",
      e.localizedDescription)
  } catch let e as LanguageModelSession.ToolCallError {
    print(e.tool.name, e.underlyingError, e.errorDescription ?? "")
    if case .some(let x) = e.underlyingError as? URLError { print(x) }
  } catch let e as LanguageModelError {
    switch e {
    case .contextSizeExceeded(let x):
      print(x.contextSize, x.tokenCount, x.debugDescription, x.metadata)
    case .rateLimited(let x): print(x.resetDate as Any)
    case .guardrailViolation(let x): print(x.debugDescription)
    case .refusal(let x):
      _ = try? await x.explanation.content
      _ = x.explanationStream
    case .unsupportedCapability(let x): print(x.capability)
    case .unsupportedTranscriptContent(let x): print(x.unsupportedContent.count)
    case .unsupportedGenerationGuide(let x): print(x.schemaName as Any)
    case .unsupportedLanguageOrLocale(let x): print(x.languageCode)
    case .timeout(let x): print(x)
    @unknown default: break
    }
  } catch LanguageModelSession.Error.concurrentRequests {} catch LanguageModelSession.Error
    .transcriptMutationWhileResponding
  {} catch let e as SystemLanguageModel.Error {
    if case .assetsUnavailable(let a) = e { print(a.debugDescription) }
  } catch let e as GeneratedContent.ParsingError { print(e) } catch is CancellationError {} catch {
    print(error)
  }
  _ = LanguageModelSession.GenerationError.decodingFailure(.init(debugDescription: "x"))
  _ = LanguageModelSession.GenerationError.Refusal(transcriptEntries: [])
  _ = LanguageModelError.refusal(.init(explanation: "x", debugDescription: "d"))
  _ = LanguageModelError.refusal(LanguageModelError.Refusal(explanation: "x"))
  _ = LanguageModelError.timeout(.init(debugDescription: "d", metadata: ["a": 1]))
  _ = LanguageModelError.contextSizeExceeded(
    .init(contextSize: 1, tokenCount: 2, debugDescription: "x"))
  _ = LanguageModelError.rateLimited(.init(resetDate: nil, debugDescription: "x"))
}
func model() async throws {
  let m = SystemLanguageModel.default
  switch m.availability {
  case .available: break
  case .unavailable(.deviceNotEligible): break
  case .unavailable(.appleIntelligenceNotEnabled): break
  case .unavailable(.modelNotReady): break
  case .unavailable(let other): print(other)
  }
  switch m.availability {
  case .available: break
  case .unavailable(let r):
    switch r {
    case .deviceNotEligible, .appleIntelligenceNotEnabled, .modelNotReady: break
    @unknown default: break
    }
  }
  guard m.isAvailable else { return }
  if case .available = m.availability {}
  if m.availability == .available {}
  guard case .unavailable(let reason) = m.availability else { return }
  print(reason)
  _ = m.supportedLanguages.contains(Locale.current.language)
  _ = m.supportsLocale()
  _ = m.supportsLocale(Locale(identifier: "it"))
  _ = m.contextSize
  _ = try await m.tokenCount(for: "x")
  _ = try await m.tokenCount(for: Prompt("x"))
  _ = try await m.tokenCount(for: Instructions("x"))
  _ = try await m.tokenCount(for: [GetWeather()] as [any Tool])
  _ = try await m.tokenCount(for: Sketch.generationSchema)
  _ = try await m.tokenCount(for: Transcript())
  let entries: Transcript.HistoryView = Transcript().history
  _ = try await m.tokenCount(for: entries)
  let tools: [any Tool] = []
  _ = try await m.tokenCount(for: tools)
  let u: SystemLanguageModel.UseCase = .contentTagging
  let g: SystemLanguageModel.Guardrails = .default
  _ = SystemLanguageModel(useCase: u, guardrails: g)
  _ = SystemLanguageModel(guardrails: .permissiveContentTransformations)
  _ = SystemLanguageModel()
  let ad = try SystemLanguageModel.Adapter(fileURL: URL(fileURLWithPath: "/x"))
  _ = try SystemLanguageModel.Adapter(name: "x")
  try await ad.compile()
  print(ad.creatorDefinedMetadata)
  _ = SystemLanguageModel.Adapter.compatibleAdapterIdentifiers(name: "x")
  try SystemLanguageModel.Adapter.removeObsoleteAdapters()
  _ = SystemLanguageModel(adapter: ad)
  _ = LanguageModelSession(model: SystemLanguageModel(adapter: ad, guardrails: .default))
  do { _ = try SystemLanguageModel.Adapter(name: "x") } catch SystemLanguageModel.Adapter.AssetError
    .compatibleAdapterNotFound(let c)
  { print(c.debugDescription) } catch SystemLanguageModel.Adapter.AssetError.invalidAsset(let c) {
    print(c)
  } catch SystemLanguageModel.Adapter.AssetError.invalidAdapterName(_) {}
}
func feedback(s: LanguageModelSession, e: Transcript.Entry) {
  s.logFeedbackAttachment(sentiment: .positive)
  let d: Data = s.logFeedbackAttachment(
    sentiment: .negative,
    issues: [
      .init(category: .incorrect, explanation: "x"),
      LanguageModelFeedback.Issue(category: .tooVerbose),
    ], desiredOutput: e)
  s.logFeedbackAttachment(sentiment: nil)
  s.logFeedbackAttachment(sentiment: .neutral, issues: [], desiredResponseText: "x")
  s.logFeedbackAttachment(sentiment: .negative, desiredResponseContent: nil)
  s.logFeedbackAttachment(sentiment: .negative, issues: [], desiredOutput: nil)
  s.logFeedbackAttachment(sentiment: .negative, desiredResponseText: "x")
  s.logFeedbackAttachment(sentiment: .negative, desiredResponseContent: "x")
  for c in LanguageModelFeedback.Issue.Category.allCases { print(c) }
  for x in LanguageModelFeedback.Sentiment.allCases { print(x) }
  _ = d
}
struct GetWeather: Tool {
  let name = "getWeather"
  let description = "d"
  @Generable struct Arguments {
    @Guide(description: "city") var city: String
    @Guide(.range(1...7)) var days: Int?
  }
  func call(arguments: Arguments) async throws -> String { arguments.city }
}
struct Sync: Tool {
  var description: String { "d" }
  @Generable struct Arguments { var city: String }
  func call(arguments: Arguments) -> Sketch { Sketch(a: 1, b: nil) }
}
struct AsyncTool: Tool {
  let description = "d"
  @Generable struct Arguments { var city: String }
  func call(arguments: Arguments) async -> [String] { [arguments.city] }
}
struct RuntimeTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema
  let includesSchemaInInstructions = false
  func call(arguments: GeneratedContent) async throws -> GeneratedContent { arguments }
}
struct PromptTool: Tool {
  let name = "p"
  let description = "d"
  typealias Arguments = Sketch
  func call(arguments: Sketch) async throws -> Prompt { Prompt("x") }
}
struct PromptTool2: Tool {
  let name = "p"
  let description = "d"
  func call(arguments: Sketch) async throws -> some PromptRepresentable { "x" }
}
struct EnumTool: Tool {
  let name = "p"
  let description = "d"
  @Generable enum Arguments {
    case a(Int)
    case b
  }
  func call(arguments: Arguments) throws -> String? { nil }
}
@MainActor @Observable final class Store { var items: [String] = [] }
final class ClassTool: Tool {
  let name = "c"
  let description = "d"
  let store: Store
  init(store: Store) { self.store = store }
  @Generable struct Arguments { let item: String }
  func call(arguments: Arguments) async throws -> String {
    await MainActor.run { store.items.append(arguments.item) }
    return "ok"
  }
}
@Observable final class ObservableTool: Tool {
  let name = "o"
  let description = "d"
  @MainActor var count = 0
  @MainActor init() {}
  @Generable struct Arguments { let item: String }
  func call(arguments: Arguments) async throws -> String { await bump(arguments.item) }
  @MainActor private func bump(_ s: String) -> String {
    count += 1
    return s
  }
}
struct NestedArgs: Tool {
  let name = "n"
  let description = "d"
  @Generable struct Arguments {
    var kind: Kind
    var list: [Sub]
    var opt: Sub?
    @Generable enum Kind: String, CaseIterable { case a, b }
    @Generable struct Sub { var q: Int }
  }
  func call(arguments: Arguments) async throws -> String { arguments.kind.rawValue }
}
func anyTool(_ t: any Tool) {
  print(t.name, t.description, t.parameters, t.includesSchemaInInstructions)
}
func someTool(_ t: some Tool<Sketch, String>) async throws {
  _ = try await t.call(arguments: Sketch(a: 1, b: nil))
}
