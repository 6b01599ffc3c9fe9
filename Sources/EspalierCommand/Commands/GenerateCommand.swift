// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import ModelServing

/// `espalier generate`: a value of a schema from a model.
struct GenerateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: """
      Have a model write a value of a schema, or a text of a grammar; on a terminal it appears as it is \
      written.
      """)

  @OptionGroup var input: GrammarArgument
  @Argument(help: "What is asked.") var prompt: String
  @Option(help: "What the model is to be and do.") var instructions: String?
  @OptionGroup var model: ModelChoice
  @Option(help: "The greatest number of tokens; the value is complete within it.")
  var maximumTokens: Int?
  @Option(help: "Above 1 for more variety, below 1 for less.") var temperature: Double?
  @Flag(
    help: """
      Objects have the members that the schema names and no others. Models like to add some where \
      `additionalProperties` is not said.
      """)
  var closed = false
  @Flag(help: "White space for people, once the value is complete.") var pretty = false
  @Flag(help: "An object with the value, the model and the tokens.") var json = false

  func validate() throws {
    if let maximumTokens, maximumTokens < 1 {
      throw ValidationError("--maximum-tokens is at least 1; found \(maximumTokens)")
    }
  }

  func run() async throws {
    if let grammar = try input.source() { return try await writeText(grammar) }
    let declared = try input.input.generationSchema(of: input.input.text())
    let schema = closed ? declared.closed : declared
    let generation = Generation(
      model: try model.load(), schema: schema, instructions: instructions,
      options: .init(temperature: temperature, maximumResponseTokens: maximumTokens))
    if !json { Terminal.writeError(model.line + "\n") }
    // What reads the output of a command is to get a whole value, or none.
    if json || pretty || !Terminal.isOutputShown {
      let (content, usage) = try await generation.outcome(for: prompt)
      guard json else {
        Terminal.writeLine(pretty ? PrettyJSON(content).text : content.jsonString)
        return warn(generation, content, declared, usage)
      }
      let report = GeneratedContent.report([
        "value": content, "model": model.model ?? "sampling",
        "inputTokens": usage.input.totalTokenCount, "outputTokens": usage.output.totalTokenCount,
        "shortened": usage.isShortened,
      ])
      return Terminal.writeLine(pretty ? PrettyJSON(report).text : report.jsonString)
    }
    let (content, usage) = try await generation.write(for: prompt)
    warn(generation, content, declared, usage)
  }

  private func warn(
    _ generation: Generation, _ content: GeneratedContent?, _ schema: GenerationSchema,
    _ usage: LanguageModelSession.Usage
  ) {
    generation.warn(usage)
    guard !closed, let content, Self.refuses(content, schema.closed) else { return }
    Terminal.writeError(
      "note: the value has members that the schema does not name. --closed leaves them out.\n")
  }

  /// Whether a value is none of a schema, as far as can be told.
  private static func refuses(_ value: GeneratedContent, _ schema: GenerationSchema) -> Bool {
    guard let grammar = try? Grammar(jsonSchema: schema.jsonSchema(), options: .validation) else {
      return false
    }
    var validator = StreamValidator(grammar: grammar)
    if case .violated = validator.append(value.jsonString) { return true }
    return false
  }

  private func writeText(_ grammar: ResponseGrammar) async throws {
    guard !pretty, !closed else {
      throw ValidationError("--pretty and --closed are for values of schemas")
    }
    var options = GenerationOptions(temperature: temperature, maximumResponseTokens: maximumTokens)
    options.grammar = grammar
    let generation = TextGeneration(
      model: try model.load(), instructions: instructions, options: options)
    if !json { Terminal.writeError(model.line + "\n") }
    let (text, usage) = try await generation.write(for: prompt) { piece in
      if !json { Terminal.write(piece) }
    }
    guard json else { return Terminal.write("\n") }
    Terminal.writeLine(
      GeneratedContent.report([
        "text": text, "model": self.model.model ?? "sampling",
        "inputTokens": usage.input.totalTokenCount, "outputTokens": usage.output.totalTokenCount,
        "shortened": usage.isShortened,
      ]).jsonString)
  }
}

/// One request for a value of a schema.
struct Generation {
  var model: any LanguageModel
  var schema: GenerationSchema
  var instructions: String?
  var options = GenerationOptions()

  func content(for prompt: String) async throws -> GeneratedContent {
    try await outcome(for: prompt).0
  }

  func outcome(
    for prompt: String
  ) async throws -> (GeneratedContent, LanguageModelSession.Usage) {
    do {
      let response = try await session().respond(to: prompt, schema: schema, options: options)
      return (response.content, response.usage)
    } catch {
      throw failure(error)
    }
  }

  /// Says that a value was shortened, where it was.
  func warn(_ usage: LanguageModelSession.Usage) {
    guard usage.isShortened else { return }
    let way =
      options.maximumResponseTokens == nil
      ? "what the model can read. Give texts a `maxLength` and lists a `maxItems`."
      : "--maximum-tokens."
    Terminal.writeError(
      "warning: a text, a list or a number of the value was ended early, to stay within \(way)\n")
  }

  /// Writes the JSON as it comes.
  ///
  /// - Returns: the last value, if there was one.
  func write(
    for prompt: String
  ) async throws -> (GeneratedContent?, LanguageModelSession.Usage) {
    var written = ""
    var last: GeneratedContent?
    let session = session()
    do {
      for try await snapshot in session.streamResponse(
        to: prompt, schema: schema, options: options)
      {
        last = snapshot.rawContent
        // What is open at the moment is closed in a snapshot's JSON: only what stays is written.
        let text = snapshot.rawContent.jsonString
        // Of a number, a text or a truth value nothing may have come yet.
        if text == "null", !snapshot.rawContent.isComplete { continue }
        // A server's value that broke its schema is begun again, on a line of its own.
        let settled = snapshot.rawContent.isComplete ? text : text.settledPrefix
        if text.addition(to: written) == nil {
          Terminal.write("\n")
          written = ""
        }
        guard let addition = settled.addition(to: written), !addition.isEmpty else { continue }
        Terminal.write(addition)
        written = settled
      }
      Terminal.write("\n")
      return (last, session.usage)
    } catch {
      if !written.isEmpty { Terminal.write("\n") }
      throw failure(error)
    }
  }

  private func session() -> LanguageModelSession {
    Self.session(model, instructions: instructions)
  }

  private static func session(
    _ model: some LanguageModel, instructions: String?
  ) -> LanguageModelSession {
    LanguageModelSession(model: model, instructions: instructions)
  }

  private func failure(_ error: any Error) -> any Error {
    if case LanguageModelError.unsupportedGenerationGuide(let payload) = error {
      return Failure.no.report("the schema cannot be honoured:\n\(payload.debugDescription)")
    }
    if case LanguageModelError.timeout = error {
      return Failure.model.report("\(error) The option is --time-limit.")
    }
    if case LanguageModelError.contextSizeExceeded = error, options.maximumResponseTokens != nil {
      return Failure.model.report("\(error) The option is --maximum-tokens.")
    }
    return Failure.model.report("\(error)")
  }
}

extension String {
  /// The text without the marks at its end that close what is still open.
  fileprivate var settledPrefix: String {
    var text = unicodeScalars[...]
    while let last = text.last, last == "}" || last == "]" || last == "\"" { text.removeLast() }
    return String(text)
  }
}
