import Synchronization

/// One sequence on its way through a grammar: which tokens may come next, and what came so far.
///
/// A matcher is a value: a copy is a fork that goes its own way. The work is shared through the
/// grammar.
///
/// ```swift
/// let grammar = try Grammar(jsonSchema: #"{"type": "integer", "minimum": 3}"#)
/// var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
/// while !matcher.mustEnd() {
///   let mask = matcher.allowedTokens()
///   try matcher.accept(sample(logits, mask))
/// }
/// ```
public struct Matcher: Sendable {
  /// The language that the sequence is held to.
  public let grammar: Grammar
  /// The tokens that the sequence is made of.
  public let vocabulary: Vocabulary

  var configuration: Automaton.Configuration
  /// The configuration before each accepted token.
  var history: [Automaton.Configuration] = []
  private var hasEnded = false

  /// Starts a sequence.
  public init(grammar: Grammar, vocabulary: Vocabulary) {
    self.grammar = grammar
    self.vocabulary = vocabulary
    configuration = grammar.storage.state.withLock { $0.automaton.start }
  }

  /// The tokens that may come next: every token after which the value can still be completed, and
  /// no other. The end of the sequence is among them where the value is complete.
  public mutating func allowedTokens() -> TokenMask {
    grammar.storage.state.withLock { $0.mask(configuration, vocabulary) }
  }

  /// Makes a bitmask that of the tokens that may come next.
  ///
  /// - Parameter bitmask: made for this matcher's vocabulary. Where it shows an earlier mask, only
  ///   what differs is touched.
  public mutating func fill(_ bitmask: inout TokenBitmask) {
    let mask = grammar.storage.state.withLock { $0.mask(configuration, vocabulary) }
    bitmask.show(mask.storage)
  }

  /// Goes over one token.
  ///
  /// - Throws: ``MatcherError`` where the token is not allowed; the matcher is then as before.
  public mutating func accept(_ token: Int) throws(MatcherError) {
    if token == vocabulary.endOfSequence {
      guard canEnd() else {
        throw MatcherError(
          offset: 0, message: "the value is not complete; it cannot end here")
      }
      history.append(configuration)
      hasEnded = true
      return
    }
    let bytes = vocabulary.storage.bytes(of: token)
    if !hasEnded, acceptByID(token, bytes) { return }
    guard !bytes.isEmpty, !hasEnded else {
      throw MatcherError(
        offset: 0,
        message: hasEnded
          ? "the sequence has ended; roll back or reset before going on"
          : "token \(token) has no text; mask special tokens out before sampling")
    }
    try advance(bytes)
  }

  /// Goes over a token that the grammar asks for by its id, and where its text is allowed too, over
  /// that as well; whether the grammar does.
  private mutating func acceptByID(_ token: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    let before = configuration
    let after = grammar.storage.state.withLock { state -> Automaton.Configuration in
      guard state.automaton.rules?.hasTokens == true, token >= 0, token < vocabulary.count else {
        return Automaton.dead
      }
      let byID = state.automaton.next(before, token: token)
      if byID == Automaton.dead || bytes.isEmpty { return byID }
      var byText = before
      for byte in bytes { byText = state.automaton.next(byText, byte) }
      return state.automaton.configuration(
        state.automaton.stacks(of: byID) + state.automaton.stacks(of: byText))
    }
    guard after != Automaton.dead else { return false }
    history.append(before)
    configuration = after
    return true
  }

  /// Goes over some bytes as if they were one token.
  ///
  /// - Throws: ``MatcherError`` with the offset of the first byte that is not allowed; the matcher
  ///   is then as before.
  public mutating func accept(bytes: some Sequence<UInt8>) throws(MatcherError) {
    try advance(Array(bytes)[...])
  }

  private mutating func advance(_ bytes: ArraySlice<UInt8>) throws(MatcherError) {
    let before = configuration
    let (after, refused, failure) = grammar.storage.state.withLock { state in
      var at = before
      for (offset, byte) in bytes.enumerated() {
        at = state.automaton.next(at, byte)
        if at == Automaton.dead { return (at, offset, state.automaton.obligations.failure) }
      }
      return (at, bytes.count, nil)
    }
    guard after != Automaton.dead else {
      throw MatcherError(
        offset: refused,
        message: failure.map { "\($0.pointer): `\($0.keyword)`: \($0.message)" }
          ?? "no allowed value goes on with this byte")
    }
    history.append(before)
    configuration = after
  }

  /// Whether the value is complete, so that the sequence may end here.
  public mutating func canEnd() -> Bool {
    grammar.storage.state.withLock { $0.automaton.mayEnd(configuration) }
  }

  /// Whether the end is the only thing that may come.
  public mutating func mustEnd() -> Bool {
    hasEnded || (canEnd() && allowedTokens().count == 1)
  }

  /// Takes back the last tokens.
  ///
  /// - Parameter tokenCount: how many; more than were accepted takes back all of them.
  public mutating func rollback(_ tokenCount: Int) {
    guard tokenCount > 0, !history.isEmpty else { return }
    let kept = max(0, history.count - tokenCount)
    configuration = history[kept]
    history.removeSubrange(kept...)
    hasEnded = false
  }

  /// Starts over.
  public mutating func reset() { rollback(history.count) }
}

/// Why a token or a byte was refused.
public struct MatcherError: Error, Sendable, CustomStringConvertible {
  /// How many bytes of the input were taken before the refused one.
  public var offset: Int
  /// What was expected, what was found, and what to do.
  public var message: String

  public var description: String { message }
}
