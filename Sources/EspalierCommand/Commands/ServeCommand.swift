// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EspalierCore
import EspalierLocal
import Foundation
import ModelServing

/// `espalier serve`: a local model behind the interface of OpenAI.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a local model over HTTP, as OpenAI's interface has it.",
    discussion: """
      Routes: /v1/models, /v1/chat/completions, /v1/responses, /health, /metrics, and input_tokens \
      below the second and the third. Values are held to their schema token by token. What cannot \
      be honoured is refused with 400, which names the keyword and its place. In a browser, / is a \
      page that fills a form while the model writes.

      Each request is a line on the standard error, without anything that was said. SIGTERM and \
      SIGINT let answers under way end, for eight seconds at most; the exit code is 0 then.

        espalier serve --model smollm2
        curl localhost:8080/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hi"}]}'
      """)

  @OptionGroup var model: ModelChoice
  @Option(help: "The address to listen at, of IPv4 or IPv6; others than this machine's need a key.")
  var host = "127.0.0.1"
  @Option(help: "The port; 0 for any that is free.") var port: UInt16 = 8080
  @Option(help: "The variable of the environment whose value requests must bring as their key.")
  var keyVariable: String?
  @Option(help: "The name of the model in requests; that of the file where left out.")
  var name: String?
  @Flag(help: "Write no line for each request to the standard error.") var quiet = false

  func run() async throws {
    let key = try keyVariable.map { variable in
      guard let key = ProcessInfo.processInfo.environment[variable], !key.isEmpty else {
        throw Failure.unreadable.report("the variable \(variable) is not set")
      }
      return key
    }
    guard key != nil || ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host) else {
      throw Failure.unreadable.report(
        "\(host) can be reached from elsewhere: name a key with --key-variable")
    }
    if case .server = ModelSource(model.model) {
      throw Failure.unreadable.report("a model of another server is not served again")
    }
    let isQuiet = quiet
    let modelServer = ModelServer(model: try served(), key: key) { line in
      if !isQuiet { Terminal.writeError("\(Date().formatted(.iso8601)) \(line)\n") }
    }
    let listener: HTTPListener
    do {
      listener = try modelServer.listener(host: host, port: port)
    } catch {
      throw Failure.unreadable.report("'\(host)' is no IP address; --host takes one, or localhost")
    }
    Terminal.writeError(model.line + "\n")
    let signals = await StopSignals()
    let stopping = Task { await Self.stop(listener, at: signals) }
    defer { stopping.cancel() }
    let announcement = Task {
      guard let port = await listener.port() else { return }
      let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
      Terminal.writeLine("Listening at http://\(shown):\(port)")
    }
    do {
      try await listener.run()
    } catch {
      throw Failure.model.report(
        "cannot listen at \(host), port \(port): \(error); choose another with --port or --host")
    }
    await announcement.value
  }

  /// How long answers under way may take when the server is to stop: managers of services wait ten
  /// seconds and more before they kill.
  private static let grace = Duration.seconds(8)

  /// Lets answers come to their end at the first signal, and ends the process at the second.
  private static func stop(_ listener: HTTPListener, at signals: StopSignals) async {
    var isStopping = false
    while let number = await signals.next() {
      if isStopping { _exit(128 + number) }
      isStopping = true
      let count = await listener.answering
      Terminal.writeError(
        count == 0
          ? "stopped\n"
          : "stopping: answers under way (\(count)) have \(grace.components.seconds) seconds to end; "
            + "a second signal ends them at once\n")
      await listener.stop(grace: grace)
    }
  }

  private func served() throws -> ServedModel {
    let file = model.model?.split(separator: "/").last.map(String.init) ?? "sampling"
    // A request that is alone has all processors, up to where more hardly help.
    let threads = min(8, ProcessInfo.processInfo.activeProcessorCount)
    return try Self.served(
      try model.load(threads: threads),
      name: name ?? file.replacingOccurrences(of: ".gguf", with: ""))
  }

  private static func served(_ model: some LanguageModel, name: String) throws -> ServedModel {
    try ServedModel(model, name: name)
  }
}
