// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ConstrainedDecoding
package import EspalierCore
import GGUFRuntime

/// One response of a token model, token by token, held to a grammar where there is one.
///
/// A step asks the matcher first. Forced text is written without a call of the model, in the cut of
/// the model's own tokenizer, and as far as that cut does not depend on what follows; its tokens
/// wait, and are read in one batch before the next logits are needed. Tokens that are likely to
/// follow are read in the same batch. Where few tokens are allowed only their logits are computed,
/// not the whole head of the model. With a budget, only those tokens are allowed after which the
/// value can still end inside it.
///
/// Example: under the schema of `{"name": …}` the first step forces `{"` and `name`. The model is
/// asked whether `":"` or `":""` follows, and then for the name, token by token.
public struct GuidedGeneration<Context: TokenModelContext>: Sendable {
  /// Why a response has ended.
  public enum Ending: Sendable, Equatable {
    /// The value is complete.
    case complete
    /// The model ended its turn.
    case endOfTurn
    /// The budget is used up; the value is complete nevertheless where there is a grammar.
    case budget
    /// The model wrote a token that ends a part of the response.
    case stopToken
  }

  /// A part of the response.
  public struct Step: Sendable, Equatable {
    /// The tokens.
    public var tokens: [Int]
    /// Their bytes.
    public var bytes: [UInt8]
    /// Whether they were forced, and no call of the model was needed.
    public var isForced: Bool
    /// How likely each of the tokens was, where that is recorded.
    package var probabilities: [TokenProbability] = []
  }

  /// The sequence; tokens of the last step may not be read yet.
  public internal(set) var context: Context
  /// How many times the model was asked for logits, those left out that were read ahead.
  public private(set) var modelCalls = 0
  /// How many tokens were forced.
  public private(set) var forcedTokenCount = 0
  /// How many tokens were written.
  public private(set) var tokenCount = 0
  /// Why the response has ended; nil while it goes on.
  public private(set) var ending: Ending?

  /// What the model thinks of its choices.
  var choiceLog = ChoiceLog()
  /// How many tokens were written before the part that is held to a grammar.
  private var partStart = 0

  private var matcher: Matcher?
  private var sampler: TokenSampler
  private(set) var pending: [Int]
  private(set) var written: [Int] = []
  /// The end of the text that was read or written; nil until it is asked for.
  private(set) var text: TextEnd?
  /// The prompt, to guess from; nil until there is something to guess.
  var lookup: PromptLookup?
  /// Forced tokens that what follows may still change.
  private var likely: [Int] = []
  /// What was read beyond the tokens that were written.
  private(set) var ahead: [Int] = []
  /// Whether the next logits need a pass of the model.
  private var needsPass = true
  private var logits: [Float] = []
  /// The tokens to choose from, where the model is to be asked.
  private var choice: Choice?
  private let vocabulary: Vocabulary
  var vocabularyForMatching: Vocabulary { vocabulary }
  private let endTokens: Set<Int>
  private var budget: Int
  /// Tokens without text that may be drawn where nothing is held to a grammar, and end the part.
  private var stopTokens: Set<Int> = []
  /// Tokens that free text does not begin with.
  private var unwantedBeginnings: [Int] = []
  let encode: (@Sendable (String) -> [Int])?

  /// Above this many allowed tokens the whole head is as cheap: rows are multiplied in groups of eight.
  private static var sparseLimit: Int { 512 }

  /// Whether the budget kept the model from going on in the part that was written last.
  public private(set) var isShortened = false

  /// Begins a response.
  ///
  /// - Parameters:
  ///   - context: The sequence before the prompt.
  ///   - prompt: The tokens to read first.
  ///   - vocabulary: The model's tokens.
  ///   - endTokens: The tokens that end a turn.
  ///   - grammar: What the response is held to; nil for free text.
  ///   - sampling: How tokens are drawn.
  ///   - budget: The greatest number of tokens written.
  ///   - encode: The model's tokenizer, for text that goes on after other text
  ///     (``TokenModel/encode(continuing:)``). Without one the model is asked for every token.
  public init(
    context: Context, prompt: [Int], vocabulary: Vocabulary, endTokens: Set<Int>,
    grammar: Grammar?, sampling: TokenSampling, budget: Int,
    encode: (@Sendable (String) -> [Int])? = nil
  ) {
    self.context = context
    self.vocabulary = vocabulary
    self.endTokens = endTokens
    self.budget = budget
    self.encode = encode
    pending = prompt
    sampler = TokenSampler(sampling)
    matcher = grammar.map { Matcher(grammar: $0, vocabulary: vocabulary) }
  }

  /// Holds what follows to a grammar: for a tool call within free text.
  public mutating func constrain(to grammar: Grammar) {
    matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    partStart = written.count
    ending = nil
    isShortened = false
  }

  /// The tokens of the part that is held to a grammar, and the choices by their place among them.
  var lastPart: (tokens: [Int], choices: [Int: ChoiceLog.Entry]) {
    (Array(written[partStart...]), choiceLog.entries(from: partStart))
  }

  /// All tokens, those that wait to be read too.
  var sequence: [Int] { context.tokens + pending }

  /// Lifts the grammar.
  public mutating func release() {
    matcher = nil
    ending = nil
  }

  /// Begins a part of free text.
  ///
  /// - Parameters:
  ///   - budget: The greatest number of tokens that are written from here on.
  ///   - stopTokens: Tokens without text that end the part where the model writes one.
  public mutating func begin(budget: Int, stopTokens: Set<Int> = []) {
    matcher = nil
    ending = nil
    isShortened = false
    self.budget = tokenCount + max(0, min(budget, .max - tokenCount))
    self.stopTokens = stopTokens
  }

  /// Has the free text that follows begin otherwise than a text does, white space before it left out.
  mutating func avoidBeginning(_ text: String) {
    let text = Array(text.utf8)
    guard !text.isEmpty else { return }
    unwantedBeginnings = (0..<vocabulary.count).filter { token in
      let bytes = vocabulary.bytes(of: token).drop { $0.isWhiteSpace }
      return !bytes.isEmpty && (text.starts(with: bytes) || bytes.starts(with: text))
    }
  }

  /// How many tokens may still be written.
  var remainingBudget: Int { max(0, budget - tokenCount) }

  /// Writes tokens as if the model had.
  public mutating func write(_ tokens: [Int]) {
    note(tokens)
  }

  /// Writes the next tokens.
  ///
  /// - Returns: What was written, nil where the response has ended.
  /// - Throws: What the model throws.
  public mutating func next() throws -> Step? {
    switch try advance() {
    case .step(let step): return step
    case .needsModel: return try ask()
    }
  }

  /// What there is without the model.
  enum Progress {
    /// The next step; nil where the response has ended.
    case step(Step?)
    /// ``ask()`` is to be called.
    case needsModel
  }

  /// The tokens to choose from.
  private struct Choice: Sendable {
    var tokens: [Int]
    /// Those after which the value can end within what remains; nil where room is ample.
    var fitting: TokenMask?
    var remaining: Int
  }

  /// The tokens that are to be read before the model can be asked.
  var pendingTokens: [Int] { pending }

  /// Whether the model is to be asked for the logits of all tokens.
  var wantsAllLogits: Bool { choice.map { $0.tokens.count > Self.sparseLimit } ?? true }

  /// Takes note that the context has read the tokens that were to be read.
  mutating func pendingTokensAreRead() {
    ahead = []
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes the next tokens where the model is not needed for them.
  mutating func advance() throws -> Progress {
    guard ending == nil else { return .step(nil) }
    guard var matcher else {
      if tokenCount < budget { return .needsModel }
      isShortened = true
      return .step(end(.budget))
    }
    self.matcher = nil
    defer { self.matcher = matcher }
    return try advance(&matcher)
  }

  /// Asks the model for the next token, and reads what is to be read before.
  mutating func ask() throws -> Step? {
    guard let choice, var matcher else { return try nextFree() }
    self.choice = nil
    self.matcher = nil
    defer { self.matcher = matcher }
    return finish(try draw(&matcher, choice), &matcher)
  }

  private mutating func nextFree() throws -> Step? {
    try readPending()
    countModelCall()
    try readAllLogits()
    // Tokens without text are never drawn, but for those that end the turn.
    for token in logits.indices.dropFirst(vocabulary.count) { logits[token] = -.infinity }
    for token in unwantedBeginnings { logits[token] = -.infinity }
    if choiceLog.rivalCount != nil {
      choiceLog.offer(TokenChoice(Array(logits.indices), logits))
    }
    sampler.penalize(nil, &logits, Array(written.suffix(64)))
    for (token, penalty) in sampler.sequencePenalties(written) where token < logits.count {
      logits[token] -= penalty
    }
    var isFirst = true
    while let token = sampler.drawIndex(logits) {
      isFirst = false
      if stopTokens.contains(token) {
        note([token])
        return end(.stopToken)
      }
      if endTokens.contains(token) { return end(.endOfTurn) }
      if !vocabulary.isSpecial(token) {
        if !vocabulary.bytes(of: token).allSatisfy(\.isWhiteSpace) { unwantedBeginnings = [] }
        return step([token], isForced: false)
      }
      logits[token] = -.infinity
    }
    if isFirst { throw TokenModelError.noUsableLogits(allowed: vocabulary.count) }
    return end(.endOfTurn)
  }

  private mutating func advance(_ matcher: inout Matcher) throws -> Progress {
    let mustEnd = matcher.mustEnd()
    try matcher.checkLimit()
    if mustEnd { return .step(end(.complete)) }
    let remaining = budget - tokenCount
    if remaining <= 0 { return .step(end(matcher.canEnd() ? .complete : .budget)) }
    let forcedText = forcedText(&matcher)
    let forced = forcedText.settled
    likely = forced.isEmpty ? forcedText.likely : []
    if !forced.isEmpty, forced.count <= remaining {
      var after = matcher
      for token in forced { try after.accept(token) }
      if after.completionTokenCount(within: remaining - forced.count) <= remaining - forced.count {
        matcher = after
        forcedTokenCount += forced.count
        return .step(step(forced, isForced: true))
      }
    }
    choiceLog.offerNothing()
    // Where hardly any room is left most tokens do not fit, and often there is one to take only.
    let isTight = matcher.completionTokenCount(within: remaining - 2) >= remaining - 2
    let all = matcher.allowedTokens().tokens
    let fitting = isTight ? matcher.allowedTokens(within: remaining) : nil
    let tokens = fitting?.tokens ?? all
    try matcher.checkLimit()
    if isTight, !isShortened, !tokens.isEmpty, tokens.count < all.count {
      // The value may fit to the token: the model says whether it would go on.
      choice = Choice(tokens: all, fitting: fitting, remaining: remaining)
      return .needsModel
    }
    guard tokens.count > 1, !tokens.allSatisfy(vocabulary.isEnd) else {
      if tokens.isEmpty, try isDeadEnd(&matcher) { throw TokenModelError.deadEnd }
      if let token = tokens.first, !vocabulary.isEnd(token) { try matcher.accept(token) }
      return .step(finish(tokens.first, &matcher))
    }
    choice = Choice(tokens: tokens, fitting: fitting, remaining: remaining)
    return .needsModel
  }

  /// Whether no budget would be enough for a value.
  private func isDeadEnd(_ matcher: inout Matcher) throws -> Bool {
    let leadsNowhere =
      matcher.completionTokenCount() == .max || matcher.allowedTokens().tokens.isEmpty
    try matcher.checkLimit()
    return leadsNowhere
  }

  /// Writes a token that the matcher has accepted, or ends the response.
  private mutating func finish(_ token: Int?, _ matcher: inout Matcher) -> Step? {
    guard let token else { return end(matcher.canEnd() ? .complete : .budget) }
    choiceLog.record(token, at: written.count)
    if vocabulary.isEnd(token) { return end(.complete) }
    return step([token], isForced: false)
  }

  /// The text that is forced, in the cut of the model's tokenizer.
  private mutating func forcedText(_ matcher: inout Matcher) -> Matcher.ForcedText {
    guard let encode else { return .none }
    let text =
      self.text ?? TextEnd(context.tokens.suffix(TextEnd.tokenCount) + pending, vocabulary)
    self.text = text
    return matcher.forcedText(after: text.bytes, encode: encode)
  }

  /// Draws a token after which the value can still end inside the budget, and goes over it.
  ///
  /// Most of the time every token is such a one. So one is drawn of all that the grammar allows and
  /// then looked at; all of them are looked at only after some in a row did not fit.
  private mutating func draw(_ matcher: inout Matcher, _ choice: Choice) throws -> Int? {
    var tokens = choice.tokens
    if Context.readsAhead, !ahead.starts(with: pending) {
      try readPending(expecting: likely.isEmpty ? guess(matcher) : likely)
    }
    var offered = try self.offered(tokens)
    var weights = offered.logits
    // A turn ends in several ways: the end is as likely as the likeliest of them.
    let vocabulary = vocabulary
    let otherEnds = endTokens.filter { !vocabulary.isEnd($0) }
    if !otherEnds.isEmpty, let end = offered.place(of: vocabulary.endOfSequence) {
      let others = try self.offered(Array(otherEnds)).logits
      weights[end] = max(weights[end], others.max() ?? -.infinity)
      offered = TokenChoice(tokens, weights)
    }
    if choiceLog.isOn { choiceLog.offer(offered) }
    // Quotes, brackets and commas are the grammar's; without them no text would end.
    sampler.penalize(tokens, &weights, written.suffix(64).filter { vocabulary.isWord($0) })
    if tokens.count > Self.sparseLimit {
      for (token, penalty) in sampler.sequencePenalties(written) where vocabulary.isWord(token) {
        if let index = offered.place(of: token) { weights[index] -= penalty }
      }
    }
    for _ in 0..<4 {
      guard let index = sampler.drawIndex(weights) else { break }
      if vocabulary.isEnd(tokens[index]) { return tokens[index] }
      if let fitting = choice.fitting {
        if fitting.contains(tokens[index]) {
          try matcher.accept(tokens[index])
          return tokens[index]
        }
      } else {
        try matcher.accept(tokens[index])
        if matcher.completionTokenCount(within: choice.remaining) < choice.remaining {
          return tokens[index]
        }
        matcher.rollback(1)
      }
      isShortened = true
      weights[index] = -.infinity
    }
    let narrowed = choice.fitting ?? matcher.allowedTokens(within: choice.remaining)
    try matcher.checkLimit()
    let fitting = tokens.indices.filter { narrowed.contains(tokens[$0]) }
    tokens = fitting.map { tokens[$0] }
    weights = fitting.map { weights[$0] }
    guard !tokens.isEmpty else { return nil }
    guard let index = sampler.drawIndex(weights) else {
      throw TokenModelError.noUsableLogits(allowed: tokens.count)
    }
    if !vocabulary.isEnd(tokens[index]) { try matcher.accept(tokens[index]) }
    return tokens[index]
  }

  private mutating func offered(_ tokens: [Int]) throws -> TokenChoice {
    try readPending()
    countModelCall()
    if tokens.count <= Self.sparseLimit {
      context.nextLogits(of: tokens, into: &logits)
      if logits.count >= tokens.count { return TokenChoice(tokens, logits) }
      let found = logits.count
      // Of a model that gives too few for the vocabulary these are the counts to tell.
      try readAllLogits()
      throw TokenModelError.missingLogits(expected: tokens.count, found: found)
    }
    try readAllLogits()
    return TokenChoice(tokens, ofAll: logits)
  }

  private mutating func readAllLogits() throws {
    context.nextLogits(into: &logits)
    guard logits.count >= vocabulary.count else {
      throw TokenModelError.missingLogits(expected: vocabulary.count, found: logits.count)
    }
  }

  /// Counts a call of the model; once for each place in the text.
  mutating func countModelCall() {
    if needsPass { modelCalls += 1 }
    needsPass = false
  }

  /// Reads the tokens that wait, and in the same pass those that are expected after them.
  mutating func readPending(expecting expected: [Int] = []) throws {
    guard !pending.isEmpty else { return }
    needsPass = try context.append(pending, expecting: expected)
    if needsPass {
      ahead = expected
    } else {
      ahead.removeFirst(pending.count)
    }
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func step(_ tokens: [Int], isForced: Bool) -> Step {
    note(tokens)
    return Step(
      tokens: tokens, bytes: tokens.flatMap { vocabulary.bytes(of: $0) }, isForced: isForced,
      probabilities: choiceLog.probabilities(of: tokens, isForced: isForced, vocabulary))
  }

  private mutating func note(_ tokens: [Int]) {
    pending += tokens
    needsPass = true
    written += tokens
    tokenCount += tokens.count
    let vocabulary = vocabulary
    for token in tokens { text?.append(token, vocabulary) }
  }

  private mutating func end(_ reason: Ending) -> Step? {
    ending = reason
    return nil
  }
}
