import ArgumentParser
import ConstrainedDecoding
import EspalierLocal
import Foundation

/// Values of 50 schemas, drawn at temperature 1: whether each is valid and within its budget, what
/// the grammar costs and what it saves.
struct Values: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Values of 50 schemas at temperature 1, each within a budget of tokens.")

  @OptionGroup var options: ModelOptions

  @Option(help: "How many values are drawn of each schema.")
  var rounds = 10

  @Flag(help: "Prints the values.")
  var shows = false

  private struct Sum {
    var (valid, whole, inBudget, values, tokens, forced, calls) = (0, 0, 0, 0, 0, 0, 0)
    var (free, constrained, matching) = (0.0, 0.0, 0.0)
  }

  func run() async throws {
    let path = try await options.path()
    let model = try options.open(path)
    var sum = Sum()
    for (name, schema) in Schemas.all {
      let grammar = try Grammar(jsonSchema: schema)
      // Another of the same, whose masks the replays make as the draws made those of the first.
      let replayed = try Grammar(jsonSchema: schema)
      let judge = try Grammar(jsonSchema: schema, options: .validation)
      var matcher = Matcher(grammar: grammar, vocabulary: model.vocabulary)
      let prompt = Prompts.tokens(of: "Give me an example of: \(name).", for: model)
      let shortest = model.encode(
        String(decoding: matcher.shortestCompletion(), as: UTF8.self), parsesSpecialTokens: false)
      for round in 0..<rounds {
        // From hardly enough to plenty.
        let budget = shortest.count + [4, 8, 16, 32, 96][round % 5]
        try await draw(
          name, (grammar, replayed, judge), model, prompt, budget, seed: UInt64(sum.values), &sum)
      }
    }
    show("values", "\(sum.values), \(Schemas.all.count) schemas")
    show("valid", "\(sum.valid)")
    show("within the budget", "\(sum.inBudget)")
    show("tokens", "\(sum.tokens)")
    show("forced", String(format: "%d, %.1f %%", sum.forced, percent(sum.forced, sum.tokens)))
    show(
      "model calls",
      String(format: "%d, %.1f %% of the tokens", sum.calls, percent(sum.calls, sum.tokens)))
    show("constrained, processor time", sum.constrained, "s")
    show("the same tokens without a grammar", sum.free, "s")
    show("matching and sampling alone", sum.matching, "s")
    show("cost of the grammar", 100 * sum.matching / sum.free, "percent of free generation")
    show("constrained against free", 100 * sum.constrained / sum.free - 100, "percent")
    if sum.valid != sum.values || sum.inBudget != sum.values { throw ExitCode.failure }
  }

  private func percent(_ part: Int, _ whole: Int) -> Double {
    100 * Double(part) / Double(max(1, whole))
  }

  private func draw(
    _ name: String, _ grammars: (drawn: Grammar, replayed: Grammar, judge: Grammar),
    _ model: GGUFTokenModel,
    _ prompt: [Int], _ budget: Int, seed: UInt64, _ sum: inout Sum
  ) async throws {
    var read = model.makeContext()
    // The prompt's last token is read with the first of the value on both sides.
    try read.append(prompt.dropLast())
    var logits: [Float] = []
    read.nextLogits(into: &logits)
    let sampling = TokenSampling(temperature: 1, seed: seed)
    var watch = Stopwatch()
    var generation = GuidedGeneration(
      context: RecordingContext(read), prompt: prompt.suffix(1), vocabulary: model.vocabulary,
      endTokens: model.endTokens, grammar: grammars.drawn, sampling: sampling, budget: budget)
    var tokens: [Int] = []
    while let step = try generation.next() { tokens += step.tokens }
    sum.constrained += watch.cpu
    let bytes = model.decode(tokens)
    let text = String(decoding: bytes, as: UTF8.self)

    // The same tokens, one by one, each drawn from all.
    watch = Stopwatch()
    var sampler = GuidedGeneration(
      context: read, prompt: prompt.suffix(1), vocabulary: model.vocabulary, endTokens: [],
      grammar: nil, sampling: sampling, budget: tokens.count)
    for _ in tokens { _ = try sampler.next() }
    sum.free += watch.cpu

    // The same draws with the logits at hand: what is left is the grammar's work and sampling.
    watch = Stopwatch()
    var replay = GuidedGeneration(
      context: ReplayedContext(generation.context), prompt: [], vocabulary: model.vocabulary,
      endTokens: model.endTokens, grammar: grammars.replayed, sampling: sampling, budget: budget)
    var replayed: [Int] = []
    while let step = try replay.next() { replayed += step.tokens }
    sum.matching += watch.cpu
    guard replayed == tokens else { throw ValidationError("\(name): the replay went astray") }

    var judging = Matcher(grammar: grammars.judge, vocabulary: .singleBytes)
    var isValid = (try? judging.accept(bytes: bytes)) != nil && judging.canEnd()
    if (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) == nil {
      isValid = false
    }
    sum.values += 1
    sum.valid += isValid ? 1 : 0
    sum.inBudget += tokens.count <= budget ? 1 : 0
    sum.tokens += tokens.count
    sum.forced += generation.forcedTokenCount
    sum.calls += generation.modelCalls
    if shows || !isValid || tokens.count > budget {
      print("\(name), seed \(seed), \(tokens.count) of \(budget) tokens, valid \(isValid): \(text)")
    }
  }
}
