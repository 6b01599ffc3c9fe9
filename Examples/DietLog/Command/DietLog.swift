// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Espalier
import EspalierLocal
import FoodLogs
import Foundation

/// Free text, or a meal in figures, becomes a log of foods that has been looked at twice.
@main
struct DietLog: AsyncParsableCommand {
  static func main() async {
    TextWidth.widen()
    await main(nil)
  }

  static let configuration = CommandConfiguration(
    commandName: "diet-log",
    abstract: "Take meals apart, and say which figures cannot be true.",
    discussion: """
      Each argument is a meal; without any, each line of the input is one. Exit codes: 1 where a \
      meal failed its checks, 2 where the model could not be used, 64 for a wrong command line, 74 where the output could \
      not be written.

        diet-log "two eggs and toast" "8,000 calories of popcorn"
        diet-log --food popcorn --grams 100 --calories 8000

      A model in the process says how sure it is of the kind of each food: the probability that it \
      gives the kind, not a number that it writes. With two models, meals of which the quick one is \
      not sure go to the other:

        diet-log --quick smollm2 --model http://localhost:11434#llama3.2 "pho"

      Calories and macros come from a table of \(FoodTable.standard.foods.count) foods where it has the \
      food, else from the model; beneath each food stands from where. Corrections are kept in a file and \
      go before the table:

        diet-log --memory me.json --learn "my porridge = oatmeal, cooked"
        diet-log --memory me.json --learn "my porridge = 300 g"
        diet-log --memory me.json "my porridge and an apple"
        diet-log --find "greek yoghurt"
      """)

  @Argument(help: "Meals, in words.") var meals: [String] = []
  @Option(help: "A food of which figures are known.") var food: String?
  @Option(help: "What it weighs, in grams.") var grams: Double?
  @Option(help: "Its kilocalories.") var calories: Double?
  @Option(
    help: """
      What takes meals apart: a GGUF model file, smollm2 (fetched once), the address of a server \
      (http://localhost:8080#MODEL), or sampling (valid values without meaning). Where left out: \
      smollm2 if it is there or a person at a terminal waits for it, else sampling.
      """,
    completion: .file())
  var model: String?
  @Option(
    help: "A quicker model that is asked first: a GGUF model file or smollm2.",
    completion: .file())
  var quick: String?
  @Option(help: "Look a food up in the table, whatever the spelling.") var find: String?
  @Option(help: "The file of your corrections.", completion: .file()) var memory: String?
  @Option(
    help: "A correction to keep: NAME = FOOD, NAME = 300 g, or NAME = 120 kcal (in 100 g).")
  var learn: [String] = []
  @Option(help: "The seed of the sampling models.") var seed: UInt64 = 7
  @Flag(help: "Print the logs as JSON, one a line.") var json = false

  func run() async throws {
    let memory = try learned()
    if let find { return try look(find, memory) }
    if !learn.isEmpty, meals.isEmpty, food == nil { return }
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
      var quick: ModelSource.Choice?
      if let name = self.quick { quick = try await ModelSource(name).choice() }
      kitchen = try Kitchen(try await ModelSource(model).choice(), quick: quick, seed: seed)
    } catch {
      throw Self.unusable(error)
    }
    var worst = RuleSeverity.passed
    for meal in meals {
      let facts = StatedFacts(InputHygiene(maximumLength: 1000).clean(meal).text)
      let estimated: FoodLog
      let sureness: [Sureness]
      do {
        (estimated, sureness) = try await kitchen.log(meal, facts: facts)
      } catch {
        throw Self.unusable(error)
      }
      let (log, origins) = estimated.withKnownFigures(facts: facts, memory: memory)
      let report = ValidationReport(
        of: log, rules: SanityRules.all + [SanityRules.doubts(sureness)])
      worst = max(worst, report.severity)
      show(meal, log, origins, sureness, report)
    }
    if !json { StandardOutput.writeLine("\n\(kitchen.table)\n\n\(kitchen.line)") }
    if worst == .failed { throw ExitCode(1) }
  }

  /// Says why the model cannot be used.
  private static func unusable(_ error: any Error) -> ExitCode {
    StandardError.write("error: \(error)\n")
    return ExitCode(2)
  }

  /// Shows what the table and the person's corrections have.
  private func look(_ name: String, _ memory: FoodMemory) throws {
    var foods = FoodTable.standard.search(name)
    let meant = memory.alias(name).flatMap { FoodTable.standard.food(named: $0) }
    if let meant { foods = [meant] + foods.filter { $0.name != meant.name } }
    let own = meant == nil ? memory.calories([name]) : nil
    if let own, FoodTable.standard.food(named: name) == nil {
      StandardOutput.writeLine("\(name), in 100 g: \(Self.whole(own)) kcal (yours)")
      if foods.isEmpty { return }
    }
    guard !foods.isEmpty else {
      StandardError.write("error: the table has nothing like '\(name)'\n")
      throw ExitCode(1)
    }
    for food in foods {
      let names = food.name == meant?.name ? [name, food.name] : [food.name]
      let corrected = memory.calories(names).map { "\(Self.whole($0)) kcal (yours), " }
      let portion = memory.portion(names).map { "; you eat \(Self.whole($0)) g" } ?? ""
      StandardOutput.writeLine(
        "\(food.name), in 100 g: \(corrected ?? "\(Self.whole(food.calories)) kcal, ")\(food.protein) g protein, "
          + "\(food.carbohydrates) g carbohydrates, \(food.fat) g fat "
          + "(\(food.source.rawValue))\(portion)")
    }
  }

  /// A figure as people read it.
  private static func whole(_ figure: Double) -> String { String(Int(figure.rounded())) }

  /// What the person has corrected, with what is learnt now.
  private func learned() throws -> FoodMemory {
    guard let file = memory.map({ URL(filePath: $0) }) else {
      guard learn.isEmpty else { throw ValidationError("--learn needs a --memory FILE") }
      return FoodMemory()
    }
    do {
      var memory = try FoodMemory(file: file)
      for correction in learn { try memory.learn(correction) }
      if !learn.isEmpty { try memory.save(to: file) }
      return memory
    } catch {
      throw ValidationError("\(error)")
    }
  }

  private func show(
    _ meal: String, _ log: FoodLog, _ origins: [FigureOrigins], _ sureness: [Sureness],
    _ report: ValidationReport
  ) {
    guard !json else {
      let findings = report.findings.map { finding in
        GeneratedContent(properties: [
          "rule": finding.rule, "severity": "\(finding.severity)", "problem": finding.problem,
        ])
      }
      StandardOutput.writeLine(
        GeneratedContent(properties: [
          "meal": meal, "log": log, "verdict": "\(report.severity)", "findings": findings,
          "sureness": sureness.map(\.probability),
          "origins": origins.map { origins in
            GeneratedContent(properties: [
              "weight": origins.weight.text, "calories": origins.calories.text,
              "macros": origins.macros.text,
            ])
          },
        ]).jsonString)
      return
    }
    StandardOutput.writeLine(meal)
    for (index, food) in log.foods.enumerated() {
      let modifiers = food.modifiers.isEmpty ? "" : " (\(food.modifiers.joined(separator: ", ")))"
      let brand = food.brand.map { " by \($0)" } ?? ""
      StandardOutput.writeLine(
        "  \(food.quantity) \(food.unit.rawValue) \(food.name)\(brand)\(modifiers), "
          + "\(food.calories) kcal\(sureness.first { $0.food == index }?.text(food) ?? "")")
      StandardOutput.writeLine("    \(origins[index].text)")
    }
    if let question = log.clarifyingQuestion { StandardOutput.writeLine("  ? \(question)") }
    StandardOutput.writeLine("  → \(report.severity)")
    for finding in report.findings {
      StandardOutput.writeLine("    \(finding.severity): \(finding.problem)")
    }
  }
}

/// One model behind a cache, or two: the quick one takes the meals of which it is sure.
struct Kitchen {
  private let session: @Sendable () -> LanguageModelSession
  private let routes: [(name: String, metrics: GenerationMetrics)]
  let line: String

  init(_ choice: ModelSource.Choice, quick: ModelSource.Choice?, seed: UInt64) throws {
    let answers = GenerationMetrics()
    var routes = [(name: "answers", metrics: answers)]
    var model = try Self.model(choice, seed: seed)
    if let quick {
      let metrics = (quick: GenerationMetrics(), thorough: GenerationMetrics())
      model = RoutedLanguageModel(
        [
          .init(
            Self.metered(try Self.model(quick, seed: seed), metrics.quick),
            name: "quick", cost: 1),
          .init(Self.metered(model, metrics.thorough), name: "thorough", cost: 10),
        ], order: .bySureness(minimum: 0.5))
      routes += [("quick model", metrics.quick), ("thorough model", metrics.thorough)]
    }
    let cached = Self.metered(Self.cached(model), answers)
    session = {
      let session = LanguageModelSession(
        model: cached,
        instructions: "You take meals apart into foods. Estimate what was not said.")
      session.examples = FoodLog.examples
      return session
    }
    self.routes = routes
    let name = Self.name(of: choice, seed: seed)
    line =
      quick.map { "Written by \(Self.name(of: $0, seed: seed)); hard meals by \(name)." }
      ?? (choice.remark.map { $0 + "\n" } ?? "") + "Written by \(name)."
  }

  private static func metered(
    _ model: some LanguageModel, _ metrics: GenerationMetrics
  ) -> any LanguageModel {
    MeteredLanguageModel(model, metrics: metrics)
  }

  private static func cached(_ model: some LanguageModel) -> any LanguageModel {
    CachingLanguageModel(RetryingLanguageModel(model))
  }

  private static func model(
    _ choice: ModelSource.Choice, seed: UInt64
  ) throws -> any LanguageModel {
    if let path = choice.path { return GuidedLanguageModel(try GGUFTokenModel(path: path)) }
    if let server = choice.server { return try server.languageModel() }
    return SamplingLanguageModel(seed: seed)
  }

  private static func name(of choice: ModelSource.Choice, seed: UInt64) -> String {
    choice.server?.line ?? choice.path.map { "\($0.split(separator: "/").last ?? "")" }
      ?? "the sampling model (seed \(seed)): valid, but without meaning. Use --model smollm2, or "
      + "--model PATH for a GGUF file"
  }

  func log(_ meal: String, facts: StatedFacts) async throws -> (FoodLog, [Sureness]) {
    var options = GenerationOptions()
    options.measuresProbabilities = true
    let response = try await session().respond(
      to: meal, schema: facts.schema(), options: options)
    return (try FoodLog(response.content), Sureness.all(in: response.probabilities))
  }

  /// What the models were asked, and how long they took.
  var table: String {
    func cell(_ text: String) -> String {
      String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
    func milliseconds(_ time: Duration) -> String {
      "\((time / .microseconds(100)).rounded() / 10) ms"
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
