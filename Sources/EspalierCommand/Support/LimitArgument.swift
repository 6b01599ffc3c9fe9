// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding

/// The limits of the engine that a command sets, as the errors name them.
struct LimitArgument: ParsableArguments {
  /// A limit and its value, as `alternatives=20000`.
  struct Setting: ExpressibleByArgument {
    let name: String
    let value: Int

    static let names = ["depth", "alternatives", "states", "memory", "compileTime"]

    init?(argument: String) {
      let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, Self.names.contains(parts[0]), let value = Int(parts[1]), value >= 0
      else { return nil }
      (name, self.value) = (parts[0], value)
    }
  }

  @Option(
    help: ArgumentHelp(
      "Set a limit that an error named, as alternatives=20000; may be repeated.",
      discussion: "The limits are depth, alternatives, states, memory in megabytes and compileTime "
        + "in seconds.",
      valueName: "limit=value"))
  var raise: [Setting] = []

  /// Sets the limits.
  func apply(to limits: inout CompilationOptions.Limits) {
    for setting in raise {
      switch setting.name {
      case "depth": limits.depth = setting.value
      case "alternatives": limits.alternatives = setting.value
      case "states": limits.states = setting.value
      case "memory": limits.memory = min(setting.value, .max >> 20) << 20
      default: limits.compileTime = .seconds(setting.value)
      }
    }
  }

  /// A line on how a command raises a limit that an error names: the engine's advice is for code.
  static func hint(_ diagnostics: [GrammarError.Diagnostic]) -> String? {
    diagnostics.contains { $0.message.contains("raise the limit") }
      ? "\nA limit is raised with --raise LIMIT=VALUE." : nil
  }
}

extension MatcherError {
  /// What a command says of a prefix that a grammar does not have, or that a limit leaves undecided.
  func problem(of notation: GrammarArgument.Notation) -> String {
    if let limit {
      return "what may follow the prefix cannot be said:\n\(limit)"
        + (LimitArgument.hint([limit]) ?? "")
    }
    let kind = notation == .schema ? "value of the schema" : "text of the grammar"
    return "no \(kind) begins with the prefix; it departs at byte \(offset): \(message)"
  }
}
