/// What the layers remember of the tokens read: a key and a value for each position.
///
/// A cache is a value: a copy shares its memory until one of the two is written to.
package struct KeyValueCache: Sendable {
  private var keys: [[Float]]
  private var values: [[Float]]
  private let width: Int
  private var capacity = 0
  /// How many positions are remembered.
  package var count = 0

  package init(_ parameters: ModelParameters) {
    width = parameters.keyValueHeads * parameters.headSize
    keys = Array(repeating: [], count: parameters.layers)
    values = keys
  }

  /// Makes room, by doubling.
  mutating func reserve(_ positions: Int) {
    guard positions > capacity else { return }
    capacity = max(positions, capacity * 2, 64)
    for layer in keys.indices {
      keys[layer] += repeatElement(0, count: capacity * width - keys[layer].count)
      values[layer] += repeatElement(0, count: capacity * width - values[layer].count)
    }
  }

  mutating func store(
    _ newKeys: UnsafePointer<Float>, _ newValues: UnsafePointer<Float>, _ positions: Int,
    layer: Int
  ) {
    let start = count * width
    keys[layer].withUnsafeMutableBufferPointer {
      $0.baseAddress?.advanced(by: start).update(from: newKeys, count: positions * width)
    }
    values[layer].withUnsafeMutableBufferPointer {
      $0.baseAddress?.advanced(by: start).update(from: newValues, count: positions * width)
    }
  }

  func withLayer(
    _ layer: Int, _ body: (UnsafePointer<Float>, UnsafePointer<Float>) -> Void
  ) {
    keys[layer].withUnsafeBufferPointer { keys in
      values[layer].withUnsafeBufferPointer { values in
        if let k = keys.baseAddress, let v = values.baseAddress { body(k, v) }
      }
    }
  }
}
