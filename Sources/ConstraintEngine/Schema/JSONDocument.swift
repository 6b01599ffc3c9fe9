// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A parsed JSON text that keeps the order of members and the exact spelling of numbers.
///
/// Nodes lie in one flat array in document order: `{"a":[1,2]}` becomes
/// `object(1) key"a" array(2) number number`, where a container knows its count and where its
/// subtree ends, so that siblings are reached by a jump.
package struct JSONDocument: Sendable {
  /// A node of a document, by its place in document order.
  package typealias Node = Int

  /// What a node is.
  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object
  }

  struct Record: Sendable {
    package var kind: Kind
    /// Strings and numbers: where their bytes start in `bytes`. Containers: the number of elements.
    var start: Int
    /// Strings and numbers: where their bytes end. Containers: the node after the subtree.
    var end: Int
  }

  /// What a document holds: behind one reference, for it is handed from function to function while
  /// each subschema is read.
  private final class Contents: Sendable {
    let records: [Record]
    let bytes: [UInt8]
    /// By object with many members, the value of each key.
    let tables: [Node: [RawKey<UInt8>: Node]]
    let repeatedKeys: Set<Node>
    let loneSurrogates: Set<Node>

    init(
      _ records: [Record], _ bytes: [UInt8], tables: [Node: [RawKey<UInt8>: Node]],
      repeatedKeys: Set<Node>, loneSurrogates: Set<Node>
    ) {
      self.records = records
      self.bytes = bytes
      self.tables = tables
      self.repeatedKeys = repeatedKeys
      self.loneSurrogates = loneSurrogates
    }
  }

  private var contents: Contents

  /// - Parameter loneSurrogates: The strings with an escape that stands for half of a character;
  ///   `U+FFFD` is in its place.
  init(records: [Record], bytes: [UInt8], loneSurrogates: Set<Node>) {
    contents = Contents(
      records, bytes, tables: [:], repeatedKeys: [], loneSurrogates: loneSurrogates)
    let members = MemberIndex(of: self)
    contents = Contents(
      records, bytes, tables: members.tables, repeatedKeys: members.repeatedKeys,
      loneSurrogates: loneSurrogates)
  }

  /// The nodes in document order.
  var records: [Record] { contents.records }

  /// The text of all strings and numbers, one after the other.
  var bytes: [UInt8] { contents.bytes }

  /// The keys that stand again later in the same object.
  package var repeatedKeys: Set<Node> { contents.repeatedKeys }

  /// The outermost value.
  package var root: Node { 0 }

  /// What a node is.
  package func kind(_ node: Node) -> Kind { contents.records[node].kind }

  /// The number of elements of an array or members of an object.
  package func count(_ node: Node) -> Int { records[node].start }

  /// The UTF-8 bytes of a string without its escapes, or of a number as spelled.
  package func text(_ node: Node) -> ArraySlice<UInt8> {
    bytes[records[node].start..<records[node].end]
  }

  /// The characters of a string or of a number as spelled.
  package func string(_ node: Node) -> String { String(decoding: text(node), as: UTF8.self) }

  /// The node that follows the subtree of a node.
  package func after(_ node: Node) -> Node {
    switch records[node].kind {
    case .array, .object: records[node].end
    default: node + 1
    }
  }

  /// The elements of an array.
  package func elements(_ node: Node) -> [Node] {
    guard kind(node) == .array else { return [] }
    var result: [Node] = []
    result.reserveCapacity(count(node))
    var element = node + 1
    for _ in 0..<count(node) {
      result.append(element)
      element = after(element)
    }
    return result
  }

  /// The members of an object in document order, as pairs of key node and value node.
  package func members(_ node: Node) -> [(key: Node, value: Node)] {
    guard kind(node) == .object else { return [] }
    var result: [(key: Node, value: Node)] = []
    result.reserveCapacity(count(node))
    var key = node + 1
    for _ in 0..<count(node) {
      result.append((key, key + 1))
      key = after(key + 1)
    }
    return result
  }

  /// The value of a member of an object, the last one where a key is repeated.
  package func member(_ name: String, of node: Node) -> Node? {
    guard kind(node) == .object else { return nil }
    if !contents.tables.isEmpty, let table = contents.tables[node] {
      return table[RawKey(Array(name.utf8)[...])]
    }
    let length = name.utf8.count
    var found: Node?
    var key = node + 1
    for _ in 0..<count(node) {
      let record = records[key]
      if record.end - record.start == length,
        bytes[record.start..<record.end].elementsEqual(name.utf8)
      {
        found = key + 1
      }
      key = after(key + 1)
    }
    return found
  }

  /// Whether a key stands again later in the same object.
  package func isRepeated(_ key: Node) -> Bool {
    !contents.repeatedKeys.isEmpty && contents.repeatedKeys.contains(key)
  }

  /// Whether a string has an escape that stands for half of a character.
  package func hasLoneSurrogate(_ node: Node) -> Bool {
    !contents.loneSurrogates.isEmpty && contents.loneSurrogates.contains(node)
  }

  /// The JSON Pointer (RFC 6901) of a value, or of the member that a key begins.
  package func pointer(to node: Node) -> String {
    var pointer = ""
    var at = root
    while at != node {
      var next: Node?
      switch kind(at) {
      case .object:
        for (key, value) in members(at) where key <= node && node < after(value) {
          pointer += "/" + SchemaLoader.encodingPointer(string(key))
          if key == node { return pointer }
          next = value
        }
      case .array:
        for (index, element) in elements(at).enumerated()
        where element <= node && node < after(element) {
          pointer += "/\(index)"
          next = element
        }
      default: break
      }
      guard let next else { return pointer }
      at = next
    }
    return pointer
  }

  /// Whether a value is the literal `true` or `false`, and which.
  package func boolean(_ node: Node) -> Bool? {
    switch kind(node) {
    case .true: true
    case .false: false
    default: nil
    }
  }
}

extension JSONDocument {
  /// Why a JSON text could not be read.
  package struct SyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where in the text, in bytes.
    package var offset: Int
    /// What was expected there.
    package var expected: String
    /// Whether a limit is why: what stands there may be JSON.
    package var isLimit = false

    package var description: String { "at byte \(offset): expected \(expected)" }
  }
}
