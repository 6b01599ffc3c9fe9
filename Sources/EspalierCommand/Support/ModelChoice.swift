// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EspalierCore
import EspalierLocal
import EspalierServer
import Foundation

/// How exactly a model file remembers what it has read.
struct CacheChoice: ParsableArguments {
  @Option(
    help: """
      In how many bits a model file remembers what it has read: 32, 16 (half of the memory) or 8 (a \
      quarter, and other answers).
      """,
    transform: Self.precision)
  var cacheBits: CachePrecision?

  /// The choice; 32 bits where there is none.
  var precision: CachePrecision { cacheBits ?? .float32 }

  private static func precision(_ text: String) throws -> CachePrecision {
    guard let precision = Int(text).flatMap(CachePrecision.init) else {
      throw ValidationError("'\(text)' is no number of bits: expected 32, 16 or 8.")
    }
    return precision
  }
}

/// Which model answers, and which vocabulary masks are made for.
struct ModelChoice: ParsableArguments {
  @Option(
    help: """
      A GGUF model file, or the name of a fetched one; smollm2 once it is fetched; or the address of a server \
      (http://localhost:8080#MODEL); the sampling model where left out.
      """,
    completion: .file())
  var model: String?

  @Option(help: "The random seed: the same seed gives the same bytes.")
  var seed: UInt64 = 0

  @OptionGroup var cache: CacheChoice

  @Option(help: "How many seconds a server may take for a request, further attempts included.")
  var timeLimit = 240

  func validate() throws {
    guard 1...86_400 ~= timeLimit else {
      throw ValidationError("--time-limit is 1 to 86,400 seconds; found \(timeLimit)")
    }
  }

  func load(threads: Int = 1) throws -> any LanguageModel {
    guard let model, model != "sampling" else { return SamplingLanguageModel(seed: seed) }
    if case .server(let server) = ModelSource(model) {
      do {
        let limit = Duration.seconds(timeLimit)
        var options = ServerOptions()
        // A server may be silent for as long as it is given.
        options.idleTimeout = max(options.idleTimeout, limit)
        return TimeLimitedLanguageModel(try server.languageModel(options: options), limit: limit)
      } catch {
        throw Failure.unreadable.report("\(error)")
      }
    }
    return GuidedLanguageModel(try file(threads: threads), sampling: TokenSampling(seed: seed))
  }

  /// The model file.
  func file(threads: Int = 1) throws -> GGUFTokenModel {
    try Self.file(model, cachePrecision: cache.precision, threads: threads)
  }

  /// The file of a model, by its path or name.
  static func file(
    _ model: String?, cachePrecision: CachePrecision = .float32, threads: Int = 1
  ) throws -> GGUFTokenModel {
    var path = ModelFolder().path(named: model ?? "")
    if case .server = ModelSource(model) {
      throw Failure.unreadable.report("'\(path)' is a server: this needs a model file")
    }
    if ModelSource(model) == .smolLM2 {
      path = ModelFolder().path(of: .smolLM2)
      guard ModelFolder().contains(.smolLM2) else {
        throw Failure.unreadable.report("smollm2 is not there yet: run 'espalier model fetch'")
      }
    }
    do {
      return try GGUFTokenModel(
        path: path, options: .init(threads: threads, cachePrecision: cachePrecision))
    } catch {
      let hint = FileManager.default.fileExists(atPath: path) ? "" : Self.hint(named: path)
      throw Failure.unreadable.report("\(error)\(hint)")
    }
  }

  /// What to write where a name is none of a file.
  private static func hint(named name: String) -> String {
    guard !name.hasSuffix(".gguf"), !name.hasPrefix("/"), !name.hasPrefix(".") else { return "" }
    return
      " A name of Ollama's goes to its server: --model http://localhost:11434#\(name). A file is "
      + "downloaded by its address: espalier model fetch https://HOST/PATH/NAME.gguf."
  }

  /// Which model answers, in a line.
  var line: String {
    if let model, model != "sampling" { return "Model: \(model)" }
    return
      "Model: the sampling model, seed \(seed) (valid values without meaning); --model PATH for a "
      + "GGUF file"
  }
}
