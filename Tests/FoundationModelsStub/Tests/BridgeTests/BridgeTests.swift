// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Bridge
import EspalierCore
import Foundation
import FoundationModels
import Synchronization
import Testing

private typealias OwnSession = EspalierCore.LanguageModelSession

private struct Weather: EspalierCore.Tool {
  let name = "weather"
  let description = "Says the weather."
  let parameters = try! EspalierCore.GenerationSchema(
    jsonSchema: """
      {"title":"Arguments","type":"object","properties":{"city":{"type":"string"}},
      "required":["city"],"additionalProperties":false}
      """)

  func call(arguments: EspalierCore.GeneratedContent) async throws -> String {
    "Rain in \(try arguments.value(String.self, forProperty: "city"))."
  }
}

private func script(_ steps: Script.Step...) {
  Script.current.withLock { $0 = Script(steps: steps) }
}

private var questions: [Script.Question] { Script.current.withLock { $0.questions } }

/// The system's model, which answers from a script, behind sessions of this package.
@Suite(.serialized) struct BridgeTests {
  @Test func textIsStreamedInPieces() async throws {
    script(.say(["Good", "Good morning", "Good morning."]))
    let session = OwnSession(model: AppleLanguageModel(), instructions: "Be kind.")
    var texts: [String] = []
    let stream = session.streamResponse(
      to: "Hi",
      options: EspalierCore.GenerationOptions(
        samplingMode: .random(top: 3, seed: 7), temperature: 0.5, maximumResponseTokens: 9))
    for try await snapshot in stream { texts.append(snapshot.content) }
    #expect(texts.last == "Good morning.")
    #expect(texts.contains("Good morning"))
    #expect(questions[0].before == ["instructions Be kind. []"])
    #expect(questions[0].prompt == "Hi")
    #expect(
      questions[0].options
        == FoundationModels.GenerationOptions(
          sampling: .random(top: 3, seed: 7), temperature: 0.5, maximumResponseTokens: 9))
    #expect(session.usage.input.totalTokenCount == 7)
    #expect(session.usage.output.reasoningTokenCount == 1)
  }

  @Test func textThatChangesIsReplaced() async throws {
    script(.say(["Good", "Bad"]))
    let session = OwnSession(model: AppleLanguageModel())
    #expect(try await session.respond(to: "Hi").content == "Bad")
  }

  @Test func transcriptsAreTranslated() async throws {
    script(.say(["one"]), .say(["two"]))
    let session = OwnSession(model: AppleLanguageModel(), tools: [Weather()], instructions: "x")
    try await session.respond(to: "A")
    try await session.respond(to: "B")
    #expect(
      questions[1].before == [
        #"instructions x ["weather"]"#, "prompt A", "response one",
      ])
    #expect(questions[1].prompt == "B")
  }

  @Test func schemasBecomeDynamic() async throws {
    let json = #"{"name":"Nara","tags":["a"],"stars":3,"kind":"temple"}"#
    script(.say([#"{"name":"Nara"}"#, json]))
    let schema = try EspalierCore.GenerationSchema(
      jsonSchema: #"""
        {"title":"Sight","description":"A sight","type":"object","additionalProperties":false,
        "properties":{
        "name":{"type":"string","description":"Its name"},
        "tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3},
        "stars":{"type":"integer","minimum":1,"maximum":5},
        "kind":{"enum":["temple","bridge"],"type":"string"},
        "near":{"type":"array","items":{"$ref":"#"}},
        "place":{"$ref":"#/$defs/Place"}},
        "required":["name","tags","stars","kind"],
        "$defs":{"Place":{"title":"Place","type":"object","additionalProperties":false,
        "properties":{"height":{"type":"number","minimum":0}},"required":["height"]}}}
        """#)
    let session = OwnSession(model: AppleLanguageModel())
    let response = try await session.respond(to: "Where?", schema: schema)
    #expect(response.rawContent.jsonString == json)
    let asked = try #require(questions[0].schema)
    for part in [
      #""title":"Sight""#, #""required":["name","tags","stars","kind"]"#, #""minItems":1"#,
      #""maxItems":3"#, #""minimum":1"#, #""maximum":5"#, #""enum":["temple","bridge"]"#,
      ##""$ref":"#""##, ##""$ref":"#\/$defs\/Place""##, #""description":"Its name""#,
      #""minimum":0.0"#, #""x-order":["name","tags","stars","kind","near","place"]"#,
    ] {
      #expect(asked.contains(part), "\(part) in \(asked)")
    }
  }

  @Test func aConstraintThatCannotBeSaidIsAnError() async throws {
    script(.say(["{}"]))
    let schema = try EspalierCore.GenerationSchema(
      jsonSchema: #"""
        {"title":"Even","type":"object","properties":{"n":{"type":"integer","multipleOf":2}},
        "required":["n"],"additionalProperties":false}
        """#)
    let session = OwnSession(model: AppleLanguageModel())
    await #expect {
      try await session.respond(to: "?", schema: schema)
    } throws: { error in
      guard case EspalierCore.LanguageModelError.unsupportedGenerationGuide(let payload) = error
      else { return false }
      return payload.debugDescription.contains("multipleOf")
    }
    #expect(questions.isEmpty)
  }

  @Test func toolsAreRunByOurSession() async throws {
    script(
      .call([
        ("weather", #"{"city":"Nara"}"#), ("weather", #"{"city":"Uji"}"#),
      ]), .call([("weather", #"{"city":"Kobe"}"#)]), .say(["Take an umbrella."]))
    let session = OwnSession(model: AppleLanguageModel(), tools: [Weather()])
    let response = try await session.respond(to: "Where is it dry?")
    #expect(response.content == "Take an umbrella.")
    // One request of the system's, which waited for all outputs.
    #expect(questions.count == 1)
    #expect(questions[0].outputs == ["Rain in Nara.", "Rain in Uji.", "Rain in Kobe."])
    let outputs = session.transcript.compactMap { entry -> String? in
      if case .toolOutput(let output) = entry { output.description } else { nil }
    }
    #expect(Set(outputs) == ["Rain in Nara.", "Rain in Uji.", "Rain in Kobe."])
    #expect(outputs.last == "Rain in Kobe.")
  }

  @Test func aRequestThatIsGivenUpEndsTheSystems() async throws {
    script(.call([("weather", #"{"city":"Nara"}"#)]), .say(["late"]))
    let session = OwnSession(model: AppleLanguageModel(), tools: [Weather()])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 0)
    await #expect(throws: (any Error).self) { try await session.respond(to: "Where?") }
    script(.say(["again"]))
    #expect(try await session.respond(to: "Once more").content == "again")
    for _ in 0..<1000 where !Script.current.withLock({ $0.isCancelled }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(Script.current.withLock { $0.isCancelled })
  }

  @Test func outputsForWhichNobodyWaitsAreSaidInThePrompt() async throws {
    script(.say(["dry"]))
    let transcript = EspalierCore.Transcript(entries: [
      .prompt(.init(segments: [.text(.init(content: "Where?"))])),
      .toolCalls(
        .init([
          .init(id: "1", toolName: "weather", arguments: try .init(json: #"{"city":"Nara"}"#))
        ])),
      .toolOutput(.init(id: "1", toolName: "weather", segments: [.text(.init(content: "Sun."))])),
    ])
    let executor = try AppleLanguageModel.Executor(
      configuration: AppleLanguageModel().executorConfiguration)
    try await executor.respond(
      to: .init(
        id: UUID(), transcript: transcript, enabledTools: [], generationOptions: .init(),
        contextOptions: .init(), metadata: [:]),
      model: AppleLanguageModel(), streamingInto: .init())
    #expect(questions[0].prompt.contains("Output of weather: Sun."))
  }

  @Test func errorsAreTranslated() async throws {
    typealias Apple = FoundationModels.LanguageModelSession.GenerationError
    typealias Own = EspalierCore.LanguageModelError
    func thrown(_ error: any Error) async -> String {
      script(.fail(error))
      let session = OwnSession(model: AppleLanguageModel())
      do {
        try await session.respond(to: "?")
        return "nothing"
      } catch let error as Own {
        return switch error {
        case .contextSizeExceeded: "contextSizeExceeded"
        case .guardrailViolation: "guardrailViolation"
        case .rateLimited: "rateLimited"
        case .refusal: "refusal"
        case .unsupportedGenerationGuide: "unsupportedGenerationGuide"
        case .timeout: "timeout"
        default: "another"
        }
      } catch {
        return "\(type(of: error))"
      }
    }
    let context = Apple.Context(debugDescription: "said so")
    #expect(await thrown(Apple.exceededContextWindowSize(context)) == "contextSizeExceeded")
    #expect(await thrown(Apple.guardrailViolation(context)) == "guardrailViolation")
    #expect(await thrown(Apple.rateLimited(context)) == "rateLimited")
    #expect(
      await thrown(Apple.refusal(.init(transcriptEntries: []), context)) == "refusal")
    #expect(await thrown(Apple.unsupportedGuide(context)) == "unsupportedGenerationGuide")
    #expect(await thrown(Apple.decodingFailure(context)) == "ParsingError")
    #expect(
      await thrown(
        FoundationModels.LanguageModelError.timeout(.init(debugDescription: "x"))) == "timeout")
    #expect(await thrown(CocoaError(.fileNoSuchFile)) == "CocoaError")
  }

  @Test func theDefaultModelIsTheSystems() async throws {
    defer { EspalierCore.SystemLanguageModel.setDefaultModel(nil) }
    let fallback = ScriptedLanguageModel([.text("ours")])
    script(.say(["theirs"]))
    EspalierCore.SystemLanguageModel.useModelOfTheSystem(orElse: fallback)
    #expect(try await OwnSession().respond(to: "Hi").content == "theirs")
    let model = EspalierCore.SystemLanguageModel.default
    #expect(model.variant == .core3)
    #expect(model.supportedLanguages == [Locale.Language(identifier: "ja")])
    #expect(!model.supportsLocale(Locale(identifier: "en_US")))
    #expect(model.contextSize == 4096)
    #expect(try await model.tokenCount(for: EspalierCore.Prompt("a")) == 10)
    script(.say(["tags"]))
    let tagger = EspalierCore.SystemLanguageModel(
      useCase: .contentTagging, guardrails: .permissiveContentTransformations)
    try await OwnSession(model: tagger).respond(to: "Hi")
    #expect(questions[0].useCase == .contentTagging)
    #expect(questions[0].guardrails == .permissiveContentTransformations)

    script(.say(["theirs"]))
    Script.current.withLock { $0.availability = .unavailable(.deviceNotEligible) }
    EspalierCore.SystemLanguageModel.useModelOfTheSystem(orElse: fallback)
    #expect(try await OwnSession().respond(to: "Hi").content == "ours")
    EspalierCore.SystemLanguageModel.useModelOfTheSystem()
    #expect(model.availability == .unavailable(.deviceNotEligible))
  }
}
