// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What happens when a transcript outgrows what its model can read.
///
/// A policy changes what the model is shown, never the session's transcript: an app that shows the
/// conversation keeps all of it. A model that counts tokens (``TokenCountingModel``) is never shown
/// too much. Of one that does not, nobody knows beforehand: where it throws
/// ``LanguageModelError/contextSizeExceeded(_:)``, the policy makes the transcript shorter by what the
/// error says, and the model is asked again, up to three times.
public struct ContextPolicy: Sendable {
  enum Kind: Sendable {
    case fail
    case keepNewestTurns
    case dropToolOutputs
    case summarize(instructions: String)
    case custom(@Sendable (ContextOverflow) async throws -> [Transcript.Entry])
  }

  var kind: Kind

  /// How many tokens are kept free for the response, where the request does not say how long it
  /// may become.
  public var reservedResponseTokens: Int

  /// The request fails with ``LanguageModelError/contextSizeExceeded(_:)``; the session goes on.
  public static let fail = ContextPolicy(kind: .fail, reservedResponseTokens: 0)

  /// The instructions and the newest turns.
  ///
  /// Once the window is full, the oldest turns go in one step, until half of the room that the
  /// instructions and the last turn leave is free. Then the beginning of what the model is shown
  /// stays the same for many turns, and a model that keeps what it has read reads only what is new.
  public static func keepNewestTurns(reservedResponseTokens: Int = 512) -> ContextPolicy {
    ContextPolicy(kind: .keepNewestTurns, reservedResponseTokens: reservedResponseTokens)
  }

  /// Without the tool calls of earlier turns, oldest first; then without the oldest turns; then
  /// without the outputs of earlier rounds of the running request. Those of its last round stay.
  public static func dropToolOutputsFirst(reservedResponseTokens: Int = 512) -> ContextPolicy {
    ContextPolicy(kind: .dropToolOutputs, reservedResponseTokens: reservedResponseTokens)
  }

  /// The older turns in a summary that the model itself writes. Each turn is summarised once.
  ///
  /// - Parameters:
  ///   - instructions: What the model is told to do with the older turns.
  ///   - reservedResponseTokens: How many tokens are kept free for the response.
  public static func summarizeOlderTurns(
    instructions: String =
      "Summarise the conversation in a few sentences. Keep names, numbers and decisions.",
    reservedResponseTokens: Int = 512
  ) -> ContextPolicy {
    ContextPolicy(
      kind: .summarize(instructions: instructions),
      reservedResponseTokens: reservedResponseTokens)
  }

  /// What a function of the app makes of the entries.
  ///
  /// - Parameters:
  ///   - reservedResponseTokens: How many tokens are kept free for the response.
  ///   - reduce: Gives the entries that the model is shown.
  public static func custom(
    reservedResponseTokens: Int = 512,
    _ reduce: @escaping @Sendable (ContextOverflow) async throws -> [Transcript.Entry]
  ) -> ContextPolicy {
    ContextPolicy(kind: .custom(reduce), reservedResponseTokens: reservedResponseTokens)
  }
}

/// A transcript that has outgrown what its model can read.
public struct ContextOverflow: Sendable {
  /// All entries.
  public var entries: [Transcript.Entry]

  /// How many tokens there is room for.
  public var tokenLimit: Int

  /// How many tokens entries take, as the model reads them.
  public var tokenCount: @Sendable ([Transcript.Entry]) async throws -> Int
}
