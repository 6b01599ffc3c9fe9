// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore
import Foundation

/// What a session itself costs for each token that is streamed: a model that costs nothing sends
/// pieces, and every snapshot is looked at. In microseconds of processor time, above what a request
/// costs whose response is empty: the schema is compiled for it.
@main
struct SessionBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "sessionbench")

  @Option(help: "The number of runs of each measurement; the fastest counts.")
  var runs = 5

  func run() async throws {
    print("response                   tokens   µs a request   µs a token")
    for inStep in [false, true] {
      for count in [1_000, 10_000, 100_000] {
        let pieces = Array(repeating: " word", count: count)
        let name = "text, " + (inStep ? "in step" : "streamed")
        try await show(name, pieces, empty: " ", inStep: inStep) {
          var length = 0
          for try await snapshot in $0.streamResponse(to: "Go") {
            length &+= snapshot.content.utf8.count
          }
          return length
        }
      }
    }
    for count in [1_000, 10_000, 100_000] {
      let pieces = Array(repeating: " word", count: count)
      try await show("text, at once", pieces, empty: " ") {
        try await $0.respond(to: "Go").content.utf8.count
      }
    }
    for inStep in [false, true] {
      for length in [2, 50, 500, 5_000] {
        let name = "20 properties, " + (inStep ? "in step" : "streamed")
        let pieces = Wide.pieces(wordsPerProperty: length)
        let empty = Wide.pieces(wordsPerProperty: 0).joined()
        try await show(name, pieces, empty: empty, inStep: inStep) {
          var count = 0
          for try await snapshot in $0.streamResponse(to: "Go", generating: Wide.self) {
            count &+= snapshot.content.properties.count
          }
          return count
        }
      }
    }
    try await showLists()
  }

  /// Types with lists that grow: of texts, and of values that have lists themselves.
  private func showLists() async throws {
    for inStep in [false, true] {
      for count in [20, 200, 2_000, 20_000] {
        let name = "list of texts, " + (inStep ? "in step" : "streamed")
        let pieces = Texts.pieces(count: count)
        try await show(name, pieces, empty: #"{"items":[]}"#, inStep: inStep) {
          var count = 1
          for try await snapshot in $0.streamResponse(to: "Go", generating: Texts.self) {
            count &+= snapshot.content.items?.count ?? 0
          }
          return count
        }
      }
      for count in [7, 70, 700] {
        let name = "list of days, " + (inStep ? "in step" : "streamed")
        let pieces = Journey.pieces(dayCount: count)
        try await show(name, pieces, empty: #"{"days":[]}"#, inStep: inStep) {
          var count = 1
          for try await snapshot in $0.streamResponse(to: "Go", generating: Journey.self) {
            count &+= snapshot.content.days?.last?.activities?.count ?? 0
          }
          return count
        }
      }
    }
  }

  /// - Parameter inStep: Whether the model waits after each piece, so that whoever reads the
  ///   snapshots keeps up with it; streamed without a pause, many pieces are read at once.
  private func show(
    _ name: String, _ pieces: [String], empty: String, inStep: Bool = false,
    body: (LanguageModelSession) async throws -> Int
  ) async throws {
    let request = try await fastest(of: FreeModel(pieces: [empty], isInStep: false), body)
    let cost = try await fastest(of: FreeModel(pieces: pieces, isInStep: inStep), body) - request
    print(
      name.padding(toLength: 26, withPad: " ", startingAt: 0),
      String(format: "%6d %14.0f %12.3f", pieces.count, request, cost / Double(pieces.count)))
  }

  /// The processor's time for a response in a new session, in microseconds.
  private func fastest(
    of model: FreeModel, _ body: (LanguageModelSession) async throws -> Int
  ) async throws -> Double {
    var best = Double.infinity
    for _ in 0..<runs {
      let session = LanguageModelSession(model: model)
      let start = Self.processorTime
      let result = try await body(session)
      best = min(best, Self.processorTime - start)
      guard result > 0 else { throw ValidationError("Nothing was streamed.") }
    }
    return best * 1e6
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
  let isInStep: Bool
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
        if model.isInStep { await Task.yield() }
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
