// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
  /// The limit that the last question or step reached, if it did: its answer is then no answer, and
  /// the limit, with its keyword, its place and what to raise, is the error. ``accept(_:)`` throws it.
  public private(set) var reachedLimit: GrammarError.Diagnostic?
  /// What was accepted, one step for each token.
  private var history: [Step] = []
  /// The bytes that were accepted without being a token.
  private var text: [UInt8] = []
  /// Whether an end of the sequence was accepted: ends alone may come after it.
  package private(set) var hasEnded = false
  /// The epoch of the grammar that the configuration belongs to (``Grammar/Room``).
  private var epoch: UInt32
  private(set) var seat: Grammar.Seat
  /// How often a step waited for another thread at this seat.
  private var waits = 0

  /// An accepted token, or bytes accepted as if they were one.
  private struct Step {
    /// The configuration before it.
    var before: Automaton.Configuration
    /// The epoch that it belongs to.
    var epoch: UInt32
    /// The token, or -1 for bytes.
    var token: Int32
    /// The number of bytes of the text before it.
    var textCount: Int
  }

  /// Starts a sequence.
  public init(grammar: Grammar, vocabulary: Vocabulary) {
    self.grammar = grammar
    self.vocabulary = vocabulary
    seat = grammar.storage.seat()
    (configuration, epoch) = seat.tables.withState { state in
      (state.automaton.start, state.room.epoch)
    }
  }

  /// Works on the grammar's state, with the matcher's configuration in it.
  package mutating func withState<Result: Sendable>(
    _ body: (inout Grammar.State, Automaton.Configuration) -> Result
  ) -> Result {
    moveIfCrowded()
    let tables = seat.tables
    var waits = waits
    let (result, limit) = tables.withState(waits: &waits) { state in
      state.work(epoch: epoch) {
        restore(&$0)
      } _: {
        body(&$0, configuration)
      }
    }
    self.waits = waits
    if limit != nil || reachedLimit != nil { reachedLimit = limit }
    return result
  }

  /// Goes on at other tables where it keeps waiting for its own.
  private mutating func moveIfCrowded() {
    if Grammar.Seat.isCrowded(waits: waits, length: history.count) { move() }
  }

  /// Goes on at other tables, if there are some.
  mutating func move() {
    waits = 0
    guard let (seat, isAtCopy) = grammar.storage.seat(besides: seat) else { return }
    self.seat = seat
    if isAtCopy { return }
    seat.tables.withState { state in
      readAgain(&state)
      epoch = state.room.epoch
    }
  }

  /// How many of the last steps are carried over, to be taken back at no cost.
  private static let carriedSteps = 32

  /// Finds the configuration anew, after the grammar dropped what it had worked out.
  private mutating func restore(_ state: inout Grammar.State) {
    if let carried = state.carried(configuration, from: epoch) {
      configuration = carried
      for index in history.indices.suffix(Self.carriedSteps) where history[index].epoch == epoch {
        guard let before = state.carried(history[index].before, from: epoch) else { break }
        history[index].before = before
        history[index].epoch = state.room.epoch
      }
    } else {
      readAgain(&state)
    }
    epoch = state.room.epoch
    state.admitRestored()
  }

  /// Reads the text again from its start.
  private mutating func readAgain(_ state: inout Grammar.State) {
    configuration = state.automaton.start
    for index in history.indices {
      let step = history[index]
      history[index].before = configuration
      history[index].epoch = state.room.epoch
      if vocabulary.isEnd(Int(step.token)), state.automaton.mayEnd(configuration) { continue }
      if step.token >= 0 {
        configuration = state.automaton.next(
          configuration, token: Int(step.token), of: vocabulary)
      } else {
        let end = index + 1 < history.count ? history[index + 1].textCount : text.count
        for byte in text[step.textCount..<end] {
          configuration = state.automaton.next(configuration, byte)
        }
      }
    }
  }

  private mutating func append(_ token: Int32, _ after: Automaton.Configuration) {
    history.append(
      Step(before: configuration, epoch: epoch, token: token, textCount: text.count))
    configuration = after
  }

  /// The tokens that may come next: every token after which the value can still be completed, and
  /// no other. The end of the sequence is among them where the value is complete. After it only the end may
  /// come, so that a batch can go on until all of its sequences have ended.
  ///
  /// Where ``reachedLimit`` names a limit, the mask is void: which tokens may come was not decided.
  public mutating func allowedTokens() -> TokenMask { TokenMask(storage: allowed()) }

  /// The mask; one that is known needs none of what making a new one does.
  private mutating func allowed() -> TokenMask.Storage {
    if hasEnded { return endsOnly }
    if reachedLimit == nil {
      let (epoch, configuration, key) = (epoch, configuration, vocabularyKey)
      let known = seat.tables.withState(waits: &waits) { state in
        state.room.epoch == epoch ? state.knownMask(configuration, key) : nil
      }
      if let known { return known }
    }
    let vocabulary = vocabulary
    return withState { $0.mask($1, vocabulary).storage }
  }

  /// What may come after the end.
  var endsOnly: TokenMask.Storage {
    TokenMask.Storage(
      base: vocabulary.storage.index(anyEscapes: false).noTokens, added: vocabulary.storage.ends)
  }

  /// Makes a bitmask that of the tokens that may come next.
  ///
  /// - Parameter bitmask: made for this matcher's vocabulary. Where it shows an earlier mask, only
  ///   what differs is touched.
  public mutating func fill(_ bitmask: inout TokenBitmask) {
    bitmask.show(allowed())
  }

  /// Whether a token may come next; the matcher stays where it is.
  ///
  /// Where only one token is asked about, this takes less than a mask of all: a sampler may draw first, and
  /// mask only where what it drew is refused. Call ``checkLimit()`` after it, as after a mask.
  public mutating func allows(_ token: Int) -> Bool {
    if vocabulary.isEnd(token), hasEnded || canEnd() { return true }
    if hasEnded { return false }
    let vocabulary = vocabulary
    let after =
      knownStep(token)
      ?? withState { state, configuration in state.step(configuration, token, vocabulary) }
    return reachedLimit == nil && after != Automaton.dead
  }

  /// Goes over one token.
  ///
  /// - Throws: ``MatcherError`` where the token is not allowed, or where a limit was reached before that
  ///   was decided; the matcher is then as before.
  public mutating func accept(_ token: Int) throws(MatcherError) {
    if take(token) { return }
    if let reachedLimit { throw MatcherError(reachedLimit) }
    throw refusal(of: token)
  }

  /// Goes over tokens as far as they are allowed: over the part of a draft that holds.
  ///
  /// - Returns: How many tokens were accepted. Fewer than there are, where one is not allowed, or where a limit
  ///   left it undecided (``checkLimit()``); ``rollback(_:)`` takes them back.
  public mutating func acceptPrefix(of tokens: some Sequence<Int>) -> Int {
    var count = 0
    for token in tokens {
      guard take(token) else { break }
      count += 1
    }
    return count
  }

  /// Goes over one token where it is allowed; whether it is.
  private mutating func take(_ token: Int) -> Bool {
    if vocabulary.isEnd(token), hasEnded || canEnd() {
      append(Int32(token), configuration)
      hasEnded = true
      return true
    }
    if hasEnded { return false }
    moveIfCrowded()
    if let after = knownStep(token) {
      append(Int32(token), after)
      return true
    }
    let vocabulary = vocabulary
    let after = withState { state, configuration in state.step(configuration, token, vocabulary) }
    guard reachedLimit == nil, after != Automaton.dead else { return false }
    append(Int32(token), after)
    return true
  }

  /// Why a token that is not allowed is refused.
  private func refusal(of token: Int) -> MatcherError {
    if hasEnded { return .afterTheEnd }
    if vocabulary.isEnd(token) {
      return MatcherError(.incomplete, message: "the value is not complete; it cannot end here")
    }
    guard 0..<vocabulary.count ~= token else {
      return MatcherError(
        .noText, message: "there is no token \(token): the vocabulary has \(vocabulary.count)")
    }
    let bytes = vocabulary.storage.bytes(of: token)
    guard !bytes.isEmpty else {
      return MatcherError(
        .noText, message: "token \(token) has no text; mask special tokens out before sampling")
    }
    return refusal(of: bytes)
  }

  /// Where a token leads; one that was followed before needs none of what a new one does.
  private mutating func knownStep(_ token: Int) -> Automaton.Configuration? {
    guard reachedLimit == nil, let symbol = UInt32(exactly: token) else { return nil }
    let (epoch, configuration, key) = (epoch, configuration, vocabularyKey)
    return seat.tables.withState(waits: &waits) { state in
      state.room.epoch == epoch ? state.knownStep(configuration, symbol, key) : nil
    }
  }

  private var vocabularyKey: ObjectIdentifier { ObjectIdentifier(vocabulary.storage) }

  /// Goes over some bytes as if they were one token.
  ///
  /// - Throws: ``MatcherError`` with the offset of the first byte that is not allowed, or with the
  ///   limit that was reached; the matcher is then as before.
  public mutating func accept(bytes: some Sequence<UInt8>) throws(MatcherError) {
    let bytes = Array(bytes)
    if acceptIfAllowed(bytes) { return }
    if hasEnded { throw .afterTheEnd }
    if let reachedLimit { throw MatcherError(reachedLimit) }
    throw refusal(of: bytes[...])
  }

  /// Goes over some bytes, where they are allowed: for trials, which need no reason.
  package mutating func acceptIfAllowed(_ bytes: [UInt8]) -> Bool {
    if hasEnded { return bytes.isEmpty }
    let after = withState { state, configuration in
      state.automaton.next(configuration, bytes[...])
    }
    guard reachedLimit == nil, after != Automaton.dead else { return false }
    append(-1, after)
    text += bytes
    return true
  }

  /// Why bytes of which one is not allowed are refused.
  private func refusal(of bytes: ArraySlice<UInt8>) -> MatcherError {
    var fork = self
    return fork.withState { state, configuration in
      state.automaton.refusal(of: bytes, after: configuration)
        ?? MatcherError(
          .notAllowed, offset: bytes.count, message: "the sequence goes on in no allowed way")
    }
  }

  /// Throws the limit that the last question or step reached, if it did.
  ///
  /// To be called after a question whose answer counts: a mask, or whether the sequence may end.
  public func checkLimit() throws(MatcherError) {
    if let reachedLimit { throw MatcherError(reachedLimit) }
  }

  /// Whether the value is complete, so that the sequence may end here.
  public mutating func canEnd() -> Bool {
    withState { $0.automaton.mayEnd($1) }
  }

  /// Whether the end is the only thing that may come.
  public mutating func mustEnd() -> Bool {
    hasEnded || (canEnd() && allowedTokens().count == vocabulary.storage.ends.count)
  }

  /// Takes back the last tokens.
  ///
  /// - Parameter tokenCount: how many; more than were accepted takes back all of them.
  public mutating func rollback(_ tokenCount: Int) {
    guard tokenCount > 0, !history.isEmpty else { return }
    let kept = max(0, history.count - tokenCount)
    let step = history[kept]
    text.removeSubrange(step.textCount...)
    history.removeSubrange(kept...)
    hasEnded = false
    if step.epoch == epoch {
      configuration = step.before
      return
    }
    // The step is older than what the grammar keeps.
    seat.tables.withState { state in
      readAgain(&state)
      epoch = state.room.epoch
    }
  }

  /// Starts over.
  public mutating func reset() { rollback(history.count) }
}

extension Automaton {
  /// The configuration after a token: by its id where the grammar asks for it so, and by its text.
  mutating func next(
    _ configuration: Configuration, token: Int, of vocabulary: Vocabulary
  ) -> Configuration {
    let bytes = vocabulary.storage.bytes(of: token)
    let byText = bytes.isEmpty ? Self.dead : next(configuration, bytes)
    guard rules?.hasTokens == true, token >= 0, token < vocabulary.count else { return byText }
    let byID = next(configuration, token: token)
    if byID == Self.dead { return byText }
    return self.configuration(stacks(of: byID) + stacks(of: byText))
  }
}

extension Automaton {
  /// Why bytes are refused: the first that is, with what was expected in its place; nil where all
  /// of them may come.
  package mutating func refusal(
    of bytes: some Sequence<UInt8>, after configuration: Configuration
  ) -> MatcherError? {
    var at = configuration
    let bytes = Array(bytes)
    for (offset, byte) in bytes.enumerated() {
      let next = next(at, byte)
      guard next != Self.dead else {
        let found = byte < 0x80 ? nil : bytes.characterInWords(at: offset)
        return MatcherError(
          .notAllowed, offset: offset,
          message: "expected \(expectation(at)); found \(found ?? Self.quoted(byte))")
      }
      at = next
    }
    return nil
  }
}

/// Why a token or a byte was refused.
public struct MatcherError: Error, Sendable, CustomStringConvertible {
  /// What an app can do something about.
  public enum Kind: Sendable, Hashable {
    /// The grammar does not allow the text: after ``MatcherError/offset`` bytes something else has to come.
    case notAllowed
    /// The sequence was to end, and its value is not complete.
    case incomplete
    /// The sequence has ended, and was to go on.
    case ended
    /// The vocabulary has no such token, or the token stands for no text.
    case noText
    /// A limit left it undecided: ``MatcherError/limit`` is which.
    case limitReached
  }

  /// What kind of refusal it is.
  public var kind: Kind
  /// How many bytes of the input were taken before the refused one.
  public var offset: Int
  /// What was expected, what was found, and what to do.
  public var message: String
  /// The limit that left it undecided whether the input is allowed, where that is why.
  public var limit: GrammarError.Diagnostic?

  package init(_ kind: Kind, offset: Int = 0, message: String) {
    self.kind = kind
    self.offset = offset
    self.message = message
  }

  package init(_ limit: GrammarError.Diagnostic) {
    (kind, offset, message) = (.limitReached, 0, limit.description)
    self.limit = limit
  }

  public var description: String { message }

  package static let afterTheEnd = MatcherError(
    .ended, message: "the sequence has ended; roll back or reset before going on")
}
