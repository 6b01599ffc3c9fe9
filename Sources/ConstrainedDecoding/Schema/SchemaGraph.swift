// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The subschemas of one or more documents, with every reference resolved to an index.
struct SchemaGraph {
  /// The subschemas; index 0 is the root.
  var nodes: [SchemaNode] = []
  /// The property names that occur, as UTF-8 bytes; a name is its index here.
  var names: [[UInt8]] = []
  var nameIndices: [[UInt8]: SchemaNode.Name] = [:]
  /// The subschema that allows everything, and the one that allows nothing.
  var anything: SchemaNode.ID = 0
  var nothing: SchemaNode.ID = 0
  /// The containers of long lists, and their parts.
  var listed = ListedValues()
  /// What was found on the way and is no error: unknown formats and the like.
  var warnings: [GrammarError.Diagnostic] = []

  mutating func name(_ bytes: some Collection<UInt8>) -> SchemaNode.Name {
    let bytes = Array(bytes)
    if let index = nameIndices[bytes] { return index }
    names.append(bytes)
    nameIndices[bytes] = names.count - 1
    return names.count - 1
  }

  /// Adds a subschema that allows one scalar value or exactly one container.
  mutating func add(_ node: SchemaNode) -> SchemaNode.ID {
    nodes.append(node)
    return nodes.count - 1
  }
}
