// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore
import EspalierServer
import Foundation

/// Times what the client of servers adds to an answer: see `Tests/Consumers/servers/client_overhead.py`.
@main
struct ClientBench: AsyncParsableCommand {
  @Argument(help: "The address of a server that answers at once.") var url: String
  @Option(help: "How many requests are timed.") var requests = 300
  @Option(help: "A JSON Schema file that answers are held to; text where left out.")
  var schema: String?

  func run() async throws {
    guard let address = URL(string: url) else { throw ValidationError("This is no address.") }
    let model = try ServerLanguageModel(url: address, model: "m", profile: .cautious)
    let schema = try schema.map {
      try GenerationSchema(jsonSchema: String(contentsOfFile: $0, encoding: .utf8))
    }
    let clock = ContinuousClock()
    var firsts: [Duration] = []
    var totals: [Duration] = []
    var tokens = 0
    var processor = 0.0
    for round in 0..<requests + 20 {
      let session = LanguageModelSession(model: model)
      let before = Self.processorSeconds
      let start = clock.now
      var first: Duration?
      let stream = schema.map { session.streamResponse(to: "Hi", schema: $0) }
      if let stream {
        for try await _ in stream where first == nil { first = clock.now - start }
        tokens = try await stream.collect().usage.output.totalTokenCount
      } else {
        let stream = session.streamResponse(to: "Hi")
        for try await _ in stream where first == nil { first = clock.now - start }
        tokens = try await stream.collect().usage.output.totalTokenCount
      }
      // The first requests open connections and load code.
      guard round >= 20 else { continue }
      firsts.append(first ?? .zero)
      totals.append(clock.now - start)
      processor += Self.processorSeconds - before
    }
    let first = Self.median(firsts)
    let total = Self.median(totals)
    print(
      String(
        format: "%.3f %.3f %d %.3f", first * 1000, total * 1000, tokens,
        processor / Double(requests) / Double(max(1, tokens)) * 1e6))
  }

  private static func median(_ durations: [Duration]) -> Double {
    let middle = durations.sorted()[durations.count / 2].components
    return Double(middle.seconds) + Double(middle.attoseconds) / 1e18
  }

  /// What all threads of the process have computed.
  private static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
