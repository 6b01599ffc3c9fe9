// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The subschemas of one or more documents, with every reference resolved to an index.
package struct SchemaGraph {
  /// The subschemas; index 0 is the root.
  package var nodes: [SchemaNode] = []
  /// The property names that occur, as UTF-8 bytes; a name is its index here.
  package var names: [[UInt8]] = []
  private var nameIndices: [RawKey<UInt8>: SchemaNode.Name] = [:]
  /// The subschema that allows everything, and the one that allows nothing.
  var anything: SchemaNode.ID = 0
  var nothing: SchemaNode.ID = 0
  /// The containers of long lists, and their parts.
  var listed = ListedValues()
  /// What was found on the way and is no error: unknown formats and the like.
  package var warnings: [GrammarError.Diagnostic] = []

  /// The property name that some bytes are, if it occurs.
  func knownName(_ bytes: ArraySlice<UInt8>) -> SchemaNode.Name? { nameIndices[RawKey(bytes)] }

  /// The property name that some bytes are, which is new where it has not occurred.
  mutating func name(_ bytes: ArraySlice<UInt8>) -> SchemaNode.Name {
    if let known = knownName(bytes) { return known }
    // A slice would keep the text that it is of.
    let name = Array(bytes)
    names.append(name)
    nameIndices[RawKey(name[...])] = names.count - 1
    return names.count - 1
  }

  /// Adds a subschema without keywords, which are still to be read.
  mutating func add(at pointer: SchemaPointer) -> SchemaNode.ID {
    nodes.append(SchemaNode(at: pointer))
    return nodes.count - 1
  }

  /// Adds a subschema that stands nowhere in the schema as such: one that allows everything or nothing,
  /// a constant of a list, or a part of a keyword that others say.
  package mutating func add(_ node: SchemaNode) -> SchemaNode.ID {
    nodes.append(node)
    return nodes.count - 1
  }
}
