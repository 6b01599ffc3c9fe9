// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierLocal
import Foundation

/// Measures a model file: loading, prompt, decoding, memory, and what holding to a schema costs.
@main
struct LocalBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "localbench", abstract: "Measure a model that runs in this process.",
    subcommands: [
      Speed.self, Batches.self, Caches.self, Constrained.self, ForcedTokens.self, Heartbeat.self,
      Templates.self, HostileTemplates.self, Choices.self,
    ],
    defaultSubcommand: Speed.self)
}

struct ModelOptions: ParsableArguments {
  @Option(help: "A model file in the form GGUF.") var model: String
  @Option(help: "How many threads.") var threads = 1
  @Option(help: "The kernels: baseline, avx2 or avx512.")
  var kernels = ProcessorKernels.best.rawValue

  func open(_ cachePrecision: CachePrecision = .float32) throws -> GGUFTokenModel {
    guard let kernels = ProcessorKernels(rawValue: kernels),
      ProcessorKernels.available.contains(kernels)
    else { throw ValidationError("this processor has no kernels '\(self.kernels)'") }
    return try GGUFTokenModel(
      path: model,
      options: .init(threads: threads, kernels: kernels, cachePrecision: cachePrecision))
  }
}

struct Speed: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Loading, prompt and decoding, with llama.cpp in turns where it is there.")

  @OptionGroup var options: ModelOptions
  @Option(help: "A Python with the packages 'xllamacpp' and 'gguf', to measure llama.cpp beside.")
  var python: String?
  @Option(help: "How many times to measure; each in turn with llama.cpp.") var rounds = 5
  @Option(help: "Tokens of the prompt.") var promptTokens = 128
  @Option(help: "Tokens to decode.") var decodeTokens = 64

  func run() throws {
    let before = residentMegabytes()
    var loads: [Double] = []
    var opened: GGUFTokenModel?
    for round in 0..<3 {
      opened = nil
      loads.append(try seconds(threads: 2) { opened = try options.open() })
      if round > 0 { continue }
      print(
        String(
          format: "memory: %.0f MB after loading, %.0f MB before; peak %.0f MB",
          residentMegabytes(), before, peakResidentMegabytes()))
    }
    print(
      String(
        format: "load: %.3f s at first, %.3f s at best", loads[0], loads.min() ?? 0))
    guard let model = opened else { return }
    let prompt = Self.tokens(of: model, count: promptTokens)
    var ours: [(prompt: Double, decode: Double)] = []
    var theirs: [(prompt: Double, decode: Double)] = []
    for _ in 0..<rounds {
      ours.append(try measure(model, prompt))
      if let python { theirs.append(try measureReference(python)) }
    }
    func line(_ name: String, _ values: [(prompt: Double, decode: Double)]) {
      guard !values.isEmpty else { return }
      let (p, d) = (median(values.map(\.prompt)), median(values.map(\.decode)))
      print(
        String(
          format: "%@: prompt %.0f tokens/s, decode %.1f tokens/s (median of %d; best %.0f, %.1f)",
          name, p, d, values.count, values.map(\.prompt).max() ?? 0, values.map(\.decode).max() ?? 0
        ))
    }
    line("Espalier", ours)
    line("llama.cpp", theirs)
    if !theirs.isEmpty {
      let ratios = zip(ours, theirs).map { ($0.prompt / $1.prompt, $0.decode / $1.decode) }
      print(
        String(
          format: "ratio to llama.cpp, round by round: prompt %.2f, decode %.2f (median)",
          median(ratios.map(\.0)), median(ratios.map(\.1))))
    }
    print(String(format: "peak memory: %.0f MB", peakResidentMegabytes()))
  }

  private static func tokens(of model: GGUFTokenModel, count: Int) -> [Int] {
    let text = "The lighthouse keeper counted the ships that passed before the storm came in. "
    return Array(
      model.encode(String(repeating: text, count: count / 8 + 1), parsesSpecialTokens: false)
        .prefix(count))
  }

  private func measure(
    _ model: GGUFTokenModel, _ prompt: [Int]
  ) throws -> (prompt: Double, decode: Double) {
    var context = model.makeContext()
    let promptTime = try seconds(threads: options.threads) { try context.append(prompt) }
    var logits: [Float] = []
    let decodeTime = try seconds(threads: options.threads) {
      for _ in 0..<decodeTokens {
        context.nextLogits(into: &logits)
        var best = 0
        for token in logits.indices where logits[token] > logits[best] { best = token }
        try context.append([best])
      }
    }
    return (Double(prompt.count) / promptTime, Double(decodeTokens) / decodeTime)
  }

  /// llama.cpp with the same counts and threads, in a process of its own.
  private func measureReference(_ python: String) throws -> (prompt: Double, decode: Double) {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Tests/References/speed.py").standardizedFileURL
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [
      script.path, options.model, "\(promptTokens)", "\(decodeTokens)", "\(options.threads)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ValidationError("llama.cpp could not be measured: exit \(process.terminationStatus)")
    }
    let speeds = try JSONDecoder().decode([Double].self, from: data)
    return (speeds[0], speeds[1])
  }
}
