// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierLocal
import EspalierServer
import Foundation

struct ServerSnippets {
  /// A server of the test, in the place of those that the pages name.
  let server: URL?

  // swift-format-ignore: AlwaysUseLowerCamelCase
  private func URL(string: String) -> Foundation.URL? {
    server ?? Foundation.URL(string: string)
  }

  func laptop() throws {
    let model = GuidedLanguageModel(try GGUFTokenModel(path: "SmolLM2-135M-Instruct.Q4_1.gguf"))
    print(model)
  }

  func elsewhere() async throws {
    let model = try ServerLanguageModel(url: URL(string: "http://gpu-host:8000")!)
    let session = LanguageModelSession(model: model)
    let city = try await session.respond(to: "A city in Japan", generating: City.self).content
    let constraint = try await model.constraint(for: City.generationSchema)
    for keyword in constraint.untrusted { print(keyword) }
    print(city)

    guard await model.checkAvailability() == .available else { return }
  }

  func loopback() async throws {
    let model = try ServerLanguageModel(url: URL(string: "http://localhost:8080")!)
    let session = LanguageModelSession(model: model)
    let city = try await session.respond(to: "A city in Japan", generating: City.self).content
    print(city)
  }

  func cloud(url: URL) throws {
    PrivateCloudComputeLanguageModel.setModel(try ServerLanguageModel(url: url, model: "llama3.3"))
  }

  func hosted(keychain: Keychain) throws {
    let model = try ServerLanguageModel(
      url: URL(string: "https://api.openai.com/v1")!, model: "gpt-5-mini",
      apiKey: ServerAPIKey { try await keychain.read("openai") })
    let key = ServerAPIKey { try await keychain.read("openai") }
    print(model, key)
  }

  func profile(url: URL) throws {
    var profile = ServerProfile.vLLM
    profile.grammar = nil  // a server behind a gateway that drops the field
    let model = try ServerLanguageModel(url: url, profile: profile)
    print(model)
  }

  func policy(url: URL) throws {
    var options = ServerOptions()
    options.onBrokenSchema = .retry(3)
    let model = try ServerLanguageModel(url: url, options: options)
    print(model)
  }

  func several() throws {
    let first = URL(string: "http://gpu-one:8000")!
    let second = URL(string: "http://gpu-two:8000")!
    let model = try ServerLanguageModel(endpoints: [first, second], model: "qwen3")
    print(model)
  }

  func ollama() throws {
    let ollama = URL(string: "http://localhost:11434")!
    let model = try ServerLanguageModel(url: ollama, model: "llama3.2")
    print(model)
  }

  func telemetry(options: ServerOptions) {
    var options = options
    let logger = Logger(label: "models")
    options.telemetry = ServerTelemetry(
      startSpan: { name, attributes in
        let span = startSpan(name, ofKind: .client)
        for (key, value) in attributes { span.attributes[key] = value.description }
        return { attributes in
          for (key, value) in attributes { span.attributes[key] = value.description }
          span.end()
        }
      },
      recordMetric: { metric in
        Recorder(label: metric.name, dimensions: metric.dimensions).record(metric.value)
      },
      log: { record in logger.warning("\(record.message)") })

    let telemetry = ServerTelemetry(recordMetric: { metric in
      Recorder(label: metric.name, dimensions: metric.dimensions).record(metric.value)
    })
    print(telemetry)
  }
}

struct Keychain {
  func read(_ name: String) async throws -> String { name }
}

// What swift-log, swift-metrics and swift-distributed-tracing have, as far as the page uses it.

struct Logger {
  var label: String
  func warning(_ message: String) { print(message) }
}

struct Recorder {
  var label: String
  var dimensions: [(String, String)]
  func record(_ value: Double) {}
}

enum SpanKind { case client }

final class Span: @unchecked Sendable {
  var attributes: [String: String] = [:]
  func end() {}
}

func startSpan(_ name: String, ofKind kind: SpanKind) -> Span { Span() }
