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

  /// The memory held, in bytes.
  var byteCount: Int { scalars.count * 160 + containers.byteCount }

  /// Scalars have even ids, containers odd ones.
  mutating func id(of scalar: Scalar) -> UInt32 {
    if let known = scalarIDs[scalar] { return known }
    scalars.append(scalar)
    let id = UInt32(scalars.count - 1) << 1
    scalarIDs[scalar] = id
    return id
  }

  mutating func id(ofArray items: some Sequence<UInt32>) -> UInt32 {
    containers.intern([0] + items) << 1 | 1
  }

  /// The id of an object, from pairs of key text and value.
  mutating func id(ofObject members: [(key: UInt32, value: UInt32)]) -> UInt32 {
    let sorted = members.sorted { $0.key < $1.key }
    return containers.intern([1] + sorted.flatMap { [$0.key, $0.value] }) << 1 | 1
  }

  /// The scalar with an id, or `nil` for a container.
  func scalar(_ id: UInt32) -> Scalar? {
    id & 1 == 0 ? scalars[Int(id >> 1)] : nil
  }
}
