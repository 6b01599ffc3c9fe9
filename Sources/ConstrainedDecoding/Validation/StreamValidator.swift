// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine
import Synchronization

/// Holds a text that comes in pieces to a grammar, without a model or a vocabulary.
///
/// After each piece it says whether the text so far can still become one of the grammar, is one, or
/// cannot become one any more. A violation is known at the first byte after which no text of the
/// grammar is left, which may be long before the value ends.
///
/// ```swift
/// var validator = try StreamValidator(
///   jsonSchema: #"{"type": "object", "properties": {"age": {"type": "integer"}}}"#)
/// validator.append(#"{"age": 4"#)  // .possible
/// validator.append(#"0, "name": "#)  // .possible
/// validator.append(#""Ada"}"#)  // .complete
/// ```
///
/// Numbers are judged by value, so that `maximum: 20` refuses `25` only once it has ended: `25e-1`
/// is allowed.
public struct StreamValidator: Sendable {
  /// What is known of the text so far.
  public enum Verdict: Sendable, Hashable {
    /// It can still become a text of the grammar, and is none yet.
    case possible
    /// It is a text of the grammar; more may follow where the grammar allows it.
    case complete
    /// It cannot become a text of the grammar.
    case violated(Violation)
    /// A limit was reached before that was known: which one, at which keyword, and what to raise.
    case undecided(GrammarError.Diagnostic)
  }

  /// What may stand around the value.
  public enum Surroundings: Sendable, Hashable {
    /// Nothing but white space.
    case none
    /// Prose and a Markdown fence, as chat models write them. The value starts after the line of
    /// the first fence, or at the first bracket that starts a JSON text; where the grammar allows
    /// no container, at the first byte that can start a value, `true`, `false` and `null` at the start of
    /// a word. A candidate that turns out not to be JSON is prose. What follows the value is not looked
    /// at, nor is the full stop after a number.
    case skipped
  }

  /// The grammar that the text is held to.
  public let grammar: Grammar
  /// What may stand around the value.
  public let surroundings: Surroundings
  /// What is known of the text so far.
  public private(set) var verdict: Verdict = .possible
  /// The bytes of the value within the text: from its first byte to its last, or to the last one
  /// read; `nil` before a value was found.
  public private(set) var valueRange: Range<Int>?

  private var text: [UInt8] = []
  private var configuration: Automaton.Configuration
  /// The first byte that was not yet looked at.
  private var at = 0
  private var isSearching: Bool
  /// Whether white space before a JSON value is no part of it. In a grammar by hand it is text.
  private let skipsSpace: Bool
  private var hasEnded = false
  /// The epoch of the grammar that the configuration belongs to (`Grammar.Room`).
  private var epoch: UInt32
  private var seat: Grammar.Seat

  /// Starts a text.
  public init(grammar: Grammar, surroundings: Surroundings = .none) {
    self.grammar = grammar
    self.surroundings = surroundings
    seat = grammar.storage.seat()
    (configuration, epoch, skipsSpace) = seat.tables.withState { state in
      (state.automaton.start, state.room.epoch, state.automaton.rules == nil)
    }
    isSearching = surroundings == .skipped
    // The empty text may be one of the grammar.
    if !skipsSpace, withState({ $0.automaton.mayEnd($1) }) { verdict = .complete }
  }

  /// Compiles a schema and starts a text.
  ///
  /// - Throws: `GrammarError` as `Grammar(jsonSchema:options:)`.
  public init(
    jsonSchema: String, options: CompilationOptions = .validation,
    surroundings: Surroundings = .none
  ) throws(GrammarError) {
    self.init(
      grammar: try Grammar(jsonSchema: jsonSchema, options: options), surroundings: surroundings)
  }

  /// Goes over some more bytes, which may end inside a character.
  ///
  /// - Complexity: linear in the bytes. The text is kept, so that a violation can be explained.
  @discardableResult
  public mutating func append(_ bytes: some Sequence<UInt8>) -> Verdict {
    if isJudged { return verdict }
    // Copied at once where the bytes lie in one piece.
    let isCopied: Void? = bytes.withContiguousStorageIfAvailable { text.append(contentsOf: $0) }
    if isCopied == nil { text.append(contentsOf: bytes) }
    if !hasEnded { advance() }
    return verdict
  }

  /// Goes over some more text.
  @discardableResult
  public mutating func append(_ text: String) -> Verdict { append(text.utf8) }

  /// Ends the text: one that is only possible so far is then violated.
  @discardableResult
  public mutating func finish() -> Verdict {
    if case .possible = verdict {
      if isSearching {
        verdict = .violated(
          Violation(
            offset: text.count, instanceLocation: "", keyword: "", schemaLocation: "",
            expected: "a JSON value somewhere in the text", found: "none"))
      } else if surroundings == .skipped, endsBeforeFullStop() {
        verdict = .complete
      } else {
        explain(at: nil)
      }
    }
    return verdict
  }

  // MARK: Reading

  private mutating func advance() {
    while at < text.count {
      if isSearching {
        guard let start = ValueSearch(text, from: at).start(allowed: startBytes()) else {
          return
        }
        guard start < text.count else { return }
        isSearching = false
        at = start
        valueRange = start..<start
      } else if valueRange == nil {
        let start =
          skipsSpace
          ? text[at...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? at : at
        valueRange = start..<start
      }
      read()
      if hasEnded || isJudged { return }
    }
  }

  /// Whether nothing that follows changes the verdict.
  private var isJudged: Bool {
    switch verdict {
    case .violated, .undecided: true
    case .possible, .complete: false
    }
  }

  /// Goes over the bytes of the value.
  private mutating func read() {
    let isSkipping = surroundings == .skipped
    let (isComplete, limit) = readValue()
    if let limit {
      verdict = .undecided(limit)
      return
    }
    let reached = at
    if let range = valueRange { valueRange = range.lowerBound..<max(reached, range.lowerBound) }
    if reached == text.count {
      verdict = isComplete ? .complete : .possible
      return
    }
    if isSkipping {
      if isComplete || endsBeforeFullStop() {
        hasEnded = true
        verdict = .complete
        trimValue()
        return
      }
      if !isJSON() {
        // Prose that looked like the start of a value.
        at = (valueRange?.lowerBound ?? at) + 1
        valueRange = nil
        verdict = .possible
        isSearching = true
        configuration = withState { state, _ in state.automaton.start }
        return
      }
    }
    explain(at: reached)
  }

  /// How many bytes are read before others may use the grammar, and its memory is looked at.
  private static let stride = 1 << 14

  /// Goes over the bytes of the value up to the first that is refused; whether it is complete there,
  /// and the limit that was reached, if one was.
  private mutating func readValue() -> (isComplete: Bool, limit: GrammarError.Diagnostic?) {
    let text = text
    while true {
      let (from, to) = (at, min(at + Self.stride, text.count))
      let ((reached, after, isComplete), limit) = withLimits { state, configuration in
        var configuration = configuration
        var at = from
        let isRefused = state.read(text, &at, to, &configuration)
        let isDone = isRefused || at == text.count
        return (at, configuration, isDone ? state.automaton.mayEnd(configuration) : nil)
      }
      if let limit { return (false, limit) }
      at = reached
      configuration = after
      if let isComplete { return (isComplete, nil) }
    }
  }

  /// Works on the grammar's state, with the configuration in it; see `Matcher`.
  private mutating func withState<Result: Sendable>(
    _ body: (inout Grammar.State, Automaton.Configuration) -> Result
  ) -> Result {
    withLimits(body).result
  }

  /// The same, and the limit that was reached, if one was.
  private mutating func withLimits<Result: Sendable>(
    _ body: (inout Grammar.State, Automaton.Configuration) -> Result
  ) -> (result: Result, limit: GrammarError.Diagnostic?) {
    let tables = seat.tables
    return tables.withState { state in
      state.work(epoch: epoch) {
        restore(&$0)
      } _: {
        body(&$0, configuration)
      }
    }
  }

  /// Finds the configuration anew, after the grammar dropped what it had worked out.
  private mutating func restore(_ state: inout Grammar.State) {
    if let carried = state.carried(configuration, from: epoch) {
      configuration = carried
    } else {
      configuration = state.automaton.start
      if let start = valueRange?.lowerBound, start < at {
        configuration = state.automaton.next(configuration, text[start..<at])
      }
    }
    epoch = state.room.epoch
    state.admitRestored()
  }

  /// Whether a sentence ends with the value, whose full stop was read as the point of a number: "It is
  /// 42." The value is then without it.
  private mutating func endsBeforeFullStop() -> Bool {
    guard let range = valueRange, range.count > 1, text[range.upperBound - 1] == UInt8(ascii: ".")
    else { return false }
    let value = range.lowerBound..<range.upperBound - 1
    let text = text
    let isWhole = withState { state, _ in
      let end = text[value].reduce(state.automaton.start) { state.automaton.next($0, $1) }
      return state.automaton.mayEnd(end)
    }
    if isWhole { valueRange = value }
    return isWhole
  }

  private mutating func trimValue() {
    guard var range = valueRange else { return }
    while range.upperBound > range.lowerBound,
      [0x20, 0x09, 0x0A, 0x0D].contains(text[range.upperBound - 1])
    {
      range = range.lowerBound..<range.upperBound - 1
    }
    valueRange = range
  }

  /// The bytes that a value of the grammar can start with.
  private mutating func startBytes() -> ByteSet {
    withState { state, _ in
      let start = state.automaton.start
      var result = ByteSet()
      for byte in UInt8.min...UInt8.max
      where state.automaton.next(start, byte) != Automaton.dead
        && !state.automaton.isWhitespace(byte)
      {
        result.insert(byte)
      }
      return result
    }
  }

  /// Whether the value so far, with the byte that was refused, is the start of a JSON text.
  private mutating func isJSON() -> Bool {
    guard let range = valueRange, at < text.count else { return false }
    let value = text[range.lowerBound...at]
    return withState { state, _ in
      state.automaton.isPrefix(value, of: state.automaton.obligations.anything)
    }
  }

  private mutating func explain(at offset: Int?) {
    let text = text
    let offset = offset ?? text.count
    // White space before the value may be what is refused.
    let start = min(valueRange?.lowerBound ?? text.count, offset)
    let violation = withState { state, configuration in
      Explanation(
        text: text, start: start, offset: offset, configuration: configuration
      ).violation(&state.automaton)
    }
    verdict = .violated(violation)
  }
}

extension Grammar.State {
  /// Reads bytes up to an end, to the first that is refused, or until room has to be made; whether
  /// one is refused.
  fileprivate mutating func read(
    _ text: [UInt8], _ at: inout Int, _ end: Int, _ configuration: inout Automaton.Configuration
  ) -> Bool {
    while at < end {
      if let next = transitions[configuration, UInt32(text[at])] {
        if next == Automaton.dead { return true }
        configuration = next
        at += 1
        continue
      }
      if automaton.obligations.languages.shouldDropTransitions { return false }
      let next = automaton.next(configuration, text[at])
      if automaton.obligations.failure != nil { return true }
      transitions.set(configuration, UInt32(text[at]), next)
    }
    return false
  }
}

/// Where in a text of prose a value may start.
struct ValueSearch {
  private let text: [UInt8]
  private let from: Int

  init(_ text: [UInt8], from: Int) {
    self.text = text
    self.from = from
  }

  /// The first candidate, or `nil` where there is none yet. The end of the text: after a fence, where
  /// the value has yet to come.
  func start(allowed: ByteSet) -> Int? {
    let containers = ByteSet("{[".utf8.filter { allowed.contains($0) })
    let scalars = ByteSet("\"-0123456789".utf8.filter { allowed.contains($0) })
    let wanted = containers.isEmpty ? scalars : containers
    let literals = ByteSet(containers.isEmpty ? "tfn".utf8.filter { allowed.contains($0) } : [])
    var at = from
    while at < text.count {
      if text[at] == UInt8(ascii: "`") {
        guard let end = fence(at) else { return nil }
        if end > at { return end }
      }
      if wanted.contains(text[at]) || literals.contains(text[at]) && !isInsideWord(at) { return at }
      at += 1
    }
    return nil
  }

  private func isInsideWord(_ at: Int) -> Bool {
    guard at > 0 else { return false }
    switch text[at - 1] {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...: return true
    default: return false
    }
  }

  /// The first byte inside a fence; the place itself where there is none, and `nil` where the text
  /// ends before that can be told.
  private func fence(_ start: Int) -> Int? {
    var at = start
    while at < text.count, text[at] == UInt8(ascii: "`") { at += 1 }
    if at - start < 3 { return at == text.count ? nil : start }
    guard let line = text[at...].firstIndex(of: 0x0A) else { return nil }
    guard let first = text[line...].firstIndex(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
    else { return nil }
    return first
  }
}

extension Automaton {
  /// Whether some value that meets a goal starts with a text.
  mutating func isPrefix(_ text: ArraySlice<UInt8>, of goal: Obligations.Goal) -> Bool {
    var configuration = startOfValue(goal)
    for byte in text {
      configuration = next(configuration, byte)
      if configuration == Self.dead { return false }
    }
    return true
  }

  /// The configuration before a value that meets a goal, and nothing after it.
  mutating func startOfValue(_ goal: Obligations.Goal) -> Configuration {
    guard obligations.isSatisfiable(goal) else { return Self.dead }
    let end = stacks.intern(.end)
    return stacks.intern(outermostValue(goal, parent: end))
  }
}
