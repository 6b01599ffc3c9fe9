// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What one token of a vocabulary can read at most.
package struct TokenReach: Equatable {
  /// The characters of a string.
  var scalars: Int
  /// The commas of arrays.
  var commas: Int

  /// As far as one of two.
  func union(_ other: TokenReach) -> TokenReach {
    TokenReach(scalars: max(scalars, other.scalars), commas: max(commas, other.commas))
  }
}
