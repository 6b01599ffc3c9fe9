// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension Grammar {
  /// Compiles rules written in Swift.
  ///
  /// ```swift
  /// let grammar = try Grammar(startingAt: "answer") {
  ///   Grammar.Rule("answer") {
  ///     Grammar.Element.anyText(before: "<tool_call>")
  ///     Grammar.Element.rule("call").optional
  ///   }
  ///   Grammar.Rule("call") {
  ///     "<tool_call>\n"
  ///     Grammar.Element.jsonValue(schema: callSchema)
  ///     "\n</tool_call>"
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - start: the name of the rule that the whole text must match.
  ///   - options: how the embedded JSON values are spelled, and the limits.
  ///   - rules: the rules, in any order.
  /// - Throws: `GrammarError` with every rule that is not defined or defined twice, starts with
  ///   itself (left recursion), or can never be completed, and with every fault of an embedded
  ///   schema or pattern.
  public init(
    startingAt start: String, options: CompilationOptions = .generation,
    @RuleBuilder rules: () -> [Rule]
  ) throws(GrammarError) {
    try self.init(rules: rules(), startingAt: start, options: options)
  }

  /// Compiles rules.
  ///
  /// - Parameters:
  ///   - rules: the rules, in any order.
  ///   - start: the name of the rule that the whole text must match.
  ///   - options: how the embedded JSON values are spelled, and the limits.
  /// - Throws: as ``init(startingAt:options:rules:)``.
  public init(
    rules: [Rule], startingAt start: String, options: CompilationOptions = .generation
  ) throws(GrammarError) {
    try self.init(
      reading: rules.map { ($0, "rule `\($0.name)`") }, startingAt: start, options: options)
  }

  private init(
    reading rules: [(rule: Rule, location: String)], startingAt start: String,
    options: CompilationOptions
  ) throws(GrammarError) {
    var reader = ElementReader()
    let read = rules.map { rule, location in
      RuleCompiler.Rule(
        name: rule.name, expression: reader.expression(rule.element, at: location),
        location: location)
    }
    guard reader.diagnostics.isEmpty else { throw GrammarError(diagnostics: reader.diagnostics) }
    try self.init(
      compiling: read, startingAt: start, schemas: reader.schemas, options: options)
  }

  /// Compiles an element that needs no name.
  ///
  /// - Throws: `GrammarError` as ``init(startingAt:options:rules:)``.
  public init(
    _ element: Element, options: CompilationOptions = .generation
  ) throws(GrammarError) {
    try self.init(reading: [(Rule("text", element), "")], startingAt: "text", options: options)
  }

  /// Compiles a regular expression (ECMA-262): the texts that it matches from their first to their
  /// last character.
  ///
  /// - Throws: `GrammarError` where the pattern is malformed, is not regular (a back-reference to a
  ///   group with many texts), is too large, or matches nothing.
  public init(
    regularExpression pattern: String, options: CompilationOptions = .generation
  ) throws(GrammarError) {
    try self.init(.regularExpression(pattern), options: options)
  }

  /// Compiles a grammar in GBNF, the notation of llama.cpp. The rule `root` is what the whole text
  /// must match.
  ///
  /// Notation: `name ::= "text" [a-z] [^a-z] . name ( … | … ) x* x+ x? x{2,5}`, comments after `#`,
  /// and tokens by their id, `<[1000]>`, or by their text, `<think>`; `!` before one stands for
  /// every other token.
  ///
  /// - Parameters:
  ///   - text: the grammar.
  ///   - vocabulary: where tokens are looked up by their text; needed for `<text>` alone.
  ///   - options: the limits.
  /// - Throws: `GrammarError` with line and column where the text is malformed, and with every
  ///   rule that is not defined or defined twice, starts with itself (left recursion), or can never
  ///   be completed.
  public init(
    gbnf text: String, vocabulary: Vocabulary? = nil, options: CompilationOptions = .generation
  ) throws(GrammarError) {
    try self.init(
      gbnf: text, options: options, tokenOfText: vocabulary.map { $0.token(ofText:) })
  }

  /// Compiles a grammar in GBNF whose tokens a tokenizer looks up: special tokens of a model have no
  /// bytes in its vocabulary.
  package init(
    gbnf text: String, options: CompilationOptions = .generation, tokenOfText: ((String) -> Int?)?
  ) throws(GrammarError) {
    let rules = try GBNFParser.parse(text, tokenOfText: tokenOfText)
    try self.init(compiling: rules, startingAt: "root", schemas: [], options: options)
  }

  init(
    compiling rules: [RuleCompiler.Rule], startingAt start: String, schemas: [String],
    options: CompilationOptions
  ) throws(GrammarError) {
    let (automaton, warnings) = try Self.compile(
      rules, startingAt: start, schemas: schemas, options: options)
    let storage = Storage(automaton) {
      try? Self.compile(rules, startingAt: start, schemas: schemas, options: options).automaton
    }
    self.init(storage: storage, warnings: warnings)
  }

  private static func compile(
    _ rules: [RuleCompiler.Rule], startingAt start: String, schemas: [String],
    options: CompilationOptions
  ) throws(GrammarError) -> (automaton: Automaton, warnings: [GrammarError.Diagnostic]) {
    var options = options
    options.limits = options.limits.countable
    // All embedded schemas are read into one graph, each as a document of its own.
    var loading = options
    var references: [String] = []
    for (index, schema) in schemas.enumerated() {
      let uri = "embedded:/schema/\(index)"
      loading.documents[uri] = schema
      references.append(#"{"$ref":"\#(uri)"}"#)
    }
    let root = #"{"prefixItems":[\#(references.joined(separator: ","))]}"#
    var loader = SchemaLoader(
      options: loading, languages: RegularLanguages(options.limits))
    do {
      try loader.load(references.isEmpty ? "true" : root)
    } catch {
      throw error.namingSchemas(count: schemas.count)
    }
    let graph = loader.graph
    let languages = loader.takeLanguages()
    var obligations = Obligations(
      graph: graph, languages: consume languages, options: options)
    var goals: [Obligations.Goal] = []
    for item in graph.nodes[0].prefixItems {
      goals.append(obligations.goal([Obligations.literal(item)]))
    }
    let compiled = try RuleCompiler.compile(
      rules, start: start, goals: goals, obligations: &obligations)
    let nothing = obligations.nothing
    var automaton = Automaton(obligations: consume obligations, goal: nothing, options: options)
    automaton.begin(rules: compiled)
    if let failure = automaton.obligations.reachedFailure {
      throw GrammarError(diagnostics: [.init(failure)])
    }
    automaton.obligations.languages.deadline = nil
    return (automaton, graph.warnings)
  }
}

extension GrammarError {
  /// The same with the places of embedded schemas as whoever wrote the rules knows them.
  fileprivate func namingSchemas(count: Int) -> GrammarError {
    GrammarError(
      diagnostics: diagnostics.map { diagnostic in
        guard
          let index = (0..<count).last(where: {
            diagnostic.location.hasPrefix("embedded:/schema/\($0)#")
          })
        else { return diagnostic }
        let place = diagnostic.location.drop { $0 != "#" }
        return Diagnostic(
          keyword: diagnostic.keyword, location: "schema \(index + 1) of the rules, \(place)",
          message: diagnostic.message)
      })
  }
}

extension Vocabulary {
  /// The token whose bytes are a text, special or not, the first one where there are several.
  fileprivate func token(ofText text: String) -> Int? {
    let wanted = Array(text.utf8)
    return (0..<count).first { token in
      storage.text[storage.starts[token]..<storage.starts[token + 1]].elementsEqual(wanted)
    }
  }
}
