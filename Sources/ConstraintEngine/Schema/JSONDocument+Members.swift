// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension JSONDocument {
  /// What is found out once about the members of all objects of a document.
  ///
  /// Objects that have many get a table, so that references to a thousand definitions do not each go
  /// over all of them.
  struct MemberIndex {
    /// By object with many members, the value of each key.
    private(set) var tables: [Node: [RawKey<UInt8>: Node]] = [:]
    /// The keys that stand again later in the same object.
    private(set) var repeatedKeys: Set<Node> = []

    /// Of objects with fewer members the keys are compared one by one.
    private static let many = 32

    init(of document: JSONDocument) {
      for (node, record) in document.records.enumerated() where record.kind == .object {
        if document.count(node) > Self.many {
          tabulate(node, document)
        } else if document.count(node) > 1 {
          compare(node, document)
        }
      }
    }

    private mutating func tabulate(_ node: Node, _ document: JSONDocument) {
      var table: [RawKey<UInt8>: Node] = [:]
      table.reserveCapacity(document.count(node))
      for (key, value) in document.members(node) {
        if let other = table.updateValue(value, forKey: RawKey(document.text(key))) {
          repeatedKeys.insert(other - 1)
        }
      }
      tables[node] = table
    }

    private mutating func compare(_ node: Node, _ document: JSONDocument) {
      var key = node + 1
      for place in 0..<document.count(node) {
        let text = document.text(key)
        var later = document.after(key + 1)
        for _ in place + 1..<document.count(node) {
          let other = document.text(later)
          if other.count == text.count, other.elementsEqual(text) {
            repeatedKeys.insert(key)
            break
          }
          later = document.after(later + 1)
        }
        key = document.after(key + 1)
      }
    }
  }
}
