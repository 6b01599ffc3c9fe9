import ArgumentParser
import EspalierCore
import Foundation

/// What a session itself costs for each token that is streamed: a model that costs nothing sends
/// pieces, and every snapshot is looked at. In microseconds of processor time.
@main
struct SessionBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "sessionbench")

  @Option(help: "The number of runs of each measurement; the fastest counts.")
  var runs = 5

  func run() async throws {
    print("response                 tokens   µs per token")
    for count in [1_000, 10_000, 100_000] {
      let cost = try await fastest(tokens: count) { session in
        var length = 0
        for try await snapshot in session.streamResponse(to: "Go") {
          length &+= snapshot.content.utf8.count
        }
        return length
      } pieces: {
        Array(repeating: " word", count: count)
      }
      show("text, streamed", count, cost)
    }
    for count in [1_000, 10_000, 100_000] {
      let cost = try await fastest(tokens: count) { session in
        try await session.respond(to: "Go").content.utf8.count
      } pieces: {
        Array(repeating: " word", count: count)
      }
      show("text, at once", count, cost)
    }
    for length in [2, 50, 500] {
      let pieces = Wide.pieces(wordsPerProperty: length)
      let cost = try await fastest(tokens: pieces.count) { session in
        var count = 0
        for try await snapshot in session.streamResponse(to: "Go", generating: Wide.self) {
          count &+= snapshot.content.properties.count
        }
        return count
      } pieces: {
        pieces
      }
      show("20 properties, streamed", pieces.count, cost)
    }
  }

  private func show(_ name: String, _ count: Int, _ cost: Double) {
    print(
      name.padding(toLength: 24, withPad: " ", startingAt: 0),
      String(format: "%6d %14.3f", count, cost))
  }

  private func fastest(
    tokens: Int, body: (LanguageModelSession) async throws -> Int, pieces: () -> [String]
  ) async throws -> Double {
    let model = FreeModel(pieces: pieces())
    var best = Double.infinity
    for _ in 0..<runs {
      let session = LanguageModelSession(model: model)
      let start = Self.processorTime
      let result = try await body(session)
      best = min(best, Self.processorTime - start)
      guard result > 0 else { throw ValidationError("Nothing was streamed.") }
    }
    return best / Double(tokens) * 1e6
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A model that sends pieces that are there already.
struct FreeModel: LanguageModel {
  let pieces: [String]
  var capabilities: LanguageModelCapabilities { .init([.guidedGeneration]) }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: FreeModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      for piece in model.pieces {
        await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
      }
    }
  }
}

/// A type of 20 properties, as the macro would write it.
struct Wide: Generable {
  static let names = (0..<20).map { "property\($0)" }
  var properties: [String]

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self, properties: names.map { .init(name: $0, type: String.self) })
  }

  init(_ content: GeneratedContent) throws {
    properties = try Self.names.map { try content.value(forProperty: $0) }
  }

  var generatedContent: GeneratedContent {
    GeneratedContent(
      properties: zip(Self.names, properties).map { ($0, $1) }, uniquingKeysWith: { $1 })
  }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    var properties: [String?]

    init(_ content: GeneratedContent) throws {
      properties = try Wide.names.map { try content.value(forProperty: $0) }
    }
  }

  /// JSON of the type, cut before every word.
  static func pieces(wordsPerProperty: Int) -> [String] {
    var pieces = ["{"]
    for (index, name) in names.enumerated() {
      pieces += ["\(index == 0 ? "" : ",")\"\(name)\"", ":\""]
      pieces += Array(repeating: " word", count: wordsPerProperty) + ["\""]
    }
    return pieces + ["}"]
  }
}
