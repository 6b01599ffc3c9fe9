// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads the numbers of one architecture from a file's metadata, each checked.
struct MetadataReader {
  let metadata: [String: GGUFValue]
  let architecture: String

  private func field(_ key: String) -> String { "\(architecture).\(key)" }

  /// Whether there is a value.
  func has(_ key: String) -> Bool { metadata[field(key)] != nil }

  /// Whether there is a zero, which stands for no number where none is allowed.
  func isZero(_ key: String) -> Bool { metadata[field(key)]?.number == 0 }

  func string(_ key: String) -> String? { metadata[field(key)]?.string }

  /// A whole number. Files may have one for each layer, which must be the same then, but for zeros.
  func integer(
    _ key: String, in range: ClosedRange<Int>, default fallback: Int? = nil
  ) throws(GGUFError) -> Int {
    var found = metadata[field(key)]?.integer ?? fallback
    if case .integers(let list)? = metadata[field(key)] {
      let values = Set(list.filter { $0 != 0 })
      guard values.count == 1 else {
        throw GGUFError(
          field: field(key),
          message: "expected one number for all layers, found \(values.sorted()).")
      }
      found = values.first
    }
    guard let value = found else {
      let found = metadata[field(key)]?.kindName ?? "none"
      throw GGUFError(field: field(key), message: "expected a whole number, found \(found).")
    }
    guard range.contains(value) else {
      throw GGUFError(field: field(key), message: "expected \(range), found \(value).")
    }
    return value
  }

  /// A whole number for each layer: the file's list, or its one number for all.
  func integers(
    _ key: String, layers: Int, in range: ClosedRange<Int>, default fallback: Int? = nil
  ) throws(GGUFError) -> [Int] {
    guard case .integers(let list)? = metadata[field(key)] else {
      return Array(
        repeating: try integer(key, in: range, default: fallback), count: layers)
    }
    guard list.count >= layers else {
      throw error(key, "expected a number for each of \(layers) layers, found \(list.count).")
    }
    if let wrong = list.prefix(layers).first(where: { !range.contains($0) }) {
      throw error(key, "expected \(range) for each layer, found \(wrong).")
    }
    return Array(list.prefix(layers))
  }

  /// A truth value for each layer; nil where the file has no list.
  func booleans(_ key: String, layers: Int) throws(GGUFError) -> [Bool]? {
    let list: [Bool]
    switch metadata[field(key)] {
    case .booleans(let values): list = values
    case .integers(let values): list = values.map { $0 != 0 }
    default: return nil
    }
    guard list.count >= layers else {
      throw error(key, "expected a value for each of \(layers) layers, found \(list.count).")
    }
    return Array(list.prefix(layers))
  }

  /// A number for each layer, infinite ones included; nil where the file has no list.
  func numbers(_ key: String, layers: Int) throws(GGUFError) -> [Float]? {
    guard case .numbers(let list)? = metadata[field(key)] else { return nil }
    guard list.count >= layers else {
      throw error(key, "expected a number for each of \(layers) layers, found \(list.count).")
    }
    return list.prefix(layers).map { Float($0) }
  }

  func number(_ key: String, default fallback: Double) throws(GGUFError) -> Float {
    let value = metadata[field(key)]?.number ?? fallback
    guard value.isFinite, value > 0, value < 1e12 else {
      throw GGUFError(field: field(key), message: "expected a number above 0.")
    }
    return Float(value)
  }

  func optionalNumber(_ key: String) throws(GGUFError) -> Float? {
    has(key) ? try number(key, default: 1) : nil
  }

  func boolean(_ key: String, default fallback: Bool) -> Bool {
    if case .boolean(let value)? = metadata[field(key)] { value } else { fallback }
  }

  func error(_ key: String, _ message: String) -> GGUFError {
    GGUFError(field: field(key), message: message)
  }
}
