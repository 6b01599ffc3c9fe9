// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier
import Foundation

/// Has a model write a value, and shows it as it comes.
struct Generator {
  var session: LanguageModelSession
  var language: Language
  /// Whether only JSON is wanted.
  var json: Bool
  /// What is said below the value.
  var footnote: String

  /// A value of a type that its rules accept; where they do not, the model is told what is wrong,
  /// and writes another.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - prompt: What is asked.
  ///   - schema: What is known beforehand beside the type; the type's own where nil.
  ///   - examples: What good answers to other prompts look like.
  ///   - rules: What no schema can say.
  ///   - options: How tokens are chosen, and whether tools are called.
  func write<Content: LiveText>(
    _ type: Content.Type, prompt: String, schema: GenerationSchema? = nil,
    examples: [GenerationExample] = [], rules: [SemanticRule<Content>] = [],
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Content {
    var request = prompt
    var attempt = 1
    while true {
      var view = LiveView(isLive: !json)
      let stream = session.streamResponse(
        to: request, schema: schema ?? type.generationSchema, examples: examples, options: options)
      for try await snapshot in stream {
        guard let partial = try? Content.PartiallyGenerated(snapshot.rawContent) else { continue }
        view.show(type.lines(partial, in: language))
      }
      let response = try await stream.collect()
      let content = try Content(response.content)
      let report = ValidationReport(of: content, rules: rules)
      if report.severity <= .warning || attempt == 3 {
        guard report.severity < .failed else {
          throw ValidationError(report.findings.map(\.problem).joined(separator: "\n"))
        }
        if json {
          say(response.content.jsonString)
        } else {
          view.finish(type.lines(content.asPartiallyGenerated(), in: language))
          say("\n\(footnote)")
        }
        return content
      }
      attempt += 1
      request =
        language.choose("That breaks rules. Write it again. ", "Non va. Riscrivi. ")
        + report.findings.map(\.problem).joined(separator: " ")
      view.clear()
    }
  }
}

/// What all generators have in common.
struct GeneratorOptions: ParsableArguments {
  @Option(help: "english or italiano.") var language = Language.english
  @OptionGroup var model: ModelOptions
  @Flag(help: "Print the value as JSON.") var json = false

  func generator(tools: [any Tool] = []) async throws -> Generator {
    let chosen = try await model.choose()
    return Generator(
      session: chosen.session(tools: tools, language: language), language: language, json: json,
      footnote: chosen.line)
  }
}
