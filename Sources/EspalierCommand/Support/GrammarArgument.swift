// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore

/// What a command works with that takes other grammars beside schemas.
struct GrammarArgument: ParsableArguments {
  enum Notation: String, ExpressibleByArgument, CaseIterable {
    case schema, gbnf, regex
  }

  @OptionGroup var input: SchemaArgument
  @Option(
    help: ArgumentHelp(
      "What the file holds: schema, gbnf or regex. A regex is ECMA-262's and matches whole texts.",
      discussion:
        "Where it is not given, the end of the file's name says so: .gbnf, .regex, or any "
        + "other for a schema."))
  var from: Notation?

  var notation: Notation {
    from ?? Notation.allCases.first { input.schema.hasSuffix(".\($0.rawValue)") } ?? .schema
  }

  /// The grammar as it was written; nil where it is a schema.
  func source() throws -> ResponseGrammar? {
    switch notation {
    case .schema: return nil
    case .gbnf: return .gbnf(try input.text())
    case .regex:
      // The line break that ends the file is no part of the pattern.
      var pattern = try input.text()
      if pattern.last?.isNewline == true { pattern.removeLast() }
      return .regularExpression(pattern)
    }
  }

  /// The grammar. What is noticed and is no error goes to the standard error.
  ///
  /// - Parameter tokenOfText: the token that is a text, special or not; nil where there is no model.
  func grammar(
    policy: Policy, whiteSpace: WhiteSpace? = nil, limits: LimitArgument? = nil,
    tokenOfText: ((String) -> Int?)? = nil
  ) throws -> Grammar {
    guard let source = try source() else {
      return try input.grammar(policy: policy, whiteSpace: whiteSpace, limits: limits)
    }
    do {
      return try source.compiled(tokenOfText: tokenOfText)
    } catch {
      throw Failure.no.report("the grammar cannot be honoured:\n\(error)")
    }
  }
}
