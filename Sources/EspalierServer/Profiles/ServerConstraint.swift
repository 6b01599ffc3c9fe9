// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
public import EspalierCore
import Synchronization

/// What a request carries for a schema, and what the server cannot be trusted with.
public struct ServerConstraint: Sendable {
  /// The forms, the strongest first.
  public enum Form: Sendable, Hashable {
    /// A grammar that was made of the schema, in the server's notation.
    case grammar(String)
    /// The schema, as far as the server can read it, as JSON.
    case schema(String)
    /// Nothing: the model is told of the schema.
    case instructions
  }

  /// What the request carries.
  public var form: Form
  /// What the server cannot be trusted with; empty where it keeps everything.
  public var untrusted: [UntrustedKeyword]
  /// Whether the value is the member of an object, as servers want it that know objects alone.
  var isWrapped = false
  /// The content of ``Form/schema(_:)``, so that no request reads the text again.
  var schema: GeneratedContent?
}

extension ServerProfile {
  /// What requests can carry for a schema, the strongest first. The last is always
  /// ``ServerConstraint/Form/instructions``: a server that refuses one form is asked with the next.
  ///
  /// - Parameter schema: The schema of a response.
  /// - Throws: `LanguageModelError.unsupportedGenerationGuide` where the schema cannot be
  ///   honoured at all.
  /// - Complexity: Compiles the schema; linear in its size for most.
  public func constraints(for schema: GenerationSchema) throws -> [ServerConstraint] {
    do {
      var found: [ServerConstraint] = []
      if sendsSchemasAsGrammars, let grammar, let constraint = grammarConstraint(schema, grammar) {
        found.append(constraint)
      }
      if schemaField != .none, let constraint = schemaConstraint(schema) {
        found.append(constraint)
      }
      // Of what both can say, the grammar is sure; otherwise the one that leaves least out.
      found.sort { $0.untrusted.count < $1.untrusted.count }
      found.append(
        ServerConstraint(
          form: .instructions, untrusted: [UntrustedKeyword(keyword: "", location: "#")]))
      return found
    }
  }

  private func grammarConstraint(
    _ schema: GenerationSchema, _ field: GrammarField
  ) -> ServerConstraint? {
    // What cannot be written in the notation is no error: another form carries the schema.
    guard let text = try? schema.jsonSchema(),
      let grammar = try? Grammar(jsonSchema: text, options: .generation),
      let emitted = try? grammar.emitted(as: field.dialect),
      emitted.text.utf8.count <= field.greatestLength(forSchemaOf: text.utf8.count)
    else { return nil }
    return ServerConstraint(
      form: .grammar(emitted.text),
      untrusted: emitted.losses.map {
        UntrustedKeyword(keyword: $0.keyword, location: $0.location)
      })
  }

  /// What requests can carry for a grammar of the app, the strongest first.
  func constraints(for source: ResponseGrammar, compiled: Grammar) -> [ServerConstraint] {
    let told = ServerConstraint(
      form: .instructions, untrusted: [UntrustedKeyword(keyword: "", location: "#")])
    guard let grammar, route == .chatCompletions else { return [told] }
    // The server reads what the app wrote, where that is its own notation.
    if case .gbnf(let text) = source, grammar.dialect == .gbnf {
      return [ServerConstraint(form: .grammar(text), untrusted: []), told]
    }
    guard let emitted = try? compiled.emitted(as: grammar.dialect) else { return [told] }
    let losses = emitted.losses.map {
      UntrustedKeyword(keyword: $0.keyword, location: $0.location)
    }
    return [ServerConstraint(form: .grammar(emitted.text), untrusted: losses), told]
  }

  private func schemaConstraint(_ schema: GenerationSchema) -> ServerConstraint? {
    if schemaField == .strictJSONSchema { return strictConstraint(schema) }
    guard let text = try? schema.jsonSchema(), let content = try? GeneratedContent(json: text)
    else { return nil }
    var survey = SchemaSurvey(self)
    let reduced = survey.reduced(content)
    return ServerConstraint(
      form: .schema(reduced.jsonString), untrusted: survey.untrusted, schema: reduced)
  }

  private func strictConstraint(_ schema: GenerationSchema) -> ServerConstraint? {
    var schema = schema
    let text = try? schema.jsonSchema()
    let wrapped = text.flatMap { try? GeneratedContent(json: $0) }?.wrappedSchema
    if let wrapped {
      guard let object = try? GenerationSchema(jsonSchema: wrapped.schema.jsonString) else {
        return nil
      }
      schema = object
    }
    let dialect = SchemaDialect.strict.leavingOutUnsupportedConstraints()
    guard let text = try? schema.jsonSchema(dialect: dialect),
      let losses = try? schema.unsupportedConstraints(in: .strict)
    else { return nil }
    let untrusted = losses.map { loss in
      // Places are those of the schema as the app knows it.
      let root = wrapped.map(\.rootPointer) ?? ""
      let pointer =
        loss.location.hasPrefix(root) ? String(loss.location.dropFirst(root.count)) : loss.location
      return UntrustedKeyword(
        keyword: loss.location.split(separator: "/").last.map(String.init) ?? "",
        location: "#" + pointer)
    }
    return ServerConstraint(
      form: .schema(text), untrusted: untrusted, isWrapped: wrapped != nil,
      schema: try? GeneratedContent(json: text))
  }
}

extension ServerProfile.GrammarField {
  /// How many bytes a grammar may have.
  ///
  /// Some schemas grow when they are written as rules; one that hardly does is sent at any length. Not
  /// so to xgrammar, which takes minutes for 700 kB of rules and seconds for the same schema.
  fileprivate func greatestLength(forSchemaOf length: Int) -> Int {
    dialect == .ebnf ? 256 << 10 : max(256 << 10, 2 * length)
  }
}

/// What is worked out once for a schema: what requests carry, what the model is told, and the grammar
/// that checks answers.
final class ConstraintCache: Sendable {
  /// A schema, worked out.
  struct Entry: Sendable {
    var constraints: [ServerConstraint]
    var notation: String
    var grammar: Grammar
  }

  private struct Key: Hashable {
    var schema: String
    var profile: ServerProfile
  }

  private let entries = Mutex<[Key: Entry]>([:])
  /// Those that check answers, where these have to satisfy the schema as it is.
  let grammars = GrammarCache(options: .validation, capacity: 64)

  /// The entry of a schema, made when it is first asked for.
  ///
  /// - Throws: `LanguageModelError.unsupportedGenerationGuide` where the schema cannot be
  ///   honoured.
  func entry(for schema: GenerationSchema, profile: ServerProfile) async throws -> Entry {
    let key = Key(schema: try schema.grammarText(), profile: profile)
    if let known = entries.withLock({ $0[key] }) { return known }
    let entry = try await ComputeThreads.shared.run {
      Entry(
        constraints: try profile.constraints(for: schema), notation: try TypeNotation(schema).text,
        grammar: profile.schemaField == .strictJSONSchema
          ? try Self.grammar(ofStrict: schema) : try await grammars.grammar(for: schema))
    }
    entries.withLock { entries in
      if entries.count >= 64 { entries.removeAll() }
      entries[key] = entry
    }
    return entry
  }

  /// The entry of a grammar of the app.
  ///
  /// - Throws: `LanguageModelError.unsupportedGenerationGuide` where it cannot be read.
  static func entry(for source: ResponseGrammar, profile: ServerProfile) async throws -> Entry {
    do {
      return try await ComputeThreads.shared.run {
        let grammar = try source.compiled()
        return Entry(
          constraints: profile.constraints(for: source, compiled: grammar),
          notation: SchemaWords.text(for: source), grammar: grammar)
      }
    } catch let error as GrammarError {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: nil, debugDescription: error.description))
    }
  }

  /// What values of OpenAI's strict subset are held to, which has no optional members.
  private static func grammar(
    ofStrict schema: GenerationSchema
  ) throws -> Grammar {
    do {
      let content = try GeneratedContent(json: schema.grammarText())
      let checked = content.allowingNullForOptionalMembers()
      return try Grammar(jsonSchema: checked.jsonString, options: .validation)
    } catch let error as GrammarError {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: schema.name, debugDescription: error.description))
    }
  }

  /// Notes that a server refused forms of a schema: they are not sent again.
  func drop(
    _ forms: [ServerConstraint.Form], of schema: GenerationSchema, profile: ServerProfile
  ) {
    change(schema, profile) { constraints in
      constraints.removeAll { forms.contains($0.form) && $0.form != .instructions }
    }
  }

  /// Notes that a server did not keep to forms of a schema: they are sent after the others, and before
  /// none.
  func demote(
    _ forms: [ServerConstraint.Form], of schema: GenerationSchema, profile: ServerProfile
  ) {
    change(schema, profile) { constraints in
      let isIgnored = { (constraint: ServerConstraint) in forms.contains(constraint.form) }
      let last = constraints.filter { $0.form == .instructions }
      let others = constraints.filter { $0.form != .instructions }
      constraints = others.filter { !isIgnored($0) } + others.filter(isIgnored) + last
    }
  }

  private func change(
    _ schema: GenerationSchema, _ profile: ServerProfile,
    _ change: (inout [ServerConstraint]) -> Void
  ) {
    guard let text = try? schema.grammarText() else { return }
    let key = Key(schema: text, profile: profile)
    entries.withLock { entries in
      guard var entry = entries[key] else { return }
      change(&entry.constraints)
      entries[key] = entry
    }
  }
}
