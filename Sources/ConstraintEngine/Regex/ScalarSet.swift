// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A set of Unicode scalar values, as sorted ranges that do not touch.
package struct ScalarSet: Hashable, Sendable {
  package private(set) var ranges: [ClosedRange<UInt32>] = []

  /// Every Unicode scalar value: all code points but the surrogates.
  package static let all = ScalarSet([0...0xD7FF, 0xE000...0x10FFFF])

  /// Creates an empty set.
  package init() {}

  /// Creates the union of some ranges, given in any order.
  package init(_ ranges: [ClosedRange<UInt32>]) {
    self.ranges = Self.normalised(ranges)
  }

  /// Creates a set of single characters.
  package init(_ characters: String) {
    self.init(characters.unicodeScalars.map { $0.value...$0.value })
  }

  package var isEmpty: Bool { ranges.isEmpty }

  /// Whether a scalar value is in the set; logarithmic in the number of ranges.
  package func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(scalar)
  }

  package func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

  /// The scalar values that are not in the set.
  package var complement: ScalarSet {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { result.append(next...0x10FFFF) }
    return ScalarSet(result).withoutSurrogates
  }

  package func intersection(_ other: ScalarSet) -> ScalarSet {
    var result: [ClosedRange<UInt32>] = []
    var i = 0
    var j = 0
    while i < ranges.count, j < other.ranges.count {
      let low = max(ranges[i].lowerBound, other.ranges[j].lowerBound)
      let high = min(ranges[i].upperBound, other.ranges[j].upperBound)
      if low <= high { result.append(low...high) }
      if ranges[i].upperBound < other.ranges[j].upperBound { i += 1 } else { j += 1 }
    }
    return ScalarSet(result)
  }

  package func subtracting(_ other: ScalarSet) -> ScalarSet { intersection(other.complement) }

  var withoutSurrogates: ScalarSet {
    let hasSome = ranges.contains { $0.lowerBound <= 0xDFFF && $0.upperBound >= 0xD800 }
    guard hasSome else { return self }
    var result: [ClosedRange<UInt32>] = []
    for range in ranges {
      if range.lowerBound < 0xD800 {
        result.append(range.lowerBound...min(range.upperBound, 0xD7FF))
      }
      if range.upperBound > 0xDFFF {
        result.append(max(range.lowerBound, 0xE000)...range.upperBound)
      }
    }
    return ScalarSet(result)
  }

  private static func normalised(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    let isNormal = ranges.indices.dropFirst().allSatisfy {
      ranges[$0 - 1].upperBound &+ 1 < ranges[$0].lowerBound
    }
    if isNormal { return ranges }
    var result: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound &+ 1 {
        let upper = max(last.upperBound, range.upperBound)
        result[result.count - 1] = last.lowerBound...upper
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension ScalarSet {
  /// `\d` of ECMA-262: the ASCII digits.
  package static let digits = ScalarSet([0x30...0x39])

  /// `\w` of ECMA-262: ASCII letters, digits and the underscore.
  static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

  /// `\s` of ECMA-262: white space and line terminators.
  static let whiteSpace = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  /// The complement of `.` of ECMA-262 without the `s` flag.
  static let lineTerminators = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
}
