// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import GrammarInspection

/// `espalier explain`: how a schema becomes a mask, stage by stage.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show what each stage of the engine holds for a schema and a prefix of a value.",
    discussion: """
      The stages are the schema, the goals, the stack, the bytes, the mask and, with --token, the way \
      of one token. Documentation/HowAMaskIsMade.md walks through them. Without --vocabulary or --model \
      the tokens are the single bytes. Example:

        espalier explain person.json --prefix '{"age":1' --token 7
      """)

  enum Stage: String, ExpressibleByArgument, CaseIterable {
    case schema, goals, stack, bytes, mask, token
  }

  @OptionGroup var input: GrammarArgument
  @Option(help: "What has been written so far.") var prefix = ""
  @Option(help: "The text of a token: its way through the trie, and what accepting it does.")
  var token: String?
  @OptionGroup var tokens: VocabularyArgument
  @Option(help: "schema, goals, stack, bytes, mask or token: only this one; may be repeated.")
  var stage: [Stage] = []
  @Option(help: "The most entries of a list: subschemas, goals, tokens.") var limit = 20
  @Option(help: "generation or validation.") var policy = Policy.generation
  @OptionGroup var whiteSpace: WhiteSpaceChoice
  @OptionGroup var limits: LimitArgument

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit is at least 1; found \(limit)") }
    if stage.contains(.token), token == nil {
      throw ValidationError("--stage token needs --token TEXT: the token whose way is shown")
    }
  }

  func run() throws {
    let file = try tokens.model.map { try ModelChoice.file($0) }
    let vocabulary = try tokens.tokens(of: file)
    let grammar = try input.grammar(
      policy: policy, whiteSpace: whiteSpace.choice(model: tokens.model, policy: policy),
      limits: limits, tokenOfText: file.map { $0.token(ofText:) })
    let stages = stage.isEmpty ? Stage.allCases : stage
    var report = ExplainReport(vocabulary: vocabulary, limit: limit)
    let prefix = Array(prefix.utf8)
    do {
      let inspection = try grammar.inspection(
        after: prefix, vocabulary: vocabulary, goalLimit: limit)
      for stage in stages {
        switch stage {
        case .schema: report.addSchema(inspection)
        case .goals: report.addGoals(inspection)
        case .stack: report.addStacks(inspection)
        case .bytes: report.addBytes(inspection)
        case .mask:
          report.add(
            try grammar.maskInspection(
              after: prefix, vocabulary: vocabulary, exampleLimit: limit))
        case .token:
          guard let token else { continue }
          let id = try id(of: token, in: vocabulary)
          report.add(
            try grammar.inspection(ofToken: id, after: prefix, vocabulary: vocabulary), id)
        }
      }
    } catch let error as MatcherError {
      throw Failure.no.report(error.problem(of: input.notation))
    }
    Terminal.write(report.text)
  }

  private func id(of text: String, in vocabulary: Vocabulary) throws -> Int {
    let bytes = Array(text.utf8)
    let found = (0..<vocabulary.count).first { !bytes.isEmpty && vocabulary.bytes(of: $0) == bytes }
    guard let found else {
      throw Failure.no.report(
        "no token has the text '\(text)'; `espalier explain … --stage mask` lists some that may come"
      )
    }
    return found
  }
}
