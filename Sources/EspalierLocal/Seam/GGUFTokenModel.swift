public import ConstrainedDecoding
import Synchronization

/// A model file that is run in this process, on the CPU.
///
/// Architectures: llama (SmolLM2, Llama 3), qwen2, qwen3 and gemma3. Weights: F32, F16, BF16, Q8_0,
/// Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K.
public struct GGUFTokenModel: TokenModel {
  /// What the model's speed and memory depend on.
  public struct Options: Sendable, Hashable {
    /// The greatest number of threads. One leaves the other cores to the app.
    public var threads: Int
    /// How many tokens of a prompt are read together.
    public var batchSize: Int
    /// The greatest number of tokens in a sequence; the model's own limit where nil.
    public var contextSize: Int?

    /// Creates options.
    public init(threads: Int = 1, batchSize: Int = 32, contextSize: Int? = nil) {
      self.threads = threads
      self.batchSize = batchSize
      self.contextSize = contextSize
    }
  }

  let transformer: Transformer
  /// Cuts texts into tokens.
  public let tokenizer: Tokenizer
  public let chatTemplate: ChatTemplate
  public let contextSize: Int
  private let batchSize: Int

  /// Opens a model file.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - options: What speed and memory depend on.
  /// - Throws: ``GGUFError`` with the field that is wrong.
  public init(path: String, options: Options = Options()) throws(GGUFError) {
    let file = try GGUFFile(path: path)
    let parameters = try ModelParameters(metadata: file.metadata)
    // Side by side: each takes about as long as the other.
    let read = Self.both(
      { () throws(GGUFError) in try Tokenizer(metadata: file.metadata) },
      { () throws(GGUFError) in try TransformerWeights(file: file, parameters: parameters) })
    tokenizer = try read.0.get()
    let weights = try read.1.get()
    guard weights.vocabularySize >= tokenizer.vocabulary.count else {
      throw GGUFError(
        field: "token_embd.weight",
        message: "\(weights.vocabularySize) rows for \(tokenizer.vocabulary.count) tokens.")
    }
    transformer = Transformer(
      parameters: parameters, weights: weights, team: ThreadTeam(count: options.threads))
    chatTemplate = ChatTemplate(metadata: file.metadata)
    contextSize = min(options.contextSize ?? .max, parameters.contextSize)
    batchSize = max(1, options.batchSize)
  }

  /// Does two things at once.
  private static func both<First: Sendable, Second: Sendable>(
    _ first: @Sendable () throws(GGUFError) -> First,
    _ second: @Sendable () throws(GGUFError) -> Second
  ) -> (Result<First, GGUFError>, Result<Second, GGUFError>) {
    func attempt<Value>(_ body: () throws(GGUFError) -> Value) -> Result<Value, GGUFError> {
      do throws(GGUFError) { return .success(try body()) } catch { return .failure(error) }
    }
    let results = Mutex<(Result<First, GGUFError>?, Result<Second, GGUFError>?)>((nil, nil))
    ThreadTeam(count: 2).forEachRange(of: 2, costOfOne: .max / 2, size: 1) { range in
      for index in range {
        if index == 0 {
          let result = attempt(first)
          results.withLock { $0.0 = result }
        } else {
          let result = attempt(second)
          results.withLock { $0.1 = result }
        }
      }
    }
    let (one, two) = results.withLock { $0 }
    return (one ?? attempt(first), two ?? attempt(second))
  }

  public var vocabulary: Vocabulary { tokenizer.vocabulary }
  public var beginningOfSequence: Int? { tokenizer.beginningOfSequence }
  public var endTokens: Set<Int> { tokenizer.endTokens }

  public func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
    tokenizer.encode(text, parsesSpecialTokens: parsesSpecialTokens)
  }

  public func makeContext() -> Context {
    Context(transformer: transformer, contextSize: contextSize, batchSize: batchSize)
  }

  /// A sequence of the model.
  public struct Context: TokenModelContext {
    private let transformer: Transformer
    private let contextSize: Int
    private let batchSize: Int
    private var cache: KeyValueCache
    private var last: [Float]
    public private(set) var tokens: [Int] = []

    init(transformer: Transformer, contextSize: Int, batchSize: Int) {
      self.transformer = transformer
      self.contextSize = contextSize
      self.batchSize = batchSize
      cache = KeyValueCache(transformer.parameters)
      last = Array(repeating: 0, count: transformer.parameters.width)
    }

    public mutating func append(_ newTokens: [Int]) throws {
      let needed = tokens.count + newTokens.count
      guard needed <= contextSize else {
        throw TokenModelError.contextOverflow(needed: needed, contextSize: contextSize)
      }
      let count = transformer.weights.vocabularySize
      if let token = newTokens.first(where: { !(0..<count).contains($0) }) {
        throw TokenModelError.unknownToken(token)
      }
      var rest = newTokens[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        let batch = rest.prefix(batchSize)
        transformer.read(batch, cache: &cache, last: &last)
        tokens += batch
        rest = rest.dropFirst(batch.count)
      }
    }

    public mutating func rollback(to count: Int) {
      let count = max(0, min(count, tokens.count))
      tokens.removeSubrange(count...)
      cache.count = count
    }

    public mutating func nextLogits(into logits: inout [Float]) {
      let head = transformer.weights.output
      if logits.count != head.rows { logits = Array(repeating: 0, count: head.rows) }
      let input = ActivationBlocks(width: last.count, capacity: 1)
      input.fill(from: last, positions: 1)
      logits.withUnsafeMutableBufferPointer {
        if let base = $0.baseAddress { head.multiply(input, into: base, team: transformer.team) }
      }
    }

    public mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
      let head = transformer.weights.output
      let input = ActivationBlocks(width: last.count, capacity: 1)
      input.fill(from: last, positions: 1)
      let isKnown = tokens.allSatisfy { (0..<head.rows).contains($0) }
      head.products(
        ofRows: isKnown ? tokens : tokens.map { min(max($0, 0), head.rows - 1) },
        input, into: &logits)
      if !isKnown {
        for (i, token) in tokens.enumerated() where !(0..<head.rows).contains(token) {
          logits[i] = -.infinity
        }
      }
    }
  }
}
