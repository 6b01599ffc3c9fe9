// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The values of finite sets, equal ones once.
struct ListedValues {
  typealias ID = UInt32

  /// A value, by the ids of its parts where it is a container.
  enum Value: Hashable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case string([UInt8])
    case array([ID])
    /// By ascending key.
    case object([Member])
  }

  struct Member: Hashable {
    var key: [UInt8]
    var value: ID
  }

  private var values: [Value] = []
  private var ids: [Value: ID] = [:]

  /// The memory held, in bytes.
  var byteCount: Int { values.count * 200 }

  subscript(id: ID) -> Value { values[Int(id)] }

  mutating func id(of value: Value) -> ID {
    if let known = ids[value] { return known }
    values.append(value)
    let id = ID(values.count - 1)
    ids[value] = id
    return id
  }

  /// The id of an object with some members, each key once.
  mutating func id(ofObject members: [Member]) -> ID {
    id(of: .object(members.sorted { $0.key.lexicographicallyPrecedes($1.key) }))
  }
}
