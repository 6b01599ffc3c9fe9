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

    private let records: [Record]
    private let bytes: [UInt8]

    /// Of objects with fewer members the keys are compared one by one.
    private static let many = 32

    init(_ records: [Record], _ bytes: [UInt8]) {
      self.records = records
      self.bytes = bytes
      for node in records.indices where records[node].kind == .object && records[node].start > 1 {
        if records[node].start > Self.many { tabulate(node) } else { compare(node) }
      }
    }

    private func text(_ key: Node) -> ArraySlice<UInt8> {
      bytes[records[key].start..<records[key].end]
    }

    /// The key of the member after that of a key.
    private func next(_ key: Node) -> Node {
      switch records[key + 1].kind {
      case .array, .object: records[key + 1].end
      default: key + 2
      }
    }

    private mutating func tabulate(_ node: Node) {
      var table: [RawKey<UInt8>: Node] = [:]
      table.reserveCapacity(records[node].start)
      var key = node + 1
      for _ in 0..<records[node].start {
        if let other = table.updateValue(key + 1, forKey: RawKey(text(key))) {
          repeatedKeys.insert(other - 1)
        }
        key = next(key)
      }
      tables[node] = table
    }

    private mutating func compare(_ node: Node) {
      var key = node + 1
      for place in 0..<records[node].start {
        let length = records[key].end - records[key].start
        var later = next(key)
        for _ in place + 1..<records[node].start {
          if records[later].end - records[later].start == length,
            text(later).elementsEqual(text(key))
          {
            repeatedKeys.insert(key)
            break
          }
          later = next(later)
        }
        key = next(key)
      }
    }
  }
}
