// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ChatTemplates
public import ConstrainedDecoding
public import GGUFRuntime

/// A model file that is run in this process, on the CPU.
///
/// Architectures: llama (SmolLM2, Llama 3, Mixtral), smollm3, granite, granitemoe, phi3 (Phi-3, Phi-4-mini),
/// internlm2, ernie4_5, seed_oss, qwen2, qwen2vl, qwen2moe, qwen3, qwen3vl, qwen3moe, qwen3vlmoe, qwen35,
/// qwen35moe, gemma2, gemma3, gemma3n, gemma4, lfm2, lfm2moe and gpt-oss; of those that see pictures or
/// hear the text alone.
/// Weights: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K, IQ4_NL, IQ4_XS and MXFP4.
/// A model in several files is opened by any of them.
public struct GGUFTokenModel: TokenModel {
  /// What the model's speed and memory depend on.
  public struct Options: Sendable, Hashable {
    /// The greatest number of threads. One leaves the other cores to the app.
    public var threads: Int
    /// How many tokens of a prompt are read together.
    public var batchSize: Int
    /// The greatest number of tokens in a sequence; the model's own limit where nil.
    public var contextSize: Int?
    /// For which kind of processor the kernels are compiled. All give the same numbers.
    public var kernels: ProcessorKernels
    /// How exactly what was read is remembered.
    public var cachePrecision: CachePrecision

    /// Creates options.
    public init(
      threads: Int = 1, batchSize: Int = 32, contextSize: Int? = nil,
      kernels: ProcessorKernels = .best, cachePrecision: CachePrecision = .float32
    ) {
      self.threads = threads
      self.batchSize = batchSize
      self.contextSize = contextSize
      self.kernels = kernels
      self.cachePrecision = cachePrecision
    }
  }

  let transformer: Transformer
  /// By which the file is told apart from other models.
  let fingerprint: UInt64
  /// Cuts texts into tokens.
  public let tokenizer: Tokenizer
  public let chatTemplate: ChatTemplate
  public let contextSize: Int
  public let schemaPrompt: SchemaPrompt
  let batchSize: Int

  /// Opens a model file.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - options: What speed and memory depend on.
  /// - Throws: `GGUFError` with the field that is wrong.
  public init(path: String, options: Options = Options()) throws(GGUFError) {
    let file = try GGUFFile(path: path)
    // Now, not when a prompt is saved: the file may be another one by then.
    // What was saved of a prompt belongs to the file as it is now.
    let digest = try file.fingerprint()
    var parameters = try ModelParameters(metadata: file.metadata)
    parameters.cachePrecision = options.cachePrecision
    parameters.contextSize = min(options.contextSize ?? .max, parameters.contextSize)
    // A model for short sequences may remember other numbers than one for long sequences.
    fingerprint = digest &+ (parameters.extendsContext ? 1 : 0)
    // Side by side: each takes about as long as the other.
    let read = ThreadTeam.both(
      { () throws(GGUFError) in try Tokenizer(metadata: file.metadata) },
      { [parameters] () throws(GGUFError) in
        try Transformer(
          file: file, parameters: parameters,
          Compute(options.kernels, threads: options.threads))
      })
    tokenizer = try read.0.get()
    transformer = try read.1.get()
    guard transformer.vocabularySize >= tokenizer.vocabulary.count else {
      throw GGUFError(
        field: "token_embd.weight",
        message: "\(transformer.vocabularySize) rows for \(tokenizer.vocabulary.count) tokens.")
    }
    chatTemplate = ChatTemplate(metadata: file.metadata)
    contextSize = parameters.contextSize
    schemaPrompt = SchemaPrompt(weightCount: file.weightCount)
    batchSize = max(1, options.batchSize)
  }

  public var vocabulary: Vocabulary { tokenizer.vocabulary }
  public var beginningOfSequence: Int? { tokenizer.beginningOfSequence }
  public var endTokens: Set<Int> { tokenizer.endTokens }

  public func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
    tokenizer.encode(text, parsesSpecialTokens: parsesSpecialTokens)
  }

  public func encode(continuing text: String) -> [Int] { tokenizer.encode(continuing: text) }

  public func encode(_ pieces: [ChatTemplate.Piece]) -> [Int] { tokenizer.encode(pieces) }

  public func makeContext() -> Context {
    Context(
      transformer: transformer, fingerprint: fingerprint, contextSize: contextSize,
      batchSize: batchSize)
  }

  /// A sequence of the model.
  public struct Context: TokenModelContext {
    private let transformer: Transformer
    let fingerprint: UInt64
    private let contextSize: Int
    private let batchSize: Int
    private(set) var cache: KeyValueCache
    /// The hidden numbers after the last token.
    private(set) var last: [Float]
    public private(set) var tokens: [Int] = []
    /// Tokens that the cache holds beyond those, with the hidden numbers after each.
    private var ahead: ArraySlice<(token: Int, state: [Float])> = []

    init(transformer: Transformer, fingerprint: UInt64, contextSize: Int, batchSize: Int) {
      self.transformer = transformer
      self.fingerprint = fingerprint
      self.contextSize = contextSize
      self.batchSize = batchSize
      cache = KeyValueCache(transformer.parameters)
      last = Array(repeating: 0, count: transformer.parameters.width)
    }

    /// Takes up what was saved of a sequence.
    mutating func resume(_ tokens: [Int], _ cache: KeyValueCache, last: [Float]) {
      (self.tokens, self.cache, self.last, prepared, ahead) = (tokens, cache, last, nil, [])
    }

    /// The logits of all tokens, where they were computed with those of other sequences.
    private var prepared: [Float]?

    public static var readsTogether: Bool { true }
    public static var readsAhead: Bool { true }

    public mutating func append(_ newTokens: [Int]) throws {
      _ = try append(newTokens, expecting: [])
    }

    public mutating func append(_ newTokens: [Int], expecting expected: [Int]) throws -> Bool {
      if let error = error(reading: newTokens) { throw error }
      try readForgotten()
      var rest = takeAhead(newTokens[...])
      if rest.isEmpty { return false }
      while rest.count > batchSize {
        let batch = rest.prefix(batchSize)
        try read(batch)
        tokens += batch
        rest = rest.dropFirst(batch.count)
      }
      try Task.checkCancellation()
      let room = max(0, contextSize - tokens.count - rest.count)
      let readable = transformer.parameters.forgets ? room : 0
      let known = expected.prefix(readable)
        .prefix { (0..<transformer.vocabularySize).contains($0) }
      var reading = try pass(rest + known, keeping: known.count + 1)
      let states = reading.states
      finish(&reading)
      tokens += rest
      last = states[0]
      ahead = zip(known, states.dropFirst()).map { (token: $0, state: $1) }[...]
      return true
    }

    /// Reads tokens in one pass.
    private mutating func read(_ batch: ArraySlice<Int>) throws {
      try Task.checkCancellation()
      var reading = try pass(batch)
      finish(&reading)
    }

    /// A pass over tokens; where it fails, what is remembered stays.
    private mutating func pass(
      _ batch: ArraySlice<Int>, keeping keptCount: Int = 1
    ) throws -> Transformer.Reading {
      var readings = [Transformer.Reading(batch, after: cache.take(), keeping: keptCount)]
      do {
        try transformer.read(&readings)
      } catch {
        cache = readings[0].cache
        throw error
      }
      return readings.removeLast()
    }

    /// Reads again what was forgotten by going back: a recurrence cannot go back to every place.
    private mutating func readForgotten() throws {
      while cache.count < tokens.count { try read(tokens[cache.count...].prefix(batchSize)) }
    }

    /// Takes over the first of some tokens as far as they were read ahead; the rest of what was
    /// read ahead is forgotten.
    private mutating func takeAhead(_ newTokens: ArraySlice<Int>) -> ArraySlice<Int> {
      var rest = newTokens
      while let token = rest.first, let next = ahead.first, next.token == token {
        tokens.append(token)
        last = next.state
        prepared = nil
        rest.removeFirst()
        ahead.removeFirst()
      }
      if !rest.isEmpty { forgetAhead() }
      return rest
    }

    private mutating func forgetAhead() {
      ahead = []
      cache.truncate(to: tokens.count)
    }

    public static func append(
      _ tokens: [[Int]], to contexts: inout [Context], preparingLogits preparesLogits: [Bool]
    ) -> [(any Error)?] {
      let errors: [(any Error)?] = contexts.indices.map { index in
        if let error = contexts[index].error(reading: tokens[index]) { return error }
        do {
          try contexts[index].readForgotten()
          return nil
        } catch {
          return error
        }
      }
      var rest = tokens.map { $0[...] }
      for index in contexts.indices where errors[index] == nil {
        rest[index] = contexts[index].takeAhead(rest[index])
      }
      let fitting = contexts.indices.filter { errors[$0] == nil && !rest[$0].isEmpty }
      guard let first = fitting.first else { return errors }
      let transformer = contexts[first].transformer
      var readings = fitting.map {
        Transformer.Reading(rest[$0], after: contexts[$0].cache.take())
      }
      do {
        try transformer.read(&readings)
      } catch {
        for (place, index) in fitting.enumerated() {
          contexts[index].cache = readings[place].cache
        }
        return contexts.indices.map { fitting.contains($0) ? error : errors[$0] }
      }
      for (place, index) in fitting.enumerated() {
        contexts[index].finish(&readings[place])
        contexts[index].tokens += rest[index]
      }
      let asking = fitting.filter { preparesLogits[$0] }
      guard asking.count > 1 else { return errors }
      var logits = asking.map { _ in [Float]() }
      transformer.nextLogits(after: asking.map { contexts[$0].last }, into: &logits)
      for (index, logits) in zip(asking, logits) { contexts[index].prepared = logits }
      return errors
    }

    /// Why tokens cannot be read; nil where they can.
    ///
    /// - Parameter count: How many follow each other; all where nil.
    private func error(reading newTokens: [Int], count: Int? = nil) -> TokenModelError? {
      let needed = tokens.count + (count ?? newTokens.count)
      guard needed <= contextSize else {
        return .contextOverflow(needed: needed, contextSize: contextSize)
      }
      let known = 0..<transformer.vocabularySize
      return newTokens.first { !known.contains($0) }.map { .unknownToken($0) }
    }

    private mutating func finish(_ reading: inout Transformer.Reading) {
      cache = reading.cache.take()
      if let state = reading.states.last { last = state }
      prepared = nil
    }

    public mutating func rollback(to count: Int) {
      let count = max(0, min(count, tokens.count))
      tokens.removeSubrange(count...)
      forgetAhead()
      prepared = nil
    }

    public mutating func nextLogits(into logits: inout [Float]) {
      if let prepared {
        logits = prepared
      } else {
        transformer.nextLogits(after: last, into: &logits)
      }
    }

    public mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
      transformer.nextLogits(of: tokens, after: last, into: &logits)
    }

    public func logits(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]] {
      // A recurrence has one state, not one for each branch.
      guard transformer.parameters.readsTrees else {
        return try logitsByLevels(of: tokens, after: branches)
      }
      var tree = TokenTree()
      for branch in branches {
        tree.append(branch.token, after: branch.parent)
      }
      if let error = error(reading: branches.map(\.token), count: tree.depth) { throw error }
      var cache = cache
      cache.truncate(to: self.tokens.count)
      let states = try transformer.read(tree, after: cache)
      try Task.checkCancellation()
      return zip(tokens, states).map { tokens, state in
        var logits: [Float] = []
        if !tokens.isEmpty { transformer.nextLogits(of: tokens, after: state, into: &logits) }
        return logits
      }
    }
  }
}
