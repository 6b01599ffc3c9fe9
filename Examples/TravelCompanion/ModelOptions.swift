import ArgumentParser
import Espalier

/// Which model answers.
struct ModelOptions: ParsableArguments {
  @Option(help: "The seed of the sampling model, which draws valid values without a real model.")
  var seed: UInt64 = 7

  func make() -> SamplingLanguageModel { SamplingLanguageModel(seed: seed) }

  /// One line that says which model wrote.
  var description: String {
    "Written by the sampling model (seed \(seed)): valid, but without meaning."
  }
}
