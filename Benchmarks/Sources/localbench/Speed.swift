import ArgumentParser
import EspalierLocal
import Foundation

/// How fast a file is opened, a prompt read and text written; llama.cpp beside it.
///
/// Each figure is the best of some rounds, because a machine that others use only ever slows one
/// down; and each is given by the wall clock and by the process's own time.
struct Speed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Tokens a second, beside llama.cpp.")

  @OptionGroup var options: ModelOptions

  @Option(help: "How many tokens are read.")
  var prompt = 256

  @Option(help: "How many tokens are written.")
  var count = 64

  @Option(help: "How many rounds each side runs; the sides take turns twice.")
  var rounds = 5

  /// Tokens a second.
  private struct Figures: Decodable {
    var prompt = 0.0
    var decode = 0.0
    var promptCPU = 0.0
    var decodeCPU = 0.0

    mutating func keepBest(of other: Figures) {
      prompt = max(prompt, other.prompt)
      decode = max(decode, other.decode)
      promptCPU = max(promptCPU, other.promptCPU)
      decodeCPU = max(decodeCPU, other.decodeCPU)
    }
  }

  func run() async throws {
    let path = try await options.path()
    var (load, loadCPU) = (Double.infinity, Double.infinity)
    for _ in 0..<3 {
      let watch = Stopwatch()
      _ = try options.open(path)
      load = min(load, watch.wall)
      loadCPU = min(loadCPU, watch.cpu)
    }
    show("load", String(format: "%8.3f s, %.3f s of the processor", load, loadCPU))
    let model = try options.open(path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes[.size] as? Int ?? 0) >> 20
    var (ours, theirs) = (Figures(), Figures())
    for _ in 0..<2 {
      ours.keepBest(of: try measure(model))
      let figures = try options.reference(
        [
          "speed", path, "--prompt", "\(prompt)", "--count", "\(count)", "--rounds",
          "\(rounds)", "--threads", "\(options.threads)",
        ], as: Figures.self)
      if let figures { theirs.keepBest(of: figures) }
    }
    show("peak memory, file of \(size) MB", peakResidentMegabytes(), "MB")
    show("prompt of \(prompt)", ours.prompt, "tokens/s")
    show("prompt of \(prompt), processor time", ours.promptCPU, "tokens/s")
    show("decode of \(count)", ours.decode, "tokens/s")
    show("decode of \(count), processor time", ours.decodeCPU, "tokens/s")
    guard options.python != nil else { return }
    show("llama.cpp, prompt", theirs.prompt, "tokens/s")
    show("llama.cpp, prompt, processor time", theirs.promptCPU, "tokens/s")
    show("llama.cpp, decode", theirs.decode, "tokens/s")
    show("llama.cpp, decode, processor time", theirs.decodeCPU, "tokens/s")
    show("ratio, prompt, processor time", ours.promptCPU / theirs.promptCPU, "of llama.cpp")
    show("ratio, decode, processor time", ours.decodeCPU / theirs.decodeCPU, "of llama.cpp")
  }

  private func measure(_ model: GGUFTokenModel) throws -> Figures {
    let tokens = (0..<prompt).map { ($0 * 7919) % min(32_000, model.vocabulary.count - 200) + 100 }
    var best = Figures()
    for _ in 0..<rounds {
      var context = model.makeContext()
      var logits: [Float] = []
      var watch = Stopwatch()
      try context.append(tokens)
      context.nextLogits(into: &logits)
      let (promptWall, promptCPU) = (watch.wall, watch.cpu)
      watch = Stopwatch()
      for _ in 0..<count {
        try context.append([likeliest(logits)])
        context.nextLogits(into: &logits)
      }
      best.keepBest(
        of: Figures(
          prompt: Double(prompt) / promptWall, decode: Double(count) / watch.wall,
          promptCPU: Double(prompt) / promptCPU, decodeCPU: Double(count) / watch.cpu))
    }
    return best
  }
}
