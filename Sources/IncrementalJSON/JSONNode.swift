// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A value in a snapshot of a parse. All snapshots of one parse share their memory.
///
/// Next to the place of the value itself it holds what the parser was at the moment of the
/// snapshot: how far the tape went, which container was open, and what was pending.
@usableFromInline
package struct JSONNode: Sendable {
  /// The beginning of a string or number that is not complete.
  private enum Pending: Sendable {
    case none, string, number
  }

  /// How a value is found.
  @usableFromInline
  enum Form: UInt8, Sendable {
    /// The value at the top, whatever it is.
    case root
    /// Complete; `position` is its last word.
    case closed
    /// An open container; `position` is its first word.
    case open
    /// The string or number that the parser was in the middle of.
    case pending
    /// A value whose beginning does not tell yet what it is.
    case unknown
  }

  package enum Kind: Sendable {
    case unknown, null
    case bool(Bool)
    case number, string, array, object
  }

  @usableFromInline let tape: JSONTape
  /// The number of words that were on the tape.
  @usableFromInline let count: UInt32
  /// The innermost container that was open, `noContainer` for none.
  @usableFromInline let innermost: UInt32
  /// Where the string, with its quotation mark, or the number starts in which the parser was, and
  /// where what is known of it ends.
  @usableFromInline let tokenStart: UInt32
  @usableFromInline let textEnd: UInt32
  @usableFromInline private(set) var position: UInt32 = 0
  /// The state of the parser. A number, for to make it a state is left to who asks.
  @usableFromInline let rawState: UInt8
  @usableFromInline private(set) var form = Form.root

  private static let noContainer = UInt32.max

  /// The value at the top.
  @inlinable @inline(__always)
  init(
    tape: JSONTape, count: UInt32, innermost: UInt32, tokenStart: UInt32, textEnd: UInt32,
    rawState: UInt8
  ) {
    self.tape = tape
    self.count = count
    self.innermost = innermost
    self.tokenStart = tokenStart
    self.textEnd = textEnd
    self.rawState = rawState
  }

  private var state: JSONParserState { JSONParserState(rawValue: rawState) ?? .end }

  private var pending: Pending {
    if state.isInString { return .string }
    return tape.showsUnfinishedNumbers && state.endsNumber ? .number : .none
  }

  private func node(_ form: Form, at position: Int) -> JSONNode {
    var node = self
    node.form = form
    node.position = UInt32(truncatingIfNeeded: position)
    return node
  }

  /// The node with its form found out, where it is the one at the top.
  private var found: JSONNode {
    guard form == .root else { return self }
    if innermost != Self.noContainer { return node(.open, at: 0) }
    if count > 0 { return node(.closed, at: Int(count) - 1) }
    return node(pending == .none ? .unknown : .pending, at: 0)
  }

  private var word: JSONTapeWord { tape[Int(position)] }

  /// What tells the values of this parse from those of another.
  package var stream: UInt64 { tape.stream }

  package var isComplete: Bool {
    form == .closed || form == .root && innermost == Self.noContainer && count > 0
  }

  /// A number for this value that stays the same while it grows, and that no other value of the
  /// parse has.
  package var identity: UInt64 {
    let found = found
    return UInt64(
      found.form == .closed ? tape.start(of: Int(found.position)) : Int(found.position))
  }

  package var kind: Kind {
    let found = found
    switch found.form {
    case .unknown: return .unknown
    case .pending: return pending == .number ? .number : .string
    case .root, .closed, .open: break
    }
    switch found.word.tag {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    case .number: return .number
    case .string, .key: return .string
    case .openArray, .closeArray: return .array
    case .openObject, .closeObject: return .object
    }
  }

  /// The text of a number as it stands in JSON, or of a string with its escapes resolved. Of a
  /// string that is not complete, the whole characters so far.
  package var text: String {
    let found = found
    let end = Int(textEnd)
    guard found.form == .pending else {
      let word = found.word
      guard word.tag == .string else { return tape.text(of: word, before: end).string }
      return tape.string(from: word.position, before: end)
    }
    if pending == .number {
      return tape.text(from: Int(tokenStart), to: end, hasEscapes: false).string
    }
    let whole = state.isInCharacter ? JSONTape.characterStart(before: end, in: tape.text.base) : end
    return tape.string(from: Int(tokenStart) + 1, before: whole)
  }

  /// A place among the elements of an array, or the members of an object: those before it are
  /// complete, and a reader has had them.
  package struct Place: Sendable {
    fileprivate var index = 0

    /// The place before all.
    package init() {}
  }

  /// The place after this value, which is complete, in the container that it is in.
  package var placeAfter: Place {
    var place = Place()
    place.index = Int(position) + 1
    return place
  }

  /// Whether all that is before a place was there already.
  package func reaches(_ place: Place) -> Bool { place.index <= Int(count) }

  /// The elements of an array from a place on, in order; the last may not be complete.
  ///
  /// - Complexity: Linear in their number.
  package func elements(from place: Place = Place()) -> [JSONNode] {
    var result: [JSONNode] = []
    forEachMemberBackwards(to: place, isObject: false) { form, position, _ in
      result.append(node(form, at: position))
      return true
    }
    result.reverse()
    return result
  }

  /// The members of an object from a place on, in order; the value of the last may not be complete.
  /// A key whose value has not begun is left out.
  ///
  /// - Complexity: Linear in their number.
  package func members(from place: Place = Place()) -> [(key: String, value: JSONNode)] {
    var result: [(key: String, value: JSONNode)] = []
    forEachMemberBackwards(to: place, isObject: true) { form, position, key in
      result.append((tape.text(of: key, before: Int(textEnd)).string, node(form, at: position)))
      return true
    }
    result.reverse()
    return result
  }

  /// Goes through the members of an object, from the last to the first, without making a list.
  ///
  /// - Complexity: Linear in their number.
  package func forEachMember(_ body: (_ key: String, _ value: JSONNode) -> Void) {
    forEachMemberBackwards(to: Place(), isObject: true) { form, position, key in
      body(tape.text(of: key, before: Int(textEnd)).string, node(form, at: position))
      return true
    }
  }

  /// The value of a member of an object.
  ///
  /// - Complexity: Linear in the number of members.
  package func member(named name: String) -> JSONNode? {
    var result: JSONNode?
    var name = name
    name.withUTF8 { name in
      forEachMemberBackwards(to: Place(), isObject: true) { form, position, key in
        let isSame = tape.key(key, is: name, before: Int(textEnd))
        if isSame { result = node(form, at: position) }
        return !isSame
      }
    }
    return result
  }

  /// Goes through elements, or members with their keys, from the last to the first after `place`,
  /// as long as `body` says so. It is told how to find a value: to make each a node would count
  /// references.
  @inline(__always)
  private func forEachMemberBackwards(
    to place: Place, isObject: Bool, _ body: (Form, Int, JSONTapeWord) -> Bool
  ) {
    let found = found
    let start: Int
    // The last word before what is already dealt with.
    var index: Int
    let keyWidth = isObject ? 1 : 0
    switch found.form {
    case .closed:
      // Of another value the word says where its text starts, or nothing.
      guard found.word.tag == (isObject ? .closeObject : .closeArray) else { return }
      start = found.word.position
      index = Int(found.position) - 1
    case .open:
      guard found.word.tag == (isObject ? .openObject : .openArray) else { return }
      start = Int(found.position)
      index = Int(count) - 1
      if let child = openChild(of: found.position) {
        guard body(.open, child, tape[child - 1]) else { return }
        index = child - 1 - keyWidth
      } else {
        let keyIsLast = isObject && tape[index].tag == .key
        if pending != .none {
          guard body(.pending, Int(count), tape[index]) else { return }
        }
        if keyIsLast { index -= 1 }
      }
    case .root, .pending, .unknown: return
    }
    let lowest = max(start + 1, place.index)
    while index >= lowest {
      let first = tape.start(of: index)
      guard body(.closed, index, tape[first - 1]) else { return }
      index = first - 1 - keyWidth
    }
  }

  /// The open container just within an open one.
  private func openChild(of container: UInt32) -> Int? {
    var child = innermost
    guard child != container else { return nil }
    while true {
      let outer = tape[Int(child)].outer
      if outer == Int(container) { return Int(child) }
      child = UInt32(truncatingIfNeeded: outer)
    }
  }
}
