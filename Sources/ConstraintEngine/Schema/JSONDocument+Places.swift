// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension JSONDocument {
  /// Where each value of a document stands: gone through once, for those who ask of many.
  package struct Places: Sendable {
    private let document: JSONDocument
    /// The container of each value; -1 for the root and for keys.
    private var parents: [Int32]
    /// The key of a member, or the place of an element.
    private var steps: [Int32]
    private var pointers: [Node: SchemaPointer] = [:]

    /// - Complexity: Linear in the number of values.
    package init(_ document: JSONDocument) {
      self.document = document
      parents = Array(repeating: -1, count: document.records.count)
      steps = parents
      for node in document.records.indices {
        switch document.kind(node) {
        case .object:
          for (key, value) in document.members(node) {
            parents[value] = Int32(truncatingIfNeeded: node)
            steps[value] = Int32(truncatingIfNeeded: key)
          }
        case .array:
          for (index, element) in document.elements(node).enumerated() {
            parents[element] = Int32(truncatingIfNeeded: node)
            steps[element] = Int32(truncatingIfNeeded: index)
          }
        default: break
        }
      }
    }

    /// The last step of the way to a value: a key, or a place in an array; nil for the root.
    package func name(of node: Node) -> String? {
      guard parents[node] >= 0 else { return nil }
      let step = Int(steps[node])
      return document.kind(Int(parents[node])) == .object ? document.string(step) : String(step)
    }

    /// The JSON Pointer (RFC 6901) of a value.
    ///
    /// - Complexity: Linear in the depth of the value where it is asked for first.
    package mutating func pointer(to node: Node) -> SchemaPointer {
      var way: [Node] = []
      var at = node
      while pointers[at] == nil, parents[at] >= 0 {
        way.append(at)
        at = Int(parents[at])
      }
      var pointer = pointers[at] ?? SchemaPointer("")
      for node in way.reversed() {
        pointer = pointer + ("/" + SchemaLoader.encodingPointer(name(of: node) ?? ""))
        pointers[node] = pointer
      }
      return pointer
    }
  }
}
