// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Int {
  /// The sum, or the greatest or least integer where it is beyond that.
  ///
  /// Counts of tokens come from executors, which may say anything.
  func saturatingSum(with other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other > 0 ? .max : .min) : sum
  }

  /// Adds a number; stops at the greatest or least integer.
  mutating func addSaturating(_ other: Int) { self = saturatingSum(with: other) }
}
