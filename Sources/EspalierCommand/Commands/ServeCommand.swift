// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EspalierCore
import EspalierLocal
import FlyingFox
import FlyingSocks
import Foundation
import ModelServing
import Synchronization

/// `espalier serve`: a local model behind the interface of OpenAI.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a local model over HTTP, as OpenAI's interface has it.",
    discussion: """
      Routes: /v1/models, /v1/chat/completions, /v1/responses, /health, and input_tokens below the \
      two in the middle. Values are held to their schema token by token. What cannot be honoured is \
      refused with 400, which names the keyword and its place. In a browser, / is a page that fills \
      a form while the model writes.

        espalier serve --model smollm2
        curl localhost:8080/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hi"}]}'
      """)

  @OptionGroup var model: ModelChoice
  @Option(help: "The address to listen at; others than this machine's need a key.")
  var host = "127.0.0.1"
  @Option(help: "The port; 0 for any that is free.") var port: UInt16 = 8080
  @Option(help: "The variable of the environment whose value requests must bring as their key.")
  var keyVariable: String?
  @Option(help: "The name of the model in requests; that of the file where left out.")
  var name: String?

  func run() async throws {
    let key = try keyVariable.map { variable in
      guard let key = ProcessInfo.processInfo.environment[variable], !key.isEmpty else {
        throw Failure.unreadable.report("the variable \(variable) is not set")
      }
      return key
    }
    guard key != nil || ["127.0.0.1", "localhost", "::1"].contains(host) else {
      throw Failure.unreadable.report(
        "\(host) can be reached from elsewhere: name a key with --key-variable")
    }
    if case .server = ModelSource(model.model) {
      throw Failure.unreadable.report("a model of another server is not served again")
    }
    let modelServer = ModelServer(model: try served(), key: key)
    Terminal.writeError(model.line + "\n")
    var port = port
    while let listened = try await listen(modelServer, at: port) {
      // Whoever opens more connections than the system allows ends those of others, and no more.
      Terminal.writeError("too many connections: all are closed\n")
      port = listened
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Listens until the task is cancelled.
  ///
  /// - Returns: The port, where there were too many connections; nil at the end.
  private func listen(_ modelServer: ModelServer, at port: UInt16) async throws -> UInt16? {
    guard let server = try? modelServer.server(host: host, port: port) else {
      throw Failure.unreadable.report("'\(host)' is no IP address; --host takes one, or localhost")
    }
    let listened = Mutex<UInt16?>(nil)
    let announcement = Task {
      try await server.waitUntilListening()
      guard let address = await server.listeningPort else { return }
      listened.withLock { $0 = address }
      let shown = host.contains(":") ? "[\(host)]" : host
      Terminal.writeLine("Listening at http://\(shown):\(address)")
    }
    defer { announcement.cancel() }
    do {
      try await server.run()
      return nil
    } catch SocketError.failed(_, let number, let message) {
      if [EMFILE, ENFILE].contains(number), let port = listened.withLock({ $0 }) { return port }
      throw Failure.model.report(
        "cannot listen at \(host), port \(port): \(message); choose another with --port or --host")
    } catch {
      throw Failure.model.report("cannot listen at \(host), port \(port): \(error)")
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
