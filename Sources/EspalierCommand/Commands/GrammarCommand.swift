// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore

/// `espalier grammar`: a schema in the notation of another engine.
struct GrammarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grammar",
    abstract: "Write a schema or a grammar for another engine: GBNF, Lark, EBNF or a regex.",
    discussion: """
      What the notation cannot say is listed on the standard error, and the grammar then takes \
      more than the schema does. Example:

        espalier grammar person.json --to gbnf > person.gbnf
        espalier grammar chess.gbnf --to lark > chess.lark
      """)

  enum Notation: String, ExpressibleByArgument, CaseIterable {
    case gbnf, lark, ebnf, regex

    var dialect: EmittedGrammar.Dialect {
      switch self {
      case .gbnf: .gbnf
      case .lark: .lark
      case .ebnf: .ebnf
      case .regex: .regularExpression
      }
    }
  }

  @OptionGroup var input: GrammarArgument
  @Option(
    help: ArgumentHelp(
      "The notation: gbnf of llama.cpp, lark of llguidance, ebnf of xgrammar, or regex, as "
        + "ECMA-262 and Rust have it."))
  var to: Notation
  @Option(help: "generation or validation.") var policy = Policy.generation
  @OptionGroup var limits: LimitArgument
  @Flag(help: "End with 1 where the notation cannot say everything, and write nothing.")
  var exact = false
  @Flag(help: "Report as JSON.") var json = false

  func run() throws {
    let grammar = try input.grammar(policy: policy, limits: limits)
    let emitted: EmittedGrammar
    do {
      emitted = try grammar.emitted(as: to.dialect)
    } catch {
      throw Failure.no.report(
        "the \(input.notation == .schema ? "schema" : "grammar") cannot be written as \(to.rawValue):\n\(error)"
      )
    }
    if json {
      let losses = emitted.losses.map { loss in
        GeneratedContent.report([
          "location": loss.location, "keyword": loss.keyword, "message": loss.message,
        ])
      }
      Terminal.writeLine(
        GeneratedContent.report(["grammar": emitted.text, "losses": losses]).jsonString)
    } else {
      for loss in emitted.losses { Terminal.writeError("not said: \(loss)\n") }
      if emitted.losses.isEmpty || !exact {
        Terminal.write(emitted.text.hasSuffix("\n") ? emitted.text : emitted.text + "\n")
      }
    }
    if exact, !emitted.losses.isEmpty { throw Failure.no.exit }
  }
}
