// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Flags within a pattern: `(?i)`, `(?s-i:…)`.
extension RegularExpressionParser {
  /// What the flags in force say.
  struct Flags {
    /// `i`: characters stand for all that have the same simple case folding.
    var ignoresCase = false
    /// `m`: `^` and `$` also hold at the ends of lines.
    var isMultiline = false
    /// `s`: `.` is any character.
    var dotIsAny = false

    /// Sets the flag of a letter; false where there is none.
    fileprivate mutating func set(_ letter: Unicode.Scalar, to value: Bool) -> Bool {
      switch letter {
      case "i": ignoresCase = value
      case "m": isMultiline = value
      case "s": dotIsAny = value
      default: return false
      }
      return true
    }
  }

  /// The characters of a set under the flags in force.
  func cased(_ set: ScalarSet) -> ScalarSet { flags.ignoresCase ? set.ignoringCase : set }

  /// Takes `(?i)`, whose flags hold to the end of the group around it.
  mutating func takeFlags() throws(Failure) -> Bool {
    let start = at
    guard take("(?"), let changed = try changedFlags(), take(")") else {
      at = start
      return false
    }
    flags = changed
    return true
  }

  /// Reads flags that are set, and after a hyphen those that are removed; nil where there are none.
  mutating func changedFlags() throws(Failure) -> Flags? {
    let start = at
    var result = flags
    var seen: Set<Unicode.Scalar> = []
    var value = true
    while let letter = next, letter != ":", letter != ")" {
      at += 1
      if letter == "-", value {
        value = false
      } else if result.set(letter, to: value) {
        guard seen.insert(letter).inserted else {
          throw failure("the flag `\(letter)` is repeated")
        }
      } else {
        at = start
        return nil
      }
    }
    guard !seen.isEmpty else {
      at = start
      return nil
    }
    return result
  }
}
