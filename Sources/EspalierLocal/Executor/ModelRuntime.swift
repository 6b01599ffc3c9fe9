// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore
import Synchronization

/// What the sessions of one model share: the sequences that were read, and compiled grammars.
final class ModelRuntime<Base: TokenModel>: Sendable {
  let base: Base
  /// How the model writes calls of tools.
  let form: ToolCallForm
  /// Where the model computes; the app's own threads go on meanwhile.
  let threads: ComputeThreads
  /// Who generates, and who waits.
  let slots: SequenceSlots
  /// Where sequences that need the model at the same time are read together.
  let passes: PassQueue<Base.Context>
  private let contexts = Mutex<[Base.Context]>([])
  private let grammars = Mutex<[GrammarKey: Grammar]>([:])
  private let toolGrammars = Mutex<[[String]: ToolCallGrammar]>([:])
  private let textGrammars = Mutex<[ResponseGrammar: Grammar]>([:])
  private let prewarming = Mutex<(last: Int, tasks: [Int: Task<Void, Never>])>((0, [:]))

  /// How many sequences are kept for later turns, however long they are.
  private static var contextMinimum: Int { 4 }
  /// How many tokens of a prompt are read before other requests have their turn.
  let promptStep = 128

  init(base: Base, concurrency: GenerationConcurrency) {
    self.base = base
    threads = ComputeThreads(count: concurrency.threads)
    slots = SequenceSlots(limit: concurrency.sequences)
    passes = PassQueue(threads: threads)
    form = ToolCallForm(base.chatTemplate)
  }

  /// The sequence that has most of a prompt read already.
  func takeContext(for prompt: [Int]) -> Base.Context {
    let found = contexts.withLock { contexts -> Base.Context? in
      let shared = contexts.map { Self.sharedCount($0.tokens, prompt) }
      guard let best = shared.indices.max(by: { shared[$0] < shared[$1] }), shared[best] > 0
      else { return nil }
      // A fork that shares what was read leaves it to others that begin in the same way.
      return Base.Context.readsTogether ? contexts[best] : contexts.remove(at: best)
    }
    guard var context = found else { return base.makeContext() }
    // The last token is read again: its logits are what is asked for.
    context.rollback(to: min(Self.sharedCount(context.tokens, prompt), prompt.count - 1))
    return context
  }

  func giveBack(_ context: Base.Context) {
    contexts.withLock {
      if Base.Context.readsTogether { $0.removeAll { context.tokens.starts(with: $0.tokens) } }
      $0.append(context)
      // Short ones are kept as long as they all fit into one window, so that many conversations can
      // take turns.
      var tokenCount = $0.reduce(0) { $0 + $1.tokens.count }
      while $0.count > Self.contextMinimum, tokenCount > base.contextSize {
        tokenCount -= $0.removeFirst().tokens.count
      }
    }
  }

  /// Reads tokens; after every so many other requests have their turn.
  ///
  /// - Throws: What the model throws, and `CancellationError` between two turns.
  func read(_ tokens: ArraySlice<Int>, into context: inout Base.Context) async throws {
    var rest = tokens
    while !rest.isEmpty {
      try Task.checkCancellation()
      try context.append(Array(rest.prefix(promptStep)))
      rest = rest.dropFirst(promptStep)
      await threads.turn()
    }
  }

  /// Starts to read something ahead of the requests that will need it.
  func prewarm(_ read: @escaping @Sendable (ModelRuntime) async -> Void) {
    // Under the lock: the task takes itself out, and must not do so before it is in.
    prewarming.withLock { state in
      state.last += 1
      let number = state.last
      state.tasks[number] = Task.detached(
        executorPreference: threads.preference, priority: .userInitiated
      ) {
        await read(self)
        self.prewarming.withLock { $0.tasks[number] = nil }
      }
    }
  }

  /// Waits for what is being read ahead: a request that began beside it would read the same again.
  ///
  /// A request that is cancelled meanwhile does not wait on: what was read so far is kept.
  func prewarmingEnds() async {
    for task in prewarming.withLock({ Array($0.tasks.values) }) {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  func grammar(
    _ schema: String, _ whitespace: CompilationOptions.Whitespace
  ) throws(GrammarError) -> Grammar {
    let key = GrammarKey(schema: schema, whitespace: whitespace)
    if let known = grammars.withLock({ $0[key] }) { return known }
    var options = CompilationOptions.generation
    options.whitespace = whitespace
    let grammar = try Grammar(jsonSchema: schema, options: options)
    grammars.withLock {
      if $0.count >= 64 { $0.removeAll() }
      $0[key] = grammar
    }
    return grammar
  }

  /// What texts without a schema are held to.
  func grammar(of source: ResponseGrammar) throws(GrammarError) -> Grammar {
    if let known = textGrammars.withLock({ $0[source] }) { return known }
    let grammar = try source.compiled(tokenOfText: base.token(ofText:))
    textGrammars.withLock {
      if $0.count >= 16 { $0.removeAll() }
      $0[source] = grammar
    }
    return grammar
  }

  private struct GrammarKey: Hashable {
    let schema: String
    let whitespace: CompilationOptions.Whitespace
  }

  /// The grammar of turns that call some tools.
  ///
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` that names the tool whose
  ///   parameters cannot be held, or the tools that are too much together.
  func grammar(of tools: [Transcript.ToolDefinition]) throws -> ToolCallGrammar {
    let key = try tools.map { "\($0.name)\n\(try $0.parameters.grammarText())" }
    if let known = toolGrammars.withLock({ $0[key] }) { return known }
    try check(tools)
    let grammar: ToolCallGrammar
    do {
      grammar = try ToolCallGrammar(tools, form: form, model: base)
    } catch let error as GrammarError {
      throw Self.unusable(tools, error)
    }
    toolGrammars.withLock {
      if $0.count >= 16 { $0.removeAll() }
      $0[key] = grammar
    }
    return grammar
  }

  /// Cuts text that goes on after other text of a response.
  var encode: @Sendable (String) -> [Int] { { [base] in base.encode(continuing: $0) } }

  /// The tokens of a conversation.
  func tokens(of conversation: ChatTemplate.Conversation) -> [Int] {
    let tokens = base.encode(base.chatTemplate.anyPieces(of: conversation))
    // Most templates write the beginning themselves; a second one would mislead the model.
    guard let beginning = base.beginningOfSequence, tokens.first != beginning else { return tokens }
    return [beginning] + tokens
  }

  private static func sharedCount(_ a: [Int], _ b: [Int]) -> Int {
    var count = 0
    while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
    return count
  }
}
