import ArgumentParser
import EspalierCore
import EspalierLocal

/// Which model answers, and which vocabulary masks are made for.
struct ModelChoice: ParsableArguments {
  @Option(help: "A GGUF model file; the sampling model where left out.", completion: .file())
  var model: String?

  @Option(help: "What draws follow from: the same seed gives the same bytes.")
  var seed: UInt64 = 0

  func load() throws -> any LanguageModel {
    guard model != nil else { return SamplingLanguageModel(seed: seed) }
    return GuidedLanguageModel(try file())
  }

  /// The model file.
  func file() throws -> GGUFTokenModel {
    do {
      return try GGUFTokenModel(path: model ?? "")
    } catch {
      throw Failure.unreadable.report("\(error)")
    }
  }

  /// Which model answers, in a line.
  var line: String {
    model.map { "Model: \($0)" }
      ?? "Model: the sampling model, seed \(seed) (valid values without meaning); --model PATH for a "
      + "GGUF file"
  }
}
