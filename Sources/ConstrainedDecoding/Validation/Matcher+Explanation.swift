// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Why a byte is refused.
extension Matcher {
  /// What may come next, in words: "one of the keys `name`, `age`", "a digit, `,` or `}`".
  public func expectation() -> String {
    if hasEnded { return "the end of the text" }
    var fork = self
    return fork.withState { $0.automaton.expectation($1) }
  }

  /// The keys that may come next where a key may begin, or a comma before one; `nil` elsewhere, and in
  /// objects that declare no member.
  package func nextKeys() -> NextKeys? {
    var fork = self
    return fork.withState { $0.automaton.nextKeys($1) }
  }

  /// How many characters the string that has begun needs at least; 0 where none has.
  package func neededCharacters() -> Int {
    var fork = self
    return fork.withState { state, configuration in
      state.automaton.stacks(of: configuration).map { stack in
        let frame = state.automaton.stacks[stack]
        return frame.kind == .string ? Int(frame.c) : 0
      }.min() ?? 0
    }
  }

  /// Why a token may not come next: the first of its bytes that is refused, with what was expected in
  /// its place.
  ///
  /// - Returns: `nil` where the token may come next.
  public func explanation(ofRefused token: Int) -> MatcherError? {
    var fork = self
    if (try? fork.accept(token)) != nil { return nil }
    if hasEnded { return .afterTheEnd }
    if vocabulary.isEnd(token) {
      return MatcherError(
        .incomplete, message: "expected \(expectation()); found the end of the sequence")
    }
    let bytes = vocabulary.bytes(of: token)
    if bytes.isEmpty {
      return MatcherError(
        .noText, message: "expected \(expectation()); found token \(token), which has no text")
    }
    return fork.withState { $0.automaton.refusal(of: bytes, after: $1) }
  }
}
