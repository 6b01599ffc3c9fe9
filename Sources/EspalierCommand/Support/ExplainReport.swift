// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import ConstrainedDecoding
import EspalierCore
import GrammarInspection

/// What `espalier explain` writes, stage by stage.
struct ExplainReport {
  let vocabulary: Vocabulary
  /// The most entries of a list.
  let limit: Int
  private(set) var text = ""

  private static let width = 98

  init(vocabulary: Vocabulary, limit: Int) {
    self.vocabulary = vocabulary
    self.limit = limit
  }

  mutating func addSchema(_ inspection: GrammarInspection) {
    heading("SCHEMA", "the subschemas, which name each other by number")
    for subschema in inspection.subschemas.prefix(limit) {
      let words =
        subschema.keywords.isEmpty ? "no keyword" : subschema.keywords.joined(separator: "; ")
      let location = subschema.location.isEmpty ? "" : subschema.location + "  "
      line("  \(subschema.index)  \(location)", words)
    }
    more(inspection.subschemas.count - limit, "subschemas")
    for warning in inspection.warnings.prefix(limit) { line("  warning: ", warning) }
    if inspection.warnings.isEmpty { line("  ", "No warnings.") }
  }

  mutating func addGoals(_ inspection: GrammarInspection) {
    heading("GOALS", "what values must satisfy, and the typed nodes that this became")
    for goal in inspection.goals {
      let conjunctions =
        goal.conjunctions.isEmpty ? "nothing" : goal.conjunctions.joined(separator: ", or ")
      line("  goal \(goal.index)  ", "= " + conjunctions)
      for node in goal.nodes {
        line("    ", node.summary)
        for part in node.parts.prefix(limit) { line("      ", part) }
        more(node.parts.count - limit, "members or items", indent: "      ")
      }
      if goal.nodes.isEmpty { line("    ", "no value") }
    }
    more(inspection.furtherGoals, "goals")
  }

  mutating func addStacks(_ inspection: GrammarInspection) {
    let count = inspection.stacks.count
    heading("STACK", "the open frames after the prefix, the innermost first")
    if count > 1 { line("  ", "\(count) ways to read the prefix, a stack each.") }
    for stack in inspection.stacks.prefix(limit) { add(stack) }
    more(count - limit, "stacks")
    if inspection.mayEnd { line("  ", "The text may end here.") }
  }

  mutating func addBytes(_ inspection: GrammarInspection) {
    heading("BYTES", "what may come next, and the top of the stack afterwards")
    for step in inspection.steps.prefix(limit) {
      line("  \(step.bytes) → ", tops(step.tops))
    }
    more(inspection.steps.count - limit, "kinds of bytes")
    let count = inspection.steps.reduce(0) { $0 + $1.count }
    line("  ", "\(count) of 256 bytes" + (inspection.mayEnd ? ", and the end." : "."))
  }

  mutating func add(_ mask: MaskInspection) {
    heading("MASK", "the tokens that may come next")
    line("  ", "\(mask.count) of \(mask.vocabularyCount) tokens.")
    line(
      "  ",
      "Kept as a base of \(mask.baseCount) tokens (\(mask.base)), \(mask.addedCount) added, "
        + "\(mask.removedCount) removed.")
    line("  allowed: ", shown(mask.allowed, of: mask.count))
    let texts = (0..<vocabulary.count).count { !vocabulary.bytes(of: $0).isEmpty }
    let allowedTexts = mask.count - (mask.allowed.contains(vocabulary.endOfSequence) ? 1 : 0)
    line("  refused: ", shown(mask.refused, of: max(mask.refused.count, texts - allowedTexts)))
  }

  mutating func add(_ token: TokenInspection, _ id: Int) {
    heading("TOKEN", "the way of \(shownText(of: id)) (token \(id)) through the trie")
    for step in token.steps {
      let place =
        step.node.map { $0 < 0 ? "no node" : "node \($0), \(step.nodesBelow) below" } ?? "no node"
      line(
        "  \(step.byte)  ",
        "\(place) → " + (step.tops.isEmpty ? "refused" : tops(step.tops)))
    }
    if let expected = token.expected { line("  ", "Expected \(expected).") }
    let verdict = token.isAllowed ? "allowed" : "refused"
    let mask = token.isInMask ? "has it" : "does not have it"
    line("  ", "The token is \(verdict), and the mask \(mask).")
    guard !token.stacks.isEmpty else { return }
    line("  ", "Accepted, it leaves:")
    for stack in token.stacks.prefix(limit) { add(stack) }
  }

  // MARK: Parts

  private mutating func add(_ stack: GrammarInspection.Stack) {
    let canonical =
      stack.id == stack.canonical
      ? "its own canonical stack" : "its mask is that of canonical stack \(stack.canonical)"
    line("  stack \(stack.id): ", canonical)
    for frame in stack.frames {
      let location = frame.location.isEmpty ? "" : " \(frame.location)"
      line("    \(frame.kind)\(location)  ", frame.state)
    }
  }

  private func tops(_ frames: [GrammarInspection.Frame]) -> String {
    frames.map { "\($0.kind): \($0.state)" }.joined(separator: ", or ")
  }

  private func shown(_ tokens: [Int], of count: Int) -> String {
    if tokens.isEmpty { return "none" }
    let rest = count > tokens.count ? " … \(count - tokens.count) more" : ""
    return tokens.map(shownText).joined(separator: " ") + rest
  }

  /// A token as a person reads it.
  private func shownText(of token: Int) -> String {
    if token == vocabulary.endOfSequence { return "<end>" }
    return vocabulary.bytes(of: token).shownInQuotes
  }

  // MARK: Lines

  private mutating func heading(_ name: String, _ words: String) {
    if !text.isEmpty { text += "\n" }
    text += Terminal.styled(name, .bold) + "  \(words)\n"
  }

  private mutating func more(_ count: Int, _ what: String, indent: String = "  ") {
    if count > 0 { line(indent, "… \(count) more \(what); --limit shows more") }
  }

  /// Adds a line, folded between words; what follows the first line stands below its beginning.
  private mutating func line(_ label: String, _ words: String) {
    let indent = String(repeating: " ", count: min(label.terminalWidth, 8))
    var row = label
    var isEmpty = true
    for word in words.split(separator: " ") {
      if !isEmpty, row.terminalWidth + 1 + word.terminalWidth > Self.width {
        text += row + "\n"
        row = indent
        isEmpty = true
      }
      row += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    text += row + "\n"
  }
}
