// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A language that output is held to, compiled and ready for matchers.
///
/// A grammar is immutable to its users and shared freely between tasks; what it works out on the
/// way (states, masks) is kept inside, so that the next matcher finds it done. Where matchers on several
/// threads wait for each other, it is copied, and each thread goes on with its own.
public struct Grammar: Sendable {
  package let storage: Storage

  /// Compiles a JSON Schema (draft 2020-12, 2019-09, 7, 6 or 4, as its `$schema` says; 2020-12
  /// where it does not).
  ///
  /// - Parameters:
  ///   - text: the schema. The order of its properties is the order of generation.
  ///   - options: which spellings of the schema's values are in the language.
  /// - Throws: ``GrammarError`` with every keyword that is malformed or cannot be honoured, and
  ///   where no value can satisfy the schema.
  public init(
    jsonSchema text: String, options: CompilationOptions = .generation
  ) throws(GrammarError) {
    let (automaton, warnings) = try Self.compile(jsonSchema: text, options: options)
    self.warnings = warnings
    storage = Storage(automaton) { try? Self.compile(jsonSchema: text, options: options).automaton }
  }

  private static func compile(
    jsonSchema text: String, options: CompilationOptions
  ) throws(GrammarError) -> (automaton: Automaton, warnings: [GrammarError.Diagnostic]) {
    var options = options
    options.limits = options.limits.countable
    var loader = SchemaLoader(options: options, languages: RegularLanguages(options.limits))
    try loader.load(text)
    var warnings = loader.graph.warnings
    let graph = loader.graph
    let languages = loader.takeLanguages()
    // What is handed on is not kept here: the next owner changes it in place.
    var obligations = Obligations(
      graph: graph, languages: consume languages, options: options)
    let goal = obligations.goal([Obligations.literal(0)])
    var automaton = Automaton(obligations: consume obligations, goal: goal, options: options)
    if let failure = automaton.obligations.reachedFailure {
      throw GrammarError(diagnostics: [.init(failure)])
    }
    if automaton.start == Automaton.dead {
      var search = ContradictionSearch(automaton.obligations)
      let contradictions = search.diagnostics()
      guard options.toleratesUnsatisfiableSchemas else {
        throw GrammarError(diagnostics: contradictions)
      }
      warnings += contradictions
      warnings += graph.contradictoryBounds().filter { !contradictions.contains($0) }
    } else {
      warnings += graph.contradictoryBounds()
    }
    automaton.obligations.languages.deadline = nil
    return (automaton, warnings)
  }

  package init(storage: Storage, warnings: [GrammarError.Diagnostic]) {
    self.storage = storage
    self.warnings = warnings
  }

  /// What was noticed while compiling and is no error: formats that are not known, keys that are
  /// repeated, bounds between which nothing lies, and under ``CompilationOptions/validation`` references
  /// that lead nowhere and schemas that no value satisfies.
  public let warnings: [GrammarError.Diagnostic]

  package struct State: Sendable {
    package var automaton: Automaton
    /// The vocabularies that masks were made for, almost always one, their masks, and where their tokens
    /// led.
    private var vocabularies: [ObjectIdentifier] = []
    private var caches: [MaskCache] = []
    private var tokenTransitions: [TransitionCache] = []
    /// Where bytes led.
    package var transitions = TransitionCache()
    package var room: Room

    init(
      automaton: Automaton, shares: Room.Shares, remake: @escaping @Sendable () -> Automaton?
    ) {
      self.automaton = automaton
      room = Room(automaton, shares: shares, remake: remake)
    }

    /// The memory of the masks, in bytes. Mutating, for to look at them else would copy them.
    var maskBytes: Int {
      mutating get {
        var result = 0
        for index in caches.indices { result += caches[index].byteCount }
        return result
      }
    }

    /// Makes the masks objects of their own.
    mutating func separateMasks() {
      for place in caches.indices { caches[place].separate() }
    }

    mutating func dropMasks() { (vocabularies, caches, tokenTransitions) = ([], [], []) }

    /// The place of a vocabulary for which masks were made, where no limit was reached since.
    ///
    /// Mutating, for else the whole state, 4 KB, is copied to ask it: a third of a known step.
    private mutating func knownPlace(_ vocabulary: ObjectIdentifier) -> Int? {
      guard automaton.rules == nil, !isInexact, automaton.obligations.failure == nil else {
        return nil
      }
      return vocabularies.firstIndex(of: vocabulary)
    }

    /// The mask of a configuration, if it was made before.
    mutating func knownMask(
      _ configuration: Automaton.Configuration, _ vocabulary: ObjectIdentifier
    ) -> TokenMask.Storage? {
      guard let place = knownPlace(vocabulary) else { return nil }
      return caches[place].known(configuration)
    }

    /// Where a token leads, if it was followed before and is allowed.
    mutating func knownStep(
      _ configuration: Automaton.Configuration, _ token: UInt32, _ vocabulary: ObjectIdentifier
    ) -> Automaton.Configuration? {
      guard let place = knownPlace(vocabulary) else { return nil }
      return tokenTransitions[place][configuration, token]
    }

    /// Follows a token.
    mutating func step(
      _ configuration: Automaton.Configuration, _ token: Int, _ vocabulary: Vocabulary
    ) -> Automaton.Configuration {
      let next = automaton.next(configuration, token: token, of: vocabulary)
      if next != Automaton.dead, let symbol = UInt32(exactly: token),
        let place = knownPlace(ObjectIdentifier(vocabulary.storage))
      {
        tokenTransitions[place].set(configuration, symbol, next)
      }
      return next
    }

    mutating func mask(
      _ configuration: Automaton.Configuration, _ vocabulary: Vocabulary
    ) -> TokenMask {
      let key = ObjectIdentifier(vocabulary.storage)
      let known = vocabularies.firstIndex(of: key)
      if known == nil {
        vocabularies.append(key)
        caches.append(
          MaskCache(vocabulary: vocabulary.storage, anyEscapes: automaton.anyEscapes))
        tokenTransitions.append(TransitionCache())
      }
      let place = known ?? caches.count - 1
      let mask = caches[place].mask(configuration, &automaton)
      return automaton.rules?.hasTokens == true
        ? automaton.withTokens(configuration, mask, of: vocabulary) : mask
    }
  }
}
