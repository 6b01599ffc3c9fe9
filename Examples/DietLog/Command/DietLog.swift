import ArgumentParser
import CommandSupport
import Espalier
import EspalierLocal
import FoodLogs
import Foundation

/// Free text, or a meal in figures, becomes a log of foods that has been looked at twice.
@main
struct DietLog: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diet-log",
    abstract: "Take meals apart, and say which figures cannot be true.",
    discussion: """
      Each argument is a meal; without any, each line of the input is one. Exit codes: 1 where a \
      meal failed its checks, 2 where the model could not be used, 64 for a wrong command line, 74 where the output could \
      not be written.

        diet-log "two eggs and toast" "8,000 calories of popcorn"
        diet-log --food popcorn --grams 100 --calories 8000
      """)

  @Argument(help: "Meals, in words.") var meals: [String] = []
  @Option(help: "A food of which figures are known.") var food: String?
  @Option(help: "What it weighs, in grams.") var grams: Double?
  @Option(help: "Its kilocalories.") var calories: Double?
  @Option(
    help: """
      What takes hard meals: a GGUF model file, smollm2 (fetched once), the address of a server \
      (http://localhost:8080#MODEL), or sampling (valid values without meaning). Where left out: \
      smollm2 if it is there or a person at a terminal waits for it, else sampling.
      """,
    completion: .file())
  var model: String?
  @Option(help: "The seed of the sampling models.") var seed: UInt64 = 7
  @Flag(help: "Print the logs as JSON, one a line.") var json = false

  func run() async throws {
    var meals = meals
    if let food {
      let figures = [calories.map { "\($0) kcal of \(food)" }, grams.map { "\($0) g of \(food)" }]
        .compactMap(\.self)
      meals.append(figures.isEmpty ? food : figures.joined(separator: ", "))
    }
    if meals.isEmpty { while let line = readLine(), !line.isEmpty { meals.append(line) } }
    meals.removeAll { $0.allSatisfy(\.isWhitespace) }
    guard !meals.isEmpty else { throw ValidationError("there is no meal") }
    let kitchen: Kitchen
    do {
      kitchen = try Kitchen(try await ModelSource(model).choice(), seed: seed)
    } catch {
      StandardError.write("error: \(error)\n")
      throw ExitCode(2)
    }
    var worst = RuleSeverity.passed
    for meal in meals {
      let facts = StatedFacts(InputHygiene(maximumLength: 1000).clean(meal).text)
      let log = try await kitchen.log(meal, facts: facts)
      let report = ValidationReport(of: log, rules: SanityRules.all)
      worst = max(worst, report.severity)
      show(meal, log, report)
    }
    if !json { StandardOutput.writeLine("\n\(kitchen.table)\n\n\(kitchen.line)") }
    if worst == .failed { throw ExitCode(1) }
  }

  private func show(_ meal: String, _ log: FoodLog, _ report: ValidationReport) {
    guard !json else {
      let findings = report.findings.map { finding in
        GeneratedContent(properties: [
          "rule": finding.rule, "severity": "\(finding.severity)", "problem": finding.problem,
        ])
      }
      StandardOutput.writeLine(
        GeneratedContent(properties: [
          "meal": meal, "log": log, "verdict": "\(report.severity)", "findings": findings,
        ]).jsonString)
      return
    }
    StandardOutput.writeLine(meal)
    for food in log.foods {
      let modifiers = food.modifiers.isEmpty ? "" : " (\(food.modifiers.joined(separator: ", ")))"
      let brand = food.brand.map { " by \($0)" } ?? ""
      StandardOutput.writeLine(
        "  \(food.quantity) \(food.unit.rawValue) \(food.name)\(brand)\(modifiers), "
          + "\(food.calories) kcal, sure by \(Int(food.confidence * 100)) %")
    }
    if let question = log.clarifyingQuestion { StandardOutput.writeLine("  ? \(question)") }
    StandardOutput.writeLine("  → \(report.severity)")
    for finding in report.findings {
      StandardOutput.writeLine("    \(finding.severity): \(finding.problem)")
    }
  }
}

/// Two models behind a cache: the cheap one takes the meals that it can be trusted with.
struct Kitchen {
  private let session: @Sendable () -> LanguageModelSession
  private let routes: [(name: String, metrics: GenerationMetrics)]
  private let answers = GenerationMetrics()
  let line: String

  init(_ choice: ModelSource.Choice, seed: UInt64) throws {
    let quick = GenerationMetrics()
    let thorough = GenerationMetrics()
    let small = MeteredLanguageModel(SamplingLanguageModel(seed: seed), metrics: quick)
    let large: any LanguageModel =
      if let path = choice.path {
        MeteredLanguageModel(
          GuidedLanguageModel(try GGUFTokenModel(path: path)), metrics: thorough)
      } else if let server = choice.server {
        MeteredLanguageModel(try server.languageModel(), metrics: thorough)
      } else {
        MeteredLanguageModel(SamplingLanguageModel(seed: seed &+ 1), metrics: thorough)
      }
    let router = RoutedLanguageModel(
      [
        .init(small, name: "quick", cost: 1, confidence: Self.confidence),
        .init(large, name: "thorough", cost: 10),
      ], order: .byConfidence(minimum: 0.5))
    let model = MeteredLanguageModel(
      CachingLanguageModel(RetryingLanguageModel(router)), metrics: answers)
    session = {
      LanguageModelSession(
        model: model,
        instructions: "You take meals apart into foods. Estimate what was not said.")
    }
    routes = [("answers", answers), ("quick model", quick), ("thorough model", thorough)]
    line =
      choice.server.map { "Hard meals: \($0.line); easy ones: the sampling model." }
      ?? choice.path.map { path in
        "Hard meals: \(path.split(separator: "/").last ?? ""); easy ones: the sampling model. "
          + "Use --model PATH for another GGUF file."
      } ?? (choice.remark.map { $0 + "\n" } ?? "")
      + "Written by two sampling models (seeds \(seed) and \(seed &+ 1)): valid, but without "
      + "meaning. Use --model smollm2, or --model PATH for a GGUF file."
  }

  /// Short meals are easy.
  private static func confidence(_ request: LanguageModelExecutorGenerationRequest) -> Double {
    guard case .prompt(let prompt)? = request.transcript.last else { return 0 }
    return prompt.description.split(separator: " ").count <= 6 ? 0.9 : 0.2
  }

  func log(_ meal: String, facts: StatedFacts) async throws -> FoodLog {
    let content = try await session().respond(to: meal, schema: facts.schema()).content
    return try FoodLog(content)
  }

  /// What the models were asked, and how long they took.
  var table: String {
    func cell(_ text: String) -> String {
      String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
    func milliseconds(_ seconds: Double) -> String {
      "\((seconds * 10_000).rounded() / 10) ms"
    }
    let head = ["requests", "failures", "tokens", "p50", "p95", "p99"]
    var lines = [String(repeating: " ", count: 15) + head.map(cell).joined(separator: " ")]
    for (name, metrics) in routes {
      let snapshot = metrics.snapshot
      let cells =
        [snapshot.requestCount, snapshot.failureCount, snapshot.outputTokenCount].map { "\($0)" }
        + [snapshot.latency.p50, snapshot.latency.p95, snapshot.latency.p99].map(milliseconds)
      let label = name + String(repeating: " ", count: max(0, 15 - name.count))
      lines.append(label + cells.map(cell).joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }
}
