// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierEvaluation
import EspalierLocal
import EspalierServer
import Foundation
import Testing

/// What errors say to people and to developers.
@Suite struct ErrorWordsTests {
  struct Looking: Tool {
    let name = "lookUp"
    let description = "Looks something up."
    func call(arguments: GeneratedContent) async throws -> String { "" }
    var parameters: GenerationSchema { GeneratedContent.generationSchema }
  }

  private enum Unspoken: Error { case nothing }

  static var all: [any ExplainedError] {
    typealias First = LanguageModelSession.GenerationError
    let context = First.Context(debugDescription: "Expected 3 tokens, found 4.")
    let schema = GenerationSchema.SchemaError.Context(debugDescription: "Expected a name.")
    let asset = SystemLanguageModel.Adapter.AssetError.Context(debugDescription: "Expected a file.")
    let parsing = GeneratedContent.ParsingError(
      rawContent: "3", debugDescription: "Expected a string, found 3.")
    let capabilities: [LanguageModelCapabilities.Capability] = [
      .vision, .guidedGeneration, .reasoning, .toolCalling,
    ]
    var all: [any ExplainedError] = [
      LanguageModelError.contextSizeExceeded(
        .init(contextSize: 9, tokenCount: 12, debugDescription: "Expected 9 tokens, found 12.")),
      LanguageModelError.rateLimited(.init(debugDescription: "Expected 3 requests, found 4.")),
      LanguageModelError.guardrailViolation(.init(debugDescription: "Found a forbidden word.")),
      LanguageModelError.refusal(.init(explanation: "I cannot say that.")),
      LanguageModelError.unsupportedTranscriptContent(
        .init(unsupportedContent: [], debugDescription: "Expected text, found an image.")),
      LanguageModelError.unsupportedGenerationGuide(
        .init(debugDescription: "Expected no 'pattern' at '/a'.")),
      LanguageModelError.unsupportedLanguageOrLocale(
        .init(languageCode: "am", debugDescription: "Expected English, found 'am'.")),
      LanguageModelError.timeout(.init(debugDescription: "Expected an answer within 3 s.")),
    ]
    all += capabilities.map { capability in
      LanguageModelError.unsupportedCapability(
        .init(capability: capability, debugDescription: "Expected images, found none."))
    }
    all += [
      First.exceededContextWindowSize(context), First.assetsUnavailable(context),
      First.guardrailViolation(context), First.unsupportedGuide(context),
      First.unsupportedLanguageOrLocale(context), First.decodingFailure(context),
      First.rateLimited(context), First.concurrentRequests(context),
      First.refusal(.init(transcriptEntries: []), context),
      LanguageModelError.refusal(.init(explanation: "")),
      LanguageModelSession.Error.concurrentRequests,
      LanguageModelSession.Error.transcriptMutationWhileResponding,
      LanguageModelSession.ToolCallError(tool: Looking(), underlyingError: parsing),
      LanguageModelSession.ToolCallError(tool: Looking(), underlyingError: Unspoken.nothing),
      LanguageModelSession.ToolCallError(tool: Looking(), underlyingError: CancellationError()),
      LanguageModelSession.ValidationError(
        report: ValidationReport(of: 1, rules: [SemanticRule("even") { _ in "1 is odd." }]),
        rawContent: GeneratedContent(1), attemptCount: 3),
      SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "Expected a model.")),
      SystemLanguageModel.Adapter.AssetError.invalidAsset(asset),
      SystemLanguageModel.Adapter.AssetError.invalidAdapterName(asset),
      SystemLanguageModel.Adapter.AssetError.compatibleAdapterNotFound(asset),
      PrivateCloudComputeLanguageModel.Error.networkFailure(
        .init(debugDescription: "Expected a network.")),
      PrivateCloudComputeLanguageModel.Error.quotaLimitReached(
        .init(debugDescription: "Expected 99 requests, found 100.")),
      PrivateCloudComputeLanguageModel.Error.serviceUnavailable(
        .init(debugDescription: "Expected a model.")),
      parsing,
      ToolCallProblem.unknownTool(name: "a", available: ["b", "c"]),
      ToolCallProblem.tooManyRounds(limit: 3), ToolCallProblem.noToolToRequire,
      ToolCallProblem.requiredCallMissing, ToolCallProblem.duplicateTool(name: "add"),
      ToolCallProblem.missingTool(name: "a", available: ["b", "c"]),
      RoutedLanguageModel.NoRoute(failures: []),
      RoutedLanguageModel.NoRoute(failures: [("a", CancellationError()), ("b", parsing)]),
      GenerationSchema.SchemaError.duplicateType(schema: "A", type: "B", context: schema),
      GenerationSchema.SchemaError.duplicateProperty(schema: "A", property: "b", context: schema),
      GenerationSchema.SchemaError.emptyTypeChoices(schema: "A", context: schema),
      GenerationSchema.SchemaError.undefinedReferences(
        schema: nil, references: ["B"], context: schema),
      StoredFileError(path: "/a.json", problem: "there is no such file."),
      StoredFileError(
        path: "/a.json", byteOffset: 3, location: "/a", problem: "Expected a number."),
      Violation(
        offset: 3, instanceLocation: "/a", keyword: "type", schemaLocation: "#/properties/a/type",
        expected: "a string", found: "a digit"),
      GrammarError(diagnostics: [
        .init(keyword: "type", location: "#", message: "Expected a type, found 'integre'.")
      ]),
    ]
    let kinds: [ConversationStoreError.Kind] = [
      .noSuchConversation, .damaged, .newerVersion, .cannotWrite, .cannotRead,
    ]
    all += kinds.map {
      ConversationStoreError(
        $0, place: "/a.log", problem: "Expected a record.", suggestion: "Restore a copy.")
    }
    let knowledgeKinds: [KnowledgeError.Kind] = [
      .otherModel, .damaged, .newerVersion, .cannotWrite, .cannotRead,
    ]
    all += knowledgeKinds.map {
      KnowledgeError(
        $0, place: "/a.sqlite", problem: "Expected 384 dimensions, found 768.",
        suggestion: "Open it with the other model.")
    }
    all += [EmbeddingError.Kind.textTooLong, .unexpectedVectors].map {
      EmbeddingError(
        $0, model: "mini", problem: "Expected at most 512 tokens, found 900.",
        suggestion: "Cut the text.")
    }
    let serverKinds: [ServerError.Kind] = [
      .unreachable, .unauthorized, .notFound, .badRequest, .serverFailure, .malformedAnswer,
      .endedEarly, .emptyAnswer, .brokenSchema, .truncated, .endlessWhiteSpace,
    ]
    all += serverKinds.map {
      ServerError(
        $0, server: "localhost:1", problem: "Expected status 200, found 500.",
        suggestion: "Look at its log.")
    }
    all += [
      TokenModelError.contextOverflow(needed: 9, contextSize: 8), TokenModelError.unknownToken(7),
      TokenModelError.nothingRead, TokenModelError.missingLogits(expected: 257, found: 256),
      TokenModelError.noUsableLogits(allowed: 3), TokenModelError.deadEnd,
      GGUFError(field: "magic", offset: 0, message: "Expected 'GGUF', found 'ZZZZ'."),
    ]
    return all
  }

  /// Errors that only the package makes, as its functions throw them.
  static func thrown() async throws -> [any ExplainedError] {
    var errors: [any Error] = []
    func record(_ body: () async throws -> Void) async {
      do { try await body() } catch { errors.append(error) }
    }
    await record { _ = try GenerationSchema(jsonSchema: ##"{"$ref":"#/$defs/B"}"##) }
    await record { _ = try GenerationSchema(jsonSchema: "{") }
    await record { _ = try Grammar(jsonSchema: #"{"type":"integre"}"#) }
    await record { _ = try Vocabulary(tokens: [], endOfSequence: 4) }
    await record {
      let grammar = try Grammar(jsonSchema: #"{"type":"boolean"}"#)
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: Array("3".utf8))
    }
    await record { _ = try EvaluationCase.cases(jsonLines: "3") }
    for model in [ScriptedLanguageModel([])] as [any LanguageModel] + [
      ReplayingLanguageModel(Recording())
    ] {
      await record { try await LanguageModelSession(model: model).respond(to: "Hi") }
    }
    #expect(errors.count == 8)
    return try errors.map { try #require($0 as? any ExplainedError, "\($0)") }
  }

  @Test func everyErrorSpeaksToBoth() async throws {
    for error in Self.all + (try await Self.thrown()) { expectWords(of: error) }
  }

  @Test func everySentenceIsInBothLanguages() {
    for sentence in ErrorMessage.Sentence.allCases {
      let (english, italian) = sentence.texts
      #expect(english != italian, "\(sentence.rawValue)")
      #expect(english.count { $0 == "%" } == italian.count { $0 == "%" }, "\(sentence.rawValue)")
    }
    let texts = ErrorMessage.Sentence.allCases.map(\.texts)
    #expect(Set(texts.map(\.english)).count == texts.count)
    #expect(Set(texts.map(\.italian)).count == texts.count)
  }

  @Test func whatAnArgumentSaysIsNoPlace() {
    let error = StoredFileError(path: "/100%/a%b.json", problem: "there is no such file.")
    #expect(
      error.userMessage.text(for: Locale(identifier: "en_GB"))
        == "The file '/100%/a%b.json' cannot be read.")
    #expect(
      error.userMessage.text(for: Locale(identifier: "it_CH"))
        == "Il file '/100%/a%b.json' non può essere letto.")
    #expect(error.userMessage.key == "fileUnreadable")
    #expect(error.userMessage.arguments() == ["/100%/a%b.json"])
  }

  @Test func whatIsBeneathIsInTheSameLanguage() {
    let error = LanguageModelSession.ToolCallError(
      tool: Looking(), underlyingError: ToolCallProblem.requiredCallMissing)
    #expect(
      error.userMessage.text(for: Locale(identifier: "it"))
        == "Lo strumento 'lookUp' non ha funzionato: Il modello non ha cercato quello che doveva. "
        + "Riprova.")
    // Other languages get English, throughout.
    #expect(
      error.userMessage.text(for: Locale(identifier: "fr"))
        == "The tool 'lookUp' failed: The model did not look up what it should have. Try again.")
  }

  @Test func nothingIsSaidTwice() {
    let schema = ##"{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/B"}}}"##
    let error = #expect(throws: SchemaImportError.self) { try GenerationSchema(jsonSchema: schema) }
    #expect(error?.problems.count == 2)
    for problem in error?.problems ?? [] {
      #expect(error?.description.ranges(of: problem.problem).count == 1)
    }
  }

  /// A place is said once, before the full stop, and nothing follows a caret on its line.
  @Test func placesAndCaretsAreSentences() async throws {
    let schema = try GenerationSchema(
      jsonSchema: #"{"type":"object","properties":{"a":{"type":"string","pattern":"^T$"}}}"#)
    func description(of answer: String) async -> String {
      let session = LanguageModelSession(model: ScriptedLanguageModel([.text(answer)]))
      let error = await #expect(throws: GeneratedContent.ParsingError.self) {
        try await session.respond(to: "Which?", schema: schema)
      }
      return error?.description ?? ""
    }
    let broken = await description(of: #"{"a":"X"}"#)
    #expect(broken.ranges(of: "at /a").count == 1, "\(broken)")
    #expect(!broken.contains(".)") && !broken.contains("`. ("), "\(broken)")
    let prose = await description(of: "none")
    #expect(prose.contains("^\n'rawContent' is what came."), "\(prose)")
    let value = #expect(throws: GeneratedContent.ParsingError.self) {
      try [Int](GeneratedContent(json: #"[1, "b"]"#))
    }
    #expect(value?.problemDescription.hasSuffix("(at /1).") == true, "\(value as Any)")
  }

  /// Of what no model wrote nobody is told to ask one again.
  @Test(arguments: [
    (#"{"version":1}"#, "'type', \"FoundationModels.Transcript\", found no such member."),
    (#"{"type":"Notes"}"#, "\"FoundationModels.Transcript\", found \"Notes\"."),
    (#"{"type":"FoundationModels.Transcript"}"#, "'transcript', an object, found no such member."),
    (
      #"{"type":"FoundationModels.Transcript","transcript":{"entries":7}}"#,
      "'entries', an array, found a number (at /transcript)."
    ),
    ("[]", "Expected a transcript, found an array."),
  ])
  func transcriptsAreNoAnswers(json: String, problem: String) {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    }
    #expect(error?.problemDescription.hasSuffix(problem) == true, "\(error as Any)")
    #expect(error?.description.contains("model wrote") == false)
    #expect(error?.recoverySuggestion?.contains("'Transcript'") == true)
  }

  @Test func schemasAreNoAnswers() {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try GenerationSchema(jsonSchema: "")
    }
    #expect(error?.description.contains("model wrote") == false)
    #expect(error?.recoverySuggestion?.contains("JSON Schema") == true)
    #expect(error?.userMessage.key == "unusableForm")
  }

  @Test func aListOfToolsIsWords() {
    #expect(
      "\(ToolCallProblem.unknownTool(name: "a", available: ["b", "c"]))"
        == "The model called 'a'; the session's tools are: 'b', 'c'. The model made the name up, or "
        + "the tool was taken away since. Give the session a tool of that name.")
    let many = ToolCallProblem.unknownTool(name: "a", available: (0..<200).map { "tool\($0)" })
    #expect(many.problemDescription.hasSuffix("'tool18', 'tool19' and 180 more."))
  }

  private func expectWords(of error: any ExplainedError) {
    let type = String(describing: Swift.type(of: error))
    let english = error.userMessage.text(for: Locale(identifier: "en"))
    let italian = error.userMessage.text(for: Locale(identifier: "it"))
    #expect(english != italian, "\(type)")
    for words in [english, italian, error.developerDescription, "\(error)"] {
      #expect(words.count > 10, "\(type): \(words)")
      for print in ["Optional(", "Espalier", "Swift.", "(context:", "debugDescription", "Error("] {
        #expect(!words.contains(print), "\(type): \(words)")
      }
    }
    #expect(error.developerDescription.contains(error.problemDescription), "\(type)")
  }

  /// An error type that is added speaks too: each that the sources declare public is in words.
  @Test func noErrorTypeIsLeftOut() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    let declaration = /public (?:struct|enum) (\w+): (.*)/
    var declared = 0
    var texts = ""
    var types: [String] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      texts += text
      for match in text.matches(of: declaration) {
        let conformances = match.output.2
        if conformances.contains("ExplainedError") { declared += 1 }
        guard conformances.contains(/\b(Swift\.)?(Error|LocalizedError)\b/) else { continue }
        types.append(String(match.output.1))
      }
    }
    #expect(declared > 15)
    for type in types {
      #expect(texts.contains("extension \(type): ExplainedError"), "\(type) has no words")
    }
  }
}
