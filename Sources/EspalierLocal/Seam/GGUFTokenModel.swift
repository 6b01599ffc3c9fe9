public import ChatTemplates
public import ConstrainedDecoding
public import GGUFRuntime

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
    /// For which kind of processor the kernels are compiled. All give the same numbers.
    public var kernels: ProcessorKernels

    /// Creates options.
    public init(
      threads: Int = 1, batchSize: Int = 32, contextSize: Int? = nil,
      kernels: ProcessorKernels = .best
    ) {
      self.threads = threads
      self.batchSize = batchSize
      self.contextSize = contextSize
      self.kernels = kernels
    }
  }

  private let transformer: Transformer
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
  /// - Throws: `GGUFError` with the field that is wrong.
  public init(path: String, options: Options = Options()) throws(GGUFError) {
    let file = try GGUFFile(path: path)
    let parameters = try ModelParameters(metadata: file.metadata)
    // Side by side: each takes about as long as the other.
    let read = ThreadTeam.both(
      { () throws(GGUFError) in try Tokenizer(metadata: file.metadata) },
      { () throws(GGUFError) in
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
    contextSize = min(options.contextSize ?? .max, parameters.contextSize)
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
      let count = transformer.vocabularySize
      if let token = newTokens.first(where: { !(0..<count).contains($0) }) {
        throw TokenModelError.unknownToken(token)
      }
      var rest = newTokens[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        let batch = rest.prefix(batchSize)
        var readings = [Transformer.Reading(batch, after: cache)]
        transformer.read(&readings)
        cache = readings[0].cache
        last = readings[0].last
        tokens += batch
        rest = rest.dropFirst(batch.count)
      }
    }

    public mutating func rollback(to count: Int) {
      let count = max(0, min(count, tokens.count))
      tokens.removeSubrange(count...)
      cache.truncate(to: count)
    }

    public mutating func nextLogits(into logits: inout [Float]) {
      transformer.nextLogits(after: last, into: &logits)
    }

    public mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
      transformer.nextLogits(of: tokens, after: last, into: &logits)
    }
  }
}
