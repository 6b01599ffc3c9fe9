// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore
import EspalierEvaluation
import EspalierLocal
import EspalierServer
import Foundation

/// `espalier evaluate`: how many answers of a model are right.
struct EvaluateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Count how many answers of a model are right, field by field.",
    discussion: """
      Each line of the file of cases is an object with a prompt and the value that is expected:

        {"prompt": "Two nights in Rome for Ann", "expected": {"guest": "Ann", "nights": 2}}

      In place of a value there may be {"$oneOf": ["NYC", "New York"]}, {"$near": 3.5, "$tolerance": 0.1} \
      or {"$any": true}. Answers are drawn greedily, so that a run can be repeated. What the schema forbids \
      cannot be expected.
      """)

  @Argument(help: "A file with a case on each line; - for the standard input.", completion: .file())
  var cases: String
  @Option(help: "A JSON Schema file.", completion: .file()) var schema: String
  @OptionGroup var model: ModelChoice
  @Option(help: "What the model is to be and do.") var instructions: String?
  @Option(
    help: ArgumentHelp(
      "How the model is told of the schema: notation, json, descriptions or none.",
      discussion: "Where it is not given, the size of the model decides."))
  var schemaForm: SchemaForm?
  @Option(help: "Where it is told: system, beforePrompt or afterPrompt.")
  var schemaPlace = SchemaPlace.system
  @Option(help: "How many of the first cases are shown as worked examples instead of asked.")
  var examples = 0
  @Option(help: "Ask so many cases.") var limit: Int?
  @Flag(help: "Ask the model for every token, those that are forced too.") var asksForForced = false
  @Option(
    name: .customLong("white-space"),
    help: "White space within values: compact, spaced, or free for one character in any place.")
  var whitespace = WhiteSpace.spaced
  @Option(
    help: "Another model file, or the address of an OpenAI-compatible server, to compare with.")
  var against: String?
  @Option(help: "How the other is told of the schema, after the prompt; as for --schema-form.")
  var againstForm = SchemaForm.json
  @Flag(help: "List the answers that are not right.") var differences = false
  @Flag(help: "Report as JSON.") var json = false

  enum SchemaForm: String, ExpressibleByArgument, CaseIterable {
    case notation, json, descriptions, none

    var form: SchemaPrompt.Form? {
      switch self {
      case .notation: .typeNotation
      case .json: .jsonSchema
      case .descriptions: .descriptions
      case .none: nil
      }
    }
  }

  enum SchemaPlace: String, ExpressibleByArgument, CaseIterable {
    case system, beforePrompt, afterPrompt

    var place: SchemaPrompt.Place {
      switch self {
      case .system: .system
      case .beforePrompt: .beforePrompt
      case .afterPrompt: .afterPrompt
      }
    }
  }

  func validate() throws {
    if examples < 0 { throw ValidationError("--examples is at least 0; found \(examples)") }
    if let limit, limit < 1 { throw ValidationError("--limit is at least 1; found \(limit)") }
  }

  func run() async throws {
    let schemaText = try Inputs.text(of: schema)
    let generationSchema = try SchemaArgument.generationSchema(of: schemaText)
    var items: [EvaluationCase]
    do {
      items = try EvaluationCase.cases(jsonLines: try Inputs.text(of: cases))
    } catch let error as EvaluationCaseError {
      throw Failure.unreadable.report("\(cases): \(error)")
    }
    guard items.count > examples else {
      throw Failure.unreadable.report(
        items.isEmpty
          ? "there is no case in \(cases); write one object on each line"
          : "all \(items.count) cases are examples, and none is left to ask; lower --examples")
    }
    try check(items, generationSchema)
    let shown = try items.prefix(examples).map { item in
      guard let value = item.expected.value else {
        throw Failure.unreadable.report("case \(item.name) has no single value to be an example")
      }
      return GenerationExample(Prompt(item.prompt), value: value)
    }
    items = Array(items.dropFirst(examples).prefix(limit ?? .max))
    let evaluation = Evaluation(
      schema: generationSchema, instructions: instructions,
      includesSchemaInPrompt: schemaForm != SchemaForm.none, examples: shown)
    let report = try await report(evaluation, try subject(), items, model.line)
    var reports = [(name: model.model ?? "sampling", report: report)]
    if let against {
      reports.append(
        (name: against, report: try await other(against, evaluation, items)))
    }
    if json {
      Terminal.writeLine(
        GeneratedContent(
          elements: reports.map {
            EvaluationTable.content($0.name, $0.report, differences: differences)
          }
        ).jsonString)
    } else {
      Terminal.write(EvaluationTable(reports).text)
      if differences { Terminal.write(EvaluationTable.differences(reports)) }
    }
    if let failures = EvaluationTable.failures(reports) {
      Terminal.writeError("\(Terminal.styled("warning", .bold)): \(failures)")
    }
  }

  /// Refuses cases that no value of the schema can satisfy, and warns of keys that may be misspelt.
  private func check(_ items: [EvaluationCase], _ schema: GenerationSchema) throws {
    let check: EvaluationCase.Check
    do {
      check = try EvaluationCase.Check(schema: schema)
    } catch {
      throw Failure.no.report("the schema cannot be honoured:\n\(error)")
    }
    var problems: [String] = []
    for item in items {
      for key in check.unknownKeys(of: item) {
        Terminal.writeError(
          "\(Terminal.styled("warning", .bold)): case \(item.name) expects the key "
            + "\(key.withVisibleControls), which the schema does not name\n")
      }
      if let problem = check.problem(of: item) {
        problems.append("case \(item.name): \(problem.withVisibleControls)")
      }
    }
    guard !problems.isEmpty else { return }
    let rest = problems.count > 10 ? "\nand \(problems.count - 10) more" : ""
    throw Failure.unreadable.report(
      "the schema forbids what is expected:\n"
        + problems.prefix(10).joined(separator: "\n") + rest)
  }

  /// The model that is evaluated.
  private func subject() throws -> any LanguageModel {
    guard let name = model.model, name != "sampling" else { return try model.load() }
    if case .server = ModelSource(name) { return try model.load() }
    return try local(try model.file())
  }

  private func local(_ file: GGUFTokenModel) throws -> any LanguageModel {
    var guided = GuidedLanguageModel(file)
    guided.writesForcedText = !asksForForced
    guided.whitespace = whitespace.whitespace
    if let form = schemaForm?.form { guided.schemaPrompt.form = form }
    guided.schemaPrompt.place = schemaPlace.place
    return guided
  }

  private func other(
    _ name: String, _ evaluation: Evaluation, _ items: [EvaluationCase]
  ) async throws -> EvaluationReport {
    guard case .server(let server) = ModelSource(name) else {
      let file = try ModelChoice.file(name, cachePrecision: model.cache.precision)
      return try await report(evaluation, try local(file), items, "Model: \(name)")
    }
    // The server's own way to hold a value to a schema, without help: no grammar, no second attempt,
    // and the schema told as `--against-form` says.
    var options = ServerOptions()
    options.onBrokenSchema = .fail
    var profile = ServerProfile.cautious
    // llama-server does not keep it.
    profile.keepsConnection = false
    let model: any LanguageModel
    do {
      model = try server.languageModel(profile: profile, options: options)
    } catch {
      throw Failure.unreadable.report("\(error)")
    }
    let words = try againstForm.form.map {
      try "\n\n" + SchemaPrompt(form: $0).text(for: evaluation.schema)
    }
    let told = items.map { item in
      var item = item
      item.prompt += words ?? ""
      return item
    }
    let plain = Evaluation(
      schema: evaluation.schema, instructions: evaluation.instructions,
      includesSchemaInPrompt: false, examples: evaluation.examples)
    let report = try await report(plain, model, told, "Server: \(name)")
    return EvaluationReport(
      schema: evaluation.schema,
      results: zip(items, report.results).map { .init(item: $0, answer: $1.answer) })
  }

  private func report(
    _ evaluation: Evaluation, _ model: some LanguageModel, _ items: [EvaluationCase], _ line: String
  ) async throws -> EvaluationReport {
    defer { clearProgress() }
    return try await evaluation.report(of: model, on: items) {
      showProgress($0, items.count, line)
    }
  }

  private func showProgress(_ count: Int, _ total: Int, _ line: String) {
    guard Terminal.showsProgress, total > 0 else { return }
    Terminal.writeError(
      "\r\(ProgressBar.bar(Double(count) / Double(total))) \(count) of \(total) \(line)\u{1B}[K")
  }

  private func clearProgress() {
    if Terminal.showsProgress { ProgressBar.clear() }
  }
}

extension ExpectedValue {
  /// The value, where there is only one.
  fileprivate var value: GeneratedContent? {
    switch self {
    case .exactly(let value): value
    case .near(let number, _): GeneratedContent(number)
    case .oneOf(let choices): choices.first?.value
    case .any: nil
    case .list(let elements):
      elements.allSatisfy { $0.value != nil }
        ? GeneratedContent(elements: elements.compactMap(\.value)) : nil
    case .object(let members):
      members.allSatisfy { $0.value.value != nil }
        ? GeneratedContent(
          properties: members.compactMap { member in
            member.value.value.map { (member.name, $0 as any ConvertibleToGeneratedContent) }
          }, uniquingKeysWith: { $1 }) : nil
    }
  }
}
