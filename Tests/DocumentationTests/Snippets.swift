import Espalier
import EspalierLocal
import Foundation

// The code of the README and the pages in Documentation, as it stands there: what does not compile
// here is not published there. `CodeBlockTests` compares the two.

@Generable(description: "A place worth a visit")
struct Sight {
  var name: String
  @Guide(description: "In hours", .range(1...8)) var duration: Int
  var note: String?
}

struct FindSights: Tool {
  let name = "findSights"
  let description = "Finds places worth a visit."
  @Generable struct Arguments { var city: String }
  func call(arguments: Arguments) async throws -> String { "Three temples in \(arguments.city)" }
}

func readme() async throws -> Sight {
  let session = LanguageModelSession(model: SamplingLanguageModel(seed: 7))
  let sight = try await session.respond(to: "A temple in Kyoto", generating: Sight.self).content
  return sight
}

// MARK: MovingFromFoundationModels

func chooseModel() throws {
  SystemLanguageModel.setDefaultModel(
    GuidedLanguageModel(try GGUFTokenModel(path: "SmolLM2-135M-Instruct.Q4_1.gguf")))
}

@Generable(description: "A dish of a menu")
struct Dish {
  @Guide(description: "What it is called") let name: String
  @Guide(.range(1...5)) let spiciness: Int
  @Guide(.count(2)) let ingredients: [String]
}

func suggestDish(in session: LanguageModelSession) async throws -> Dish {
  let stream = session.streamResponse(
    to: "Something with noodles", generating: Dish.self,
    options: GenerationOptions(sampling: .greedy))
  for try await snapshot in stream { print(snapshot.content.name ?? "…") }
  return try await stream.collect().content
}

// MARK: Backends

func localSession() throws -> LanguageModelSession {
  let file = try GGUFTokenModel(path: "SmolLM2-135M-Instruct.Q4_1.gguf")
  return LanguageModelSession(model: GuidedLanguageModel(file))
}

struct EchoModel: LanguageModel {
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: EchoModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      guard case .prompt(let prompt)? = request.transcript.last else { return }
      for word in prompt.description.split(separator: " ") {
        await channel.send(.response(action: .appendText("\(word) ", tokenCount: 1)))
      }
    }
  }
}

func robust(_ model: some LanguageModel, metrics: GenerationMetrics) -> some LanguageModel {
  MeteredLanguageModel(
    CachingLanguageModel(
      RetryingLanguageModel(
        TimeLimitedLanguageModel(
          RateLimitedLanguageModel(model, requestsPerMinute: 60), limit: .seconds(30)))),
    metrics: metrics)
}

// MARK: TestingYourApp

func testAReplyAndAFailure() async throws {
  let model = ScriptedLanguageModel([
    .toolCall("findSights", arguments: #"{"city":"Kyoto"}"#),
    .text("Three temples."),
    .failure(LanguageModelError.refusal(.init(explanation: "I would rather not."))),
  ])
  let session = LanguageModelSession(model: model, tools: [FindSights()])
  let reply = try await session.respond(to: "What is there to see?")
  assert(reply.content == "Three temples.")
  assert(model.requests.count == 2)
}

func testTheViewWithManyValues() async throws {
  for seed in 0..<100 as Range<UInt64> {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
    let sights = try await session.respond(to: "Sights", generating: [Sight].self).content
    assert(sights.allSatisfy { (1...8).contains($0.duration) })
  }
}

func hardToReach(_ model: some LanguageModel) -> some LanguageModel {
  SlowLanguageModel(
    FailingLanguageModel(
      model, failingFirst: 2, with: LanguageModelError.timeout(.init(debugDescription: "slow"))),
    delay: .milliseconds(20))
}

func record(_ model: some LanguageModel, to file: URL) async throws {
  let recording = Recording()
  let session = LanguageModelSession(model: RecordingLanguageModel(model, into: recording))
  try await session.respond(to: "Three days in Kyoto")
  try recording.write(to: file)
}

func replay(_ file: URL) throws -> LanguageModelSession {
  LanguageModelSession(model: ReplayingLanguageModel(try Recording(contentsOf: file)))
}

// MARK: Security

func ask(_ typed: String, in session: LanguageModelSession) async throws -> String {
  let clean = InputHygiene(maximumLength: 4_000).clean(typed)
  return try await session.respond {
    "Summarise this message:"
    clean.text
  }.content
}
