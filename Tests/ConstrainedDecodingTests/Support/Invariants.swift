// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Expects that the tables of a grammar hold what they promise each other, after all that was asked of
/// them. In release builds, which have no checks, nothing.
func expectInvariants(
  of grammar: Grammar, _ comment: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #if DEBUG
    let broken = grammar._checkInvariants()
    #expect(
      broken.isEmpty, "\(broken.prefix(8).joined(separator: "\n"))\n\(comment())",
      sourceLocation: sourceLocation)
  #endif
}
