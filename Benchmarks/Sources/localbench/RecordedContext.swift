import EspalierLocal

/// A sequence that remembers what logits it gave, and one that gives them again at no cost: so that
/// what a grammar costs can be measured without the model.
struct RecordingContext: TokenModelContext {
  var base: GGUFTokenModel.Context
  private(set) var answers: [[Float]] = []

  init(_ base: GGUFTokenModel.Context) { self.base = base }

  var tokens: [Int] { base.tokens }
  mutating func append(_ tokens: [Int]) throws { try base.append(tokens) }
  mutating func rollback(to count: Int) { base.rollback(to: count) }

  mutating func nextLogits(into logits: inout [Float]) {
    base.nextLogits(into: &logits)
    answers.append(logits)
  }

  mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
    base.nextLogits(of: tokens, into: &logits)
    answers.append(logits)
  }
}

/// Gives recorded logits.
struct ReplayedContext: TokenModelContext {
  private var answers: [[Float]]
  private(set) var tokens: [Int] = []

  init(_ recording: RecordingContext) { answers = recording.answers.reversed() }

  mutating func append(_ tokens: [Int]) { self.tokens += tokens }
  mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
  mutating func nextLogits(into logits: inout [Float]) { logits = answers.popLast() ?? [] }
  mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
    logits = answers.popLast() ?? []
  }
}
