// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// A text of a template, taken apart into plain text and the tokens that only markup has.
///
///     <tool_call>\n{"name": "        Qwen:     token 151657, `\n{"name": "`
///                                    SmolLM2:  one text
struct MarkedText {
  /// A part of the text.
  enum Part: Equatable {
    case text(String)
    case token(Int, text: String)
  }

  let parts: [Part]

  init(_ text: String, in model: some TokenModel) {
    let tokens = model.encode(text, parsesSpecialTokens: true)
    guard !text.isEmpty, tokens != model.encode(text, parsesSpecialTokens: false) else {
      parts = text.isEmpty ? [] : [.text(text)]
      return
    }
    var parts: [Part] = []
    var rest = text[...]
    var index = 0
    while index < tokens.count {
      let mark = Self.isMark(tokens[index], in: model) ? tokens[index] : nil
      if mark != nil { index += 1 }
      // A mark need not have bytes: its text goes as far as the plain text after it.
      var plain: [UInt8] = []
      while index < tokens.count, !Self.isMark(tokens[index], in: model) {
        plain += model.vocabulary.bytes(of: tokens[index])
        index += 1
      }
      let run = String(decoding: plain, as: UTF8.self)
      let start = run.isEmpty ? nil : rest.firstRange(of: run)?.lowerBound
      guard run.isEmpty || start != nil else {
        // The tokenizer changes the text; so it is not looked into.
        self.parts = [.text(text)]
        return
      }
      let isLast = index >= tokens.count
      if let mark {
        // Of marks that follow each other the last one has the text of all.
        let end = start ?? (isLast || !run.isEmpty ? rest.endIndex : rest.startIndex)
        parts.append(.token(mark, text: String(rest[..<end])))
        rest = rest[end...]
      }
      if !run.isEmpty {
        parts.append(.text(run))
        rest = rest.dropFirst(run.count)
      }
    }
    self.parts = parts
  }

  private static func isMark(_ token: Int, in model: some TokenModel) -> Bool {
    guard token >= 0, token < model.vocabulary.count else { return true }
    if model.vocabulary.isSpecial(token) { return true }
    let text = String(decoding: model.vocabulary.bytes(of: token), as: UTF8.self)
    return text.first.map { "<[".contains($0) } == true && text.count > 2
      && model.encode(text, parsesSpecialTokens: false) != [token]
  }

  /// The text as an element of a grammar.
  var element: Grammar.Element {
    .sequence(
      parts.map { part in
        switch part {
        case .text(let text): .text(text)
        case .token(let id, _): .token(id)
        }
      })
  }

  /// What the tokens of markup stand for.
  var markTexts: [Int: String] {
    var texts: [Int: String] = [:]
    for case .token(let id, let text) in parts { texts[id] = text }
    return texts
  }
}
