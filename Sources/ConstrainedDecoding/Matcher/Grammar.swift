import Synchronization

/// A language that output is held to, compiled and ready for matchers.
///
/// A grammar is immutable to its users and shared freely between tasks; what it works out on the
/// way (states, masks) is kept inside, behind a lock, so that the next matcher finds it done.
public struct Grammar: Sendable {
  let storage: Storage

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
    var languages = RegularLanguages()
    languages.stateLimit = options.limits.states
    var loader = SchemaLoader(options: options, languages: languages)
    try loader.load(text)
    var warnings = loader.graph.warnings
    let graph = loader.graph
    languages = loader.takeLanguages()
    // What is handed on is not kept here: the next owner changes it in place.
    var obligations = Obligations(
      graph: graph, languages: consume languages, options: options)
    let goal = obligations.goal([Obligations.literal(0)])
    let automaton = Automaton(obligations: consume obligations, goal: goal, options: options)
    if let failure = automaton.obligations.failure {
      throw GrammarError(diagnostics: [
        .init(keyword: failure.keyword, location: failure.pointer, message: failure.message)
      ])
    }
    if automaton.start == Automaton.dead {
      let contradictions = graph.contradictions()
      guard options.toleratesUnsatisfiableSchemas else {
        throw GrammarError(diagnostics: contradictions)
      }
      warnings += contradictions
    }
    self.warnings = warnings
    storage = Storage(consume automaton)
  }

  init(storage: Storage, warnings: [GrammarError.Diagnostic]) {
    self.storage = storage
    self.warnings = warnings
  }

  /// What was noticed while compiling and is no error: formats that are not known.
  public let warnings: [GrammarError.Diagnostic]

  /// What a grammar shares between its copies.
  final class Storage: Sendable {
    let state: Mutex<State>

    init(_ automaton: sending Automaton) {
      state = Mutex(State(automaton: automaton))
    }
  }

  struct State {
    var automaton: Automaton
    /// By vocabulary; almost always one, so that a search is quicker than a table.
    private var caches: [(vocabulary: ObjectIdentifier, masks: MaskCache)] = []
    var transitions = TransitionCache()

    init(automaton: Automaton) { self.automaton = automaton }

    mutating func mask(
      _ configuration: Automaton.Configuration, _ vocabulary: Vocabulary
    ) -> TokenMask {
      let key = ObjectIdentifier(vocabulary.storage)
      var place = 0
      while place < caches.count, caches[place].vocabulary != key { place += 1 }
      if place == caches.count {
        let masks = MaskCache(vocabulary: vocabulary.storage, anyEscapes: automaton.anyEscapes)
        caches.append((key, masks))
      }
      let mask = caches[place].masks.mask(configuration, &automaton)
      return automaton.rules?.hasTokens == true
        ? automaton.withTokens(configuration, mask, of: vocabulary) : mask
    }
  }
}
