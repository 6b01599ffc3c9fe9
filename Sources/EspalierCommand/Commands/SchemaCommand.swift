// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore

/// `espalier schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Check, normalise and convert JSON Schemas.",
    subcommands: [Check.self, Normalise.self, Convert.self])

  /// `espalier schema check`
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether output can be held to a schema, and what is wrong with it.")

    @OptionGroup var input: SchemaArgument
    @Option(help: "generation or validation.") var policy = Policy.generation
    @OptionGroup var limits: LimitArgument
    @Flag(help: "Report as JSON.") var json = false

    func run() throws {
      let text = try input.text()
      let documents = try input.documents()
      do throws(GrammarError) {
        var options = policy.options
        options.documents = documents
        options.warnsOfMisspellings = true
        limits.apply(to: &options.limits)
        let grammar = try Grammar(jsonSchema: text, options: options)
        // Some limits are met only where a value is begun.
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        _ = matcher.shortestCompletion()
        if let limit = matcher.reachedLimit { throw GrammarError(diagnostics: [limit]) }
        report(isSupported: true, grammar.warnings)
      } catch {
        report(isSupported: false, error.diagnostics)
        throw Failure.no.exit
      }
    }

    private func report(isSupported: Bool, _ diagnostics: [GrammarError.Diagnostic]) {
      if json {
        let findings = diagnostics.map { finding in
          GeneratedContent.report([
            "location": finding.location, "keyword": finding.keyword, "message": finding.message,
          ])
        }
        Terminal.writeLine(
          GeneratedContent.report(["supported": isSupported, "findings": findings]).jsonString)
        return
      }
      for finding in diagnostics {
        let kind =
          isSupported
          ? Terminal.styled("warning", .bold) : Terminal.styled("error", .red)
        Terminal.writeLine("\(kind): \("\(finding)".withVisibleControls)")
      }
      let hints = [SchemaArgument.documentHint(diagnostics), LimitArgument.hint(diagnostics)]
      for hint in hints.compactMap(\.self) { Terminal.writeLine(String(hint.dropFirst())) }
      Terminal.writeLine(
        isSupported
          ? Terminal.styled("supported", .green) : Terminal.styled("not supported", .red))
    }
  }

  /// `espalier schema normalise`
  struct Normalise: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a schema of any draft as draft 2020-12, references gathered in $defs.")

    @OptionGroup var input: SchemaArgument
    @Flag(help: "One line without white space.") var compact = false

    func run() throws {
      try Convert.write(input, dialect: .draft2020, compact: compact)
    }
  }

  /// `espalier schema convert`
  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a schema in another dialect.")

    enum Dialect: String, ExpressibleByArgument, CaseIterable {
      case foundationModels = "foundation-models"
      case draft2020 = "draft-2020-12"
      case draft7 = "draft-07"
      case strict

      var dialect: SchemaDialect {
        switch self {
        case .foundationModels: .foundationModels
        case .draft2020: .draft2020
        case .draft7: .draft7
        case .strict: .strict
        }
      }
    }

    @OptionGroup var input: SchemaArgument
    @Option(help: "foundation-models, draft-2020-12, draft-07 or strict.") var to: Dialect
    @Flag(help: "Leave out what the dialect cannot say, and list it on the standard error.")
    var lossy = false
    @Flag(help: "One line without white space.") var compact = false

    func run() throws {
      let dialect = lossy ? to.dialect.leavingOutUnsupportedConstraints() : to.dialect
      try Self.write(input, dialect: dialect, compact: compact)
    }

    static func write(_ input: SchemaArgument, dialect: SchemaDialect, compact: Bool) throws {
      let schema = try input.generationSchema()
      do {
        if dialect.leavesOutUnsupportedConstraints {
          for problem in try schema.unsupportedConstraints(in: dialect) {
            Terminal.writeError("left out: \(problem.problemDescription)\n")
          }
        }
        let json = try schema.jsonSchema(dialect: dialect)
        Terminal.writeLine(compact ? json : PrettyJSON(try GeneratedContent(json: json)).text)
      } catch let error as SchemaConversionError {
        throw Failure.no.report(
          "\(error.problemDescription)\n\(error.suggestion)")
      }
    }
  }
}
