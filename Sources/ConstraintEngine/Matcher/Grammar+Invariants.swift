// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if DEBUG
  extension Grammar {
    /// What is wrong with the tables of the automaton and of what is below it, for the tests: nothing.
    ///
    /// - Complexity: Linear in all that was worked out.
    package func _checkInvariants() -> [String] {
      storage.forEachState { $0.automaton._checkInvariants() }.flatMap(\.self)
    }
  }
#endif
