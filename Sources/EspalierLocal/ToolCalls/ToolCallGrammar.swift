// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore
import Foundation

/// The turns that call some tools, as a grammar, and the calls that such a turn has.
struct ToolCallGrammar: Sendable {
  /// What follows the mark of a call.
  let grammar: Grammar
  /// The texts of tokens that have no bytes.
  let markTexts: [Int: String]
  private let form: ToolCallForm
  private let tools: [Transcript.ToolDefinition]

  /// - Throws: `GrammarError` where the parameters of a tool cannot be held.
  init(
    _ tools: [Transcript.ToolDefinition], form: ToolCallForm, model: some TokenModel
  ) throws {
    var builder = Builder(form: form) { MarkedText($0, in: model) }
    let turn = try builder.turn(of: tools)
    grammar = try Grammar(
      rules: [Grammar.Rule("turn", turn)] + builder.arguments.rules, startingAt: "turn",
      options: Self.options(of: form))
    markTexts = builder.markTexts
    self.form = form
    self.tools = tools
  }

  /// A grammar of turns that either call a tool or are a value: for forms that nothing marks.
  static func grammar(
    of tools: [Transcript.ToolDefinition], orValueOf schema: String, form: ToolCallForm,
    model: some TokenModel
  ) throws -> Grammar {
    var builder = Builder(form: form) { MarkedText($0, in: model) }
    let turn = try builder.turn(of: tools)
    return try Grammar(
      rules: [Grammar.Rule("turn", .oneOf(turn, .jsonValue(schema: schema)))]
        + builder.arguments.rules,
      startingAt: "turn", options: options(of: form))
  }

  /// Values are written as the model's own calls are.
  private static func options(of form: ToolCallForm) -> CompilationOptions {
    var options = CompilationOptions.generation
    options.whitespace = form.syntax.arguments == .gemma ? .compact : .spaced
    return options
  }

  private struct Builder {
    let form: ToolCallForm
    let marked: (String) -> MarkedText
    var arguments: ArgumentGrammar
    private(set) var markTexts: [Int: String] = [:]

    init(form: ToolCallForm, marked: @escaping (String) -> MarkedText) {
      self.form = form
      self.marked = marked
      arguments = ArgumentGrammar(form.syntax.arguments)
    }

    mutating func turn(of tools: [Transcript.ToolDefinition]) throws -> Grammar.Element {
      var alternatives: [Grammar.Element] = []
      for tool in tools { alternatives.append(try call(of: tool)) }
      let call = Grammar.Element.oneOf(alternatives)
      let end = literal(form.end)
      let next = Grammar.Element.sequence([
        end, literal(form.syntax.separator), literal(form.lead), call,
      ])
      return .sequence([
        literal(form.start), call, next.repeated(0...max(0, form.limit - 1)),
        Grammar.Element.sequence([end, literal(form.syntax.closing)]).optional,
      ])
    }

    private mutating func literal(_ text: String) -> Grammar.Element {
      let text = marked(text)
      markTexts.merge(text.markTexts) { known, _ in known }
      return text.element
    }

    private mutating func call(of tool: Transcript.ToolDefinition) throws -> Grammar.Element {
      var elements: [Grammar.Element] = []
      for piece in form.pieces {
        switch piece {
        case .literal(let text): elements.append(literal(text))
        case .name: elements.append(.text(tool.name))
        case .identifier: elements.append(.regularExpression("[A-Za-z0-9]{9}"))
        case .index: elements.append(.regularExpression("0|[1-9][0-9]{0,2}"))
        case .arguments:
          elements.append(
            try arguments.element(for: tool.parameters) { text in
              let text = marked(text)
              markTexts.merge(text.markTexts) { known, _ in known }
              return text.element
            })
        }
      }
      return .sequence(elements)
    }
  }
}

extension ToolCallGrammar {
  /// A call that was read.
  struct Call: Equatable {
    var name: String
    /// The arguments as JSON.
    var arguments: String
  }

  /// The calls of a turn, from what follows the mark.
  ///
  /// - Throws: `ToolCallReadingError` where the text has another form; what the grammar let through
  ///   never has.
  func calls(in text: String) throws -> [Call] {
    var rest = text.unicodeScalars[...]
    try skip(form.start, in: &rest)
    var calls = [try call(in: &rest)]
    let between = (form.end + form.syntax.separator + form.lead).unicodeScalars
    while rest.starts(with: between), !between.isEmpty || !rest.isEmpty {
      rest.removeFirst(between.count)
      calls.append(try call(in: &rest))
    }
    return calls
  }

  /// A reader of the calls while they are written.
  var stream: ToolCallStream { ToolCallStream(form, names: tools.map(\.name)) }

  private func call(in rest: inout Substring.UnicodeScalarView) throws -> Call {
    var call = Call(name: "", arguments: "{}")
    for piece in form.pieces {
      switch piece {
      case .literal(let text): try skip(text, in: &rest)
      case .identifier: rest.removeFirst(min(9, rest.count))
      case .index: rest = rest.drop { $0.properties.numericType != nil }
      case .name:
        // Of names that begin alike the longest one that what follows agrees with.
        let known = tools.map(\.name).sorted { $0.count > $1.count }
        let next = literal(after: .name)
        guard
          let name = known.first(where: { rest.starts(with: ($0 + next).unicodeScalars) })
        else { throw ToolCallReadingError(text: String(rest)) }
        call.name = name
        rest.removeFirst(name.unicodeScalars.count)
      case .arguments:
        var reader = ArgumentReader(rest)
        call.arguments = try reader.arguments(
          form.syntax.arguments, strings: strings(of: call.name))
        rest = reader.rest
      }
    }
    return call
  }

  private func literal(after piece: ToolCallSyntax.Piece) -> String {
    guard let index = form.pieces.firstIndex(of: piece), index + 1 < form.pieces.count,
      case .literal(let text) = form.pieces[index + 1]
    else { return "" }
    return text
  }

  /// The arguments of a tool that are texts: some forms write these like other values.
  private func strings(of tool: String) -> Set<String> {
    guard let definition = tools.first(where: { $0.name == tool }),
      let schema = try? definition.parameters.jsonContent(dialect: .draft2020)
    else { return [] }
    return ArgumentGrammar.stringProperties(of: schema)
  }

  private func skip(_ text: String, in rest: inout Substring.UnicodeScalarView) throws {
    guard rest.starts(with: text.unicodeScalars) else {
      throw ToolCallReadingError(text: String(rest))
    }
    rest.removeFirst(text.unicodeScalars.count)
  }
}

/// A call that does not have the form of its model.
struct ToolCallReadingError: ExplainedError {
  /// What could not be read.
  var text: String

  var userMessage: ErrorMessage { ErrorMessage(.wrongAnswer) }

  var problemDescription: String {
    "The model's call of a tool cannot be read from '\(text.prefix(80))' on."
  }

  var recoverySuggestion: String? {
    "Ask again. Where it is always so, the tool's 'parameters' are no objects, and no form of calls "
      + "has other arguments."
  }
}
