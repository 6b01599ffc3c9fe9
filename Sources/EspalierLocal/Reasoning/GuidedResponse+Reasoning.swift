// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import EspalierCore

extension GuidedResponse {
  /// Has the model think before it answers, where it does so; what follows is the answer or a call.
  mutating func think(into channel: Channel) async throws {
    if let syntax = reasoning.syntax {
      if !syntax.promptOpens {
        let opening = runtime.base.encode(syntax.opening, parsesSpecialTokens: true)
        let isWanted = try generation.begins(with: opening)
        guard reasoning.isRequired || isWanted else { return }
        generation.write(opening)
      }
      let mark = Self.trimmed(syntax.closing)
      let written = try await writeReasoning(budget: reasoning.budget, mark: mark, channel)
      let after = syntax.closing.firstRange(of: mark).map { syntax.closing[$0.upperBound...] } ?? ""
      write((after.hasPrefix(written) ? after.dropFirst(written.count) : "") + syntax.turnOpening)
    } else if draftBudget > 0, schemaGrammar != nil {
      write(Self.draftOpening)
      await channel.send(.reasoning(action: .appendText(Self.draftOpening, tokenCount: 0)))
      _ = try await writeReasoning(budget: draftBudget, mark: "```", channel)
      write(Self.draftClosing)
    }
  }

  private static var draftOpening: String { "Let me think." }
  private static var draftClosing: String { "\n\nThe answer as JSON: " }

  /// Writes text of the template.
  mutating func write(_ markup: some StringProtocol) {
    guard !markup.isEmpty else { return }
    generation.write(runtime.base.encode(String(markup), parsesSpecialTokens: true))
  }

  /// Free text up to a mark, as reasoning; where the budget is used up or the turn ends, the mark is
  /// written in the model's place.
  ///
  /// - Returns: What the model wrote after the mark in the same token.
  private mutating func writeReasoning(
    budget: Int, mark: String, _ channel: Channel
  ) async throws -> String {
    let start = generation.tokenCount
    let parts = MarkedText(mark, in: runtime.base).parts
    generation.begin(
      budget: min(budget, max(0, room / 2)),
      stopTokens: Set(parts.compactMap { if case .token(let id, _) = $0 { id } else { nil } }))
    var stream = MarkedStream(mark: mark)
    while stream.rest == nil, let step = try await nextStep() {
      let text = stream.append(step.bytes)
      await channel.send(.reasoning(action: .appendText(text, tokenCount: step.tokens.count)))
    }
    if stream.rest == nil {
      let text = stream.finish()
      if !text.isEmpty {
        await channel.send(.reasoning(action: .appendText(text, tokenCount: 0)))
      }
      if generation.ending != .stopToken { write("\n" + mark) }
    }
    reasoningTokenCount = generation.tokenCount - start
    generation.begin(budget: budgetOfAnswer, stopTokens: [])
    return stream.rest ?? ""
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
