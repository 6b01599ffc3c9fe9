// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore

/// Puts tool calls together out of the parts that servers send, and holds their arguments to the
/// parameters of the tools as they come.
///
/// Servers number calls, or do not, or give every call the number 0. So a part begins a new call
/// where its number is new, where it has another identity than the call of its number, and where it
/// names a tool after the arguments of that call were whole.
///
/// Example: `0: id a, name f`, `0: {"x"`, `0: :1}`, `0: id b, name f`, `0: {"x":2}` are two calls.
struct CallAssembler {
  /// A piece of a call that can be handed on.
  struct Piece: Equatable {
    var id: String
    var name: String
    var arguments: String
  }

  private struct Call {
    var index: Int?
    var serverID: String?
    var id = ""
    var name = ""
    /// Text that came before the name did.
    var waiting = ""
    var value: ValueStream?
    var text = ""
    var isWhole = false
    var hasBegun = false
  }

  private let grammars: [String: Grammar]
  private let prefix: String
  private let whiteSpaceLimit: Int
  private var calls: [Call] = []

  /// - Parameters:
  ///   - grammars: What the arguments are held to, by the name of the tool.
  ///   - prefix: What the identities begin with that no server gave.
  ///   - whiteSpaceLimit: How much white space in a row is believed.
  init(grammars: [String: Grammar], prefix: String, whiteSpaceLimit: Int = 512) {
    self.grammars = grammars
    self.prefix = prefix
    self.whiteSpaceLimit = whiteSpaceLimit
  }

  /// The most calls of one answer: no model makes as many, and an app would run all of them.
  static let callLimit = 1024

  /// Whether there are more calls than an answer may have.
  var hasTooManyCalls: Bool { calls.count > Self.callLimit }

  /// Whether there are calls.
  var hasCalls: Bool { !calls.isEmpty }

  /// The identities of the calls that were handed on.
  var begunIDs: [String] { calls.filter(\.hasBegun).map(\.id) }

  /// Takes a part.
  ///
  /// - Throws: ``SchemaBreak`` at the first byte after which the arguments cannot become right.
  mutating func take(_ part: CallPart) throws(SchemaBreak) -> [Piece] {
    try take(part, at: place(of: part))
  }

  /// Takes a call that is sent whole, after its pieces or in their place.
  ///
  /// - Throws: ``SchemaBreak`` at the first byte after which the arguments cannot become right.
  mutating func takeRepetition(_ part: CallPart) throws(SchemaBreak) -> [Piece] {
    let known = calls.firstIndex { call in
      if let id = part.id, !id.isEmpty, call.serverID == id { return true }
      let hasName = part.name == nil || call.name.isEmpty || part.name == call.name
      if let index = part.index, call.index == index { return hasName }
      return part.name == call.name && part.arguments == call.text
    }
    guard let known else {
      calls.append(Call(index: part.index))
      return try take(part, at: calls.count - 1)
    }
    var part = part
    if !calls[known].text.isEmpty || !calls[known].waiting.isEmpty { part.arguments = nil }
    return try take(part, at: known)
  }

  private mutating func take(_ part: CallPart, at place: Int) throws(SchemaBreak) -> [Piece] {
    if calls[place].serverID == nil, let id = part.id, !id.isEmpty { calls[place].serverID = id }
    if calls[place].name.isEmpty, let name = part.name, !name.isEmpty {
      calls[place].name = name
      calls[place].value = grammars[name].map {
        ValueStream(grammar: $0, whiteSpaceLimit: whiteSpaceLimit, tool: name)
      }
    }
    calls[place].waiting += part.arguments ?? ""
    if part.isWhole { calls[place].isWhole = true }
    return try advance(place)
  }

  /// Ends all calls.
  ///
  /// - Throws: ``SchemaBreak`` where arguments are not whole, and ``ServerError`` where a call has
  ///   no name.
  mutating func finish(_ reason: FinishReason?, server: String) throws -> [Piece] {
    var pieces: [Piece] = []
    for place in calls.indices {
      guard !calls[place].name.isEmpty else {
        throw ServerError(
          .malformedAnswer, server: server, problem: "A tool call came without the tool's name.",
          suggestion: "Try again, or start the server with the parser for the model's tool calls.",
          text: calls[place].waiting)
      }
      // A call without arguments ends; one that was cut off does not.
      if calls[place].text.allSatisfy(\.isWhitespace), reason != nil, reason != .length {
        calls[place].waiting = "{}"
        pieces += try advance(place)
      }
      try calls[place].value?.finish(reason)
    }
    return pieces
  }

  private mutating func advance(_ place: Int) throws(SchemaBreak) -> [Piece] {
    guard !calls[place].name.isEmpty else { return [] }
    let text = calls[place].waiting
    calls[place].waiting = ""
    calls[place].text += text
    var pieces: [Piece] = []
    if !calls[place].hasBegun {
      calls[place].id = identity(of: place)
      calls[place].hasBegun = true
      pieces.append(Piece(id: calls[place].id, name: calls[place].name, arguments: ""))
    }
    var arguments = text
    if var value = calls[place].value {
      calls[place].value = nil
      let steps = try value.take(text)
      arguments = steps.reduce(into: "") { if case .append(let text) = $1 { $0 += text } }
      calls[place].isWhole = calls[place].isWhole || value.hasEnded
      calls[place].value = value
    }
    if !arguments.isEmpty {
      if pieces.isEmpty {
        pieces.append(Piece(id: calls[place].id, name: calls[place].name, arguments: arguments))
      } else {
        pieces[0].arguments = arguments
      }
    }
    return pieces
  }

  private mutating func place(of part: CallPart) -> Int {
    let known =
      part.index == nil && part.id == nil && !part.isWhole
      ? calls.indices.last : calls.lastIndex { $0.index == part.index }
    if let known, continues(calls[known], part) { return known }
    // A server that does not count may still name the call.
    if part.index == nil, let id = part.id, !id.isEmpty,
      let same = calls.firstIndex(where: { $0.serverID == id }),
      !part.isWhole
    {
      return same
    }
    calls.append(Call(index: part.index))
    return calls.count - 1
  }

  private func continues(_ call: Call, _ part: CallPart) -> Bool {
    if part.isWhole { return call.name.isEmpty }
    if let id = part.id, !id.isEmpty, let known = call.serverID, known != id { return false }
    if let name = part.name, !name.isEmpty, !call.name.isEmpty, part.id.map(\.isEmpty) ?? true {
      // Some servers write the name into every piece.
      return name == call.name && !isComplete(call)
    }
    return true
  }

  /// Whether the arguments of a call are a whole object.
  private func isComplete(_ call: Call) -> Bool {
    if call.isWhole { return true }
    guard let content = try? GeneratedContent(json: call.text) else { return false }
    return content.isComplete && content.isStructure
  }

  /// The identity that the server gave, unless it gave it twice or none.
  private func identity(of place: Int) -> String {
    if let id = calls[place].serverID, !calls.contains(where: { $0.id == id }) { return id }
    return "\(prefix)-\(place)"
  }
}
