// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which name may have been meant by another one.
package enum Misspelling {
  /// The keyword that a name is nearly, the closest one: in another case, or one or two letters away.
  static func keyword(like name: String) -> String? {
    let letters = Array(name.lowercased().utf8)
    guard (4...32).contains(letters.count) else { return nil }
    var closest: (keyword: String, distance: Int)?
    for keyword in SchemaKeyword.allCases.map(\.rawValue) {
      let other = Array(keyword.lowercased().utf8)
      let most = min(letters.count, other.count) < 7 ? 1 : 2
      guard other.count >= 4, abs(letters.count - other.count) <= most else { continue }
      let distance = distance(letters, other)
      if distance <= most, distance < closest?.distance ?? .max { closest = (keyword, distance) }
    }
    return closest?.keyword
  }

  /// The name among some that another one is nearly: in another case, or one letter away.
  ///
  /// - Parameter others: Names that are meant already.
  package static func meant(
    by name: [UInt8], among names: [[UInt8]], but others: Set<[UInt8]>
  ) -> [UInt8]? {
    guard name.count <= longest else { return nil }
    let letters = plain(name)
    var near: [UInt8]?
    for other in names where abs(other.count - name.count) <= 1 && !others.contains(other) {
      let otherLetters = plain(other)
      if letters == otherLetters { return other }
      // `line1` is not `line2`, and most short words are one letter from another.
      guard near == nil, min(name.count, other.count) >= 4,
        letters.filter({ !isDigit($0) }) != otherLetters.filter({ !isDigit($0) }),
        distance(letters, otherLetters) == 1
      else { continue }
      near = other
    }
    return near
  }

  /// To compare longer names takes long, and nobody mistypes them.
  private static let longest = 64

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func plain(_ name: [UInt8]) -> [UInt8] {
    Array(String(decoding: name, as: UTF8.self).lowercased().utf8)
  }

  /// The fewest letters to insert, leave out, replace or exchange with their neighbours.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var next = [row + 1]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var least = min(last[column + 1] + 1, next[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, last) = (last, next)
    }
    return last[right.count]
  }
}
