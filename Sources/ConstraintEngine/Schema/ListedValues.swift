// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The values of finite sets, equal ones once.
package struct ListedValues {
  package typealias ID = UInt32

  /// A value, by the ids of its parts where it is a container.
  package enum Value: Hashable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case string([UInt8])
    case array([ID])
    /// By ascending key.
    case object([Member])
  }

  package struct Member: Hashable {
    package var key: [UInt8]
    package var value: ID
  }

  private var values: [Value] = []
  private var ids: [Value: ID] = [:]

  /// The memory held, in bytes.
  var byteCount: Int { values.count * 200 }

  package subscript(id: ID) -> Value { values[Int(id)] }

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
