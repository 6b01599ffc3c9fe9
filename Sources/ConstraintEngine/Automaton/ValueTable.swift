// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whole JSON values, equal ones once: what `uniqueItems` compares.
///
/// Numbers are equal by value, objects whatever the order of their members.
struct ValueTable {
  enum Scalar: Hashable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    /// By its id in the ``TextTable``.
    case string(UInt32)
  }

  private var scalars: [Scalar] = []
  private var scalarIDs: [Scalar: UInt32] = [:]
  private var containers = SequenceInterner()
  /// By set of values and kind, those of it that are containers of that kind.
  private var kinds = FlatMap()

  /// The memory held, in bytes.
  var byteCount: Int { scalars.count * 160 + containers.byteCount + kinds.byteCount }

  /// Scalars have even ids, containers odd ones.
  mutating func id(of scalar: Scalar) -> UInt32 {
    if let known = scalarIDs[scalar] { return known }
    scalars.append(scalar)
    let id = UInt32(scalars.count - 1) << 1
    scalarIDs[scalar] = id
    return id
  }

  /// The id of a scalar that was read before.
  func known(_ scalar: Scalar) -> UInt32? { scalarIDs[scalar] }

  mutating func id(ofArray items: some Sequence<UInt32>) -> UInt32 {
    containers.intern([0] + items) << 1 | 1
  }

  /// The id of an object, from pairs of key text and value.
  mutating func id(ofObject members: [(key: UInt32, value: UInt32)]) -> UInt32 {
    let sorted = members.sorted { $0.key < $1.key }
    return containers.intern([1] + sorted.flatMap { [$0.key, $0.value] }) << 1 | 1
  }

  /// Whether an id is that of an array; `nil` for a scalar.
  func isArray(_ id: UInt32) -> Bool? {
    id & 1 == 0 ? nil : containers.word(0, of: id >> 1) == 0
  }

  /// The containers of one kind in a set of values. A set with a value more shares most of its parts with
  /// the set before, and so does what is kept of it.
  mutating func containers(
    among set: PersistentSets.Set, isArray: Bool, in sets: inout PersistentSets
  ) -> PersistentSets.Set {
    if set == PersistentSets.empty { return set }
    if let value = sets.onlyWord(of: set) {
      return self.isArray(value) == isArray ? set : PersistentSets.empty
    }
    let key = UInt64(set) << 1 | (isArray ? 1 : 0)
    if let known = kinds[key] { return known }
    let (low, high) = sets.parts(of: set)
    let result = sets.replacingParts(
      of: set, low: containers(among: low, isArray: isArray, in: &sets),
      high: containers(among: high, isArray: isArray, in: &sets))
    kinds.set(key, result)
    return result
  }

  /// The first item of an array and the array of the others.
  mutating func split(_ id: UInt32) -> (value: UInt32, residual: UInt32)? {
    guard let value = first(of: id) else { return nil }
    return (value, self.id(ofArray: Array(containers[id >> 1].dropFirst(2))))
  }

  /// The first item of an array.
  func first(of id: UInt32) -> UInt32? {
    isArray(id) == true && containers.length(of: id >> 1) > 1
      ? containers.word(1, of: id >> 1) : nil
  }

  /// The items of an array.
  func items(of id: UInt32) -> [UInt32] {
    isArray(id) == true ? Array(containers[id >> 1].dropFirst()) : []
  }

  /// The value of a member and the object without it.
  mutating func split(_ id: UInt32, key: UInt32) -> (value: UInt32, residual: UInt32)? {
    guard let place = place(ofMember: key, in: id) else { return nil }
    var words = Array(containers[id >> 1])
    let value = words[place + 1]
    words.removeSubrange(place...place + 1)
    return (value, containers.intern(words) << 1 | 1)
  }

  /// The value of a member of an object.
  func member(_ key: UInt32, of id: UInt32) -> UInt32? {
    place(ofMember: key, in: id).map { containers.word($0 + 1, of: id >> 1) }
  }

  /// The keys of an object.
  func keys(of id: UInt32) -> [UInt32] {
    guard isArray(id) == false else { return [] }
    return stride(from: 1, to: containers.length(of: id >> 1), by: 2).map {
      containers.word($0, of: id >> 1)
    }
  }

  private func place(ofMember key: UInt32, in id: UInt32) -> Int? {
    guard isArray(id) == false else { return nil }
    return stride(from: 1, to: containers.length(of: id >> 1), by: 2).first {
      containers.word($0, of: id >> 1) == key
    }
  }

  /// The scalar with an id, or `nil` for a container.
  func scalar(_ id: UInt32) -> Scalar? {
    id & 1 == 0 ? scalars[Int(id >> 1)] : nil
  }
}
